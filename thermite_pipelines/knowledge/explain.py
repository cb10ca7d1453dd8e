"""Where something came from: a document that leads from a fact, a decision, an item or an atom down to signed reports.

What ids look like and which explainer each has stands here. Those of derived things nest the documents of what they
were made from.
"""

import re
from collections.abc import Callable

from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.explain_facts import explain_decision, explain_fact
from thermite_pipelines.knowledge.explain_sources import explain_atom, explain_item
from thermite_pipelines.knowledge.explained import Explained, Explaining
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.names import CAMPAIGN

__all__ = ["EXPLAINERS", "Explained", "explain"]

_FACT = re.compile(rf"{CAMPAIGN.pattern}/[0-9a-f]{{12,64}}")
EXPLAINERS: dict[str, Callable[[Explaining, str], Explained]] = {
    "atom": explain_atom,
    "decision": explain_decision,
} | dict.fromkeys(KINDS, explain_item)
"""By kind (what an id begins with), what explains a thing of it. Facts have ids without a kind."""


def explain(home: Home, id: str, reader: Reader) -> Explained:
    """Where the fact, decision, item or atom of an id came from, as far as the reader may read.

    Raises `UsageError` for what is no id of a known kind, `ThermiteError` where there is no such thing or none that may
    be read: both look alike.
    """
    if _FACT.fullmatch(id):
        return explain_fact(Explaining(home, reader), id)
    explainer = EXPLAINERS.get(id.partition(":")[0])
    if explainer is None or ":" not in id:
        kinds = ", ".join(EXPLAINERS)
        do = f"write <kind>:…, with a kind of: {kinds}; or <campaign>/<12 hex digits or more> for a fact"
        raise UsageError(f"{id[:160]!r} is no id", do=do)
    return explainer(Explaining(home, reader), id)
