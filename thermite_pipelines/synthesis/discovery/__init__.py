"""Discovery: at higher effort, sets of facts to ask about what nobody wrote down.

A set holds a few facts that are near to each other though they stand in different clusters. A review asks what follows
from all of them (forward), a hypothesize session what all of them rest on (backward). Pure: facts, clusters, the graph
of what is alike and the lineage go in, work items come out, whatever order things are given in.
"""

from thermite_pipelines.synthesis.discovery.dial import BUDGETS, Dial
from thermite_pipelines.synthesis.discovery.items import (
    Edges,
    Material,
    backward_items,
    edges_of,
    forward_items,
    keystones,
)
from thermite_pipelines.synthesis.discovery.tokens import Scope

__all__ = [
    "BUDGETS",
    "Dial",
    "Edges",
    "Material",
    "Scope",
    "backward_items",
    "edges_of",
    "forward_items",
    "keystones",
]
