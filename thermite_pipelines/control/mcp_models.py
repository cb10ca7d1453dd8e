"""The table of MCP servers: knowledge bases outside that the owner added."""

from sqlalchemy.orm import Mapped, mapped_column

from thermite_pipelines.control.models import Base, role


class McpServer(Base):
    """A knowledge base outside, with its secret sealed under control's key and bound to name and URL."""

    __tablename__ = "mcp_servers"
    __table_args__ = role("source")
    server: Mapped[str] = mapped_column(primary_key=True)
    url: Mapped[str]
    sealed: Mapped[bytes]
    added_at: Mapped[int]
    added_by: Mapped[str]
    changed_at: Mapped[int]
