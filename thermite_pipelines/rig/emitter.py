"""What a harness calls to report: add events as they happen, and send what is new as a signed report.

    with Emitter(Path("state"), rig="rig-a", outbox=Path("inbox/rig-a"), seed=read_key(Path("rig.key"))) as emitter:
        run = emitter.run("run-7", campaign="speed-up")
        run.created("hill_climb", title="Faster training")
        run.note("n1", "lesson", "Warm-up matters more than the peak rate.", by="lane-1")
        emitter.send()

An event that `add` returned for is on disk. A kill at any point loses none and repeats none: what a report holds is
written down before the report leaves, so the same `seq` always has the same bytes.
"""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from thermite_pipelines import names
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.rig.files import Lock, write_atomic
from thermite_pipelines.rig.reports import (
    MAX_PAYLOAD_BYTES,
    build_report,
    check_event,
    deliver,
    make_event,
    payload_hash,
)
from thermite_pipelines.times import now_micros, parse_rfc3339

_VERSION = 1
_WORKER = "worker"
# Who speaks for an agent of its own, by what stands before the colon in `by`.
_AGENTS = {"planner": "planner", "teachers": "teachers", "combiner": "teachers", "auditor": "auditor", "panel": "panel"}
# The file is written anew with each event, so it can't remember every run that ever was.
_RUNS_WITH_LANES = 200
_CARRIED_KEPT = 1_000
# What control may hand out to be reported: a rig signs nothing else that it is given.
_CARRIED_TYPES = ("help_requested", "learning_proposed")


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """The file: the head of the ledger, events not in a report yet, and the payload of a report on its way."""

    rig: str
    ledger: str
    version: int = _VERSION
    seq: int = 0
    n: int = 0
    prev: str | None = None
    events: list[dict[str, Any]] = []
    sealed: str | None = None
    lanes: dict[str, dict[str, str]] = {}  # run -> lane -> agent of its newest trial, where that is not the worker
    carried: list[str] = []  # ids of the newest events that control handed out and that were added


