"""How many sources merged facts have: what was recorded once counts once, whatever was made of it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.atoms.talking import arrive, opened
from tests.knowledge.filing import assign_run, refresh
from tests.support.homes import Home
from tests.support.rigs import seed_of
from tests.synthesis.making import answered, fact, name, numbered
from tests.synthesis.saying import CAMPAIGN, make
from thermite_pipelines.rig.importers.imports import import_log
from thermite_pipelines.synthesis.answers import Merge, PruneAnswer, Replacement
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.fact_store import read_base_facts
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import dedup
from thermite_pipelines.synthesis.pooling import pooled_sources, record_of

LOG = (
    "commit\tval_bpb\tstatus\tdescription\tnotes\n"
    "abc1234\t1.10\tkeep\tbaseline\tThe baseline is stable over three seeds.\n"
    "abc1235\t1.09\tkeep\thalf the decay\tHalf the decay gains 0.01.\n"
)
E5, E6 = "experiment:rig-a/run-1/e5", "experiment:rig-a/run-2/e6"


def imported(home: Home, tmp_path: Path, *runs: str) -> dict[str, Fact]:
    """The facts of one log imported as some runs, by run, kind and record."""
    rig = home.rig("rig-a")
    home.campaign(CAMPAIGN)
    (tmp_path / "results.tsv").write_text(LOG)
    for run in runs:
        assign_run(home, "rig-a", run, CAMPAIGN)
        names: dict[str, Any] = {"rig": "rig-a", "run": run, "campaign": CAMPAIGN, "seed": seed_of("rig-a")}
        import_log(
            "autoresearch", tmp_path / "results.tsv", inbox_dir=rig.inbox, state_path=tmp_path / f"{run}.json", **names
        )
    arrive(home)
    refresh(home, CAMPAIGN)
    make(home)
    found = {one.fact.item or "": one.fact for one in read_base_facts(opened(home), CAMPAIGN)}
    return {f"{one.run}/{item.partition(':')[0]}:{item.rpartition('/')[2]}": one for item, one in found.items()}


def merged(corpus: Corpus, one: Fact, other: Fact, number: int = 1) -> Fact:
    """The survivor of two facts of a corpus, which changes."""
    found = {key: fact for key, fact in corpus.live().items() if key in (one.fact, other.fact)}
    [decision] = numbered(dedup(found, [(one.fact, other.fact, 0.99)], corpus.records), number)
    assert corpus.apply(decision) is None
    survivor = corpus.read(decision.about)
    assert survivor is not None and decision.fact is not None and survivor.sources == decision.fact.sources
    return survivor


def test_the_experiment_the_attempt_and_the_note_of_one_imported_row_are_one_source(home: Home, tmp_path: Path) -> None:
    found = imported(home, tmp_path, "run-1")
    for row in ("0001", "0002"):
        tried, judged, noted = (found[f"run-1/{kind}{row}"] for kind in ("experiment:e", "attempt:a", "note:n"))
        assert record_of(tried) == record_of(judged) == record_of(noted) == tried.item
        corpus = Corpus([tried, judged, noted])
        survivor = merged(corpus, tried, judged)
        assert (survivor.fact, survivor.sources) == (judged.fact, 1)
        assert merged(corpus, survivor, noted, 2).sources == 1
        said = Replacement(path=None, title="As one", body="One row.", type="observation")
        paths = tuple(one.fact for one in (tried, judged, noted))
        answer = PruneAnswer(decisions=(), merges=(Merge(paths=paths, merged=said),))
        _, corpus = answered("prune", [tried, judged, noted], answer)
        [whole] = corpus.live().values()
        assert whole.sources == 1
    assert pooled_sources([found["run-1/experiment:e0001"], found["run-1/attempt:a0002"]]) == 2


@pytest.mark.parametrize(
    "order",
    [
        ("run-1/e run-1/a", "run-2/e run-2/a", "run-1/a run-2/a"),
        ("run-1/e run-2/e", "run-1/a run-2/a", "run-1/e run-1/a"),
        ("run-1/e run-2/a", "run-2/e run-1/a", "run-1/a run-2/a"),
    ],
)
def test_two_runs_that_say_the_same_are_two_sources_in_whatever_order_they_are_merged(
    home: Home, tmp_path: Path, order: tuple[str, ...]
) -> None:
    found = imported(home, tmp_path, "run-1", "run-2")
    kinds = {"e": "experiment:e0001", "a": "attempt:a0001"}
    of_row = {f"{run}/{short}": found[f"{run}/{kind}"] for run in ("run-1", "run-2") for short, kind in kinds.items()}
    corpus = Corpus(of_row.values())
    for number, pair in enumerate(order, 1):
        ends = [of_row[place].fact for place in pair.split()]
        while (gone := [end for end in ends if corpus.read(end) is None]) != []:
            ends[ends.index(gone[0])] = corpus.all()[gone[0]].superseded_by or ""
        one, other = (corpus.all()[end].fact for end in ends)
        merged(corpus, one, other, number)
    [survivor] = corpus.live().values()
    assert survivor.sources == 2


def item(number: int, of: str, *refs: str, **more: Any) -> Fact:
    return msgspec.structs.replace(fact(number, **more), item=of, refs=refs)


def test_what_is_about_another_run_or_names_an_experiment_in_passing_is_a_record_of_its_own() -> None:
    tried = item(1, E5, sources=3)
    elsewhere = item(2, "attempt:rig-a/run-2/a5", E5)
    beside = item(3, "attempt:rig-a/run-1/a9", "experiment:rig-a/run-1/e9", E5)
    finding = item(4, "finding:rig-a/run-1/f1", E5)
    plain = item(5, "attempt:rig-a/run-1/a1")
    for one in (elsewhere, beside, finding, plain):
        assert pooled_sources([tried, one]) == pooled_sources([one, tried]) == 4
    judged = item(6, "attempt:rig-a/run-1/a5", E5, sources=2)
    assert pooled_sources([tried, judged]) == 3, "the most that any of them gives"
    noted = item(7, "note:rig-a/run-1/n1", E5)
    again = item(8, "note:rig-a/run-1/n2", E5)
    assert pooled_sources([noted, again]) == 1 and pooled_sources([noted, item(9, E6)]) == 2


def test_facts_without_an_item_are_their_own_records() -> None:
    told = msgspec.structs.replace(fact(1, sources=2), atom="atom:speed-up/1")
    assert (record_of(told), record_of(fact(2))) == ("atom:speed-up/1", name(2))
    assert pooled_sources([told, fact(2, sources=0)]) == 2 and pooled_sources([fact(2, sources=0)]) == 1


def test_a_copy_of_the_facts_knows_what_was_merged() -> None:
    corpus = Corpus([item(1, E5), item(2, E6), item(3, "attempt:rig-a/run-2/a6", E6, confidence=0.2)])
    survivor = merged(corpus, fact(1), fact(2))
    twin = corpus.copy()
    assert (survivor.sources, merged(twin, survivor, fact(3), 2).sources) == (2, 2)
    assert corpus.records(survivor) == twin.records(survivor) == {E5: 1, E6: 1}
