"""Who sees which tools, and what the tools of people do, with a real client over loopback HTTP."""

from typing import Any

import pytest

from tests.serve.mcp.calling import MODES, Calls
from tests.serve.serving import ServedHome
from thermite_pipelines.serve.mcp.arguments import ARGUMENTS
from thermite_pipelines.serve.tools import TOOLS

PEOPLES = [tool.name for tool in TOOLS if "owner" in tool.roles]
SEEN = {
    "owner": PEOPLES,
    "operator": PEOPLES,
    "reader": [],
    "agent": ["search_past_research", "help_request", "learning_propose"],
    "advisor": ["search_past_research"],
}
FITTING: dict[str, dict[str, Any]] = {
    "kb_folders": {},
    "kb_search": {"words": "cache"},
    "kb_grant": {"reader": "a", "source": "b"},
    "kb_revoke": {"reader": "a", "source": "b"},
}


def calls(served: ServedHome, role: str, mode: str = "auto", **scope: Any) -> Calls:
    return Calls.to(served.url, served.token(role, **scope), mode)


@pytest.mark.parametrize("mode", MODES)
def test_kb_42_kb_68_each_role_sees_its_own_tools_and_no_others(served: ServedHome, mode: str) -> None:
    for role, seen in SEEN.items():
        with calls(served, role, mode) as caller:
            assert caller.tools() == seen


def test_kb_42_kb_45_a_direct_call_of_anothers_tool_is_refused_and_audited(served: ServedHome) -> None:
    """KB-42: `kb_folders` and `kb_search`, KB-45: `kb_grant` and `kb_revoke`: owners' and operators' alone."""
    expected = []
    for role in SEEN:
        with calls(served, role, name=f"the {role}") as caller:
            for name, arguments in FITTING.items():
                if role in ("owner", "operator"):
                    assert caller.call(name, **arguments)
                else:
                    assert caller.has_no(name, **arguments)
                    expected.append((f"tool {name}", 403, f"the {role}"))
    refused = [(entry["subject"], entry["detail"]["status"], entry["by"]) for entry in served.audited("refuse")]
    assert refused == expected


def test_the_arguments_are_those_that_the_documents_list() -> None:
    assert list(ARGUMENTS) == [tool.name for tool in TOOLS]
    for tool in TOOLS:
        fields = ARGUMENTS[tool.name].model_fields
        assert {name + "?" * (not field.is_required()) for name, field in fields.items()} == set(tool.arguments)
