"""What of a message a person typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.growth import assert_in_proportion
from thermite_pipelines.transcripts.typed import LONGEST_TEXT, typed_spans, typed_text

TRACE = """Traceback (most recent call last):
  File "/srv/app/run.py", line 31, in <module>
    start(load())
  File "/srv/app/run.py", line 12, in load
    return table[name]
KeyError: 'lane'"""
LOG = """2026-03-01 10:00:01 INFO worker started
2026-03-01 10:00:02 WARN queue is long
2026-03-01 10:00:05 ERROR gave up after 3 tries"""
DIFF = """diff --git a/pump.py b/pump.py
index 83db48f..bf269f4 100644
--- a/pump.py
+++ b/pump.py
@@ -1,3 +1,3 @@
 import time
-RATE = 3
+RATE = 4"""
TABLE = "| lane | rate |\n|---|---|\n| 1 | 3.5 |\n| 2 | 4.0 |"
JSON = '{\n  "lane": 1,\n  "rate": [3.5, 4.0],\n  "name": "north"\n}'
CSV = "lane,rate,day\n1,3.5,mon\n2,4.0,tue\n3,4.1,wed"
JAVA = """Exception in thread "main" java.lang.IllegalStateException: no pump
    at com.example.Pump.start(Pump.java:41)
    at com.example.Main.main(Main.java:9)
Caused by: java.io.IOException: closed
    ... 12 more"""
NODE = """TypeError: Cannot read properties of undefined (reading 'rate')
    at start (/srv/pump.js:10:5)
    at Object.<anonymous> (/srv/pump.js:20:1)"""
CODE = "def start(pump):\n    pump.rate = 3\n    return pump"
SHELL = "$ make check\nruff check .\nAll checks passed!\n$ echo $?\n0"
DOCUMENT = """# Pump manual

The pump is primed before its first use. It takes two litres.

## Cleaning

