"""Lineage: which facts were derived from which, through any number of steps and over all versions that ever were."""

from collections.abc import Mapping

from thermite_pipelines.synthesis.corpus import Corpus


class Lineage:
    """Who cites whom, retracted facts included: what was derived through one of them was derived all the same."""

    def __init__(self, cited: Mapping[str, frozenset[str]], live: frozenset[str]) -> None:
        """`cited` gives the facts that each fact ever cited, `live` the facts that were not taken back."""
        self._live = live
        self._citing: dict[str, set[str]] = {}
        for name, others in cited.items():
            for other in others:
                self._citing.setdefault(other, set()).add(name)
        self._dependents: dict[str, frozenset[str]] = {}

    def dependents(self, fact: str) -> frozenset[str]:
        """All facts derived from one, in any number of steps, live or not; never itself. Looked up once."""
        if fact not in self._dependents:
            found: set[str] = set()
            ahead = [fact]
            while ahead:
                new = self._citing.get(ahead.pop(), set()) - found
                found |= new
                ahead += new
            self._dependents[fact] = frozenset(found - {fact})
        return self._dependents[fact]

    def blast_radius(self, fact: str) -> int:
        """How many live facts would lose ground with this one: those derived from it. 0 for an unknown fact."""
        return len(self.dependents(fact) & self._live)

    def linked(self, one: str, other: str) -> bool:
        """Whether one of two facts was derived from the other."""
        return other in self.dependents(one) or one in self.dependents(other)


def lineage_of(corpus: Corpus) -> Lineage:
    """The lineage of all facts of a campaign."""
    held = corpus.all()
    cited = {name: corpus.cited_ever(name) for name in held}
    return Lineage(cited, frozenset(name for name, one in held.items() if one.is_live))
