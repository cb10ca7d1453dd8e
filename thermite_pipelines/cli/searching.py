"""Finding what is known, and where it came from."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.explaining import explain
from thermite_pipelines.cli.options import LARGEST, Json, Rig, Run, parse_since
from thermite_pipelines.cli.output import clean, cut, print_json, say, warn

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home
    from thermite_pipelines.knowledge.search import SearchResults

Row = dict[str, Any]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="K",
        help="Only this kind: an item's, `synthesis`, `methodology`, `prediction`, or `atom`; repeat it for several.",
    ),
]
Folders = Annotated[
    list[str] | None, typer.Option("--folder", metavar="C", help="Only this campaign's folder; repeat it.")
]
Writer = Annotated[str | None, typer.Option("--by", metavar="W", help="Only what this writer wrote.")]
As = Annotated[
    str | None,
    typer.Option(
        "--as", metavar="CAMPAIGN", help="What this campaign may read; with --run what that run's agents see."
    ),
]
Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, max=LARGEST, help="At most so many of each list.")
]
Instincts = Annotated[
    bool, typer.Option("--instincts", help="Show atoms as situation, lean, reason and source: to weigh, not to obey.")
]
_EXCERPT = 200
_MANY_UNINDEXED = 1_000
"""Fewer are read so fast that nobody notices."""
_DAY = len("2026-11-29")
_DAY_MICROS = 24 * 3600 * 1_000_000


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(search)
    app.command()(explain)


def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="What to look for.")],
    kind: Kinds = None,
    folder: Folders = None,
    rig: Rig = None,
    run: Run = None,
    by: Writer = None,
    since: Annotated[str | None, typer.Option("--since", metavar="T", help="Only from this time or day on.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="T", help="Only up to this time or day.")] = None,
    as_campaign: As = None,
    limit: Limit = None,
    instincts: Instincts = False,
    json: Json = False,
) -> None:
    """Search items, what synthesis made of them, and knowledge atoms by words and by meaning, best first."""
    from thermite_pipelines.knowledge.search import SearchQuery
    from thermite_pipelines.knowledge.search import search as find
    from thermite_pipelines.names import check_run

    if run is not None:
        check_run(run)
    query = SearchQuery(
        words=" ".join(words),
        kinds=tuple(kind or ()),
        folders=tuple(folder or ()),
        rig=rig,
        run=run,
        by=by,
        since=parse_since(since),
        until=_parse_until(until),
        as_campaign=as_campaign,
        limit=limit,
    )
    found = find(_open(rig), query)
    for notice in found.notices:
        warn(f"warning: {notice}")
    if found.unindexed > _MANY_UNINDEXED:
        warn(f"{found.unindexed} texts are not indexed yet: they are read for every search, and found by words alone")
    if json:
        print_json({"results": found.results, "atoms": found.atoms})
    else:
        _show(found, instincts)


def _open(rig: str | None) -> "Home":
    """The home, in which control knows the rig, where one is named. Raises `ThermiteError`."""
    from thermite_pipelines.control.rigs import require_rig
    from thermite_pipelines.knowledge.home import open_home

    home = open_home()
    if rig is not None:
        with home.control.read() as connection:
            require_rig(connection, rig)
    return home


def _parse_until(text: str | None) -> int | None:
    """The time of `--until` in microseconds; a day alone means its end in UTC."""
    found = parse_since(text)
    return found + _DAY_MICROS - 1 if found is not None and len(text or "") == _DAY else found


def _show(found: "SearchResults", instincts: bool) -> None:
    if not found.results and not found.atoms:
        say("nothing found")
    for row in found.results:
        say(cut(row["title"], _EXCERPT))
        say(f"    {clean(row['item'])}  {row['campaign']}  {clean(row['written_by'])}  {row['created_at']}")
        if row["text"] and row["text"] != row["title"]:
            say(f"    {cut(row['text'], _EXCERPT)}")
        say(f"    {clean(row['why'])}")
    if found.atoms:
        if found.results:
            say()
        _show_atoms(found.atoms, instincts)


def _show_atoms(atoms: list[Row], instincts: bool) -> None:
    say("Knowledge atoms")
    if instincts:
        say(f"({atoms[0]['instinct']['label']})")
    for atom in atoms:
        for line in _instinct_lines(atom) if instincts else _atom_lines(atom):
            say(f"    {line}")
        say(f"    {clean(atom['atom'])}  {clean(atom['why'])}")
        say()


def _atom_lines(atom: Row) -> list[str]:
    age = ", holds data that time changes" if atom["is_dated"] else ""
    lines = [
        f"{atom['type']}: {clean(atom['statement'])}",
        *_quote_lines(atom),
        f"conditions: {clean(atom['conditions'])}",
        f"{atom['established']}, {atom['confidence']}{age}, by {clean(atom['written_by'])}, in {atom['campaign']}",
    ]
    if atom["wrong_assumption"]:
        lines.insert(2, f"wrongly assumed: {clean(atom['wrong_assumption'])}")
    return lines


def _instinct_lines(atom: Row) -> list[str]:
    view = atom["instinct"]
    quote = _quote_lines(atom) or [f"composed of {clean(', '.join(view['source']['members']) or 'nothing named')}"]
    return [
        f"situation: {clean(view['situation'])}",
        f"lean: {clean(view['lean'])}",
        f"reason: {clean(view['reason'])}",
        f"source: {quote[0]}",
    ]


def _quote_lines(atom: Row) -> list[str]:
    """The person's own words, shown beside the statement wherever there are any."""
    if not atom["verbatim_quote"]:
        return []
    checked = "" if atom["quote_checked"] else " (not checked against a session)"
    where = f" — {clean(atom['session'])}" if atom["session"] else ""
    return [f'"{clean(atom["verbatim_quote"])}"{where}{checked}']
