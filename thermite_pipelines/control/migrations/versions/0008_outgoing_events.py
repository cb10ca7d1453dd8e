"""What agents say over the service until their rigs report it, and which agent of a run a token is for."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "outgoing_events",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("rig", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("writer", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("said_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("event"),
    )
    op.create_index("outgoing_events_by_run", "outgoing_events", ["rig", "run"])
    op.add_column("tokens", sa.Column("writer", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("tokens", "writer")
    op.drop_table("outgoing_events")
