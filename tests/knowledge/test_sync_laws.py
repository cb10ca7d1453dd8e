"""Laws of the sync over random histories: a folder is what a sync from nothing makes, never holding what it may not."""

import shutil
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from sqlalchemy import delete, insert, select

from tests.knowledge.syncing import BESIDES, SyncHome, tree
from tests.knowledge.test_markdown import expected_head
from tests.support.homes import make_home
from thermite_pipelines.control import campaigns
from thermite_pipelines.control.models import SyncState
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import running_runs

CAMPAIGNS = ("a", "b", "b-c")
RUNS = (("rig-a", "r1"), ("rig-a", "r2"), ("rig-b", "r1"), ("rig-b", "r4"))
runs = st.sampled_from(RUNS)
names = st.sampled_from(CAMPAIGNS)
texts = st.text(max_size=12) | st.sampled_from(["con", "---\nrun: x\n---\n", "same", "a: b"])


class Histories(RuleBasedStateMachine):
    """Events, assignments, moves, grants and syncs in any order."""

    ready: ClassVar[Path]

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="sync-laws-"))
        self.place = SyncHome(make_home(self.folder / "home", self.ready))
        self.begun: set[tuple[str, str]] = set()
        self.experiments = 0

    def teardown(self) -> None:
        self.place.home.close()
        shutil.rmtree(self.folder)

    @initialize(where=st.lists(names, min_size=len(RUNS), max_size=len(RUNS)))
    def assign_all(self, where: list[str]) -> None:
        self.place.home.campaign(*CAMPAIGNS)
        for (rig, run), campaign in zip(RUNS, where, strict=True):
            self.place.rig(rig)
            self.place.assign(run, campaign, rig)

    def begin(self, rig: str, run: str) -> None:
        if (rig, run) not in self.begun:
            self.place.rig(rig).say_run(run)
            self.begun.add((rig, run))

    @rule(who=runs, notes=st.lists(texts.filter(bool), min_size=1, max_size=3))
    def note(self, who: tuple[str, str], notes: list[str]) -> None:
        self.begin(*who)
        for text in notes:
            self.place.rig(who[0]).say_note(text, run=who[1])

    @rule(who=runs, title=texts.filter(bool))
    def experiment(self, who: tuple[str, str], title: str) -> None:
        self.begin(*who)
        self.experiments += 1
        name = f"x{self.experiments}"
        rig = self.place.rig(who[0])
        rig.say("experiment_queued", {"experiment": name, "title": title}, run=who[1])
        rig.say("experiment_finished", {"experiment": name, "status": "worse", "summary": title}, run=who[1])

    @rule(which=st.sets(names))
    def fold(self, which: set[str]) -> None:
        for rig in ("rig-a", "rig-b"):
            self.place.send(rig)
        if which:
            self.place.fold(*sorted(which))

    @rule(who=runs, campaign=names)
    def move(self, who: tuple[str, str], campaign: str) -> None:
        self.place.assign(who[1], campaign, who[0], move=True)

    @rule(pair=st.permutations(CAMPAIGNS))
    def grant(self, pair: list[str]) -> None:
        self.place.grant(pair[0], pair[1])

    @rule(pair=st.permutations(CAMPAIGNS))
    def revoke(self, pair: list[str]) -> None:
        self.place.revoke(pair[0], pair[1])

    @rule(who=runs)
    def finish(self, who: tuple[str, str]) -> None:
        if who in self.begun and who != RUNS[0]:
            self.place.rig(who[0]).say("run_finished", {"outcome": "completed"}, run=who[1])
            self.begun.discard(who)  # nothing more is said of it: what comes is rejected

    @rule(check=st.booleans())
    def sync(self, check: bool) -> None:
        self.place.sync(check=check)
        assert self.place.syncer.due() == []
        with self.place.home.control.read() as connection:
            readable = {name: campaigns.readable_by(connection, name) for name in CAMPAIGNS}
            running = running_runs(connection)
        for run in running:
            for head, _ in self.place.synced_items(run.run, run.rig):
                assert (head["rig"], head["run"]) != (run.rig, run.run)
                assert head["campaign"] in readable[run.campaign]

    @rule()
    def settle(self) -> None:
        """All is folded and synced: then what lies there is what a sync from nothing makes, and what the rows say."""
        self.fold(set(CAMPAIGNS))
        self.sync(False)
        before = self.folders()
        assert before == self.from_nothing()
        reader = FolderReader(self.place.home.control, self.place.home.lake)
        rows = {row["item"]: row for campaign in CAMPAIGNS for row in reader.rows(campaign)}
        for rig, run in before:
            for head, text in self.place.synced_items(run, rig):
                assert head == expected_head(rows[head["item"]])
                assert text == (rows[head["item"]]["text"] or "")

    def folders(self) -> dict[tuple[str, str], dict[str, bytes]]:
        with self.place.home.control.read() as connection:
            return {(run.rig, run.run): self.place.files(run.run, run.rig) for run in running_runs(connection)}

    def from_nothing(self) -> dict[tuple[str, str], dict[str, bytes]]:
        """What a sync makes without a trace of earlier ones; all is as it was after."""
        control, sync = self.place.home.control, self.place.home.settings.sync
        with control.write() as connection:
            states: list[dict[str, Any]] = [dict(row._mapping) for row in connection.execute(select(SyncState))]
            connection.execute(delete(SyncState))
        aside = sync.rename(self.folder / "aside")
        self.place.sync()
        made = self.folders()
        shutil.rmtree(sync)
        aside.rename(sync)
        with control.write() as connection:
            connection.execute(delete(SyncState))
            connection.execute(insert(SyncState), states)
        return made


def _settings(examples: int, steps: int) -> settings:
    # Shrinking a history takes many homes: a failure shows the history as it was found.
    return settings(max_examples=examples, stateful_step_count=steps, phases=[Phase.explicit, Phase.generate])


def run_histories(ready: Path, examples: int, steps: int) -> None:
    Histories.ready = ready
    run_state_machine_as_test(Histories, settings=_settings(examples, steps))


def test_kb_53_kb_56_random_histories_end_in_what_a_sync_from_nothing_makes(ready_record: Path) -> None:
    run_histories(ready_record, 8, 12)


@pytest.mark.full
def test_many_random_histories(ready_record: Path) -> None:
    run_histories(ready_record, 30, 25)


def test_a_file_that_is_not_an_item_is_none_of_the_two(ready_record: Path, tmp_path: Path) -> None:
    place = SyncHome(make_home(tmp_path / "home", ready_record))
    place.run("r1", "a")
    place.sync()
    assert set(tree(place.knowledge("r1"))) == BESIDES
    place.home.close()
