"""Syntheses: the tree that synthesis wrote as a page, and one of them with what it rests on."""

import re
from typing import Annotated, Any

from fastapi import Path, Request
from starlette.responses import FileResponse, Response

from thermite_pipelines.errors import UnknownName
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.knowledge.synthesis_reading import shown, written_by
from thermite_pipelines.names import CAMPAIGN
from thermite_pipelines.serve.access import HomeOf, ReaderOf, is_for, router
from thermite_pipelines.serve.documents import CampaignName
from thermite_pipelines.serve.pages import paths
from thermite_pipelines.serve.pages.reading import Part, readable_folder
from thermite_pipelines.serve.pages.rendering import render
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.roles import READERS
from thermite_pipelines.synthesis import tree_page as tree_files
from thermite_pipelines.synthesis.tree import Forest, depth_of, is_live
from thermite_pipelines.synthesis.tree_html import anchor
from thermite_pipelines.tables.parquet import to_rows

routes = router()

MOST_LISTED = 6
MOST_BELOW = 200
"""Syntheses and facts that one page tells of."""
_FILE = re.compile(rf"({CAMPAIGN.pattern})(\.[0-9a-f]{{12}}\.[1-9][0-9]{{0,5}})?\.html")
_HEADERS = {
    "Content-Security-Policy": f"{tree_files.POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",
}
Digits = Annotated[str, Path(pattern=r"^[0-9a-f]{12,64}$")]


def tree_page(home: Home, campaign: str) -> str | None:
    """The address of the page on which a campaign's tree stands; None where synthesis has written none."""
    name = f"{campaign}.html"
    return paths.url("trees", name) if (home.settings.home / tree_files.FOLDER / name).is_file() else None


def highest(home: Home, reader: Reader, campaign: str) -> Part:
    """The syntheses of a folder that say most, of all: the deepest first, then those that weigh more."""
    table = shown("syntheses", DerivedReader(home).table(readable_folder(home, reader, campaign), "syntheses"))
    rows = to_rows(table)
    rows.sort(key=lambda row: (-depth_of(row), -(row["evidence_weight"] or 0.0), row["fact"]))
    return Part([row | {"digits": row["fact"].rpartition("/")[2]} for row in rows[:MOST_LISTED]], 1, len(rows))


@routes.get(f"{paths.ROOT}/trees/{{name}}", openapi_extra=is_for(*READERS))
def tree(name: str, home: HomeOf, reader: ReaderOf) -> Response:
    """A campaign's tree, or a part of it, as synthesis wrote it."""
    found = _FILE.fullmatch(name)
    path = home.settings.home / tree_files.FOLDER / name
    if found is None or not path.is_file():
        raise Refusal(404, "there is no such tree, or it was written anew: go back to the folder")
    readable_folder(home, reader, found[1])
    return FileResponse(path, headers=_HEADERS, media_type="text/html; charset=utf-8")


@routes.get(f"{paths.ROOT}/folders/{{campaign}}/syntheses/{{digits}}", openapi_extra=is_for(*READERS))
def one_synthesis(request: Request, campaign: CampaignName, digits: Digits, home: HomeOf, reader: ReaderOf) -> Response:
    """A synthesis, what it cites, what that cites, and so on, down to items."""
    derived, folder = DerivedReader(home), readable_folder(home, reader, campaign)
    forest = Forest(derived.rows(folder, "syntheses"), derived.rows(folder, "facts"))
    name = f"{campaign}/{digits}"
    if name not in forest.syntheses:
        raise UnknownName(f"there is no synthesis {name}", do="look at the folder")
    told = _Told(forest)
    above = [other for other, cited in forest.cites.items() if name in cited]
    values = {
        "campaign": campaign,
        "node": told.node(name, 0),
        "above": [_named(forest.syntheses[other]) for other in above[:MOST_LISTED]],
        "is_cut": told.is_cut,
        "tree": tree_page(home, campaign),
        "anchor": anchor(name),
        "rests_on": len(forest.rests_on(name)),
    }
    return render(request, "synthesis.html", **values)


class _Told:
    """What is below a synthesis, each told once and only so many of them."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._told: set[str] = set()
        self.is_cut = False

    def node(self, name: str, level: int) -> dict[str, Any]:
        """A synthesis or a fact with what it cites; without that where it was told before."""
        row = self._forest.row(name) or {}
        is_synthesis = name in self._forest.syntheses
        node = _named(row) | {"is_synthesis": is_synthesis, "below": [], "before": name in self._told, "level": level}
        self._told.add(name)
        if is_synthesis and not node["before"]:
            for one in self._forest.cites[name]:
                if len(self._told) >= MOST_BELOW:
                    self.is_cut = True
                    break
                node["below"].append(self.node(one, level + 1))
        return node


def _named(row: Any) -> dict[str, Any]:
    names = ("fact", "title", "body", "type", "item", "atom", "rig", "run", "confidence", "evidence_weight", "sources")
    more = {"digits": row["fact"].rpartition("/")[2], "depth": depth_of(row) if row.get("depth") is not None else None}
    who = row["written_by"] if row.get("written_by") else written_by(row)
    return {name: row.get(name) for name in names} | more | {"is_live": is_live(row), "written_by": who}
