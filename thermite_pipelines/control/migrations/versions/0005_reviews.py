"""Reviews: what base facts a session saw, and items that were asked about in vain."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("synthesis_sessions", sa.Column("base_content", sa.Text(), nullable=True))
    op.add_column("synthesis_watermarks", sa.Column("base_content", sa.Text(), nullable=True))
    op.add_column("work_items", sa.Column("failures", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("work_items", sa.Column("failed_because", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("work_items", "failed_because")
    op.drop_column("work_items", "failures")
    op.drop_column("synthesis_watermarks", "base_content")
    op.drop_column("synthesis_sessions", "base_content")
