"""What tests of the pages share: somebody who signs in and looks at pages over HTTP, as a browser without a script."""

import html
import re
from typing import Any

import httpx

from tests.serve.serving import SECONDS, ServedHome
from thermite_pipelines.knowledge.search import RESULT_KINDS
from thermite_pipelines.serve.pages.rendering import of_kind

ROOT = "/knowledge"
_FORM_TOKEN = re.compile(r'name="form_token" value="([^"]*)"')


class Visitor:
    """A browser of one person."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=SECONDS, trust_env=False)
        self.origin = {"Origin": url}

    def sign_in(self, secret: str, next: str = ROOT) -> httpx.Response:
        """Show a token in the form for signing in."""
        fields = {"form_token": form_token(self.get("/sign-in").text), "token": secret, "next": next}
        return self.client.post(f"{ROOT}/sign-in", data=fields, headers=self.origin)

    def get(self, path: str = "", **query: Any) -> httpx.Response:
        """A page below the root."""
        return self.client.get(f"{ROOT}{path}", params=query or None)

    def post(self, path: str, fields: dict[str, Any], headers: dict[str, str] | None = None) -> httpx.Response:
        """Send a form with the token that the overview's forms have, from this site unless `headers` say otherwise."""
        sent = {"form_token": form_token(self.get().text)} | fields
        return self.client.post(f"{ROOT}{path}", data=sent, headers=self.origin if headers is None else headers)


def visitor(served: ServedHome, role: str = "operator", name: str | None = None) -> Visitor:
    """Somebody of a role who signed in."""
    found = Visitor(served.url)
    served.clients.append(found.client)
    answer = found.sign_in(served.token(role, name=name))
    assert (answer.status_code, answer.headers["location"]) == (303, ROOT), answer.text
    return found


def form_token(page: str) -> str:
    """The token that the forms of a page have."""
    found = _FORM_TOKEN.search(page)
    assert found is not None, page
    return found[1]


def values(page: str, attribute: str) -> list[str]:
    """The values of an attribute in a page, in order."""
    return [html.unescape(value) for value in re.findall(rf'\s{attribute}="([^"]*)"', page)]


def words_of(page: str) -> str:
    """The text of a page, without its tags, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def counts_of(page: str) -> dict[str, int]:
    """Counts by kind as a part of a page lists them."""
    found = re.findall(r"<b>([\d,]+)</b> ([a-z ]+)</a>", page)
    known = {of_kind(kind, number): kind for kind in RESULT_KINDS for number in (1, 2)}
    return {known[kind]: int(number.replace(",", "")) for number, kind in found}
