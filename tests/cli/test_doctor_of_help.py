"""`thermite doctor` about help requests and learnings: what waits for a person, and files that are not as written."""

import warnings

from sqlalchemy import update

from tests.cli.channels import CAMPAIGN, arrive, ask, assigned, open_run, opened, propose
from tests.cli.commands import Cli
from tests.cli.test_doctor import findings, only
from tests.cli.test_reading import fold
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.models import RigState
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.learnings.folding import LEASE, refresh_channels
from thermite_pipelines.tables.lake import TEMPORARY_PREFIX


def test_requests_that_stop_a_run_need_a_person(cli: Cli) -> None:
    rig = open_run(cli, "run-1", "run-2", "run-3")
    for run in ("run-1", "run-2"):
        ask(rig, "no key for the registry", run=run, fatal=True)
    arrive(cli)
    fold(cli, CAMPAIGN)
    found = only(cli, "warning", "stopped by access: no key for the registry", "worker", CAMPAIGN, "asked 2 times")
    assert "rig-a/run-1, rig-a/run-2" in found["what"]
    assert "`thermite requests reply run-1 --rig rig-a" in found["do"]
    cli.json("requests", "resolve", "run-1", "--by", "olga")
    assert "rig-a/run-1" not in only(cli, "warning", "rig-a/run-2")["what"]
    cli.json("requests", "resolve", "run-2", "--by", "olga")
    assert findings(cli, code=0) == []
    ask(rig, "the mirror is slow", run="run-3", blocker="tooling")
    arrive(cli)
    fold(cli, CAMPAIGN)
    only(cli, "note", "limited by tooling: the mirror is slow", "rig-a/run-3")


def test_requests_that_were_asked_again(cli: Cli) -> None:
    rig = open_run(cli)
    ask(rig)
    arrive(cli)
    cli.json("requests", "resolve", "run-1", "--by", "olga")
    ask(rig)
    arrive(cli)
    fold(cli, CAMPAIGN)
    only(cli, "warning", "asked again", "rig-a/run-1", "no key for the registry", "thermite requests reply run-1")
    cli.json("requests", "resolve", "run-1", "--by", "olga")
    assert findings(cli, code=0) == []


def test_help_files_that_cannot_be_read(cli: Cli) -> None:
    rig = open_run(cli)
    ask(rig, "first")
    ask(rig, "second")
    arrive(cli)
    fold(cli, CAMPAIGN)
    [file] = cli.home.settings.help.glob("help-*.jsonl")
    whole = file.read_bytes()
    file.write_bytes(whole[40:])
    only(cli, "error", f"{file}:1", "broken", "thermite refresh")
    file.write_bytes(whole[:-40])
    warnings.simplefilter("always")
    torn = [one for one in findings(cli) if one["level"] == "error"]
    assert len(torn) == 1 and f"{file}:2" in torn[0]["what"] and cli.run("doctor").err == ""
    assert "refresh" not in torn[0]["what"] and torn[0]["do"] == "`thermite refresh` writes the file anew"
    refresh_channels(opened(cli))
    assert file.read_bytes() == whole
    assert [one["level"] for one in findings(cli, code=0)] == ["note", "note"]


