"""Results as tools and HTTP send them: an item with its prompt and a page of its facts, or that the session is done.

`Delivery` takes the calls of the tools `review` and `hypothesize`: one that starts a session, one that goes on.
"""

import json
from typing import Any, Protocol

from thermite_pipelines.errors import UsageError
from thermite_pipelines.synthesis import paging
from thermite_pipelines.synthesis.gate.schema import response_schema
from thermite_pipelines.synthesis.queue import Turn, WorkQueue
from thermite_pipelines.synthesis.work import By, Counts, Item, Request, Session, Tool

Result = dict[str, Any]


class Prompter(Protocol):
    """Who writes prompts."""

    def prompt(self, session: Session, item: Item) -> str:
        """The prompt of an item; the facts of prune and distill items travel beside it."""
        ...


class Delivery:
    """A queue as a tool offers it: values of JSON in and out."""

    def __init__(self, queue: WorkQueue, prompter: Prompter) -> None:
        self._queue = queue
        self._prompter = prompter

    def start(self, request: Request) -> Result:
        """Open a session: its first item, or that it is done."""
        return self._result(self._queue.start(request))

    def go_on(
        self,
        tool: Tool,
        session_id: str,
        *,
        by: By,
        response: str | None = None,
        item_id: int | None = None,
        page: int | None = None,
        completion_token: str | None = None,
        effort: str | None = None,
    ) -> Result:
        """Answer the current item, or with `page` and no response fetch a page of it. Effort counts at the start alone.

        Raises `UsageError` for a session of the other tool, and for a review without either; a hypothesize session
        takes that for an answer that says nothing.
        """
        session = self._queue.find(session_id)
        if session.tool != tool:
            raise UsageError(f"the session is one of {session.tool}", where=session_id, do=f"call {session.tool}")
        if response is None and page is not None:
            return self.page(session_id, page, item_id)
        if response is None and tool == "review":
            raise UsageError("neither a response nor a page", where=session_id, do="answer the item, or ask for a page")
        return self._result(self._queue.answer(session_id, response or "", item_id, completion_token, by=by))

    def page(self, session_id: str, page: int, item_id: int | None = None) -> Result:
        """A page of the current item, counted from 1: nothing is answered, and the same page is the same each time."""
        session, item, progress = self._queue.shown(session_id, item_id)
        return self._result(Turn(session, item, progress), page)

    def _result(self, turn: Turn, page: int = 1) -> Result:
        result: Result = {"session_id": turn.session.session}
        is_review = turn.session.tool == "review"
        if turn.item is not None:
            if turn.item.step == "hypothesize":
                paging.page_of(turn.item, page)
                result["item"] = self._hypothesize_item(turn.session, turn.item)
            else:
                result["item"] = self._item(turn.session, turn.item, page)
        if turn.is_done or not is_review:
            result["done"] = turn.is_done
        if turn.summary is not None:
            result["summary"] = summary_of(turn.summary)
        result["progress"] = {"completed": turn.progress.completed, "remaining": turn.progress.remaining}
        if turn.warnings:
            result["warnings"] = list(turn.warnings)
        if turn.item is not None:
            paging.warn_if_large(paging.delivered(result), turn.item.item)
        return result

    def _item(self, session: Session, item: Item, number: int) -> Result:
        page = paging.page_of(item, number)
        found: Result = {"id": item.item, "type": item.step}
        if number == 1:
            found["prompt"] = self._prompter.prompt(session, item)
            found["response_schema"] = response_schema(item.step)
        if item.step in paging.PAGED_STEPS:
            found["facts"] = list(page.facts)
        found |= {"page": page.number, "pages": page.pages, "more_available": not page.is_last}
        if not page.is_last:
            found["next"] = f"read page {number + 1} before you answer: only the last page has the completion_token"
        elif page.pages > 1:
            found["completion_token"] = paging.completion_token(item)
            found["next"] = "answer the whole item, with this completion_token"
        return found

    def _hypothesize_item(self, session: Session, item: Item) -> Result:
        return {
            "id": item.item,
            "type": item.step,
            "fact": json.loads(item.facts),
            "instructions": self._prompter.prompt(session, item),
        }


def summary_of(counts: Counts) -> dict[str, int]:
    """The totals of a session as a review ends with them."""
    return {
        "Pruned": counts.pruned,
        "Merged": counts.merged,
        "Updated": counts.updated,
        "Synthesized": counts.synthesized,
    }
