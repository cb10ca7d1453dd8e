"""Groups of roles that routes and tools are for."""

from thermite_pipelines.control.tokens import PEOPLE

READERS = PEOPLE
"""People who may look at everything."""
DECIDERS = ("owner", "operator")
"""People who may change something."""
RIG = ("rig",)
ANYONE = ("anyone",)
"""Also whoever shows no token."""
