"""Reports that come over HTTP: whole into the inbox, or not at all."""

import gzip
import hashlib
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import zstandard

from tests.serve.serving import ServedHome, answering
from tests.support.commands import thermite, wait_until
from tests.support.homes import Home, make_home
from thermite_pipelines.control.tokens import add_token
from thermite_pipelines.serve import uploads

REPORTS = "/rigs/rig-a/reports"
JUNK = b"\x00junk" * 100


def sealed(home: Home, *notes: str) -> bytes:
    """The next report of rig-a, signed."""
    rig = home.rig("rig-a")
    for note in notes:
        rig.say_note(note, run="r1")
    return rig.report().envelope


def test_a_report_arrives_as_it_was_sent_and_is_accepted(served: ServedHome) -> None:
    data = sealed(served.home, "the cache was cold")
    answer = served.client("rig").post(REPORTS, content=data)
    sha256 = hashlib.sha256(data).hexdigest()
    assert (answer.status_code, answer.json()) == (202, {"sha256": sha256, "name": f"{sha256}.dsse.json"})
    assert served.inbox() == {f"{sha256}.dsse.json": data}
    served.home.intake("rig-a")
    assert served.home.receipts(name=f"{sha256}.dsse.json")[0]["outcome"] == "accepted"


@pytest.mark.parametrize(
    ("ending", "pack"), [(".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)], ids=["gzip", "zstd"]
)
def test_a_compressed_report_is_known_by_how_it_begins(served: ServedHome, ending: str, pack: object) -> None:
    data = pack(sealed(served.home, "packed"))  # type: ignore[operator]
    headers = {"Content-Encoding": {".gz": "gzip", ".zst": "zstd"}[ending]}
    client = served.client("rig")
    names = {client.post(REPORTS, content=data, headers=some).json()["name"] for some in ({}, headers)}
    assert names == {f"{hashlib.sha256(data).hexdigest()}.dsse.json{ending}"}
    served.home.intake("rig-a")
    assert served.home.receipts(name=names.pop())[0]["outcome"] == "accepted"


def test_the_same_report_again_is_fine(served: ServedHome) -> None:
    data, client = sealed(served.home, "twice"), served.client("rig")
    first = client.post(REPORTS, content=data)
    assert client.post(REPORTS, content=data).json() == first.json()
    assert len(served.inbox()) == 1
    served.home.intake("rig-a")
    assert client.post(REPORTS, content=data).status_code == 202
    served.home.intake("rig-a")
    outcomes = [row["outcome"] for row in served.home.receipts(name=first.json()["name"])]
    assert sorted(outcomes) == ["accepted", "duplicate"]


def test_junk_is_taken_and_judged_by_intake_like_any_file(served: ServedHome) -> None:
    name = served.client("rig").post(REPORTS, content=JUNK).json()["name"]
    served.home.intake("rig-a")
    assert served.home.outcomes()[name] == "bad-envelope"


def test_too_large_or_empty_ones_leave_nothing(home: Home, served: ServedHome) -> None:
    small = make_home(home.settings.home, max_report_bytes=1000)
    with answering(small) as url:
        headers = {"Authorization": f"Bearer {served.token('rig')}"}

        def endless() -> Iterator[bytes]:
            for _ in range(100):
                yield b"x" * 100

        with httpx.Client(base_url=url, headers=headers, trust_env=False) as client:
            assert client.post(REPORTS, content=b"x" * 1001).status_code == 413
            assert client.post(REPORTS, content=endless()).status_code == 413
            assert client.post(REPORTS, content=b"").status_code == 422
            assert client.post(REPORTS, content=b"x", headers={"Content-Encoding": "br"}).status_code == 415
            assert served.inbox() == {}
            assert client.post(REPORTS, content=b"x" * 1000).status_code == 202
    small.close()


def test_a_full_disk_takes_nothing_and_says_when_to_come_again(home: Home, served: ServedHome) -> None:
    full = make_home(home.settings.home, min_free_bytes=2**62)
    with answering(full) as url:
        headers = {"Authorization": f"Bearer {served.token('rig')}"}
        answer = httpx.post(f"{url}{REPORTS}", content=JUNK, headers=headers, trust_env=False)
    full.close()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, str(uploads.FULL_SECONDS))
    assert served.inbox() == {}


def test_a_rig_that_goes_away_in_the_middle_leaves_nothing(served: ServedHome) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    head = f"POST {REPORTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {served.token('rig')}\r\n"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(f"{head}Content-Length: 5000000\r\n\r\n".encode() + b"x" * 2_000_000)
        wait_until(lambda: any(name.startswith(".upload-") for name in served.inbox()), 30)
    wait_until(lambda: served.inbox() == {}, 30)


def test_one_that_takes_too_long_leaves_nothing(served: ServedHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "SECONDS", 0.3)
    head = f"POST {REPORTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {served.token('rig')}\r\nConnection: close\r\n"
    answer = served.raw(f"{head}Content-Length: 100\r\n\r\nhalf".encode())
    assert answer.startswith(b"HTTP/1.1 408")
    assert served.inbox() == {}


def test_a_link_in_place_of_the_inbox_is_not_followed(served: ServedHome, tmp_path: Path) -> None:
    folder = served.home.settings.inbox / "rig-a"
    folder.rmdir()
    folder.symlink_to(tmp_path)
    before = set(tmp_path.iterdir())
    answer = served.client("rig").post(REPORTS, content=JUNK)
    assert answer.status_code == 500
    assert str(tmp_path) not in answer.text
    assert set(tmp_path.iterdir()) == before


def test_many_at_once_arrive_each_whole(served: ServedHome) -> None:
    """Two rigs send eight different reports each, every one from three connections at the same time."""
    bodies = {rig: [f"{rig} {number} ".encode() * 40_000 for number in range(8)] for rig in ("rig-a", "rig-b")}
    clients = {rig: served.client("rig", rig=rig) for rig in bodies}
    jobs = [(rig, body) for _ in range(3) for rig, all_of_rig in bodies.items() for body in all_of_rig]

    def send(job: tuple[str, bytes]) -> int:
        rig, body = job
        return clients[rig].post(f"/rigs/{rig}/reports", content=body).status_code

    with ThreadPoolExecutor(12) as pool:
        assert set(pool.map(send, jobs)) == {202}
    for rig, all_of_rig in bodies.items():
        expected = {f"{hashlib.sha256(body).hexdigest()}.dsse.json": body for body in all_of_rig}
        assert served.inbox(rig) == expected


def test_no_reader_of_the_inbox_ever_sees_a_part(served: ServedHome) -> None:
    """While reports of 3 MB arrive, whatever has a report's name is whole."""
    bodies = [bytes([number]) * 3_000_000 for number in range(1, 7)]
    hashes = {hashlib.sha256(body).hexdigest() for body in bodies}
    done, wrong = threading.Event(), []

    def watch() -> None:
        while not done.is_set():
            for name, data in served.inbox().items():
                if not name.startswith(".") and hashlib.sha256(data).hexdigest() not in hashes:
                    wrong.append(name)

    def safely() -> None:
        while not done.is_set():
            try:
                watch()
            except FileNotFoundError:
                continue  # a half-made one got its name meanwhile

    watcher = threading.Thread(target=safely)
    watcher.start()
    client = served.client("rig")
    codes = {client.post(REPORTS, content=body).status_code for body in bodies}
    done.set()
    watcher.join()
    assert (codes, wrong) == ({202}, [])


@pytest.mark.full
def test_a_kill_in_the_middle_of_an_upload_leaves_nothing_that_counts(home: Home) -> None:
    """`thermite serve` is killed while a report arrives: intake sees none, and the next start tidies up."""
    from thermite_pipelines.knowledge.initialise import initialise

    initialise(home.settings)
    home.rig("rig-a")
    with home.control.write() as connection:
        secret = add_token(connection, "rig", "tester", rig="rig-a").secret
    first = thermite(home, "serve", "--port", "0", "--json")
    url = _url(first)
    host, port = url.removeprefix("http://").split(":")
    head = f"POST {REPORTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\nContent-Length: 9000000\r\n\r\n"
    folder = home.settings.inbox / "rig-a"

    def half_made() -> list[Path]:
        return [path for path in folder.glob(".upload-*") if path.stat().st_size > 0]

    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + b"x" * 4_000_000)
        wait_until(half_made, 60, first)
        first.kill()
        first.wait(60)
    assert len(half_made()) == 1
    home.take("rig-a")
    assert home.receipts() == []
    second = thermite(home, "serve", "--port", "0", "--json")
    try:
        url = _url(second)
        assert list(folder.iterdir()) == []
        headers = {"Authorization": f"Bearer {secret}"}
        assert httpx.post(f"{url}{REPORTS}", content=JUNK, headers=headers, trust_env=False).status_code == 202
        third = thermite(home, "serve", "--port", "0")
        assert "served already" in third.communicate(timeout=60)[1]
        assert third.returncode == 1
        second.send_signal(signal.SIGTERM)
        assert second.wait(60) == 0
    finally:
        second.kill()


def _url(process: object) -> str:
    """The address that `thermite serve --json` prints once it answers."""
    import json

    lines: list[str] = []
    for line in process.stdout:  # type: ignore[attr-defined]
        lines.append(line)
        if line == "}\n":
            return json.loads("".join(lines))["url"]
    raise AssertionError(process.stderr.read())  # type: ignore[attr-defined]
