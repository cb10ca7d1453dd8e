"""The page on which a person looks from a campaign's syntheses down to its notes.

It is `<home>/pages/synthesis/<campaign>.html`, works from a file, asks for nothing, and holds no script; its policy
lets none run. It holds the texts of one campaign. The same rows give the same bytes. Where they are too many for one
page, this one is an index, and the rest stands in parts beside it, `<campaign>.<digits>.<number>.html`: they are there
before the index that names them, and those that no index names any more go after it.
"""

import base64
import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.names import check_name
from thermite_pipelines.synthesis.tree import Forest, Row, depth_of, is_live
from thermite_pipelines.synthesis.tree_html import Entries, anchor, code, counted, line, moment, pairs
from thermite_pipelines.synthesis.tree_layout import PAGE_BYTES, Layout, behind, laid_out
from thermite_pipelines.synthesis.tree_picture import IN_PLACE_BYTES, tree_svg
from thermite_pipelines.synthesis.tree_style import STYLE
from thermite_pipelines.tables.lake import write_atomic

FOLDER = "pages/synthesis"
"""Where the pages lie in the home."""
_MOST_LISTED = 500  # in the contents, of each depth
_TREES, _HYPOTHESES, _METHODOLOGIES = "Syntheses", "Hypotheses and their predictions", "Ways of reasoning"
POLICY = f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'"


@dataclass(frozen=True)
class TreeRows:
    """Rows of a campaign's tables of these names, in any order."""

    syntheses: Sequence[Row] = ()
    facts: Sequence[Row] = ()
    hypotheses: Sequence[Row] = ()
    methodologies: Sequence[Row] = ()


def read_tree_rows(home: Home, campaign: str) -> TreeRows:
    """The rows that the page is made of. Raises `DamagedFile` where a file is not what was written."""
    read = partial(DerivedReader(home).rows, campaign)
    return TreeRows(read("syntheses"), read("facts"), read("hypotheses"), read("methodologies"))


def write_tree_page(home: Home, campaign: str) -> str:
    """Write the page of a campaign; return its path relative to the home. The caller holds the lease `synthesis:<c>`.

    Raises `DamagedFile` where a table is not what was written, `ThermiteError` where the disk is full.
    """
    return write_pages(home.settings.home, campaign, read_tree_rows(home, campaign))


def write_pages(home: Path, campaign: str, rows: TreeRows, page_bytes: int = PAGE_BYTES) -> str:
    """The same of rows at hand. A kill at any moment leaves the page that was there, with all its parts, or the new."""
    check_name("campaign", campaign)
    folder = home / FOLDER
    pages = tree_pages(campaign, rows, page_bytes)
    unfinished = folder / ".tmp" / campaign
    shutil.rmtree(unfinished, ignore_errors=True)  # of a writer that was killed
    index = f"{campaign}.html"
    for name in sorted(pages, key=lambda name: (name == index, name)):
        data, path = pages[name].encode(), folder / name
        if not path.is_file() or path.read_bytes() != data:
            write_atomic(path, data, beside=unfinished)
    for path in folder.glob(f"{campaign}.*.html"):
        if path.name not in pages:
            path.unlink(missing_ok=True)
    return f"{FOLDER}/{index}"


def tree_pages(campaign: str, rows: TreeRows, page_bytes: int = PAGE_BYTES) -> dict[str, str]:
    """The files of a campaign's page by name, each a whole page of about `page_bytes` at most, the index first."""
    return _Pages(campaign, rows, page_bytes).all()