def test_help_files_that_are_not_what_was_written(cli: Cli) -> None:
    rig = open_run(cli)
    propose(rig, "the compile cache is cold on the first trial")
    arrive(cli)
    fold(cli, CAMPAIGN)
    folder = cli.home.settings.help
    file = folder / "learnings.jsonl"
    whole = file.read_bytes()
    assert findings(cli, code=0) == []
    file.write_bytes(whole.replace(b"cold", b"warm"))
    only(cli, "error", "1 file of help/ changed or gone: learnings.jsonl", "thermite refresh")
    with lease(cli.home.control, LEASE):
        assert findings(cli, code=0) == [], "it is being written right now"
    file.unlink()
    only(cli, "error", "1 file of help/ changed or gone: learnings.jsonl", "thermite refresh")
    refresh_channels(opened(cli))
    assert findings(cli, code=0) == [] and file.read_bytes() == whole
    (folder / "help-2026-01-01.jsonl").write_bytes(b"")
    only(cli, "warning", "not written by the pipeline: help-2026-01-01.jsonl", "remove", "listed too")
    (folder / "help-2026-01-01.jsonl").unlink()
    (folder / f"{TEMPORARY_PREFIX}half.jsonl").write_bytes(b"")
    assert findings(cli, code=0) == [], "a write that was ended is no stranger"
    for name in ("notes.txt", ".hidden", "learnings.jsonl.bak", "help-2026-13-99.jsonl"):
        (folder / name).write_bytes(b"x")
    (folder / "old").mkdir()
    found = only(cli, "warning", "5 files in help/ not written by the pipeline", "nothing reads")
    for name in ("notes.txt", ".hidden", "old"):
        assert name in found["what"]


def test_advice_names_the_flags_where_the_record_has_none(cli: Cli) -> None:
    rig = open_run(cli, "run-1")
    open_run(cli, "run-2", flags=["--fast"])
    ask(rig, "no key for the registry", run="run-1", fatal=True)
    ask(rig, "no network", run="run-2", fatal=True)
    arrive(cli)
    fold(cli, CAMPAIGN)
    bare, whole = only_two(cli)
    assert "`thermite requests reply run-1 --rig rig-a --text T --by NAME --flag F`" in bare
    assert "`thermite requests reply run-2 --rig rig-a --text T --by NAME`" in whole


def only_two(cli: Cli) -> list[str]:
    """What the two findings say is to be done, by run."""
    found = sorted(one["do"] for one in findings(cli))
    assert len(found) == 2
    return found


def test_an_agent_whose_learnings_people_drop(cli: Cli) -> None:
    rig = open_run(cli)
    texts = ["the cache is cold", "batches diverge late", "tokens vanish quietly", "loaders stall often"]
    ids = [propose(rig, f"{text} on machine {number}{number}") for number, text in enumerate(texts)]
    arrive(cli)
    fold(cli, CAMPAIGN)
    for id in ids[:2]:
        cli.json("learnings", "drop", id, "--by", "olga")
    assert findings(cli, code=0) == []
    cli.json("learnings", "drop", ids[2], "--by", "olga")
    only(cli, "note", f"people dropped 3 of the 3 learnings of worker in {CAMPAIGN}", "--agent worker")


def test_events_that_older_rules_judged(cli: Cli) -> None:
    open_run(cli)
    arrive(cli)
    fold(cli, CAMPAIGN)
    with cli.home.control.write() as connection:
        connection.execute(update(RigState).values(rules=None))
    only(cli, "warning", "judged by rules of another version: rig-a", "thermite refresh")
    EventWriter(cli.home.control, cli.home.lake, "rig-a").write()
    fold(cli, CAMPAIGN)
    refresh_channels(opened(cli))
    assert findings(cli, code=0) == []


def test_commands_of_answers_that_are_gone_or_changed(cli: Cli) -> None:
    rig = assigned(cli, flags=["--fast"])
    ask(rig)
    arrive(cli)
    fold(cli, CAMPAIGN)
    words = ("requests", "reply", "run-1", "--text", "the key is there", "--by", "olga")
    done = cli.json(*words)
    path = cli.home.settings.home / done["command"]
    good = path.read_bytes()
    path.unlink()
    found = only(cli, "warning", "1 signed command missing", done["reply"], "to run-1", "thermite requests reply")
    assert "assign" not in found["do"]
    path.write_bytes(good.replace(b"payload", b"Payload"))
    only(cli, "warning", "1 command file not as", done["reply"], "thermite requests reply")
    path.unlink()
    assert cli.json(*words)["changed"] is False
    assert path.read_bytes() == good
    assert findings(cli, code=0) == []
