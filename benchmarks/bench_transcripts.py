"""Reading a session of 200 MB: messages a second and the most memory that it takes.

Two forms: short messages, and long tool results between them. Law: under 500 MB. What is typed of short messages: at
least 20,000 a second.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.support import machine
from thermite_pipelines.transcripts.read import open_transcript
from thermite_pipelines.transcripts.typed import typed_spans

SIZE = 200_000_000
SESSION = "0b9d3f60-52a1-4f0c-8f43-6c1f7b1f0d11"
SAYINGS = (
    "no, that's wrong: the pump starts before the valve opens",
    "we decided to keep the old rate, since the valve is slow",
    "why does lane 2 wait? look at the log:\n\n2026-03-01 10:00:05 ERROR gave up after 3 tries\n",
    "ok",
)


def record(number: int, kind: str, content: Any) -> bytes:
    """A line of a session."""
    base = {"parentUuid": f"{number - 1:032x}", "isSidechain": False, "userType": "external", "sessionId": SESSION}
    said = {"type": kind, "message": {"role": kind, "content": content}, "uuid": f"{number:032x}"}
    at = {"timestamp": f"2026-03-01T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"}
    return json.dumps(base | said | at, separators=(",", ":")).encode() + b"\n"


def write(path: Path, result: int) -> None:
    """A session of `SIZE` bytes whose tool results have so many characters; none at all for 0."""
    with path.open("wb") as stream:
        number = 0
        while stream.tell() < SIZE:
            stream.write(record(number, "user", SAYINGS[number // 3 % len(SAYINGS)]))
            stream.write(record(number + 1, "assistant", [{"type": "text", "text": "I will look at it. " * 5}]))
            if result:
                told = [
                    {"type": "tool_result", "tool_use_id": "t", "content": "all 12 tests passed\n" * (result // 20)}
                ]
                stream.write(record(number + 2, "user", told))
            number += 3


def read(path: Path) -> None:
    """Read a session in this process and print what it took."""
    before = time.perf_counter()
    transcript = open_transcript(path)
    for _ in transcript:
        pass
    seconds = time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    rate, human = round(transcript.messages / seconds), transcript.human
    print(f"{transcript.messages:9,} messages, {human:9,} human  {seconds:6.2f} s  {rate:9,} a second  {peak:4} MiB")


def main() -> None:
    """Print the figures of both forms, each read in a process of its own, and of the typed spans."""
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        for name, result in (("short messages", 0), ("long tool results", 20_000)):
            write(path, result)
            print(f"{name:18}", end=" ", flush=True)
            subprocess.run([sys.executable, "-m", "benchmarks.bench_transcripts", str(path)], check=True)
    count = 40_000
    before = time.perf_counter()
    for number in range(count):
        typed_spans(SAYINGS[number % len(SAYINGS)])
    print(f"typed spans        {round(count / (time.perf_counter() - before)):9,} messages a second")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        read(Path(sys.argv[1]))
    else:
        main()
