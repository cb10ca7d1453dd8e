"""How many tokens a model is asked for each token of real text, through extraction of atoms, prune, distill and RAPTOR.

The texts lie beside this checkout, or where THERMITE_SHARED_DATA says: recorded sessions, from which atoms are taken,
and lessons and findings, which a rig says as notes. A server on loopback answers as the rules would and keeps what it
was asked; facts that are near to each other are all kept. What counts is what was sent, also what was asked again. Of
the sessions the text is what people typed and, as far as it is shown beside that, what the agent said before. The form
of an answer, which some providers count and others don't, is told apart. A token is four bytes of UTF-8.

Laws: extraction, prune and distill together ask at most 2.5 tokens for each of the texts; a repeat asks nothing. RAPTOR
comes on top.
"""

import gzip
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import support
from tests.atoms import talking
from tests.support.homes import Home, make_ready
from tests.support.models import asked_of
from tests.support.openai_server import Asked, OpenAIServer, Reply, openai_server, says
from thermite_pipelines.atoms.asking import CONTEXT_CHARS, ModelAnswerer
from thermite_pipelines.atoms.asking import shown_text as typed
from thermite_pipelines.atoms.extraction import extract
from thermite_pipelines.atoms.model import Said
from thermite_pipelines.atoms.rules import read_message
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.llm.client import LanguageModel
from thermite_pipelines.synthesis import rules
from thermite_pipelines.synthesis.asking import USUAL
from thermite_pipelines.synthesis.fact_store import FactTable
from thermite_pipelines.synthesis.lane_runs import LaneRun
from thermite_pipelines.transcripts.read import open_transcript

SHARED = Path(os.environ.get("THERMITE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data" / "real"))
RATIO = 2.5
RAPTOR = "raptor"
LONGEST = 4_000
"""Characters of a note: what is longer is several."""
_HEADING = re.compile(r"^#{1,4} ", re.MULTILINE)
_TEXTS = ("text", "finding", "impact", "recommendation", "summary", "detail", "prompt_fragment", "title", "body")


def tokens(text: str) -> float:
    """Tokens of a text, reckoned by its bytes."""
    return len(text.encode()) / 4


# --- texts -----------------------------------------------------------------------------------------------------------


def lessons() -> Iterator[str]:
    """What stands in the lessons, one note for each entry or section, and findings of a research ledger."""
    for path in sorted((SHARED / "lessons").iterdir()):
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".jsonl":
            yield from filter(None, (_of_record(json.loads(line)) for line in text.splitlines() if line.strip()))
        else:
            yield from _sections(text)
    for line in gzip.decompress((SHARED / "research-ledger" / "findings.jsonl.gz").read_bytes()).splitlines():
        row = json.loads(line)
        yield f"{row['front']['title']}\n\n{row['body']}"[:LONGEST].strip()


def _of_record(row: dict[str, Any]) -> str:
    return "\n".join(str(row[name]) for name in _TEXTS if row.get(name)).strip()


def _sections(text: str) -> Iterator[str]:
    for section in _HEADING.split(text):
        if len(section.split()) > 5:
            yield section[:LONGEST].strip()


# --- answers ---------------------------------------------------------------------------------------------------------


def answered(asked: Asked) -> Reply:
    """What the rules would say; near facts are kept as they are."""
    shown = json.loads(asked.body["messages"][1]["content"])
    step = step_of(asked)
    if step == "extraction":
        found: dict[str, list[Any]] = {"atoms": [], "intents": []}
        for place, one in enumerate(shown["messages"]):
            read = read_message(Said(one["id"], place, one["text"], one.get("context")))
            found["atoms"] += [atom.model_dump() for atom in read.atoms]
            found["intents"] += [intent.model_dump() for intent in read.intents]
        return says(found)
    if step == "prune":
        return says({"decisions": [], "merges": []})
    return Reply(rules.answer_text("distill", list(map(whole, shown["facts"]))))


def whole(record: dict[str, Any]) -> dict[str, Any]:
    """A record as its item holds it, of one that is shown in brief."""
    return {"title": record["body"].strip().splitlines()[0][:120], "domain": [], "entities": []} | USUAL | record


def step_of(asked: Asked) -> str:
    """Which step a question is of. In a first review only the items of RAPTOR hold a synthesis."""
    names = asked.body["response_format"]["json_schema"]["schema"]["properties"].keys()
    if "atoms" in names or "merges" in names:
        return "extraction" if "atoms" in names else "prune"
    facts = json.loads(asked.body["messages"][1]["content"])["facts"]
    return RAPTOR if any(fact.get("origin") == "distilled" for fact in facts) else "distill"


