"""Groups of roles that routes and tools are for."""

from thermite_pipelines.control.tokens import OF_RUNS, PEOPLE

READERS = PEOPLE
"""People who may look at everything."""
DECIDERS = ("owner", "operator")
"""People who may change something."""
CALLERS = (*PEOPLE, *OF_RUNS)
"""Who may call tools over MCP, each those of his role."""
RIG = ("rig",)
ANYONE = ("anyone",)
"""Also whoever shows no token."""
