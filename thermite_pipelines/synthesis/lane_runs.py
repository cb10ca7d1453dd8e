"""A tool run over a campaign lane by lane, with what each lane came to: how materializations drive the queue.

Between two lanes the caller may change the answerer. An item that failed in one lane is not asked about again in the
same run, and where the model is gone or its budget is spent, later lanes do nothing. Callers hold the lease
`synthesis:<campaign>`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.llm.errors import BudgetReached, ModelError
from thermite_pipelines.synthesis import decision_log
from thermite_pipelines.synthesis.answerer import Answered, Answerer
from thermite_pipelines.synthesis.draining import Drained, Failure, Progress, drain
from thermite_pipelines.synthesis.opening import Synthesis, open_synthesis
from thermite_pipelines.synthesis.totals import Totals, decided_after, walked_since
from thermite_pipelines.synthesis.upcoming import request_of
from thermite_pipelines.synthesis.work import Effort, Item, Lane, Part, Session, Tool
from thermite_pipelines.times import now_micros


@dataclass(frozen=True)
class LaneDone:
    """What a lane came to in one run. `walked` syntheses, of which `skipped` led to nothing, are of hypothesize."""

    drained: Drained
    totals: Totals
    walked: int = 0
    skipped: int = 0


class LaneRun:
    """One run of a tool over a campaign: takes up its session or starts one, then drains lane by lane."""

    def __init__(
        self,
        home: Home,
        campaign: str,
        tool: Tool,
        *,
        effort: Effort | None = None,
        synthesis: Synthesis | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Begin. Raises `SessionTaken` where somebody answers a session of the tool over MCP or HTTP, and
        `ThermiteError` where no embedding model is set or facts can't be read.
        """
        self._home = home
        self.campaign = campaign
        self.synthesis = synthesis or open_synthesis(home, progress=progress)
        self._queue = self.synthesis.queue
        self._progress = progress
        self._since = now_micros()
        self._newest = self._newest_decision()
        self._heard = _Heard()
        turn = self._queue.take_up(request_of(home, campaign, tool, effort), Part("prune"))
        self.session: Session = turn.session
        self._done = Drained(turn.session)

    def drain(self, lane: Lane | None, answerer: Answerer) -> LaneDone:
        """Drain a lane, or with None whatever is left, to the session's end. What planning decided counts here too."""
        now = Drained(self.session)
        if self._done.stopped is None:
            turn = self._queue.next(self.session.session, Part(lane, self._done.skipped))
            heard = self._heard.through(answerer)
            now = drain(self._queue, turn, lane, heard, skipped=self._done.skipped, progress=self._progress)
            self.synthesis.engine.keep(self.campaign)
            self._done += now
        before, self._newest = self._newest, self._newest_decision()
        with self._home.control.read() as connection:
            totals = decided_after(connection, self.campaign, before, self._newest)
            walked, skipped = walked_since(connection, self.session.session, self._since)
        return LaneDone(now, totals, walked, skipped)

    @property
    def failures(self) -> Sequence[Failure]:
        """The items that this run found no answer to that counts."""
        return self._done.failures

    @property
    def reasons(self) -> Sequence[str]:
        """Why models gave no answer, each once; no reason holds what a model or a provider said."""
        return sorted(self._heard.reasons)

    @property
    def is_budget_spent(self) -> bool:
        """Whether the run stopped because its budget for models was spent."""
        return self._heard.is_budget_spent

    @property
    def is_done(self) -> bool:
        """Whether the session is completed."""
        return self._done.is_done

    def _newest_decision(self) -> int:
        with self._home.control.read() as connection:
            return decision_log.newest(connection, self.campaign)


class _Heard:
    """What answerers said when they gave no answer."""

    def __init__(self) -> None:
        self.reasons: set[str] = set()
        self.is_budget_spent = False

    def through(self, answerer: Answerer) -> Answerer:
        return _Listening(answerer, self)


class _Listening:
    def __init__(self, answerer: Answerer, heard: _Heard) -> None:
        self._answerer = answerer
        self._heard = heard

    def ahead(self, session: Session, items: Sequence[Item]) -> None:
        self._answerer.ahead(session, items)

    def answer(self, session: Session, item: Item, refused: str | None = None) -> Answered:
        try:
            return self._answerer.answer(session, item, refused)
        except BudgetReached:
            self._heard.is_budget_spent = True
            raise
        except ModelError as error:
            self._heard.reasons.add(error.what)
            raise
