"""What becomes of each item and atom: type, confidence, sources, words, references, and what takes a fact back."""

import hashlib

import pytest

from tests.atoms.talking import Listener, a_run, arrive, mine, say_session, uuid
from tests.support.homes import Home
from tests.synthesis.saying import (
    CAMPAIGN,
    Row,
    facts,
    make,
    on_disk,
    say_claim,
    say_experiment,
    say_hypothesis,
    say_note,
    say_research,
    settle,
)
from thermite_pipelines.synthesis.base_facts import base_facts, ids_of, short_id
from thermite_pipelines.synthesis.drafts import FactOf, refs_of, title_of
from thermite_pipelines.synthesis.fact_atoms import ATOM_TYPES, drafts_of_atom
from thermite_pipelines.tables.derived import ATOMS


def test_notes_by_their_kind(home: Home) -> None:
    rig = a_run(home)
    for kind in ("observation", "surprise", "lesson", "decision", "question", "note"):
        say_note(rig, kind, f"# A {kind}\n\nThe optimizer is slow, see `train.py`.")
    settle(home)
    found = {
        fact.fact.title: (fact.fact.type, fact.fact.confidence, fact.fact.sources) for fact in facts(home).values()
    }
    assert found == {
        "A observation": ("observation", 0.6, 1),
        "A surprise": ("observation", 0.6, 1),
        "A lesson": ("principle", 0.6, 1),
    }
    [lesson] = [fact.fact for fact in facts(home).values() if fact.fact.type == "principle"]
    assert lesson.body == "# A lesson\n\nThe optimizer is slow, see `train.py`."
    assert (lesson.domain, lesson.entities) == (("optimizer", "performance"), ("train.py",))
    assert (lesson.rig, lesson.run, lesson.written_by) == ("rig-a", "run-1", "lane-1")
    assert lesson.created_at == 1_795_947_298_120_000


def test_a_note_cites_what_it_is_about_and_what_it_names(home: Home) -> None:
    rig = a_run(home)
    say_experiment(rig, "e1")
    words = "As in note:rig-a/run-1/n9, see https://example.org/a."
    say_note(rig, "lesson", words, about={"kind": "experiment", "id": "e1"})
    settle(home)
    [lesson] = facts(home).values()
    assert lesson.fact.refs == ("experiment:rig-a/run-1/e1", "note:rig-a/run-1/n9", "https://example.org/a")


@pytest.mark.parametrize(
    ("result", "body"),
    [
        (
            {
                "status": "improved",
                "metric": "val_bpb",
                "value": 1.19,
                "unit": "bpb",
                "baseline": 1.25,
                "summary": "It fits.",
            },
            "wider layer: improved, val_bpb 1.19 bpb against 1.25. It fits.",
        ),
        ({"status": "no_change", "metric": "loss", "value": 3.0}, "wider layer: no change, loss 3."),
        ({"status": "worse", "value": 2, "baseline": 1}, "wider layer: worse, 2 against 1."),
        (
            {"status": "failed", "metric": "loss", "baseline": 1.0, "summary": "Out of memory."},
            "wider layer: failed. Out of memory.",
        ),
        ({"status": "skipped"}, None),
        ({}, None),
    ],
)
def test_experiments_that_have_a_result(home: Home, result: Row, body: str | None) -> None:
    rig = a_run(home)
    say_experiment(rig, "e1", **result)
    settle(home)
    found = list(facts(home).values())
    if body is None:
        assert found == []
        return
    [fact] = [one.fact for one in found]
    assert (fact.type, fact.confidence, fact.sources, fact.body) == ("observation", 0.8, 1, body)
    assert fact.title == body.partition(",")[0].partition(".")[0]


