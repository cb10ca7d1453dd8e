"""Replaying: what a decision writes on its facts as they are now, which may not be quite what they were.

The words are what was decided on, and they are the same, or the decision doesn't apply. The rest may have moved on: an
atom was said once more, a rule finds another tag, a claim's quote was verified. So what a decision didn't judge is
taken from the facts as they are: an `update` writes the confidence alone, a `reinforce` adds one reference, and merges
gather tags, references and sources anew. On unchanged facts that gives exactly what was decided.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from thermite_pipelines.synthesis.decisions import DEDUP, Decision
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import absorbed, by_rank, domains, names, union
from thermite_pipelines.synthesis.pooling import Records, RecordsOf, absorbed_records, pooled_records


class Written(NamedTuple):
    """A fact that a decision writes; of a merge, also the records that it stands for from then on."""

    fact: Fact
    records: Records | None = None


def written(decision: Decision, inputs: Sequence[Fact], records: RecordsOf) -> Written | None:
    """What a decision writes, if anything. `inputs` are its facts as they are now, in its own order."""
    decided = decision.fact
    if decided is None:
        return None
    if decision.verb == "update":
        return Written(msgspec.structs.replace(inputs[0], confidence=decided.confidence))
    if decision.verb == "reinforce":
        transition, methodology = inputs
        return Written(msgspec.structs.replace(transition, refs=union(transition.refs, [methodology.fact])))
    if decision.verb != "merge":
        return Written(decided)
    if decision.step == DEDUP:
        survivor, *losers = inputs
        fact = absorbed(survivor, *losers, records=records)
        return Written(fact, absorbed_records(survivor, *losers, records=records))
    return _merged(decided, inputs, records)


def _merged(decided: Fact, inputs: Sequence[Fact], records: RecordsOf) -> Written:
    ranked = by_rank(inputs)
    pool = pooled_records(decided.fact, inputs, records)
    fact = msgspec.structs.replace(
        decided,
        domain=domains(decided.domain, *(fact.domain for fact in ranked)),
        entities=names(decided.entities, *(fact.entities for fact in ranked)),
        refs=tuple(ref for ref in union(decided.refs, *(fact.refs for fact in ranked)) if ref != decided.fact),
        sources=sum(pool.values()),
    )
    return Written(fact, pool)
