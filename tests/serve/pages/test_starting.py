"""The form that starts a run: what is refused is said above it, and all that was entered stays."""

import pytest

from tests.serve.pages.browsing import ROOT, Visitor, values, visitor, words_of
from tests.serve.serving import ServedHome

START = "/folders/a/start"


def entered(served: ServedHome) -> dict[str, str]:
    """All fields of the form, with one item picked."""
    (item, *_) = [row["item"] for row in served.client("reader").get("/items?kind=note&campaign=a").json()["items"]]
    fields = {"do": "start", "rig": "rig-b", "run": "r7", "kit": "gpu", "flags": "--fast", "routes": "small"}
    return fields | {"pick": item, "words": "cache"}


def check_kept(page: str, fields: dict[str, str]) -> None:
    """The form stands there with all that was entered, and agents are still left out."""
    shown = values(page, "value")
    assert all(fields[name] in shown for name in ("run", "kit", "flags", "routes", "words") if fields[name])
    assert f'name="pick" value="{fields["pick"]}" checked' in page
    assert "<option selected>rig-b</option>" in page or fields["rig"] != "rig-b"
    assert 'value="yes" checked' not in page


@pytest.mark.parametrize(
    ("wrong", "status", "said"),
    [
        ({"run": ""}, 422, "the run has no id yet"),
        ({"run": "not/legal"}, 422, "is no run id"),
        ({"rig": "none"}, 404, "none"),
        ({"kit": "k" * 201}, 422, "kit: at most"),
        ({"run": "other"}, 409, "the run id other was used on rig-b before: choose another"),
        ({"run": "reported"}, 409, "the run id reported was used on rig-b before: choose another"),
    ],
)
def test_what_is_refused_leaves_the_form_as_it_was(
    own: ServedHome, wrong: dict[str, str], status: int, said: str
) -> None:
    own.home.rig("rig-b").say_run("reported")
    own.story.bring("rig-b")
    fields = entered(own) | wrong
    answer = visitor(own).post(START, fields)
    assert answer.status_code == status
    assert said in words_of(answer.text) and "Nothing was changed" in answer.text
    check_kept(answer.text, fields)
    assert ("choose one" in answer.text) == (fields["rig"] == "none"), "no other rig is chosen for anybody"


def test_the_browser_asks_for_a_run_id_but_not_for_a_search(shared: ServedHome) -> None:
    page = visitor(shared).get(START).text
    assert r'required pattern="[0-9A-Za-z][0-9A-Za-z_.\-]{0,127}"' in page
    assert page.count("formnovalidate") == page.count('value="search"') == 2


def test_a_form_that_is_sent_after_the_session_ended_leads_to_signing_in_and_back(own: ServedHome) -> None:
    stranger = Visitor(own.url)
    for page, onward in (
        (f"{own.url}{ROOT}{START}?words=a", "%2Fknowledge%2Ffolders%2Fa%2Fstart%3Fwords%3Da"),
        ("https://evil.example/knowledge/help", "%2Fknowledge"),
        ("http://[", "%2Fknowledge"),
        ("", "%2Fknowledge"),
    ):
        headers = stranger.origin | {"Referer": page}
        answer = stranger.client.post(f"{ROOT}{START}", data={"do": "start"}, headers=headers)
        assert answer.status_code == 401
        assert f"{ROOT}/sign-in?next={onward}" in values(answer.text, "href")
