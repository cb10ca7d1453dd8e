"""Signing in with a token, and who may look at what and send which form."""

import re

import pytest

from tests.serve.pages.browsing import ROOT, Visitor, form_token, visitor
from tests.serve.serving import ServedHome, answering
from thermite_pipelines.control.tokens import revoke_token, tokens
from thermite_pipelines.serve import guard
from thermite_pipelines.serve.access import GuardedRoute
from thermite_pipelines.serve.pages.app import page_routes
from thermite_pipelines.serve.roles import ANYONE, DECIDERS

PLACES = {"rig": "rig-a", "label": "r1", "campaign": "a", "name": "a.html", "digits": "0" * 12}
GRANT = {"do": "grant", "reader": "a", "source": "b", "here": "a"}


def asked(route: GuardedRoute) -> tuple[str, str]:
    """Method and path of a request that a route is for."""
    method, path = route.requests[0].split(" ")
    return method, "/".join(PLACES.get(part.strip("{}"), part) for part in path.split("/"))


def test_a_token_signs_in_and_is_in_no_page_and_no_address(shared: ServedHome) -> None:
    secret = shared.token("operator", name="Ada")
    browser = Visitor(shared.url)
    answer = browser.sign_in(secret, next=f"{ROOT}/help")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{ROOT}/help")
    (cookie,) = [one for one in answer.headers.get_list("set-cookie") if one.startswith("thermite_session=")]
    assert {"httponly", "samesite=strict", f"path={ROOT}"} <= set(cookie.lower().split("; "))
    assert secret not in str(answer.headers) and secret.removeprefix("thermite_") not in str(answer.headers)
    page = browser.get()
    assert "Ada" in page.text and "operator" in page.text
    assert secret not in page.text
    assert browser.get("/sign-in").headers["location"] == ROOT


@pytest.mark.parametrize("onward", ["//evil.example", "https://evil.example", "/\\evil.example", "/folders", ""])
def test_signing_in_leads_to_pages_of_ours_alone(shared: ServedHome, onward: str) -> None:
    answer = Visitor(shared.url).sign_in(shared.token("reader"), next=onward)
    assert answer.headers["location"] == ROOT


def test_a_token_that_is_revoked_ends_its_sessions_at_once(own: ServedHome) -> None:
    browser = visitor(own, "operator")
    assert browser.get().status_code == 200
    with own.home.control.write() as connection:
        revoke_token(connection, tokens(connection)[-1]["id"], "tester")
    answer = browser.get("/help")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{ROOT}/sign-in?next=%2Fknowledge%2Fhelp")
    assert browser.sign_in(own.token("reader")).status_code == 303


def test_signing_out_ends_the_session_also_for_who_kept_the_cookie(shared: ServedHome) -> None:
    browser = visitor(shared)
    kept = browser.client.cookies["thermite_session"]
    assert browser.post("/sign-out", {}).headers["location"] == f"{ROOT}/sign-in"
    assert browser.get().status_code == 303
    browser.client.cookies.set("thermite_session", kept, path=ROOT)
    assert browser.get().status_code == 303


@pytest.mark.parametrize("role", ["agent", "advisor", "rig"])
def test_tokens_of_machines_get_no_page_and_that_is_audited(own: ServedHome, role: str) -> None:
    browser = Visitor(own.url)
    answer = browser.sign_in(own.token(role, name="a machine"))
    assert (answer.status_code, "The page is for people" in answer.text) == (403, True)
    assert browser.get().status_code == 303
    assert [(entry["by"], entry["detail"]["role"]) for entry in own.audited("refuse")] == [("a machine", role)]


