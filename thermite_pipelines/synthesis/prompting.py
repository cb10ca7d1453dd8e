"""The prompts of work items, for whoever answers them: a model of ours, or an agent over MCP or HTTP.

The facts of prune, distill and hypothesize items travel beside the prompt. The payloads of the others stand in it, as
JSON. Facts are data that people, agents and pages said: what is put into a prompt is quoted, so that no text in it can
pass for a part of the prompt, and without credentials.
"""

import json
import logging
import re
from collections.abc import Callable, Sequence
from typing import Any

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.prompts import Prompt, load_prompt
from thermite_pipelines.synthesis.gate.discover import WANTED
from thermite_pipelines.synthesis.gate.refs import is_fact
from thermite_pipelines.synthesis.work import Item, Session, StepType

logger = logging.getLogger(__name__)

Offer = tuple[float, str, str]
"""Score, title and path of a methodology."""
Offers = Callable[[Session, Item], Sequence[Offer]]
"""Finds the methodologies that bear on an item, the best first."""

OFFERED_STEPS = ("distill", "reflect", "hypothesize")
"""Steps whose prompts offer methodologies."""
NO_TOKEN = "the scoped area"
_PACKAGE = "thermite_pipelines.synthesis"
_TITLE_CHARACTERS = 200
_LINE_CHARACTERS = 300
_IDS = ("path", "refs", "detail")
# `\n` ends lines of indented JSON; within its strings none is left.
_NOT_ASCII = re.compile(r"[^\n\x20-\x7e]")


class Prompts:
    """Writes prompts. `offers` finds methodologies; where it fails, the prompt does without and the log says so.

    `propose_cap`: how many new methodologies an answer to reflect may bring.
    """

    def __init__(self, offers: Offers | None = None, *, propose_cap: int = 1) -> None:
        self._offers = offers
        self._propose_cap = propose_cap

    def prompt(self, session: Session, item: Item) -> str:
        """The prompt of an item. Raises `ThermiteError` for an item whose payload is damaged."""
        values: dict[str, str] = {}
        if item.step in OFFERED_STEPS:
            values["methodologies"] = self._methodologies(session, item)
        if item.step == "reflect":
            values |= {
                "transitions": quoted(read_payload(item.key, item.facts), indent=1),
                "most": _at_most(self._propose_cap),
            }
        if item.step == "discover":
            values |= _discovery(item)
        return prompt_of(item.step).fill(**values).strip()

    def _methodologies(self, session: Session, item: Item) -> str:
        """The section of methodologies with what separates it from what follows; empty where none bears on the item."""
        if self._offers is None:
            return ""
        try:
            bullets = [_bullet(*offer) for offer in self._offers(session, item)]
        except Exception as error:  # noqa: BLE001 - methodologies are a help: no item waits for them
            logger.warning("item %d offers no methodologies: %s", item.item, type(error).__name__)
            return ""
        if not bullets:
            return ""
        return load_prompt(_PACKAGE, "methodologies").fill(bullets="\n".join(bullets)) + "\n\n"


def prompt_of(step: StepType) -> Prompt:
    """The prompt of a step, with its version."""
    return load_prompt(_PACKAGE, step)


def read_payload(key: str, facts: str) -> Any:
    """The payload of the item of a key. Raises `ThermiteError` where it can't be read."""
    try:
        return json.loads(facts)
    except ValueError:
        raise _damaged(key) from None


def quoted(value: Any, indent: int | None = None) -> str:
    """A value as JSON without credentials, in which every text stays on its line.

    Characters that nobody sees, or that some reader takes for a line break, are escapes.
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(without_credentials(value), ensure_ascii=False, indent=indent, separators=separators)
    return _NOT_ASCII.sub(_seen, text)


def without_credentials(value: Any, key: str = "") -> Any:
    """A payload whose texts are redacted. Ids of facts stay, whatever they look like: answers name facts by them."""
    # It loads tables of look-alikes, and who offers tools loads this module.
    from thermite_pipelines.safety.redaction import redact_text

    if isinstance(value, str):
        return value if key in _IDS and is_fact(value) else redact_text(value)
    if isinstance(value, list | tuple):
        return [without_credentials(part, key) for part in value]
    if isinstance(value, dict):
        return {name: without_credentials(part, name) for name, part in value.items()}
    return value


def _seen(match: re.Match[str]) -> str:
    char = match.group()
    return char if char.isprintable() else json.dumps(char)[1:-1]


def _bullet(score: float, title: str, path: str) -> str:
    return f"- {score:.2f} {quoted(_cut(title, _TITLE_CHARACTERS))} {path if is_fact(path) else quoted(path)}"


def _at_most(cap: int) -> str:
    if cap < 1:
        return "always empty, since no new methodology is taken now"
    return f"at most {cap} new {'methodology' if cap == 1 else 'methodologies'}, mostly none"


def _discovery(item: Item) -> dict[str, str]:
    """What a discover item is about. Without a token that its members share, it is named by the scope."""
    payload = read_payload(item.key, item.facts)
    try:
        bridge, direction = payload["bridge"], payload["direction"]
        members = [
            {"path": one["path"], "title": one["title"], "first_line": _first_line(one["body"])}
            for one in bridge["members"]
        ]
        shared = {"in_common": bridge["token"], "kind": bridge["kind"]}
        if not bridge["token"]:
            shared = {"in_common": payload.get("scope_label") or NO_TOKEN}
        wanted = WANTED[direction]
    except (KeyError, TypeError, AttributeError):
        raise _damaged(item.key) from None
    return {"members": quoted(shared | {"facts": members}, indent=1), "direction": direction, "type": wanted}


def _first_line(text: str) -> str:
    return _cut(next((line.strip() for line in text.splitlines() if line.strip()), ""), _LINE_CHARACTERS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _damaged(key: str) -> ThermiteError:
    return ThermiteError("the stored item is damaged", where=f"item {key}", do="start a new session")
