"""Syntheses, facts, hypotheses and methodologies as pieces of HTML.

Every text is an agent's, a model's or a page's: it is cut, characters that can't be seen are written out, and all marks
are escaped, so it is neither markup nor an attribute. Addresses are shown and not linked.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

from thermite_pipelines.safety.quoting import legible
from thermite_pipelines.synthesis.tree import Forest, Row, depth_of, is_live
from thermite_pipelines.times import format_rfc3339

MOST_TITLE, MOST_BODY, MOST_FACT = 300, 8_000, 2_000
"""Letters that are shown of a title, of what a synthesis says, and of what a fact says."""
_MOST_REFS, _MOST_TAGS = 20, 12
_MOST_ID = 1_200
_HEX = re.compile(r"[0-9a-f]{12,64}")
_HIGHEST = 3  # the colours that there are

Link = Callable[[str], str | None]
"""Where an entry stands, as the value of `href`; None for what stands on no page."""


def anchor(name: str) -> str:
    """The `id` of an entry: the digits of its own id, so that a link to it stays right."""
    digits = name.rpartition("/")[2]
    return f"f-{digits if _HEX.fullmatch(digits) else hashlib.sha256(name.encode()).hexdigest()[:16]}"


def shown(text: object, most: int = _MOST_ID) -> str:
    """A text as HTML without markup, on as many lines as it has; what is beyond `most` letters is left out."""
    words = str(text)
    return escape(legible(words if len(words) <= most else words[: most - 1] + "…"))


def line(text: object, most: int = MOST_TITLE) -> str:
    """The same on one line, kept apart from the direction of what stands beside it."""
    return f"<bdi>{shown(' '.join(str(text).split()), most)}</bdi>"


def code(text: object) -> str:
    """An id or an address, to be copied."""
    return f"<code>{shown(text)}</code>"


def moment(micros: int | None) -> str:
    """A time to the minute in UTC; a dash where there is none."""
    return "–" if micros is None else format_rfc3339(micros)[:16].replace("T", " ") + " UTC"


def counted(number: int, name: str, names: str = "") -> str:
    """A number with its name: `1 fact`, `2 facts`."""
    return f"{number:,} {name if number == 1 else names or name + 's'}"


def said(text: str | None, most: int, id: str) -> str:
    """What something says, in the writer's own lines; how much was cut, and how to read it all."""
    if not text or not text.strip():
        return ""
    cut = len(text) - most
    more = ""
    if cut > 0:
        more = f'<p class="cut">{counted(cut, "more character")}: {code(f"thermite explain {id}")} shows all.</p>'
    # Line by line: a text on one line is mostly known at a glance to be legible.
    lines = "\n".join(map(legible, text[:most].strip("\n").split("\n")))
    return f'<div class="said" dir="auto">{escape(lines)}</div>{more}'


def pairs(values: Mapping[str, str], kind: str) -> str:
    """Names with values that are HTML already; empty ones are left out."""
    inside = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in values.items() if value)
    return f'<dl class="{kind}">{inside}</dl>'


def number(value: float | None) -> str:
    """A share to two digits."""
    return "–" if value is None else f"{value:.2f}"


