"""Tokens of the service for people, agents and rigs."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tokens",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("rig", sa.Text(), nullable=True),
        sa.Column("run", sa.Text(), nullable=True),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["rig"], ["rigs.rig"]),
        sa.PrimaryKeyConstraint("token"),
        sa.UniqueConstraint("sha256"),
    )


def downgrade() -> None:
    op.drop_table("tokens")