def test_a_token_that_does_not_count_is_refused_and_guessing_is_slow(
    own: ServedHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Visitor(own.url)
    for wrong in ("", "thermite_" + "0" * 64, own.token("owner")[:-1]):
        answer = browser.sign_in(wrong)
        assert (answer.status_code, "does not count" in answer.text) == (401, True)
        assert "0000" not in answer.text
    monkeypatch.setattr(guard, "BROWSERS_PER_MINUTE", 2)
    monkeypatch.setattr(guard, "STRANGERS_PER_MINUTE", 1)
    with answering(own.home) as url:
        guesser = Visitor(url)
        assert [guesser.client.get("/folders").status_code for _ in range(2)] == [401, 429]
        assert guesser.sign_in("x").status_code == 401, "strangers at the routes keep nobody from signing in"
        assert guesser.client.get("/knowledge/sign-in").status_code == 429, "pages have a bound of their own"
        headers = {"Authorization": f"Bearer {own.token('reader')}"}
        assert guesser.client.get("/folders", headers=headers).status_code == 200, "who has a token goes on"


@pytest.mark.parametrize("role", ["owner", "operator", "reader", None])
def test_kb_45_each_page_and_form_is_for_the_roles_that_it_names(own: ServedHome, role: str | None) -> None:
    browser = Visitor(own.url)
    if role is not None:
        browser = visitor(own, role)
    for route in page_routes():
        method, path = asked(route)
        if path.endswith(("/sign-out", "/feed")) or route.roles == ANYONE:
            continue
        fields = {"form_token": form_token(browser.get().text)} if role else {}
        if method == "POST":
            answer = browser.client.post(path, data=fields, headers=browser.origin)
        else:
            answer = browser.client.get(path)
        if role is None:
            assert answer.status_code == (303 if method == "GET" else 401), path
            assert "The cache was cold" not in answer.text
        elif role in route.roles:
            assert answer.status_code not in (303, 401, 403, 500), (path, answer.text)
        else:
            assert (answer.status_code, route.roles) == (403, DECIDERS), path
    if role == "reader":
        assert {entry["detail"]["role"] for entry in own.audited("refuse")} == {"reader"}
        assert "POST /knowledge/grants" in {entry["subject"] for entry in own.audited("refuse")}
    assert own.audited("grant") == [entry for entry in own.audited("grant") if entry["by"] == "owner"]


def test_what_is_not_there_is_hidden_from_who_has_not_signed_in(shared: ServedHome) -> None:
    stranger = Visitor(shared.url)
    for path in ("/nothing", "/folders/a", "/folders/none", "/trees/a.html"):
        assert stranger.get(path).headers["location"].startswith(f"{ROOT}/sign-in?next=")
    browser = visitor(shared, "reader")
    for path in ("/nothing", "/folders/none", "/runs/rig-a/none", "/trees/..%2Fcontrol.db", "/trees/none.html"):
        answer = browser.get(path)
        assert answer.status_code == 404, path
        assert answer.headers["content-type"].startswith("text/html")
    assert stranger.client.get("/").headers["location"] == ROOT


def test_a_form_must_come_from_a_page_that_was_shown_to_the_same_person(own: ServedHome) -> None:
    browser, other = visitor(own), visitor(own)
    origin = {"Origin": own.url}
    for fields, headers in (
        ({"form_token": ""}, origin),
        ({"form_token": form_token(other.get().text)}, origin),
        ({}, {}),
        ({}, {"Origin": "https://evil.example"}),
        ({}, {"Origin": "null"}),
        ({}, origin | {"Sec-Fetch-Site": "cross-site"}),
        ({}, origin | {"Sec-Fetch-Site": "same-site"}),
    ):
        assert browser.post("/grants", GRANT | fields, headers).status_code == 403, (fields, headers)
    assert [entry["by"] for entry in own.audited("grant")] == ["owner"]
    assert own.audited("refuse")
    assert browser.post("/grants", GRANT, origin | {"Sec-Fetch-Site": "same-origin"}).status_code == 303


def test_signing_in_needs_the_form_that_this_browser_was_shown(shared: ServedHome) -> None:
    browser, secret = Visitor(shared.url), shared.token("owner")
    shown = form_token(Visitor(shared.url).get("/sign-in").text)
    for fields in ({"token": secret}, {"token": secret, "form_token": shown}):
        answer = browser.client.post(f"{ROOT}/sign-in", data=fields, headers=browser.origin)
        assert answer.status_code == 403
    assert browser.get().status_code == 303


def test_forms_in_another_form_are_refused(shared: ServedHome) -> None:
    browser = visitor(shared)
    for body, media, status in (
        (b"{}", "application/json", 415),
        (b"a=%ff", "application/x-www-form-urlencoded", 422),
        (b"&".join(b"a=1" for _ in range(1_001)), "application/x-www-form-urlencoded", 422),
        (b"a=%00", "application/x-www-form-urlencoded", 422),
    ):
        headers = browser.origin | {"Content-Type": media}
        assert browser.client.post(f"{ROOT}/grants", content=body, headers=headers).status_code == status


def test_every_page_lets_only_our_own_style_and_script_work(shared: ServedHome) -> None:
    browser = visitor(shared, "reader")
    pages = [browser.get(path) for path in ("", "/help", "/learnings", "/folders/a", "/runs/rig-a/r1", "/nothing")]
    for page in (*pages, Visitor(shared.url).get("/sign-in")):
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self';")
        assert "unsafe" not in policy and "form-action 'self'" in policy
        assert page.headers["referrer-policy"] == "same-origin"
        assert page.headers["cache-control"] == "no-store"
        assert not re.search(r"<script(?! src=)|<style|\son\w+=|\sstyle=|https?://", page.text)
        for address in re.findall(r'(?:src|href)="(/knowledge/static/[^"]*)"', page.text):
            assert browser.client.get(address.replace("&amp;", "&")).status_code == 200
