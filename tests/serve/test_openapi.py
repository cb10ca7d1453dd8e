"""What the service says of itself to programs is true."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.tree import bare_environment
from tests.serve.serving import ServedHome
from thermite_pipelines.serve.app import all_routes


def described(served: ServedHome) -> dict[str, dict[str, dict[str, object]]]:
    return served.client("reader").get("/openapi.json").json()["paths"]


def test_every_route_is_described_with_its_roles_and_its_refusals(served: ServedHome) -> None:
    found = described(served)
    for route in all_routes():
        for request in route.requests:
            method, path = request.split(" ")
            told = found[path][method.lower()]
            assert told["x-roles"] == list(route.roles)
            assert told["description"]
            if path not in ("/health", "/openapi.json"):
                assert {"401", "403", "422", "429", "503"} <= set(told["responses"])  # type: ignore[call-overload]
    assert sum(len(methods) for methods in found.values()) == sum(len(route.requests) for route in all_routes())


def test_a_method_that_a_path_does_not_take_is_told_which_it_takes(served: ServedHome) -> None:
    answer = served.client("owner").post("/grants/a/b")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, PUT")
    assert answer.json()["status"] == 405


# Atoms, words to search for and answers have rules that no schema says alike for all (an atom's quality, letters and
# blanks of any script): one that fits the schema may be refused.
_JUDGED = "^/(knowledge-atoms|search|help/reply|synthesis)"
# What a message of MCP may hold is another protocol's to say.
_BUT_JUDGED = "^/(rigs|mcp|knowledge-atoms|search|help/reply|synthesis)"


@pytest.mark.full
@pytest.mark.parametrize(
    ("role", "options"),
    [
        ("owner", ["--exclude-path-regex", _BUT_JUDGED]),
        ("owner", ["--include-path-regex", _JUDGED, "--exclude-checks", "positive_data_acceptance"]),
        ("rig", ["--include-path-regex", "^/rigs"]),
    ],
    ids=["people", "judged", "rigs"],
)
def test_schemathesis_finds_nothing(served: ServedHome, tmp_path: Path, role: str, options: list[str]) -> None:
    (tmp_path / "openapi.json").write_text(json.dumps(served.client("owner").get("/openapi.json").json()))
    ran = subprocess.run(
        [
            *[str(Path(sys.executable).with_name("schemathesis")), "run", "openapi.json", "--url", served.url],
            *["-H", f"Authorization: Bearer {served.token(role)}", "--max-examples", "25", "--seed", "1", *options],
            # NUL is in no text that the service takes.
            *["--continue-on-failure", "--generation-allow-x00", "false"],
        ],
        cwd=tmp_path,
        env=bare_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-5000:]
