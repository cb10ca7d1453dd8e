"""What tests of the store of atoms share: people who talk, an answerer that notes what it is asked, tables."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.atoms.extraction import ExtractionResult, extract
from thermite_pipelines.atoms.model import Answerer, Extracted, ExtractedAtom, ExtractedIntent, Said
from thermite_pipelines.atoms.reading import read_sessions
from thermite_pipelines.atoms.session_store import mark_stale
from thermite_pipelines.atoms.store import AtomTables
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home as OpenHome
from thermite_pipelines.tables.parquet import to_rows

CAMPAIGN = "speed-up"
Row = dict[str, Any]


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def day(number: int, time: str = "08:00:00") -> str:
    """A day of November 2026, and on into the years after it."""
    return f"{2026 + number // 300}-{number % 300 // 25 + 1:02d}-{number % 25 + 1:02d}T{time}Z"


def told(*texts: str) -> list[Row]:
    """Messages of a session: `h:`, `a:` or `t:` before each text says who wrote it."""
    roles = {"h": "human", "a": "assistant", "t": "tool"}
    return [{"role": roles[text[0]], "text": text[2:]} for text in texts]


def say_session(rig: RigSimulator, session: str, *texts: str, run: str = "run-1", at: str = day(0)) -> None:
    rig.say("session_recorded", {"session": session, "started_at": at, "messages": told(*texts)}, run=run)


def say_owner(rig: RigSimulator, text: str, *, run: str = "run-1", at: str = day(0)) -> None:
    rig.say("owner_message", {"message": f"m{rig.n + 1}", "text": text}, run=run, at=at)


def a_run(home: Home, rig: str = "rig-a", run: str = "run-1", campaign: str = CAMPAIGN) -> RigSimulator:
    """A rig whose run lies in a campaign by its own word."""
    home.campaign(campaign)
    simulator = home.rig(rig)
    simulator.say_run(run, campaign=campaign)
    return simulator


def arrive(home: Home, *rigs: str) -> None:
    for rig in rigs or ("rig-a",):
        if home.rig(rig).said:
            home.rig(rig).send()
        home.intake(rig)


def opened(home: Home) -> OpenHome:
    return OpenHome(home.settings, home.control, home.lake)


@dataclass
class Listener:
    """An answerer that takes every sentence `FACT …` for a finding, `WRONG … : …` for a correction, `DO …` for a wish.

    It notes the messages that it is asked about. `fails` names a text at which a batch has no answer, `stop` an error
    that it gives from an answer on.
    """

    model: str = "rules"
    prompt_version: str = "listener-1"
    size: int = 3
    asked: list[list[str]] = field(default_factory=list)
    fails: str = ""
    stops_after: int | None = None
    stop: ThermiteError | None = None
    backwards: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,)

    def batches(self, messages: Sequence[Said]) -> list[Sequence[Said]]:
        return [messages[start : start + self.size] for start in range(0, len(messages), self.size)]

    def answer_all(self, batches: Sequence[Sequence[Said]]) -> Iterator[tuple[int, Extracted | ThermiteError]]:
        places = range(len(batches))
        for place in reversed(places) if self.backwards else places:
            if self.stops_after is not None and len(self.asked) >= self.stops_after:
                assert self.stop is not None
                yield place, self.stop
                continue
            self.asked.append([said.text for said in batches[place]])
            if self.fails and any(self.fails in said.text for said in batches[place]):
                yield place, ThermiteError("the model refused")
            else:
                yield place, self.answer(batches[place])

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.asked for text in batch]

    def answer(self, batch: Sequence[Said]) -> Extracted:
        answer = Extracted(atoms=[], intents=[])
        for said in batch:
            for sentence in said.text.split("\n"):
                word, _, rest = sentence.partition(" ")
                if word == "FACT":
                    answer.atoms.append(_atom(said, "finding", sentence, rest))
                elif word == "WRONG":
                    wrong, _, right = rest.partition(" : ")
                    answer.atoms.append(_atom(said, "correction", sentence, right, wrong))
                elif word == "LIE":
                    answer.atoms.append(_atom(said, "finding", "words that nobody said", rest))
                elif word == "DO":
                    answer.intents.append(ExtractedIntent(message=said.message, text=rest))
        return answer


def _atom(said: Said, kind: str, quote: str, statement: str, wrong: str = "") -> ExtractedAtom:
    return ExtractedAtom(
        message=said.message,
        type=kind,
        statement=statement,
        domain=["web-metrics"],
        conditions="none stated",
        verbatim_quote=quote,
        wrong_assumption=wrong,
        why_confused="the name misleads" if wrong else "",
    )


def mine(home: Home, answerer: Answerer | None = None, campaign: str = CAMPAIGN, **options: Any) -> ExtractionResult:
    return extract(opened(home), campaign, answerer or Listener(), **options)


def rebuild_tables(home: OpenHome, campaign: str) -> None:
    """Make everything derived of a campaign anew, as a backfill does, but ask nobody."""
    read_sessions(home, campaign, anew=True)
    with home.control.write() as connection:
        mark_stale(connection, campaign)
    AtomTables(home, campaign).refresh()


def rows(home: Home, table: str, campaign: str = CAMPAIGN) -> list[Row]:
    """The rows of a derived table as they lie on disk, read past all code that wrote them."""
    folder = home.lake.local(f"derived/{table}/campaign={campaign}")
    found = [row for path in sorted(folder.glob("*.parquet")) for row in to_rows(pq.ParquetFile(path).read())]
    return sorted(found, key=lambda row: (row["session"] or "", row["place"] or 0)) if table == "messages" else found


def log(home: Home, campaign: str = CAMPAIGN) -> list[Row]:
    path = home.lake.local(f"derived/atoms_log/campaign={campaign}/atoms.jsonl")
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def derived(home: Home) -> dict[str, bytes]:
    """All derived files by path."""
    return home.files("derived")


def claude_lines(session: str, *texts: str, at: str = day(0)) -> bytes:
    """A session file as Claude Code writes it."""
    lines = []
    for place, text in enumerate(texts):
        kind = {"h": "user", "a": "assistant", "t": "user"}[text[0]]
        content: Any = text[2:] if text[0] == "h" else [{"type": "text", "text": text[2:]}]
        if text[0] == "t":
            content = [{"type": "tool_result", "tool_use_id": "x", "content": text[2:]}]
        line = {"type": kind, "sessionId": session, "uuid": f"{session}-{place}", "isSidechain": False}
        line |= {"message": {"role": kind, "content": content}} | ({"timestamp": at} if at else {})
        lines.append(json.dumps(line) + "\n")
    return "".join(lines).encode()


def put_file(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