Open the valve and wait until the water runs clear."""
TALK = "User: is the pump on?\n\nAssistant: It is. I started it at noon.\n\nUser: stop it"
PASTES = {
    "trace": TRACE,
    "log": LOG,
    "diff": DIFF,
    "table": TABLE,
    "json": JSON,
    "csv": CSV,
    "java": JAVA,
    "node": NODE,
    "code": CODE,
    "shell": SHELL,
    "document": DOCUMENT,
    "talk": TALK,
    "fence": "```python\nprint('the pump is on')\n```",
    "tildes": "~~~\nthe pump is on\n~~~",
    "quote": "> the pump is on\n> and will stay on",
    "reminder": "<system-reminder>\nYou have a list of things to do.\n</system-reminder>",
    "open-reminder": "<system-reminder>\nYou have a list of things to do.",
    "element": "<document>\nThe pump is on.\n</document>",
    "address": "https://example.com/pumps?lane=1",
}

SAID = [
    "no, that's wrong: the pump starts before the valve opens",
    "yes.",
    "why?",
    "we decided to keep `RATE = 3`, since the valve is slow",
    "please look at src/pump.py and tell me what it does; then run the tests",
    "1. open the valve\n2. start the pump\n3. wait",
    "- the pump is on lane 1\n- the valve is on lane 2",
    "Die Pumpe startet nicht, weil das Ventil zu ist.",
    "不对，水泵应该先启动，然后再打开阀门",
    "違います。バルブを先に開けてください",
    "아니요, 밸브를 먼저 열어야 합니다",
    "see https://example.com/pumps for how the way it works is described",
    "it costs $ 500 a month, and that is too much",
    "I think of it as two queues:\none for the lanes and one for the planner.\n\nOnly the first may block.",
]


@pytest.mark.parametrize("said", SAID)
def test_what_is_typed_is_one_stretch(said: str) -> None:
    assert typed_spans(said) == [(0, len(said))]
    assert typed_spans(f"\n  {said}\n\n") == [(3, 3 + len(said))]


@pytest.mark.parametrize("name", PASTES)
def test_a_paste_alone_is_not_typed(name: str) -> None:
    assert typed_spans(PASTES[name]) == []


@pytest.mark.parametrize("name", PASTES)
def test_a_line_above_a_paste_is_typed(name: str) -> None:
    assert typed_text(f"this broke since yesterday:\n\n{PASTES[name]}") == "this broke since yesterday:"


@pytest.mark.parametrize("name", [name for name in PASTES if name != "open-reminder"])
def test_a_line_below_a_paste_is_typed(name: str) -> None:
    assert typed_text(f"{PASTES[name]}\n\nwhy does it do that?") == "why does it do that?"


@pytest.mark.parametrize("name", ["trace", "log", "diff", "table", "json", "java", "node", "fence"])
def test_lines_that_touch_a_paste_are_typed(name: str) -> None:
    told = f"this broke since yesterday:\n{PASTES[name]}\nplease fix the cause of it"
    assert typed_text(told) == "this broke since yesterday:\nplease fix the cause of it"


@pytest.mark.parametrize(
    "said", ["no:", "why?", "No:", "and then?", "ok:", "warum?", "¿por qué?", "pourquoi ?", "なぜ？"]
)
@pytest.mark.parametrize("name", ["shell", "log", "trace", "json", "code", "fence", "quote"])
def test_a_reply_of_a_word_or_two_beside_a_paste_is_typed(name: str, said: str) -> None:
    for told in (f"{said}\n{PASTES[name]}", f"{said}\n\n{PASTES[name]}"):
        assert typed_text(told) == said
    for told in (f"{PASTES[name]}\n{said}", f"{PASTES[name]}\n\n{said}"):
        assert typed_text(told) == said
    assert typed_text(f"look at both\n\n{LOG}\n\n{said}\n```\nx = 1\n```\n\n{LOG}") == f"look at both\n{said}"


@pytest.mark.parametrize("said", ["OK.", "Wait...", "ok!", "Proceed?", "name:"])
def test_what_programs_print_between_two_pastes_is_no_reply(said: str) -> None:
    assert typed_text(f"{LOG}\n\n{said}\n\n{LOG}") == ""


@pytest.mark.parametrize("data", ["name:\n  lane: 1\n  rate: 3", "Status?\nstate: on\nlane: 2\nrate: 4"])
def test_a_name_above_data_is_no_reply(data: str) -> None:
    assert "name" not in typed_text(f"{LOG}\n\n{data}\n\n{LOG}")


@pytest.mark.parametrize(
    "mark",
    ["[Image #1]", "[Image #1] [Image #12]", "[Pasted text #1 +23 lines]", "[...Truncated text #1 +98 lines...]"],
)
def test_what_a_tool_shows_for_a_paste_is_not_typed(mark: str) -> None:
    assert typed_text(mark) == typed_text(f"{mark}\n{mark}") == ""
    assert typed_text(f"{mark} why does it do that?") == "why does it do that?"
    assert typed_text(f"{mark}why does it do that?\n\nplease look") == "why does it do that?\n\nplease look"
    assert typed_text(f"first this:\n{mark} then that") == "first this:\nthen that"
    assert typed_text("the pump is on, see [Image #1]") == "the pump is on, see"
    assert typed_text("in [Image #1] the pump is on") == "in [Image #1] the pump is on"


def test_the_head_of_a_step_above_its_command_is_not_typed() -> None:
    step = (
        "Run npm run check\n\n> check\n> tidy . && test\n\nFound 4 errors.\nError: Process completed with exit code 1."
    )
    assert typed_text(f"why does this fail?\n{step}") == "why does this fail?"
    assert typed_text("Run npm run check") == "Run npm run check"
    assert typed_text(f"Run npm run check again:\n\n{LOG}") == "Run npm run check again:"


def test_what_is_indented_between_two_pastes_is_not_typed() -> None:
    assert typed_text(f"look\n\n{LOG}\n\n  or undo this operation with:\n\n{TRACE}") == "look"
    assert typed_text(f"look\n\n{LOG}\n\nor undo this operation with:\n\n{TRACE}") == (
        "look\nor undo this operation with:"
    )


@pytest.mark.parametrize("told", ["\u200b", "\u202e\u2066", "\ufeff\n\u200d \x07"])
def test_what_nobody_can_see_is_not_typed(told: str) -> None:
    assert typed_spans(told) == []


def test_of_a_huge_message_its_ends_are_looked_at() -> None:
    told = "this broke since yesterday:\n\n" + LOG + "\n" * 3 + "the pump is on\n" * 90_000 + "\n\nwhy does it do that?"
    assert len(told) > LONGEST_TEXT
    spans = typed_spans(told)
    assert [told[first:last] for first, last in spans] == ["this broke since yesterday:", "why does it do that?"]


def test_a_remark_between_two_pastes_is_typed() -> None:
    told = f"before the change:\n\n{LOG}\n\nand now we get this:\n\n{TRACE}"
    assert typed_text(told) == "before the change:\nand now we get this:"


def test_what_stands_between_fences_is_typed() -> None:
    told = "Why does this work:\n```\na()\n```\nBut not that one:\n```\nb()\n```\nI see no difference."
    assert typed_text(told) == "Why does this work:\nBut not that one:\nI see no difference."


def test_tags_around_what_a_person_typed_are_taken_off() -> None:
    assert typed_text("<user_query>\nstart the pump\n</user_query>") == "start the pump"
    told = "start it <system-reminder>be brief</system-reminder> on lane 2"
    assert typed_text(told) == "start it\non lane 2"
    assert typed_text("<user_query>start the pump</user_query>") == "start the pump"
    assert typed_text("what does <system-reminder> do?") == "what does <system-reminder> do?"


def test_what_an_editor_wraps_around_a_request_is_outside() -> None:
    wrapped = "# Context from my IDE setup:\n\n## Open tabs:\n- pump.py\n\n## My request for Codex:\nstart the pump"
    assert typed_text(wrapped) == "start the pump"


@pytest.mark.parametrize(
    "told",
    [
        "This session is being continued from a previous conversation that ran out of context. The pump is on.",
        "Caveat: The messages below were generated by the user while running local commands.",
        "[Request interrupted by user for tool use]",
        "[Request interrupted by user]",
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
        "<local-command-stdout>done</local-command-stdout>",
        "<bash-stdout>three files</bash-stdout><bash-stderr></bash-stderr>",
        "# AGENTS.md instructions for /srv/pump\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>",
        "<environment_context>\n  <cwd>/srv/pump</cwd>\n</environment_context>",
        "Sum this up in two sentences. Use <summary></summary> tags.\n\nThe pump is on.",
        "[Image #1]",
        "/clear",
        "   \n\n ",
        "",
    ],
)
def test_what_a_program_sends_is_not_typed(told: str) -> None:
    assert typed_spans(told) == []


def test_of_a_long_document_only_its_edges_can_be_typed() -> None:
    chapters = "\n\n".join(
        f"In year {year} the pump ran for a long while and nothing broke at all." for year in range(200)
    )
    assert typed_text(f"read this please\n\n{chapters}\n\nwhat do you think?") == "read this please\nwhat do you think?"


def test_a_fence_that_is_never_closed_runs_to_the_end() -> None:
    assert typed_text("look here:\n```\nthe pump is on\n\nand off") == "look here:"
    assert typed_text("write ``` around it") == "write ``` around it"
    assert typed_text("I think ```the pump``` is wrong") == "I think\nis wrong"
    assert typed_text("look here:\n````\n```\nx\n```\n````\nthat is all") == "look here:\nthat is all"


LINE = st.one_of(
    st.sampled_from(
        ["", "> ", "```", "~~~", "# a", "| a |", "User: x", "<a>", "</a>", "<system-reminder>", "@@ -1", "a,b,c"]
    ),
    st.sampled_from([*SAID, *PASTES.values()]),
    st.text(max_size=30),
)


@given(st.lists(LINE, max_size=12).map("\n".join))
def test_spans_are_in_order_trimmed_and_not_empty(text: str) -> None:
    done = 0
    for first, last in typed_spans(text):
        assert done <= first < last <= len(text)
        assert text[first:last] == text[first:last].strip()
        done = last
    assert typed_text(text) == "\n".join(text[first:last] for first, last in typed_spans(text))


@given(LINE)
def test_a_line_alone_is_judged_as_it_is_above_a_blank_one(line: str) -> None:
    assert typed_spans(line) == typed_spans(line + "\n\n")


@pytest.mark.parametrize(
    "unit",
    [
        "a\n",
        "<a>",
        "\n<system-reminder>",
        "``` ",
        "```\n````\n",
        "<",
        '"',
        "(",
        " ",
        "    x\n",
        "a,b,c\n",
        "# a\n",
        "\n<a ",
        "[Image #1]",
        "[Image #1]\n",
        "[Pasted text #1 ",
        "\u200b",
        "why?\n",
    ],
)
def test_a_hostile_message_takes_linear_time(unit: str) -> None:
    assert_in_proportion(typed_spans, lambda size: unit * (size // len(unit)), 1_000_000)