# --- figures ---------------------------------------------------------------------------------------------------------


def review(home: Home, model: LanguageModel) -> None:
    """Make facts of what is there, and review them to the end."""
    FolderWriter(home.control, home.lake, support.CAMPAIGN).refresh()
    FactTable(home.opened, support.CAMPAIGN).refresh()
    run = LaneRun(home.opened, support.CAMPAIGN, "review", effort="normal")
    done = run.drain(None, run.synthesis.answerer(model)).drained
    assert run.is_done and not done.failures, done.failures


def of_sessions(home: Home, model: LanguageModel) -> float:
    """Take atoms from the sessions, and review them; the tokens of what people typed and of what came before it."""
    home.settings = home.settings.model_copy(update={"transcripts": f"{support.CAMPAIGN}={SHARED / 'transcripts'}"})
    result = extract(talking.opened(home), support.CAMPAIGN, ModelAnswerer(model))
    assert not result.left, result
    review(home, model)
    found = 0.0
    for path in sorted((SHARED / "transcripts").iterdir()):
        before = ""
        with open_transcript(path) as transcript:
            for message in transcript:
                if message.role == "human":
                    text = typed(Said(message.message, message.place, message.text))
                    found += tokens(text + before[-CONTEXT_CHARS:]) if text else 0
                before = message.text or before
    return found


def of_notes(home: Home, model: LanguageModel) -> float:
    """Say lessons as notes, and review them; the tokens of their texts."""
    texts = list(dict.fromkeys(lessons()))
    if home.rig(support.RIG).n <= 1:
        for place, text in enumerate(texts):
            note = {"note": f"n{place}", "kind": ("lesson", "observation")[place % 2], "text": text}
            home.rig(support.RIG).say("journal_note", note, run="run-1")
        talking.arrive(home, support.RIG)
    review(home, model)
    return sum(map(tokens, texts))


def show(title: str, texts: float, asked: list[Asked]) -> float:
    """Print what was asked about some texts, by step: prompts, facts, forms. The tokens of messages, without RAPTOR."""
    sent, prompts, forms, calls = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for one in asked:
        step = step_of(one)
        calls[step] += 1
        prompts[step] += round(tokens(one.body["messages"][0]["content"]))
        sent[step] += round(sum(tokens(message["content"]) for message in one.body["messages"]))
        forms[step] += round(tokens(json.dumps(one.body["response_format"], separators=(",", ":"))))
    whole = sum(sent.values()) - sent[RAPTOR]
    print(
        f"{title}: {texts:,.0f} tokens, asked {whole:,}: {whole / texts:.2f} x; with RAPTOR "
        f"{(whole + sent[RAPTOR]) / texts:.2f} x; {len(asked):,} calls"
    )
    for step in calls:
        print(
            f"  {step:10} {calls[step]:4} calls, {sent[step]:8,} tokens: prompts {prompts[step]:8,}, beside them "
            f"{sent[step] - prompts[step]:8,}; forms of answers {forms[step]:7,} more"
        )
    sys.stdout.flush()
    return whole


def measured(server: OpenAIServer, folder: Path) -> tuple[float, float, int]:
    """Tokens of all texts, tokens asked, and the calls that a repeat made."""
    texts = sent = 0.0
    again = 0
    ready = make_ready(folder)
    for title, work in (("recorded sessions", of_sessions), ("lessons and findings", of_notes)):
        home = support.new_home(folder / title, ready)
        talking.a_run(home, support.RIG)
        talking.arrive(home, support.RIG)
        model = asked_of(server, folder / "answers").model
        before = len(server.asked)
        found = work(home, model)
        now = len(server.asked)
        texts, sent = texts + found, sent + show(title, found, server.asked[before:])
        work(home, model)
        again += len(server.asked) - now
        home.close()
    return texts, sent, again


def main() -> int:
    """Print all figures; 1 where one breaks a law."""
    print(support.machine())
    if not SHARED.is_dir():
        print(f"no shared data at {SHARED}, so no figures of real texts")
        return 0
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with tempfile.TemporaryDirectory(prefix="thermite-bench-") as name, openai_server(answered) as server:
        texts, sent, again = measured(server, Path(name))
    print(f"all together {sent / texts:.2f} tokens asked for each (law: {RATIO}); a repeat made {again} calls (law: 0)")
    return int(sent / texts > RATIO or again > 0)


if __name__ == "__main__":
    sys.exit(main())