def test_an_attempt_with_a_verdict(home: Home) -> None:
    rig = a_run(home)
    rig.say("trial_started", {"trial": "t1", "lane": "lane-1", "kind": "code", "runtime": "pi"})
    say_experiment(rig, "e1")
    for name in ("a1", "a2"):
        data = {"attempt": name, "trial": "t1", "experiment": "e1", "title": "x" * 200, "summary": "Wider."}
        rig.say("attempt_submitted", data)
    verdict = {"verdict": "accepted", "metric": "acc", "value": 0.5, "champion_value": 0.25, "reason": "It is better."}
    rig.say("attempt_judged", {"attempt": "a1"} | verdict)
    settle(home)
    [fact] = [one.fact for one in facts(home).values()]
    assert (fact.type, fact.confidence, fact.sources) == ("observation", 0.9, 1)
    assert fact.title == "x" * 110 + ": accepted"
    assert fact.body == fact.title + ", acc 0.5 against 0.25. Wider.\n\nIt is better."
    assert fact.refs == ("experiment:rig-a/run-1/e1",)
    assert fact.entities == ("acc",)


def test_claims_findings_and_research_notes(home: Home) -> None:
    rig = a_run(home)
    say_research(rig)
    settle(home)
    found = facts(home)
    told = {name: (one.fact.type, one.fact.confidence, one.fact.sources) for name, one in found.items()}
    assert {name: value for name, value in told.items() if not name.startswith("hypothesis")} == {
        "claim:c1": ("reference", 0.8, 1),  # two quotes of one source
        "claim:c2": ("reference", 0.8, 2),
        "claim:c3": ("reference", 0.3, 1),  # its quote stands nowhere
        "finding:f1": ("observation", 0.7, 2),
        "finding:f2": ("observation", 0.4, 1),
        "research_note:r1": ("reference", 0.6, 2),
    }
    assert found["claim:c2"].fact.refs == ("source:rig-a/run-1/s1", "source:rig-a/run-1/s2")
    assert found["research_note:r1"].fact.refs == found["claim:c2"].fact.refs
    assert found["research_note:r1"].fact.title == "Both pages agree"
    assert found["finding:f1"].fact.refs == (found["claim:c1"].fact.fact, found["claim:c2"].fact.fact)
    assert found["finding:f2"].fact.refs == ()


def test_a_claim_that_says_nothing_is_cited_as_the_item_that_it_is(home: Home) -> None:
    rig = a_run(home)
    say_research(rig)
    say_claim(rig, "c9", " \n ", [{"source": "s2", "quote": "Warm reads take 1 ms."}])
    rig.say("finding_recorded", {"finding": "f9", "text": "Warm is fast.", "claims": ["c9", "c1"]}, run="run-1")
    settle(home)
    found = facts(home)
    assert "claim:c9" not in found
    assert found["finding:f9"].fact.refs == ("claim:rig-a/run-1/c9", found["claim:c1"].fact.fact)
    assert found["finding:f9"].fact.sources == 2, "what it quotes was read all the same"
    own = {one.fact.fact for one in found.values()}
    cited = {ref for one in found.values() for ref in one.fact.refs if ref.startswith(f"{CAMPAIGN}/")}
    assert cited <= own, "no reference names a fact that there is not"


def test_hypotheses_and_what_became_of_them(home: Home) -> None:
    rig = a_run(home)
    say_research(rig)
    settle(home)
    found = {name: one for name, one in facts(home).items() if name.startswith("hypothesis")}
    told = {name: (one.fact.type, one.fact.confidence, one.retracted_as) for name, one in found.items()}
    assert told == {
        "hypothesis:h1": ("hypothesis", 0.5, "confirmed"),
        "hypothesis:h1+": ("observation", 0.8, None),
        "hypothesis:h2": ("hypothesis", 0.5, "refuted"),
        "hypothesis:h3": ("hypothesis", 0.5, None),
        "hypothesis:h4": ("hypothesis", 0.5, None),
    }
    kept, seen = found["hypothesis:h1"], found["hypothesis:h1+"]
    assert kept.retracted_by == seen.fact.fact != kept.fact.fact
    assert seen.fact.refs == (kept.fact.fact,)
    assert seen.fact.body == "Statement h1 about the cache\n\nWe looked."
    assert found["hypothesis:h2"].retracted_by == "hypothesis:rig-a/run-1/h2"
    assert {name for name, one in found.items() if one.is_live} == {"hypothesis:h1+", "hypothesis:h3", "hypothesis:h4"}


