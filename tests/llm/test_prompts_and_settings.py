"""Prompts in files, prices, and how settings become a configuration."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.config import ModelConfig
from thermite_pipelines.llm.prices import price_of
from thermite_pipelines.llm.prompts import Prompt, load_prompt
from thermite_pipelines.settings import Settings


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a package with prompts."""
    name = f"prompts_of_{tmp_path.name}"
    folder = tmp_path / name / "prompts"
    folder.mkdir(parents=True)
    (tmp_path / name / "__init__.py").write_text("")
    (folder / "greet.md").write_text("---\nversion: 3\n---\n\n# Hello {{name}}\n\nI am {{me}}.\n")
    (folder / "bare.md").write_text("Hello\n")
    (folder / "odd.md").write_text("---\nversion: yes\n---\nHello\n")
    (folder / "broken.md").write_text("---\nversion: [\n---\nHello\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield name
    sys.modules.pop(name, None)


def test_a_prompt_has_a_name_a_version_and_a_text(package: str) -> None:
    prompt = load_prompt(package, "greet")
    assert (prompt.label, prompt.version, prompt.placeholders) == ("greet/3", 3, {"name", "me"})
    assert prompt.fill(name="{{me}}", me="X") == "# Hello {{me}}\n\nI am X."


@pytest.mark.parametrize("values", [{}, {"name": "a"}, {"name": "a", "me": "b", "more": "c"}])
def test_placeholders_and_values_must_match(values: dict[str, str]) -> None:
    with pytest.raises(ThermiteError, match=r"greet/1.*do not match"):
        Prompt("greet", 1, "{{name}} {{me}}").fill(**values)


@pytest.mark.parametrize("name", ["bare", "odd", "broken", "missing"])
def test_a_prompt_without_a_version_is_an_error(package: str, name: str) -> None:
    with pytest.raises(ThermiteError, match=f"{name}.md"):
        load_prompt(package, name)


def test_rules_need_no_model() -> None:
    assert ModelConfig.from_settings(Settings(), small=False) is None
    assert ModelConfig.from_settings(Settings(llm_model="openai/a", llm_small_model="rules"), small=True) is None


def test_settings_become_a_configuration() -> None:
    settings = Settings(
        llm_model="openai/large",
        llm_small_model="openai/small",
        llm_fallbacks="openai/large, openai/other",
        llm_api_base="http://127.0.0.1:1/v1",
        llm_price="0.5,2",
        llm_budget_usd=3.0,
        llm_concurrency=2,
        llm_timeout_seconds=5.0,
        llm_deadline_seconds=50.0,
    )
    large, small = (ModelConfig.from_settings(settings, small) for small in (False, True))
    assert large is not None and small is not None
    assert large.models == ("openai/large", "openai/other")
    assert small.models == ("openai/small", "openai/large", "openai/other")
    assert (small.api_base, small.price, small.budget_usd) == ("http://127.0.0.1:1/v1", (0.5, 2.0), 3.0)
    assert (small.concurrency, small.timeout_seconds, small.deadline_seconds) == (2, 5.0, 50.0)


def test_rules_are_no_fallback() -> None:
    with pytest.raises(ThermiteError, match="THERMITE_LLM_FALLBACKS"):
        ModelConfig.from_settings(Settings(llm_model="openai/a", llm_fallbacks="rules"), small=False)


@pytest.mark.parametrize("model", ["gpt-4o-mini", "openai/gpt-4o-mini"])
def test_a_known_model_has_litellms_price_and_a_dearest_one(model: str) -> None:
    price = price_of(model, (9.0, 9.0))
    assert price is not None and price.in_table
    assert (price.sent, price.answered) == (pytest.approx(0.15), pytest.approx(0.6))
    assert price.most(1000, 100) >= price.usual(1000, 100) > 0


def test_the_given_price_counts_where_a_model_is_asked_at_another_address_and_where_none_is_known() -> None:
    models = ("openai/gpt-4o-mini", "gpt-4o", "anthropic/claude-sonnet-4-5", "groq/unheard-of")
    there, direct = (ModelConfig(models, base, (9.0, 9.0)) for base in ("http://127.0.0.1:1", None))
    in_table = [[price.in_table for name in models if (price := one.price_of(name))] for one in (there, direct)]
    assert in_table == [[False, False, True, False], [True, True, True, False]]
    assert ModelConfig(models, "http://127.0.0.1:1").price_of(models[0]) == price_of(models[0])


def test_an_unknown_model_has_the_price_that_is_given() -> None:
    price = price_of("openai/unheard-of", (1.0, 2.0))
    assert price is not None and price.usual(1_000_000, 500_000) == pytest.approx(2.0) == price.most(1_000_000, 500_000)
    assert price_of("openai/unheard-of") is None
    assert price_of("groq/gpt-4o-mini") is None
