"""From a template to an answer: one place where pages are made, always escaped, with the policy that they are shown by.

What is put into a template is text, never HTML, and letters that can't be seen or turn others round are written out.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.safety.quoting import legible
from thermite_pipelines.serve.pages import paths
from thermite_pipelines.serve.roles import DECIDERS
from thermite_pipelines.times import format_rfc3339

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    # With no referrer at all, browsers hide where a form comes from.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
CUT = 600
"""Characters of a text that lists show."""
_FOLDER = Path(__file__).parent
_MEDIA = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_YEAR = 31_536_000


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """A page for whoever asks. `values` are what the template names."""
    session, principal = getattr(request.state, "session", None), getattr(request.state, "principal", None)
    shared = {
        "principal": principal,
        "decides": principal is not None and principal.role in DECIDERS,
        "form_token": session.form_token if session is not None else "",
        "notes": session.take_notes() if session is not None else [],
        "path": request.url.path,
    }
    return HTMLResponse(_environment().get_template(template).render(shared | values), status, HEADERS)


def see(request: Request, address: str, done: str = "") -> Response:
    """Lead to a page, which then says what was done."""
    session = getattr(request.state, "session", None)
    if done and session is not None:
        session.note("done", done)
    return RedirectResponse(address, 303)


def static(name: str) -> Response | None:
    """A file of our own by its name; None where there is none."""
    data = _files().get(name)
    if data is None:
        return None
    headers = {"Cache-Control": f"public, max-age={_YEAR}, immutable"}
    return Response(data, 200, headers, _MEDIA[Path(name).suffix])


@cache
def _files() -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in (_FOLDER / "static").iterdir() if path.suffix in _MEDIA}


def _asset(name: str) -> str:
    """The address of a file of our own, another one whenever its bytes are others."""
    return f"{paths.STATIC}/{name}?v={hashlib.sha256(_files()[name]).hexdigest()[:12]}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_legible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {"moment": moment, "number": number, "plain_line": plain_line, "to_second": to_second}
    environment.filters["of_kind"] = of_kind
    environment.globals |= {"url": paths.url, "asset": _asset, "kinds": KINDS, "CUT": CUT, "search_url": paths.SEARCH}
    return environment


def _legible(value: Any) -> Any:
    """Texts with what can't be seen written out; what is HTML already was made of such texts."""
    return legible(value) if type(value) is str else "" if value is None else value


def moment(micros: int | None) -> str:
    """A time to the second in UTC."""
    return "" if micros is None else format_rfc3339(micros)[:19].replace("T", " ") + " UTC"


def to_second(text: str | None) -> str:
    """The same of a time that is RFC 3339 in UTC already."""
    return "" if text is None else f"{text[:19].replace('T', ' ')} UTC"


def number(value: float | None) -> str:
    """A number as people write it: whole ones with commas, others to six digits."""
    return "" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def of_kind(kind: str, count: int) -> str:
    """How people name so many things of a kind."""
    name = kind.replace("_", " ")
    if count == 1:
        return name
    for end, many in (("sis", "ses"), ("y", "ies")):
        if name.endswith(end):
            return name.removesuffix(end) + many
    return f"{name}s"


def plain_line(text: str | None, most: int = 160) -> str:
    """A text on one line, cut."""
    flat = " ".join((text or "").split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
