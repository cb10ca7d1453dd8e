"""docs/operations.md: its commands run as they stand, in order, and its tables are those of the code."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest
import yaml

from tests.docs.pages import blocks, read_page, run_script, tables, words_in
from tests.project.tree import ROOT
from tests.support.homes import Home, make_home
from tests.support.rigs import RigSimulator, seed_of
from thermite_pipelines.assets import checks
from thermite_pipelines.cli import dagster_runs
from thermite_pipelines.cli.doctor import _checks
from thermite_pipelines.control import leases
from thermite_pipelines.definitions import build_defs
from thermite_pipelines.intake import receipt_rows
from thermite_pipelines.intake.receipts import Intake
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.home import Home as HomeOfCommands
from thermite_pipelines.knowledge.initialise import initialise
from thermite_pipelines.knowledge.whole_tables import write_tables
from thermite_pipelines.ledger.envelope import keyid_of, public_key_of
from thermite_pipelines.resources import home as home_resource
from thermite_pipelines.rig.importers.words import judge_word
from thermite_pipelines.rig.keys import generate
from thermite_pipelines.sensors import due, retention
from thermite_pipelines.sensors.schedules import SCHEDULES
from thermite_pipelines.settings import Settings

PAGE = "docs/operations.md"
LOG = "commit\tval_bpb\tmemory_gb\tstatus\tdescription\naa11bb2\t1.21\t40.1\tkeep\tbaseline\n"


@dataclass
class Story:
    """The folder in which the page's commands ran, what they printed, and the folders as they were before and after."""

    folder: Path
    printed: str
    home: Home


def said(home: Home) -> None:
    """What the home holds when the page begins: a good run of rig-a, and a report of rig-b that came too early."""
    rig = home.rig("rig-a")
    home.campaign("speed-up")
    rig.say_run()
    rig.say_note("the cache was cold")
    rig.say_note("the cache was warm")
    rig.send("one.dsse.json")
    home.intake("rig-a")
    FolderWriter(home.control, home.lake, "speed-up").refresh()
    early = RigSimulator("rig-b", home.settings.inbox / "rig-b")
    early.say_run("run-2")
    early.send("two.dsse.json")
    Intake(home.control, home.lake, home.settings).take_unknown()


@pytest.fixture(scope="module", params=[pytest.param(None, marks=pytest.mark.full)], ids=[PAGE])
def story(tmp_path_factory: pytest.TempPathFactory, ready_record: Path) -> Iterator[Story]:
    """All blocks of the page that may be run, one after another, in one home."""
    folder = tmp_path_factory.mktemp("operations")
    home = make_home(folder / ".thermite", ready_record)
    initialise(home.settings)
    said(home)
    (folder / "rig-b.public").write_text(public_key_of(seed_of("rig-b")).hex())
    (folder / "results.tsv").write_text(LOG)
    # The page lets a person copy the new key's public half from what keygen prints.
    new = generate(folder / "made-before.key")
    (folder / "rig-a-2.public").write_text(new.public_key_hex)
    parts = []
    for block in blocks(PAGE, "sh"):
        if not block.runs:
            continue
        parts.append(block.text)
        if "keygen" in block.text:
            parts.append("cp made-before.key rig-a-2.key\n")
        if "backup/lake/" in block.text:
            parts.append("cp -r .thermite/lake lake-then\n")
    old = keyid_of(public_key_of(seed_of("rig-a")))
    printed = run_script("".join(parts), folder, OLD_KEYID=old, THERMITE_SETTLE_SECONDS="0")
    yield Story(folder, printed, home)
    home.close()


def test_every_block_was_run(story: Story) -> None:
    for shown in (
        "receipt 2 is now accepted",
        "export 000001 of rig-a",
        "rig-a: export 000001",
        "speed-up may now read",
    ):
        assert shown in story.printed
    assert "FAILURE" not in story.printed


def test_a_restored_home_has_the_same_lake(story: Story) -> None:
    made, before = (
        {path.relative_to(lake): path.read_bytes() for path in lake.glob("[ef]*/**/*.parquet")}
        for lake in (story.folder / "backup" / "lake", story.folder / "lake-then")
    )
    assert {path.parts[0] for path in before} == {"events", "folders"}
    assert made == before


def test_the_table_of_the_home_names_what_is_there(story: Story) -> None:
    shown = {word.rstrip("/") for row in tables(PAGE, "What a home holds") for word in words_in(row[0])}
    for path in [*story.home.settings.home.iterdir(), *(story.home.settings.home / "lake").iterdir()]:
        name = path.relative_to(story.home.settings.home).as_posix()
        if not name.startswith(("lake/.", "control.db-")) and name != "lake":
            assert name in shown, name


def test_settings_are_the_codes() -> None:
    shown = {words_in(row[0])[0]: row[1].strip("`") for row in tables(PAGE, "Settings")}
    assert list(shown) == [f"THERMITE_{name.upper()}" for name in Settings.model_fields]
    derived = {
        "lake_url": "<home>/lake",
        "control_url": "sqlite:///<home>/control.db",
        "llm_small_model": "the same",
        "llm_price": "litellm's table",
        "atom_type_weights": "[as documented](atoms.md#how-atoms-are-ranked)",
        "atom_source_weights": "as documented",
        "reflect_novelty_threshold": "the embedding model's own",
    }
    for name, field in Settings.model_fields.items():
        default = field.default
        text = derived.get(name) or (f"{default:g}" if isinstance(default, float) else str(default or "none"))
        assert shown[f"THERMITE_{name.upper()}"] == text, name


