"""Where something came from, for people: a step a paragraph, and what it came from indented below it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, cut, print_json, say

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.explain import Explained

_EXCERPT = 200
_INDENT = "    "


def explain(
    id: Annotated[str, typer.Argument(metavar="ID", help="An item, atom or decision: <kind>:…; or a fact's id.")],
    json: Json = False,
) -> None:
    """Show where a fact, decision, item or atom came from, down to the signed reports, checked again."""
    from thermite_pipelines.knowledge.explain import explain as lookup
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.knowledge.readable import Reader

    found = lookup(open_home(), id, Reader.owner())
    if json:
        print_json(found.document())
    else:
        _show(found, set(), 0)


def _show(step: "Explained", told: set[str], depth: int) -> None:
    from thermite_pipelines.knowledge.explained import is_cut

    indent = _INDENT * depth
    say(f"{indent}{step.kind} {clean(step.id)}: {_state(step.verified)}")
    for line in _words(step):
        say(f"{indent}{_INDENT}{line}")
    if is_cut(step, told, depth):
        say(f"{indent}{_INDENT}(told above, or by: thermite explain {clean(step.id)})")
        return
    for decision in step.decisions:
        for line in _decision(decision):
            say(f"{indent}{_INDENT}{line}")
    for source in step.sources:
        _show(source, told, depth + 1)
    if not step.sources:
        for report in step.reports:
            place = f"{report.rig} {report.ledger} report {report.seq}"
            say(f"{indent}{_INDENT}{clean(place)}, payload {report.payload_sha256[:16]}…: {_state(report.verified)}")


def _state(verified: bool) -> str:
    return "verified" if verified else "NOT verified"


def _words(step: "Explained") -> list[str]:
    """What a step says, and what became of it."""
    more = step.more
    lines = [
        f"{name} ({more[name]['role']}): {cut(more[name]['text'], _EXCERPT)}"
        for name in ("before", "after")
        if more.get(name)
    ]
    if more.get("title") and not (step.text or "").startswith(more["title"]):
        lines.append(cut(more["title"], _EXCERPT))
    if step.text:
        lines.append(cut(step.text, _EXCERPT))
    if more.get("verbatim_quote"):
        lines.append(f'"{clean(more["verbatim_quote"])}"')
    transcript = more.get("transcript")
    if isinstance(transcript, dict):
        kept = f"{clean(transcript['path'])} {transcript['sha256'][:16]}…"
        lines.append(f"transcript {kept}: {_state(transcript['verified'])}")
    if more.get("retracted_by"):
        how = f" as {more['retracted_as']}" if more.get("retracted_as") else ""
        lines.append(f"taken back{how} by {clean(more['retracted_by'])}")
    if more.get("superseded_by"):
        lines.append(f"replaced by {clean(more['superseded_by'])}")
    if more.get("writes"):
        lines.append(f"writes {clean(more['writes'])}")
    return lines


def _decision(decision: dict[str, Any]) -> list[str]:
    by = decision["model"] or decision["answered_by"]
    with_prompt = f" with {clean(decision['prompt_version'])}" if decision["prompt_version"] else ""
    line = f"{clean(decision['id'])}: {decision['verb']} ({decision['step']}), {decision['at']}, by {clean(by)}"
    lines = [f"{line}{with_prompt}"]
    if decision["cache_key"]:
        lines.append(f"{_INDENT}answer kept as {clean(decision['cache_key'])}")
    if not decision["applies"]:
        lines.append(f"{_INDENT}does not apply any more: {cut(decision['why_not'], _EXCERPT)}")
    return lines
