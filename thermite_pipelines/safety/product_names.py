"""The names of the product's own commands and tools, from what is installed: nothing is listed here by hand.

Each part of the product that has such names says so with an entry point of the group `thermite_pipelines.names`, called
`commands` or `tools`: a function without arguments that gives the names. So the command line, which stands above this
package, is not imported by it, and a command or tool that is added later is known without a change here.
"""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points

GROUP = "thermite_pipelines.names"


@dataclass(frozen=True)
class ProductNames:
    """What may not be named in a learning: commands as they are typed after `thermite`, and tools by their names."""

    commands: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()


@cache
def product_names() -> ProductNames:
    """The names that the installed parts give; nothing where the installed metadata knows of none.

    Kept for the life of the process. Whatever an entry point raises is raised here: names that are silently missing
    would let through what they should stop.
    """
    found: dict[str, set[str]] = {"commands": set(), "tools": set()}
    for point in entry_points(group=GROUP):
        if point.name in found:
            found[point.name].update(point.load()())
    return ProductNames(frozenset(found["commands"]), frozenset(found["tools"]))