def test_a_hypothesis_keeps_its_id_when_it_is_resolved(home: Home) -> None:
    rig = a_run(home)
    say_hypothesis(rig, "h1", "Batches help", None)
    settle(home)
    before = facts(home)["hypothesis:h1"]
    rig.say("hypothesis_resolved", {"hypothesis": "h1", "outcome": "confirmed", "evidence": "They did."})
    settle(home)
    after = facts(home)
    assert after["hypothesis:h1"].fact.fact == before.fact.fact
    assert (before.is_live, after["hypothesis:h1"].is_live) == (True, False)


def test_runs_trials_documents_sources_and_reports_are_no_facts(home: Home) -> None:
    rig = a_run(home)
    rig.say("trial_started", {"trial": "t1", "lane": "lane-1", "kind": "code", "runtime": "pi"})
    text = "A page."
    sha = hashlib.sha256(text.encode()).hexdigest()
    rig.say("document_written", {"document": "a.md", "lane": "lane-1", "text": text, "text_sha256": sha})
    source = {"source": "s1", "url": "https://example.org", "text": text, "text_sha256": sha}
    rig.say("source_archived", source | {"fetched_at": "2026-11-29T10:00:00Z"})
    rig.say("report_written", {"report": "p1", "title": "All", "text": text})
    settle(home)
    assert facts(home) == {}


def test_atoms_by_their_type() -> None:
    assert ATOM_TYPES == {
        "correction": ("observation", 0.9),
        "mental_model": ("concept", 0.8),
        "finding": ("observation", 0.8),
        "pattern": ("pattern", 0.7),
        "decision": ("heuristic", 0.8),
        "workflow": ("heuristic", 0.8),
    }
    for type in ("open_question", "gestalt"):
        assert drafts_of_atom(an_atom(type=type)) == []


def an_atom(**values: object) -> Row:
    row: Row = dict.fromkeys(ATOMS.column_names)
    row |= {"atom": "atom:speed-up/0123456789abcdef", "type": "finding", "statement": "Tables come last.\nAlways."}
    row |= {"domain": ["web-metrics"], "conditions": "none stated", "established": "2026-01-02", "source": "campaign"}
    return row | {"sessions": ["s1", "s2"], "members": []} | values


def test_an_atom_says_when_it_holds_and_what_was_wrong() -> None:
    said = {"conditions": "on `main`", "wrong_assumption": "Tables come first.", "why_confused": "the name misleads"}
    [draft] = drafts_of_atom(an_atom(type="correction", source="person:olga", **said))
    assert draft.title == "Tables come last."
    assert draft.body == (
        "Tables come last.\nAlways.\n\nHolds under: on `main`\n\nWrongly assumed: Tables come first."
        "\n\nWhy one would: the name misleads"
    )
    assert (draft.sources, draft.domain, draft.entities) == (2, ("web metrics",), ("main",))
    assert (draft.written_by, draft.created_at) == ("olga", 1_767_312_000_000_000)
    [draft] = drafts_of_atom(an_atom(sessions=[]))
    assert draft.sources == 1


def test_the_newest_of_a_chain_takes_the_place_of_the_others(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), "h:FACT tea is cold", at="2026-01-01T08:00:00Z")
    say_session(rig, uuid(2), "h:WRONG tea is cold : tea is hot", "h:FACT milk is white", at="2026-01-02T08:00:00Z")
    say_session(rig, uuid(3), "h:FACT milk is white", at="2026-01-03T08:00:00Z")
    arrive(home)
    mine(home, Listener())
    settle(home)
    by_title = {one.fact.title: one for one in facts(home).values()}
    assert {title: (one.fact.type, one.fact.sources) for title, one in by_title.items()} == {
        "tea is cold": ("observation", 1),
        "tea is hot": ("observation", 1),
        "milk is white": ("observation", 2),
    }
    assert by_title["tea is cold"].superseded_by == by_title["tea is hot"].fact.fact
    assert not by_title["tea is cold"].is_live and by_title["tea is hot"].is_live
    assert by_title["milk is white"].fact.domain == ("web metrics",)