class _Pages:
    """The pages of one campaign while they are made."""

    def __init__(self, campaign: str, rows: TreeRows, page_bytes: int) -> None:
        self._campaign = campaign
        self._forest = Forest(rows.syntheses, rows.facts)
        self._kinds = {row["fact"]: _HYPOTHESES for row in rows.hypotheses}
        self._kinds |= {row["fact"]: _METHODOLOGIES for row in rows.methodologies}
        self._others = {row["fact"]: row for row in (*rows.hypotheses, *rows.methodologies)}
        self._retracted = sum(not is_live(row) for row in rows.syntheses)
        decided = [row["decided_at"] for row in self._forest.syntheses.values() if row["decided_at"] is not None]
        self._newest = max(decided, default=None)
        beneath = behind(self._forest)
        anywhere = Entries(self._forest, beneath, self._others, lambda name: f"#{anchor(name)}")
        self._layout = self._lay_out(anywhere, beneath, page_bytes)
        self._beneath = beneath
        self._names = [f"{campaign}.html"]
        if len(self._layout.pages) > 1:
            digits = _digits(rows)
            self._names = [f"{campaign}.{digits}.{place}.html" for place, _ in enumerate(self._layout.pages, 1)]

    def _lay_out(self, anywhere: Entries, beneath: dict[str, tuple[str, ...]], page_bytes: int) -> Layout:
        def size(name: str) -> int:
            is_other = name in self._others
            text = anywhere.other(name) if is_other else anywhere.synthesis(name, lambda _: "")
            return len(text.encode())

        # What holds comes first; ids decide the rest.
        others = sorted(self._others, key=lambda name: (self._kinds[name], not is_live(self._others[name]), name))
        return laid_out(self._forest, beneath, others, size, page_bytes)

    def all(self) -> dict[str, str]:
        index = f"{self._campaign}.html"
        if self._names == [index]:
            return {index: self._page(self._head(index) + self._sections(0))}
        found = {index: self._page(self._head(index) + self._parts(None))}
        for place, name in enumerate(self._names):
            title = f"<h1>{line(self._campaign)}: part {place + 1} of {len(self._names)}</h1>"
            body = f"{self._parts(place)}{title}{_OPEN_ALL}{self._sections(place)}{self._parts(place)}"
            found[name] = self._page(body)
        return found

    def _page(self, body: str) -> str:
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">\n'
            f"<title>Syntheses of {self._campaign}</title>\n<style>{STYLE}</style>\n</head>\n"
            f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
        )

    def _link(self, page: str) -> Entries:
        """Entries whose links are those of a page."""

        def link(name: str) -> str | None:
            place = self._layout.page_of.get(name)
            if place is None:
                return None
            other = self._names[place]
            return f"#{anchor(name)}" if other == page else f"{other}#{anchor(name)}"

        return Entries(self._forest, self._beneath, self._others, link)

    def _head(self, page: str) -> str:
        forest, kinds = self._forest, self._kinds
        open_ones = sum(is_live(row) for name, row in self._others.items() if kinds[name] == _HYPOTHESES)
        ways = sum(is_live(row) for name, row in self._others.items() if kinds[name] == _METHODOLOGIES)
        numbers = {f"syntheses of depth {depth}": f"{count:,}" for depth, count in forest.depths.items()}
        numbers |= {
            "cited facts": f"{len(forest.held):,}",
            "cited facts, retracted": f"{forest.held_retracted:,}",
            "facts in no synthesis": f"{forest.outside:,}",
            "retracted syntheses": f"{self._retracted:,}",
            "open hypotheses": f"{open_ones:,}",
            "ways of reasoning": f"{ways:,}",
        }
        newest = f" The newest synthesis is of {moment(self._newest)}." if self._newest is not None else ""
        return (
            f"<h1>What {line(self._campaign)} adds up to</h1>\n"
            "<p>Syntheses, the most general first. Open one to see what it rests on, down to the notes that agents "
            f"wrote.{newest}</p>\n"
            f'<div class="shape" role="img" aria-label="The shape of the tree; its numbers stand below">'
            f'<div class="wide">{tree_svg(forest)}</div>'
            f'<div class="narrow">{tree_svg(forest, IN_PLACE_BYTES)}</div></div>\n'
            f"{pairs(numbers, 'numbers')}\n"
            '<p class="note">What stands here in the words of agents and models is quoted, not checked. One click '
            f"marks an id; {code('thermite explain ID')} leads from it down to the signed reports. Facts in no "
            f"synthesis are not shown: {code(f'thermite search --folder {self._campaign} WORDS')} finds them.</p>\n"
            f"{self._contents(page)}{_OPEN_ALL if len(self._names) == 1 else ''}"
        )

    def _contents(self, page: str) -> str:
        entries = self._link(page)
        lists = []
        for depth, count in self._forest.depths.items():
            names = [name for name in self._forest.order if depth_of(self._forest.syntheses[name]) == depth]
            links = "".join(f"<li>{entries.reference(name)}</li>" for name in names[:_MOST_LISTED])
            more = f"<li>and {count - _MOST_LISTED:,} more</li>" if count > _MOST_LISTED else ""
            title = f"{counted(count, 'synthesis', 'syntheses')} of depth {depth}"
            lists.append(f"<details><summary>{title}</summary><ul>{links}{more}</ul></details>\n")
        return f"<nav><h2>By depth</h2>\n{''.join(lists)}</nav>\n" if lists else ""

    def _parts(self, here: int | None) -> str:
        """Links to all parts; the index has a heading of its own for them and says what each holds."""
        items = [
            f"<b>{place + 1}</b>" if place == here else f'<a href="{name}">{place + 1}</a>'
            for place, name in enumerate(self._names)
        ]
        index = "" if here is None else f'<a href="{self._campaign}.html">Overview</a> · '
        heading = f"<h2>In {len(items):,} parts</h2>\n" if here is None else ""
        return f'<nav aria-label="Parts">{heading}<p>{index}Parts: {" ".join(items)}</p></nav>\n'

    def _sections(self, place: int) -> str:
        """The entries of a page in sections by kind."""
        entries = self._link(self._names[place])

        def synthesis(name: str, level: int) -> str:
            return entries.synthesis(
                name, lambda one: "" if one in self._layout.heads else synthesis(one, level + 1), level
            )

        found = []
        for kind, group in groupby(self._layout.pages[place], key=lambda name: self._kinds.get(name, _TREES)):
            inside = "".join(entries.other(one) if one in self._others else synthesis(one, 3) for one in group)
            found.append(f"<section><h2>{kind}</h2>\n{inside}</section>\n")
        return "".join(found) or '<p class="note">There is no synthesis yet.</p>\n'


_OPEN_ALL = '<p class="all"><input type="checkbox" id="all"><label for="all">Open all of them</label></p>\n'


def _digits(rows: TreeRows) -> str:
    """What tells the parts made of some rows from those made of others."""
    tables = [rows.syntheses, rows.facts, rows.hypotheses, rows.methodologies]
    ordered = [sorted(table, key=lambda row: row["fact"]) for table in tables]
    return hashlib.sha256(json.dumps(ordered, default=str, sort_keys=True).encode()).hexdigest()[:12]