class Emitter:
    """A rig's ledger: numbers its events, checks them, and sends them as a chain of signed reports.

    One process at a time; a second one on the same state folder is refused.
    """

    def __init__(
        self, state_dir: Path, *, rig: str, outbox: Path, seed: bytes, ledger: str | None = None, max_events: int = 100
    ) -> None:
        """Open the ledger kept in `state_dir`, or begin one.

        `outbox` is where reports go (the pipeline's `inbox/<rig>`, or a folder that is copied there); `seed` is the
        32-byte key; `ledger` names a new ledger (else a random name); with `max_events` waiting, a report is sent
        without being asked. Raises `ThermiteError` if the state is damaged, another rig's, or in use.
        """
        names.check_name("rig", rig)
        if ledger is not None and not names.LEDGER.fullmatch(ledger):
            raise UsageError(f"{ledger!r} is no ledger name", do="use at most 64 letters, digits, '_' or '-'")
        if max_events < 1 or len(seed) != 32:
            raise UsageError("max_events must be at least 1 and seed 32 bytes")
        self._outbox = outbox
        self._seed = seed
        self._max_events = max_events
        self._path = state_dir / "ledger.json"
        self._lock = Lock(state_dir / "ledger.lock", "this ledger")
        try:
            self._state = self._load(rig, ledger)
        except BaseException:
            self._lock.release()
            raise

    @property
    def ledger(self) -> str:
        """The ledger's name."""
        return self._state.ledger

    @property
    def head(self) -> tuple[int, int]:
        """(`seq` of the last report that was sent, `n` of the last event that was added)."""
        return self._state.seq, self._state.n + len(self._state.events)

    @property
    def waiting(self) -> int:
        """How many events are in no report yet."""
        return len(self._state.events)

    def add(
        self,
        event_type: str,
        data: Mapping[str, Any],
        *,
        by: str,
        run: str | None,
        campaign: str | None = None,
        at: int | None = None,
        event_id: str | None = None,
    ) -> int:
        """Add an event and give its number. `at` is in microseconds since the epoch (now if not given).

        Raises `ThermiteError`, and keeps nothing, if the pipeline would reject the event for what it holds.
        """
        return self._add(event_type, data, by, run, campaign, at, event_id)

    def carry(self, events: Sequence[Mapping[str, Any]]) -> int:
        """Add what agents said over control's service (`GET /rigs/{rig}/runs/{run}/outgoing`); how many were new.

        Each is added once, however often control hands it out. Raises `ThermiteError` for any other kind of event.
        """
        new = [event for event in events if event["id"] not in self._state.carried]
        for event in new:
            if event["type"] not in _CARRIED_TYPES:
                raise ThermiteError(f"control asks to report {str(event['type'])[:40]!r}", do="carry nothing of it")
            at = parse_rfc3339(event["at"])
            self._add(event["type"], event["data"], event["by"], event["run"], None, at, event["id"], carried=True)
        return len(new)

    def _add(
        self,
        event_type: str,
        data: Mapping[str, Any],
        by: str,
        run: str | None,
        campaign: str | None,
        at: int | None,
        event_id: str | None,
        *,
        carried: bool = False,
    ) -> int:
        state = self._state
        n = state.n + len(state.events) + 1
        event = make_event(
            n,
            event_id or f"n{n}",
            now_micros() if at is None else at,
            event_type,
            by,
            data,
            run=run,
            campaign=campaign,
        )
        check_event(event)
        if self._size([*state.events, event]) > MAX_PAYLOAD_BYTES:
            if self._size([event]) > MAX_PAYLOAD_BYTES:
                raise ThermiteError("the event is too large for a report", where=event["id"], do="shorten its text")
            self.send()
        state.events.append(event)
        if carried:
            state.carried = [*state.carried, event["id"]][-_CARRIED_KEPT:]
        if event_type == "trial_started" and run is not None:
            self._note_lane(run, event["data"])
        self._save()
        if len(state.events) >= self._max_events:
            self.send()
        return n

    def send(self, sent_at: int | None = None) -> list[Path]:
        """Send all events that wait, as one report; gives the paths of the files written (none if nothing waits).

        Also delivers a report that a kill held up. `sent_at` is in microseconds since the epoch (now if not given).
        """
        paths = self._deliver()
        state = self._state
        if state.events:
            moment = now_micros() if sent_at is None else sent_at
            raw = build_report(state.rig, state.ledger, state.seq + 1, state.prev, moment, state.events)
            state.sealed = raw.decode()
            state.n += len(state.events)
            state.events = []
            self._save()
            paths += self._deliver()
        return paths

    def agent_of(self, run: str, by: str) -> str:
        """The agent that speaks as `by` in a run.

        Of a lane it is the agent of its newest `trial_started` in this ledger (of the last 200 runs that had such
        agents), of all others the one that `by` names; worker where neither says more.
        """
        if names.LANE.fullmatch(by):
            return self._state.lanes.get(run, {}).get(by, _WORKER)
        return _AGENTS.get(by.partition(":")[0], _WORKER)

    def run(self, run: str, campaign: str | None = None) -> "RunEmitter":
        """The events of one run, with named methods for the common ones."""
        return RunEmitter(self, names.check_run(run), campaign)

    def close(self) -> None:
        """Let another process have the ledger. Events that wait stay on disk."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _note_lane(self, run: str, trial: Mapping[str, Any]) -> None:
        """Remember who works in a lane from now on; the run becomes the newest."""
        known = self._state.lanes
        lanes = known.pop(run, {})
        lanes[trial["lane"]] = trial.get("agent", _WORKER)
        lanes = {lane: agent for lane, agent in lanes.items() if agent != _WORKER}
        if lanes:
            known[run] = lanes
        for oldest in list(known)[:-_RUNS_WITH_LANES]:
            del known[oldest]

    def _load(self, rig: str, ledger: str | None) -> _State:
        try:
            state = msgspec.json.decode(self._path.read_bytes(), type=_State)
        except FileNotFoundError:
            return _State(rig, ledger or secrets.token_hex(13))
        except (msgspec.MsgspecError, UnicodeError, OSError) as error:
            raise ThermiteError(
                f"the ledger's state cannot be read ({str(error)[:80]})",
                where=str(self._path),
                do="restore it, or begin a new ledger in another folder",
            ) from None
        if state.version != _VERSION or state.rig != rig or ledger not in (None, state.ledger):
            raise ThermiteError(
                f"this folder holds ledger {state.ledger} of {state.rig}",
                where=str(self._path),
                do="use another folder",
            )
        return state

    def _deliver(self) -> list[Path]:
        state = self._state
        if state.sealed is None:
            return []
        raw = state.sealed.encode()
        path = deliver(self._outbox, state.ledger, state.seq + 1, raw, self._seed)
        state.seq += 1
        state.prev = payload_hash(raw)
        state.sealed = None
        self._save()
        return [path]

    def _size(self, events: list[dict[str, Any]]) -> int:
        """The size of a payload of these events; all that would be signed is checked by the way."""
        return len(build_report(self._state.rig, self._state.ledger, 2, "0" * 64, 0, events))

    def _save(self) -> None:
        write_atomic(self._path, msgspec.json.encode(self._state), mode=0o600)


class RunEmitter:
    """The common events of one run; each method adds one event and gives its number.

    For any other event, and for times other than now, there is `Emitter.add`. Values that are `None` are left out. An
    `agent` that is left out of what an agent says is `Emitter.agent_of` the writer.
    """

    def __init__(self, emitter: Emitter, run: str, campaign: str | None) -> None:
        self._emitter = emitter
        self._run = run
        self._campaign = campaign

    def add(self, event_type: str, by: str, **data: Any) -> int:
        """Any event of this run."""
        return self._emitter.add(event_type, data, by=by, run=self._run, campaign=self._campaign)

    def created(self, mode: str, *, title: str | None = None, agents: bool = True, **more: Any) -> int:
        """`run_created`; `more` may hold any other field of it (kit, contract, flags, routes, briefing …)."""
        more.setdefault("briefing", [])
        return self.add("run_created", "harness", mode=mode, title=title, agents=agents, **more)

    def started(self) -> int:
        """`run_started`."""
        return self.add("run_started", "harness")

    def finished(self, outcome: str, summary: str | None = None) -> int:
        """`run_finished`: completed, failed or stopped."""
        return self.add("run_finished", "harness", outcome=outcome, summary=summary)

    def trial_started(
        self, trial: str, *, lane: str, kind: str, runtime: str, experiment: str | None = None, agent: str | None = None
    ) -> int:
        """`trial_started`."""
        ids = {"trial": trial, "experiment": experiment, "agent": agent}
        return self.add("trial_started", "harness", **ids, lane=lane, kind=kind, runtime=runtime)

    def trial_ended(self, trial: str, outcome: str, reason: str | None = None) -> int:
        """`trial_ended`."""
        return self.add("trial_ended", "harness", trial=trial, outcome=outcome, reason=reason)

    def experiment_queued(self, experiment: str, title: str, *, by: str, description: str | None = None) -> int:
        """`experiment_queued`."""
        return self.add("experiment_queued", by, experiment=experiment, title=title, description=description)

    def experiment_started(self, experiment: str, trial: str, *, by: str) -> int:
        """`experiment_started`."""
        return self.add("experiment_started", by, experiment=experiment, trial=trial)

    def experiment_finished(self, experiment: str, status: str, *, by: str, **more: Any) -> int:
        """`experiment_finished`; `more` may hold trial, metric, value, unit, baseline, summary."""
        return self.add("experiment_finished", by, experiment=experiment, status=status, **more)

    def attempt_submitted(self, attempt: str, trial: str, *, by: str, **more: Any) -> int:
        """`attempt_submitted`; `more` may hold experiment, title, summary, commit."""
        return self.add("attempt_submitted", by, attempt=attempt, trial=trial, **more)

    def attempt_judged(self, attempt: str, verdict: str, **more: Any) -> int:
        """`attempt_judged`; `more` may hold metric, value, champion_value, reason."""
        return self.add("attempt_judged", "harness", attempt=attempt, verdict=verdict, **more)

    def note(self, note: str, kind: str, text: str, *, by: str, about: tuple[str, str] | None = None) -> int:
        """`journal_note`; `about` is the kind and id of the record that it is about."""
        named = {"kind": about[0], "id": about[1]} if about else None
        return self.add("journal_note", by, note=note, kind=kind, text=text, about=named)

    def help_requested(
        self,
        request: str,
        summary: str,
        *,
        by: str,
        fatal: bool,
        agent: str | None = None,
        blocker: str | None = None,
        detail: str | None = None,
    ) -> int:
        """`help_requested`: what stands in the way, and whether the work ended there; no `blocker` counts as other."""
        more = {"agent": agent or self._agent_of(by), "blocker": blocker, "detail": detail}
        return self.add("help_requested", by, request=request, summary=summary, fatal=fatal, **more)

    def learning_proposed(self, learning: str, text: str, *, by: str, impact: str, agent: str | None = None) -> int:
        """`learning_proposed`: what later runs of the agent should know; `impact` is low, medium or high.

        It is sent whatever it says: the pipeline screens it, and tells the agent's next brief what it refused and why.
        """
        agent = agent or self._agent_of(by)
        return self.add("learning_proposed", by, learning=learning, agent=agent, text=text, impact=impact)

    def brief_given(
        self,
        agent: str | None = None,
        *,
        reader: str | None = None,
        learnings: Sequence[str] = (),
        items: Sequence[str] = (),
        trial: str | None = None,
    ) -> int:
        """`brief_given`: the ids that a reader was shown, as `briefs/<reader>.json` beside its brief lists them.

        Without `agent`, `reader` (lane-1, planner …) says whose brief it was. Raises `UsageError` for neither.
        """
        if not agent and not reader:
            raise UsageError("whose brief was it?", do="give agent, or reader")
        shown = {"learnings": list(learnings), "items": list(items), "trial": trial}
        return self.add("brief_given", "harness", agent=agent or self._agent_of(reader or ""), **shown)

    def _agent_of(self, by: str) -> str:
        return self._emitter.agent_of(self._run, by)