def test_what_is_no_fact_takes_the_place_under_its_own_name() -> None:
    old = an_atom(superseded_by="atom:speed-up/ffff")
    assert [type(draft.superseded_by) for draft in drafts_of_atom(old, an_atom(type="open_question"))] == [str]
    assert [type(draft.superseded_by) for draft in drafts_of_atom(old, an_atom(type="finding"))] == [FactOf]


def test_sy_17_pragmatic_facts_are_kept_and_never_enter() -> None:
    drafts = [
        draft
        for number, type in enumerate([*ATOM_TYPES, "gestalt"])
        for draft in drafts_of_atom(an_atom(type=type, atom=f"atom:speed-up/{number}"))
    ]
    made = base_facts(CAMPAIGN, drafts)
    assert sorted(one.fact.type for one in made if not one.may_enter) == ["heuristic", "heuristic"]
    assert {one.fact.kind for one in made if one.may_enter} == {"epistemic"}
    assert len(made) == 6


def test_ids_are_made_of_their_source_alone(home: Home) -> None:
    rig = a_run(home)
    say_note(rig, "lesson", "one")
    settle(home)
    [row] = on_disk(home)
    digest = hashlib.sha256(row["item"].encode()).hexdigest()
    assert row["fact"] == f"speed-up/{digest[:12]}" == short_id("speed-up", row["item"])


def test_ids_that_share_their_first_digits_are_longer() -> None:
    digests = {"a": "0" * 64, "b": "0" * 12 + "1" * 52, "c": "0" * 20 + "2" * 44, "d": "1" * 64}
    ids = ids_of("c", digests, digests.__getitem__)
    assert ids == {
        "a": "c/" + "0" * 28,
        "b": "c/" + digests["b"][:20],
        "c": "c/" + digests["c"][:28],
        "d": "c/" + "1" * 12,
    }
    assert ids_of("c", reversed(digests), digests.__getitem__) == ids


def test_titles() -> None:
    assert title_of("\n\n ---\n## > A  *big*\tword \nmore") == "A *big* word"
    assert title_of("- [x] done") == "[x] done"
    assert title_of("y" * 200) == "y" * 120
    assert title_of("x" * 119 + " y") == "x" * 119
    assert title_of("** **") == "** **"
    assert title_of(" \n") == ""


def test_references_in_words() -> None:
    text = "see (claim:rig-a/run-1~L2/c1), document:rig-a/r/x/y.md and http://a.example/b?c=d. claim:no kind:rig/r/x"
    assert refs_of("claim:rig-a/run-1/c9", text, cited=["source:r/r/s"]) == (
        "source:r/r/s",
        "claim:rig-a/run-1~L2/c1",
        "document:rig-a/r/x/y.md",
        "http://a.example/b?c=d",
    )
    assert refs_of("claim:rig-a/r/c9", "as claim:rig-a/r/c9 says") == ()
    assert len(refs_of("x", " ".join(f"https://example.org/{n}" for n in range(100)))) == 64


def test_only_the_campaigns_own_folder_feeds_its_facts(home: Home) -> None:
    from thermite_pipelines.control.campaigns import grant

    rig = a_run(home)
    home.campaign("reading")
    rig.say_run("run-2", campaign="reading")
    say_note(rig, "lesson", "from another folder", run="run-2")
    say_note(rig, "lesson", "from its own")
    with home.control.write() as connection:
        grant(connection, CAMPAIGN, "reading", home.by)
    settle(home)
    settle(home, campaign="reading")
    assert [one.fact.title for one in facts(home).values()] == ["from its own"]
    assert [one.fact.title for one in facts(home, "reading").values()] == ["from another folder"]
    assert make(home).parts == 0
