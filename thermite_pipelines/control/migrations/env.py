"""Alembic's entry point: migrations always run on the connection that `Control.migrate` hands over."""

from alembic import context

# Their tables belong to the metadata.
from thermite_pipelines.control import (
    atom_models,
    channel_models,
    mcp_models,
    outgoing_models,
    synthesis_models,
    token_models,
)
from thermite_pipelines.control.models import Base

assert atom_models and channel_models and mcp_models and outgoing_models and synthesis_models and token_models
context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
