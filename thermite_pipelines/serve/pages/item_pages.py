"""One item with all that is known of it, and where a thing came from, down to the signed reports."""

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from thermite_pipelines.errors import ThermiteError, UnknownName
from thermite_pipelines.knowledge.explain import explain
from thermite_pipelines.knowledge.items import parse_item_id
from thermite_pipelines.knowledge.readable import Readable
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.serve.access import HomeOf, ReaderOf, is_for, router
from thermite_pipelines.serve.documents import ExplainedId
from thermite_pipelines.serve.pages import paths
from thermite_pipelines.serve.pages.rendering import render
from thermite_pipelines.serve.roles import READERS
from thermite_pipelines.tables.schemas import ITEM_TABLES

routes = router()

WHOLE = 20_000
"""Characters of a text that an item's page shows before somebody asks for all of it."""
_SHOWN_APART = frozenset(["item", "rig", "ledger", "run", "written_by", "created_at", "updated_at", "title", "text"])
Id = Annotated[ExplainedId, Query()]


@routes.get(f"{paths.ROOT}/item", openapi_extra=is_for(*READERS))
def one_item(request: Request, id: Id, home: HomeOf, reader: ReaderOf, whole: bool = False) -> Response:
    """An item with every column of its kind; `whole`: however long its text is."""
    wanted = parse_item_id(id)
    with home.control.read() as connection:
        readable = Readable.by(connection, reader)
    row = readable.find(FolderReader(home.control, home.lake), id)
    if row is None:
        raise UnknownName(f"there is no item {id}", do="look at `thermite items`")
    columns = [column for column in ITEM_TABLES[row["kind"]].columns if column.name not in _SHOWN_APART]
    more = [(column.name.replace("_", " "), row[column.name]) for column in columns if _says(row[column.name])]
    return render(request, "item.html", item=row, label=wanted.label, more=more, whole=whole, WHOLE=WHOLE)


def _says(value: Any) -> bool:
    return value is not None and value != []


@routes.get(f"{paths.ROOT}/explain", openapi_extra=is_for(*READERS))
def explain_one(request: Request, id: Id, home: HomeOf, reader: ReaderOf) -> Response:
    """Where something came from, checked again: signatures, chains and quotes."""
    try:
        step = explain(home, id, reader).document()
    except ThermiteError as error:
        if error.__cause__ is not None:
            raise  # it is about this machine
        raise UnknownName(error.what) from None
    return render(request, "explain.html", step=step)