def test_sensors_and_schedules_are_the_codes() -> None:
    rows = tables(PAGE, "What works by itself")
    sensors = {words_in(row[0])[0]: row[1] for row in rows if " " not in row[0].strip("`")}
    found = {sensor.name: f"{sensor.minimum_interval_seconds} s" for sensor in build_defs().sensors or []}
    assert sensors == found
    crons = {words_in(row[0])[0]: words_in(row[1])[0] for row in rows if " " in row[0].strip("`")}
    assert crons == {str(item.cron_schedule): item.job_name for item in SCHEDULES}


def test_jobs_are_the_codes() -> None:
    shown = [word for row in tables(PAGE, "Jobs") for word in words_in(row[0])]
    repository = build_defs().get_repository_def()
    jobs = [job for job in repository.get_all_jobs() if not job.name.startswith("__")]
    assert sorted(shown) == sorted(job.name for job in jobs)
    partitions = {words_in(row[0])[0]: row[1] for row in tables(PAGE, "Jobs")}
    for job in jobs:
        if job.name in partitions:
            name = job.partitions_def.name if isinstance(job.partitions_def, dg.DynamicPartitionsDefinition) else None
            assert partitions[job.name] == {"rigs": "rig", "campaigns": "campaign", None: "none"}[name]


def test_checks_are_the_codes() -> None:
    rows = [row for row in tables(PAGE, "Checks") if len(row) == 4]
    shown = {words_in(row[0])[0]: row[2] for row in rows}
    found = {}
    for runs, group in (("hourly", checks.CHEAP), ("nightly", checks.THOROUGH)):
        found |= {key.name: runs for check in group for key in check.check_keys}
    assert shown == found
    assets = ROOT / "thermite_pipelines" / "assets"
    source = "".join((assets / name).read_text() for name in ("checks.py", "synthesis_checks.py"))
    for row in rows:
        head = source[: source.index(f"def {words_in(row[0])[0]}(")].rsplit("@standing_check(", 1)[1]
        assert ("AssetCheckSeverity.ERROR" in head) == (row[1] == "error"), row[0]


def test_doctor_looks_at_what_the_page_lists() -> None:
    """A check that comes or goes belongs into the tables of `Checks` too."""
    assert [check.__name__ for check in _checks()] == [
        *["packages", "disk", "control_key", "commands", "leases", "results_repository", "dagster_runs"],
        *["strays", "untaken", "unwritten", "quarantine", "forked", "chains", "events", "clocks"],
        *["raw", "damaged", "foreign", "behind", "unplaced", "quotes", "briefings", "rounds"],
        *["transcripts", "copies", "answers", "atom_log", "atom_words", "weights", "checkpoints"],
        *["embedder", "reviews", "items", "by_hand", "decisions"],
        *["asked", "asked_again", "help_files", "dropped", "older_rules"],
        *["kits", "mcp_secrets"],
    ]


def test_the_page_has_advice_for_every_reason() -> None:
    advised = {word for row in tables(PAGE, "Quarantine") for word in words_in(row[0])}
    listed = [words_in(row[0])[0] for row in tables("docs/report-format.md", "What becomes of a report")][4:]
    assert advised == set(listed)


def test_status_words_are_the_importers() -> None:
    for words, status, verdict in tables(PAGE, "Importing other tools' logs"):
        due = (None if "open" in status else status.strip("`"), None if verdict == "–" else verdict.strip("`"))
        for word in words_in(words):
            assert judge_word(word) == due, word


def test_figures_are_the_codes() -> None:
    page = read_page(PAGE)
    assert (leases.RENEW_SECONDS, leases.DEAD_SECONDS) == (15, 60)
    assert "renewed every 15 s and is dead after 60 s" in page
    assert home_resource.WAIT_SECONDS == 20
    assert "waits 20 s" in page
    assert dagster_runs.BUSY_SECONDS == 600
    assert "up to 10 minutes" in page
    assert due.MAX_WAIT_MINUTES == 60
    assert "up to 60 minutes" in page
    assert retention.KEEP_DAYS == 30
    assert (checks.REJECTED_SHARE, checks.UNVERIFIED_SHARE) == (0.05, 0.2)
    assert (receipt_rows.MAX_QUARANTINED, receipt_rows.MAX_QUARANTINED_BYTES) == (10_000, 2**30)
    kept = yaml.safe_load((ROOT / "dagster.yaml").read_text())
    assert kept["retention"]["sensor"]["purge_after_days"]["skipped"] == 3
    assert kept["concurrency"]["runs"]["max_concurrent_runs"] == 4


def test_the_lake_may_lie_in_another_place(tmp_path: Path, ready_record: Path) -> None:
    """An address that fsspec knows: intake, folders, their rebuild and whole tables need no directory."""
    home = make_home(tmp_path / "home", ready_record, lake_url="memory://somewhere/lake")
    said(home)
    folder = FolderWriter(home.control, home.lake, "speed-up")
    before = home.files("folders")
    assert before
    folder.rebuild()
    assert home.files("folders") == before
    assert write_tables(HomeOfCommands(home.settings, home.control, home.lake))["note"] == 2
    assert not (tmp_path / "home" / "lake").exists()
    home.close()


def test_blocks_that_are_not_run() -> None:
    left_out = [line for block in blocks(PAGE, "sh") if not block.runs for line in block.text.splitlines()]
    own = [line for line in left_out if line.startswith(("thermite", ".venv"))]
    assert [line for line in left_out if line not in own] == ["git pull", "make setup"]
    # Commands among them are held against the command line by the tests of all pages.
    assert own[0] == "thermite up --host 127.0.0.1 --port 3000"