class Entries:
    """Makes entries of rows. `others` are rows of hypotheses and methodologies by id."""

    def __init__(
        self, forest: Forest, beneath: Mapping[str, Sequence[str]], others: Mapping[str, Row], link: Link
    ) -> None:
        self._forest = forest
        self._beneath = beneath
        self._others = others
        self._link = link

    def synthesis(self, name: str, below: Callable[[str], str], level: int = 3) -> str:
        """A synthesis with its facts. `below` makes the entry of one that stands in it, '' of one elsewhere."""
        row, forest = self._forest.syntheses[name], self._forest
        facts, depth = len(forest.rests_on(name)), depth_of(row)
        heading = f"h{min(level, 6)}"
        inside = [
            said(row["body"], MOST_BODY, name),
            self._who(name, row, facts),
            self._syntheses(name, below),
            self._facts(name, level + 1),
            self._unknown(row),
        ]
        return (
            f'<details class="syn d{min(depth, _HIGHEST)}" id="{anchor(name)}"><summary>'
            f'<span class="depth">depth {depth}</span><{heading}>{line(row["title"])}</{heading}>'
            f'<span class="few">{counted(facts, "fact")}</span></summary>'
            f'<div class="in">{"".join(inside)}</div></details>\n'
        )

    def _who(self, name: str, row: Row, facts: int) -> str:
        model = row["model"] if row["model"] != row["answered_by"] else None
        who = " ".join(line(part) for part in (row["answered_by"], model) if part)
        prompt = f" ({line(row['prompt_version'])})" if row["prompt_version"] else ""
        tags = [line(tag, 60) for tag in (row["domain"] or ())[:_MOST_TAGS]]
        values = {
            "confidence": number(row["confidence"]),
            "evidence weight": number(row["evidence_weight"]),
            "sources": f"{row['sources']:,}",
            "facts below": f"{facts:,}",
            "answered by": (who or "–") + prompt,
            "decided at": moment(row["decided_at"]),
            "decision": code(row["decision"]) if row["decision"] else "",
            "about": ", ".join(tags),
        }
        return pairs(values, "told") + f'<p class="ids">{code(name)}</p>'

    def _syntheses(self, name: str, below: Callable[[str], str]) -> str:
        cited = [one for one in self._forest.cites[name] if one in self._forest.syntheses]
        inside = [(one, below(one) if one in self._forest.children[name] else "") for one in cited]
        elsewhere = "".join(f"<li>{self.reference(one)}</li>" for one, text in inside if not text)
        return _labelled(
            "Syntheses it cites",
            "".join(text for _, text in inside),
            f'<p class="note">Written elsewhere:</p><ul>{elsewhere}</ul>' if elsewhere else "",
        )

    def _facts(self, name: str, level: int) -> str:
        """The facts that have their place here, links to the others, and what these facts rest on themselves."""
        own = self._forest.leaves[name]
        here = frozenset(own)
        others = [one for one in self._forest.cites[name] if one in self._forest.facts and one not in here]
        elsewhere = "".join(f"<li>{self.reference(one)}</li>" for one in others)
        told = _labelled(
            f"Facts it cites: {len(own) + len(others):,}",
            "".join(self.fact(one, level) for one in own),
            f'<p class="note">Written elsewhere:</p><ul>{elsewhere}</ul>' if elsewhere else "",
        )
        beneath = self._beneath[name]
        return told + _labelled(
            f"What these facts rest on: {len(beneath):,}", "".join(self.fact(one, level) for one in beneath)
        )

    def _unknown(self, row: Row) -> str:
        """What it cites besides facts: items that are none, addresses, hypotheses and methodologies."""
        refs = [ref for ref in row["refs"] or () if self._forest.resolve(ref) is None]
        return self._listed("It cites besides:", [self.reference(ref) for ref in refs])

    def _listed(self, label: str, references: Sequence[str]) -> str:
        if not references:
            return ""
        more = f" and {len(references) - _MOST_REFS:,} more" if len(references) > _MOST_REFS else ""
        return f'<p class="refs">{label} {", ".join(references[:_MOST_REFS])}{more}</p>'

    def reference(self, name: str) -> str:
        """A link to an entry by its title; the id alone where it stands on no page."""
        row = self._forest.row(name) or self._others.get(name)
        href = self._link(name) if row is not None else None
        if row is None or href is None:
            return code(name)
        kind = f"depth {depth_of(row)}" if name in self._forest.syntheses else shown(row["type"])
        return f'<a href="{escape(href)}">{kind}: {line(row["title"], 120)}</a>'

    def fact(self, name: str, level: int = 3) -> str:
        """A fact with what it was made of: the item or atom, where that came from, who wrote it and when."""
        row = self._forest.facts[name]
        refs = [ref for ref in row["refs"] or () if ref.strip() not in (name, row["item"], row["atom"])]
        cited = [self.reference(self._forest.resolve(ref) or ref) for ref in refs]
        replaced = [self.reference(one) for one in self._forest.replaced.get(name, ())]
        title = "" if _is_told(row) else f"<h{min(level, 6)}>{line(row['title'])}</h{min(level, 6)}>"
        inside = [
            title,
            self.state(row),
            said(row["body"], MOST_FACT, row["item"] or row["atom"] or name),
            f'<p class="of">{_origin(row)}</p>',
            f'<p class="ids">{" ".join(map(code, filter(None, (row["item"], row["atom"], name))))}</p>',
            self._listed("It cites", list(dict.fromkeys(cited))),
            self._listed("It stands for", replaced),
        ]
        kind = "fact" if is_live(row) else "fact gone"
        return f'<article class="{kind}" id="{anchor(name)}">{"".join(inside)}</article>\n'

    def state(self, row: Row) -> str:
        """What became of a fact that was taken back; nothing of one that holds."""
        if is_live(row):
            return ""
        outcome = row.get("retracted_as")
        told = [shown(outcome)] if outcome else []
        told += [
            f"{verb} by {self.reference(row[column])}"
            for verb, column in (("retracted", "retracted_by"), ("superseded", "superseded_by"))
            if row[column] is not None
        ]
        return f'<p class="why">It was {", ".join(told)}.</p>'

    def other(self, name: str, level: int = 3) -> str:
        """A hypothesis or a methodology."""
        row, heading = self._others[name], f"h{min(level, 6)}"
        refs = [self.reference(self._forest.resolve(ref) or ref) for ref in row["refs"] or ()]
        words = [("Prediction", row.get("prediction")), ("It would be shown false by", row.get("falsifier"))]
        told = [_labelled(label, said(text, MOST_FACT, name)) for label, text in words if text]
        who = [row["answered_by"], None if row["model"] == row["answered_by"] else row["model"]]
        answered = f"answered by {' '.join(line(part) for part in who if part)}, " if row["answered_by"] else ""
        decided = moment(row["decided_at"]) if row["decided_at"] is not None else ""
        inside = [
            f"<{heading}>{line(row['title'])}</{heading}>",
            self.state(row),
            said(row["body"], MOST_BODY, name),
            *told,
            f'<p class="of">{_origin(row)}{" · " if decided else ""}{answered}{decided}</p>',
            f'<p class="ids">{" ".join(map(code, filter(None, (row["item"], name, row["decision"]))))}</p>',
            self._listed("It cites", list(dict.fromkeys(refs))),
        ]
        kind = "fact" if is_live(row) else "fact gone"
        return f'<article class="{kind}" id="{anchor(name)}">{"".join(inside)}</article>\n'


def _labelled(label: str, *parts: str) -> str:
    inside = "".join(parts)
    return f'<div class="label">{label}</div>{inside}' if inside else ""


def _is_told(row: Row) -> bool:
    """Whether the body begins with the title, as that of a note does."""
    title = " ".join(row["title"].split()).rstrip("…")
    return " ".join((row["body"] or "").split()).startswith(title)


def _origin(row: Row) -> str:
    """What sort of fact it is, of which item, by whom, when, and how sure."""
    source = row["item"] or row["atom"] or ""
    run = "/".join(filter(None, (row["rig"], row["run"])))
    parts: Iterable[str] = (
        shown(row["type"]),
        f"{shown(source.partition(':')[0])}{f' of {line(run)}' if run else ''}" if source else "",
        f"by {line(row['written_by'])}" if row["written_by"] else "",
        format_rfc3339(row["created_at"])[:10] if row["created_at"] is not None else "",
        f"confidence {number(row['confidence'])}",
        counted(row["sources"], "source"),
    )
    return " · ".join(filter(None, parts))
