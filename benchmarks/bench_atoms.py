"""How well the rules find atoms, by type and language, and how fast, on two sets that were labelled by hand.

The own set lies in `tests/atoms/data`; rules may be changed by its `dev` half and never by what stands in the other.
The shared set is messages of real transcripts: only their labels lie here, by file, message and SHA-256 of the text.
Where the transcripts are not beside this checkout, its figures are left out. Law: precision at least 0.85 overall and
0.9 on corrections, and 2,000 messages a second.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.atoms.labelled import Labelled, Score, by_language, by_type, own_messages, score
from thermite_pipelines.atoms.model import Said
from thermite_pipelines.atoms.rules import RulesAnswerer, read_message
from thermite_pipelines.atoms.signals.sentences import language_of
from thermite_pipelines.transcripts.read import open_transcript

LABELS = Path(__file__).parent / "atom_labels.jsonl"
TRANSCRIPTS = Path(__file__).parents[2] / "shared" / "data" / "real" / "transcripts"
PRECISION = 0.85
PRECISION_OF_CORRECTIONS = 0.9
MESSAGES_A_SECOND = 2_000


def shared_messages() -> tuple[list[Labelled], list[bool], int]:
    """The labelled messages of the shared transcripts, whether each asks for something, and how many were not found."""
    labels = list(map(json.loads, LABELS.read_text(encoding="utf-8").splitlines()))
    texts = {name: dict(_said(TRANSCRIPTS / name)) for name in sorted({label["file"] for label in labels})}
    found, asks = [], []
    for label in labels:
        said = texts[label["file"]].get(label["message"])
        if said is not None and sha256(said.text.encode()).hexdigest() == label["sha256"]:
            found.append(_labelled(said, label))
            asks.append(bool(label.get("asks")))
    return found, asks, len(labels) - len(found)


def _labelled(said: Said, label: Mapping[str, Any]) -> Labelled:
    language = language_of(said.text)
    return Labelled(said, language.code if language else "other", "shared", frozenset(label["types"]))


def _said(path: Path) -> Iterator[tuple[str, Said]]:
    before = None
    with open_transcript(path) as transcript:
        for message in transcript:
            if message.role == "human":
                yield message.message, Said(message.message, message.place, message.text, before)
            before = message.text or before


def show(name: str, messages: list[Labelled]) -> bool:
    """Print the figures of a set; whether they keep the law."""
    overall, types = score(messages), by_type(messages)
    print(f"{name}: {len(messages)} messages")
    print(f"  {'all':14} {overall}")
    for label, figures in (*types.items(), *by_language(messages).items()):
        print(f"  {label:14} {figures}")
    idle = [labelled for labelled in messages if not labelled.types]
    print(f"  messages without content: {len(idle)}, with an atom all the same: {sum(bool(one.found) for one in idle)}")
    corrections = types.get("correction", Score(0, 0, 0))
    return overall.precision >= PRECISION and corrections.precision >= PRECISION_OF_CORRECTIONS


def show_intents(messages: list[Labelled], asks: list[bool]) -> None:
    """Print how many of the messages that ask for something give an intent, and how many of the others do."""
    given = [bool(read_message(labelled.said).intents) for labelled in messages]
    right = sum(one and other for one, other in zip(given, asks, strict=True))
    print(f"  intents: {Score(right, sum(given) - right, sum(asks) - right)}")


def speed(messages: list[Labelled]) -> float:
    """Messages a second of one core, after a round that compiles the patterns."""
    answerer = RulesAnswerer()
    said = [labelled.said for labelled in messages]
    for repeats in (1, 10):
        began = time.process_time()
        for _ in answerer.answer_all(answerer.batches(said * repeats)):
            pass
        seconds = time.process_time() - began
    return len(said) * 10 / seconds


def main() -> int:
    """Print all figures; 1 if one breaks the law."""
    own = own_messages()
    kept = [show(split, [labelled for labelled in own if labelled.split == split]) for split in ("dev", "held_out")]
    if TRANSCRIPTS.is_dir() and LABELS.is_file():
        shared, asks, missing = shared_messages()
        kept.append(show("shared", shared))
        show_intents(shared, asks)
        if missing:
            print(f"  not found in the transcripts as they were labelled: {missing}")
            kept.append(False)
    else:
        print("shared: no transcripts beside this checkout, so no figures of them")
    rate = speed(own)
    print(f"{rate:,.0f} messages a second on one core (at least {MESSAGES_A_SECOND:,})")
    return 0 if all(kept) and rate >= MESSAGES_A_SECOND else 1


if __name__ == "__main__":
    sys.exit(main())
