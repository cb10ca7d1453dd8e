"""Decisions: what an answer did to facts. They last; the tables of facts are folds of the base facts and these.

A decision names the facts it rests on, each in the version that was there, and holds what it writes in full. So it can
be replayed without asking anybody, and is known not to apply any more when one of them is gone or has other words. A
fact whose words are the same means the same: that it was said once more, is trusted more or less, or has other tags or
references ends no decision. A replay takes these as they are now, where the decision didn't judge them itself.

| verb | inputs, the fact it is about first | output | what a replay writes |
|---|---|---|---|
| keep | the fact | nothing | nothing |
| retract | the fact; then the syntheses that stand for it | `superseded_by`: the first of these, or null | the same |
| update | the fact | `fact`: the same with another confidence | the confidence |
| merge (dedup) | survivor; loser | `fact`: the survivor | it, and what the loser adds, as they are now |
| merge (prune) | all merged facts | `fact`: what they become; its id is new, or that of one of them | it, and more |
| synthesize | the facts of its item that it cites | `fact` | the same |
| reinforce | the transition; then the methodology | `fact`: the transition, citing the methodology | the reference |
| propose | the transitions, or the synthesis behind the hypothesis | `fact`: a methodology | the same |
| hypothesize | the synthesis; then the facts it cites besides | `fact`, `prediction`, `falsifier` | the same |
| discover | all members of its item | `fact` | the same |

What a merge of prune becomes keeps its words, type, origin and confidence; it has the tags and references that were
decided and those that the inputs have now, and the sources that these have now. A survivor of dedup stays the one that
was chosen, whichever of the two is surer now. Evidence weights are never stored: they are worked out anew.

The output of a reinforcement holds its `rationale` too, and `is_retracted` where the transition is; that of a proposed
methodology its `novelty_argument`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.work import Counts

Verb = Literal["keep", "retract", "update", "merge", "synthesize", "reinforce", "propose", "hypothesize", "discover"]
VERBS: tuple[Verb, ...] = get_args(Verb)
WRITERS = frozenset(VERBS) - {"keep", "retract"}
"""Verbs whose output holds a fact."""
DEDUP = "dedup"
"""The step of what removes near-duplicates without asking anybody."""
Key = tuple[str, str]
"""Id and version of a fact."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision. `number` is its place in the log, 0 before it is written there; `step` what kind of work led to it.

    Raises `ThermiteError` when made without inputs, or when a verb that writes has no fact to write.
    """

    verb: Verb
    step: str
    inputs: tuple[Key, ...]
    output: dict[str, Any] = msgspec.field(default_factory=dict)
    number: int = 0

    def __post_init__(self) -> None:
        if not self.inputs:
            raise ThermiteError(f"a decision to {self.verb} names no fact")
        if (self.verb in WRITERS) != ("fact" in self.output):
            raise ThermiteError(f"a decision to {self.verb} holds the wrong output", where=self.about)

    @property
    def about(self) -> str:
        """The fact that stands first among its inputs."""
        return self.inputs[0][0]

    @property
    def id(self) -> str:
        """`decision:<campaign>/<number>`."""
        return f"decision:{self.about.rpartition('/')[0]}/{self.number}"

    @property
    def fact(self) -> Fact | None:
        """What it writes, if anything."""
        return msgspec.convert(self.output["fact"], Fact) if "fact" in self.output else None

    @property
    def left_live(self) -> Fact | None:
        """The live fact that it writes, if any; a retracted hypothesis stays retracted whatever it comes to cite."""
        return None if self.output.get("is_retracted") else self.fact

    def stored(self) -> dict[str, Any]:
        """The columns of the log that say what was decided, as plain values."""
        return {
            "step": self.step,
            "verb": self.verb,
            "inputs": [list(key) for key in self.inputs],
            "output": self.output,
        }


def decision_of(row: Mapping[str, Any]) -> Decision:
    """The decision in a row of the log, whose number is in the column `decision`; raises `ThermiteError`."""
    values = {name: row[name] for name in ("step", "verb", "inputs", "output")}
    try:
        decision = msgspec.convert(values | {"number": row["decision"]}, Decision)
        _ = decision.fact
    except msgspec.ValidationError as error:
        raise ThermiteError(f"it can't be read: {error}", where=f"decision {row['decision']}") from None
    return decision


def fact_output(fact: Fact, **more: Any) -> dict[str, Any]:
    """The output of a decision that writes a fact. The evidence weight is left to the fold, which knows the lineage."""
    unweighed = msgspec.structs.replace(fact, evidence_weight=0.0)
    return {"fact": msgspec.json.decode(msgspec.json.encode(unweighed)), **more}


_COUNTED = {
    "retract": "pruned",
    "merge": "merged",
    "update": "updated",
    "synthesize": "synthesized",
    "discover": "synthesized",
}


def counts_of(decisions: Iterable[Decision]) -> Counts:
    """What decisions add to the counts: facts retracted, merges, changed confidences, facts derived."""
    return Counts(**Counter(name for one in decisions if (name := _COUNTED.get(one.verb))))
