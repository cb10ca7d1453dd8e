"""The tables of phrases: each can be read, and says what it seems to say."""

import re
from importlib.resources import files

import pytest

from thermite_pipelines.safety.screening_phrases import Phrase, load, parse

TABLES = sorted(table.name for table in files("thermite_pipelines.safety").joinpath("phrases").iterdir())


def test_every_table_is_read() -> None:
    assert "english.txt" in TABLES
    assert len(load()) > 200


@pytest.mark.parametrize("name", TABLES)
def test_every_word_of_a_table_leaves_letters_to_look_for(name: str) -> None:
    table = files("thermite_pipelines.safety").joinpath("phrases", name).read_text(encoding="utf-8")
    for phrase in parse(table):
        assert all(phrase.first_words())
        # An alternative without letters would make its slot, and so the phrase, match nearly everything.
        assert "(?:)" not in phrase.rest()
        assert "||" not in phrase.rest().replace("\\|", "")
        assert "|)" not in phrase.rest()


def found(table: str, text: str) -> bool:
    return any(
        text.startswith(word) and re.compile(phrase.rest()).match(text, len(word)) is not None
        for phrase in parse(table)
        for word in phrase.first_words()
    )


def test_slots_mean_what_the_module_says() -> None:
    table = "verb = go run\n\n{verb} very|quite* to? house~|big_tent !boat =now|$\n"
    yes = ["gohouse", "runveryquiteveryhouses", "gotohousenow", "gobigtent"]
    no = ["go", "gohouseboat", "gohouselater", "walkhouse", "gotoveryhouse"]
    assert [text for text in [*yes, *no] if found(table, text)] == yes


def test_lines_go_on_where_they_are_indented() -> None:
    table = "a = one\n    two\n\n{a} three|\n    four\n    five\n"
    phrases: list[Phrase] = list(parse(table))
    assert len(phrases) == 1
    assert found(table, "twofourfive")
