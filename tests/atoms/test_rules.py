"""What the rules find in messages, by examples of each type and language, and laws that hold for any text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.atoms.look_alikes import NOT_MEANT
from tests.atoms.other_words import MEANT
from thermite_pipelines.atoms.model import NONE_STATED, Atom, Extracted, Said
from thermite_pipelines.atoms.quality import judge
from thermite_pipelines.atoms.rules import MOST, RulesAnswerer, read_message


def read(text: str, before: str | None = None) -> Extracted:
    return read_message(Said("m", 0, text, before))


def kept(text: str, before: str | None = None) -> list[Atom]:
    """The atoms of a message that pass the gate; the rules are meant to give no others."""
    said = Said("m", 0, text, before)
    atoms = [judge(candidate, {"m": said}) for candidate in read_message(said).atoms]
    assert all(isinstance(atom, Atom) for atom in atoms), atoms
    return [atom for atom in atoms if isinstance(atom, Atom)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The way this works is that each worker pulls a job and locks it for ten minutes.", "mental_model"),
        ("Think of the ingest queue as a conveyor belt that never runs backwards.", "mental_model"),
        ("the data shows that most users leave on the second page", "finding"),
        ("yesterday we spent 210 EUR on the new ads and got 3 replies", "finding"),
        ("We decided to keep the monolith because two of us run it.", "decision"),
        ("let's go with parquet rather than csv, the types survive", "decision"),
        ("every time the vendor rotates the key the import stops at night", "pattern"),
        ("I'm not sure yet whether guests should see the archive.", "open_question"),
        ("The process is: first the owner signs, then we import, then the index is rebuilt.", "workflow"),
        ("Es gibt zwei Arten von Konten, die einen zahlen monatlich und die anderen im Voraus.", "mental_model"),
        ("Laut Logs dauert der Export jetzt 40 Sekunden.", "finding"),
        ("Wir haben uns für Redis entschieden, weil wir es schon betreiben.", "decision"),
        ("Jedes Mal, wenn der Proxy neu startet, verliert er die Sitzungen.", "pattern"),
        ("Es ist noch unklar, ob die Lizenz das erlaubt.", "open_question"),
        ("Pensez à la file comme à un tapis roulant qui ne recule jamais.", "mental_model"),
        ("Nous avons décidé de garder le monolithe parce que nous ne sommes que deux.", "decision"),
        ("À chaque fois que la clé change, l'import s'arrête la nuit.", "pattern"),
        ("Je ne sais pas encore si les invités doivent voir les archives.", "open_question"),
        ("Hemos decidido quedarnos con Postgres porque el equipo lo conoce.", "decision"),
        ("Cada vez que reinicia el proxy se pierden las sesiones.", "pattern"),
        ("Todavía no sabemos si la licencia permite guardar los datos.", "open_question"),
        ("我们决定继续用单体架构，因为运维只有两个人", "decision"),
        ("每次代理重启，会话都会丢失", "pattern"),
        ("还不确定访客能不能看到归档", "open_question"),
        ("费用比较复杂，所以我们决定按月结算，因为客户希望这样", "decision"),
        ("プロキシを再起動するたびに、セッションが必ず消えます。", "pattern"),
        ("ゲストに履歴を見せるべきかどうかはまだ決まっていません。", "open_question"),
        ("運用が二人だけなので、モノリスのままにすることに決めました。", "decision"),
    ],
)
def test_at_06_the_type_follows_what_the_person_did(text: str, kind: str) -> None:
    assert [atom.type for atom in kept(text)] == [kind]


@pytest.mark.parametrize(
    ("before", "text", "right"),
    [
        ("The cron job runs in Berlin time.", "no, actually the cron job runs in UTC", "UTC"),
        ("The table is rebuilt hourly.", "That's wrong. The table is rebuilt each night.", "each night"),
        ("The delay comes from the linter.", "the delay is the type check, not the linter", "type check"),
        ("Der Cache liegt im Browser.", "Nein, das stimmt nicht. Der Cache liegt im Gateway.", "Gateway"),
        ("Le cache est dans le navigateur.", "Non, c'est faux : le cache est dans la passerelle.", "passerelle"),
        ("La caché está en el navegador.", "No, eso no es así: la caché está en la pasarela.", "pasarela"),
        ("缓存在浏览器里。", "不对，缓存在网关里，不在浏览器里", "网关"),
        ("キャッシュはブラウザにあります。", "違います。キャッシュはゲートウェイにあります。", "ゲートウェイ"),
    ],
)
def test_at_27_a_correction_says_what_is_right_and_what_was_assumed(before: str, text: str, right: str) -> None:
    (atom,) = kept(text, before)
    assert atom.type == "correction"
    assert right in atom.statement
    assert atom.wrong_assumption == before.rstrip(".。")
    assert atom.why_confused


def test_the_reason_that_a_person_gives_is_why() -> None:
    (atom,) = kept(
        "No, the column counts all visits, because it was named before we had ads.", "The column counts ads."
    )
    assert atom.why_confused == "Because it was named before we had ads"


def test_at_26_a_correction_that_only_says_it_is_told_beside_what_it_corrects() -> None:
    (atom,) = kept("no, that's wrong, it only counts paid visits", "The column sessions counts all visits.")
    assert atom.statement == 'Not "The column sessions counts all visits": It only counts paid visits'


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("no, that's wrong.", "The table is rebuilt hourly."),
        ("no, use tabs", "Shall I use spaces?"),
        ("no, thanks", "Shall I deploy?"),
        ("no problem, take your time with the table", "Sorry for the delay."),
        ("that's wrong? show me", "The fixture is wrong."),
        ("Das ist falsch.", "Der Cache liegt im Browser."),
        ("不对", "缓存在浏览器里。"),
    ],
)
def test_a_no_without_what_is_right_gives_nothing(text: str, before: str) -> None:
    assert kept(text, before) == []


@pytest.mark.parametrize(
    "text",
    [
        "did we decide to keep the monolith because of the team?",
        "can you explain how the way this works is documented?",
        "let's go with option 2",
        "first run the tests, then commit and push",
        "I'm not sure what you mean by that column",
        "whenever you have time, run the linter",
        "Suppose every time the key rotates the import stops, what then?",
        "> We decided to close the office because nobody is there.\n\nfix the typos please",
        "```\nWe decided to close the office because nobody is there.\n```",
    ],
)
def test_at_29_signals_that_are_not_meant_give_nothing(text: str) -> None:
    assert kept(text) == []


def told(line: str) -> tuple[str, str | None]:
    """A line of the tables as what is said and what the agent had said before it."""
    before, _, text = line.rpartition("|||")
    return text.strip(), before.strip() or None


@pytest.mark.parametrize("line", NOT_MEANT.strip().splitlines())
def test_at_29_a_look_alike_gives_nothing(line: str) -> None:
    assert kept(*told(line)) == []


@pytest.mark.parametrize("line", MEANT.strip().splitlines())
def test_at_06_other_words_for_the_same_are_found(line: str) -> None:
    kind, _, rest = line.partition(" :: ")
    assert [atom.type for atom in kept(*told(rest))] == [kind]


IDLE = """
yes | ok | ok thanks | great, go ahead | looks good to me | lgtm | perfect, merge it | no, thanks | sure | done?
how's it going? | good morning! | see you tomorrow | nice work, thanks a lot | sounds good, let's do it
run the tests | commit and push | can you rebase on main, please? | fix the linting | now add a test for that
open a PR | show me the diff | rename it
let's continue with step 3 | stop | undo the last change | read the file again | what does this function do?
try again with the other branch | yes, and then deploy | please format the code | remove the comments
hi, can you help me? | never mind, found it | that works, thank you! | why did it fail? | wait, let me check
ja | ja, mach das so | danke, passt | nein danke | lass die Tests laufen | mach weiter | bitte committen und pushen
guten Morgen! | zeig mir den Diff | super, vielen Dank | oui | d'accord, vas-y | merci beaucoup | lance les tests
peux-tu corriger ça ? | très bien, continue | bonjour ! | sí, adelante | gracias, perfecto | ejecuta las pruebas
haz el commit | buenos días | muy bien, sigue | 好的 | 谢谢，继续 | 运行一下测试 | 提交代码 | 没问题，合并吧 | 早上好
はい | ありがとうございます | テストを実行してください | 続けてください
いいですね、マージしてください | おはようございます
"""


@pytest.mark.parametrize("before", [None, "Shall I deploy the new parser to staging?", "I renamed the parser."])
def test_at_29_approvals_routine_and_small_talk_give_nothing(before: str | None) -> None:
    idle = [text.strip() for line in IDLE.strip().splitlines() for text in line.split("|")]
    assert len(idle) >= 60
    assert [text for text in idle if read(text, before).atoms] == []


def test_at_02_a_condition_stays_with_the_atom() -> None:
    (atom,) = kept("only on staging, every time the key rotates the import stops")
    assert atom.conditions == "only on staging"
    (other,) = kept("every time somebody presses the lever the pump stops")
    assert other.conditions == NONE_STATED


def test_a_fence_does_not_hide_what_is_typed_beside_it() -> None:
    text = "We decided to keep `Foo` because it is small.\n\n```\nWe decided to drop it because it is big.\n```\n"
    assert [atom.verbatim_quote for atom in kept(text)] == ["We decided to keep `Foo` because it is small."]


def test_at_28_tags_name_the_subject() -> None:
    (atom,) = kept("every time the certificate is renewed the mqtt queue keeps the old one in `bridge.py`")
    assert set(atom.domain) >= {"messaging", "python"}
    (other,) = kept("every time somebody presses the lever the elevator stops")
    assert set(other.domain) == {"lever", "elevator"}


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("ok, please add a test for the parser. thanks!", ["please add a test for the parser."]),
        ("We decided to keep it because it works. Can you update the docs?", ["Can you update the docs?"]),
        ("Kannst du den Export prüfen?", ["Kannst du den Export prüfen?"]),
        ("peux-tu ajouter un test ?", ["peux-tu ajouter un test ?"]),
        ("añade una prueba para el parser", ["añade una prueba para el parser"]),
        ("帮我检查一下导出的代码", ["帮我检查一下导出的代码"]),
        ("エクスポートのコードを確認してください。", ["エクスポートのコードを確認してください。"]),
        ("what does the nightly job write?", ["what does the nightly job write?"]),
        ("thanks, looks good", []),
        ("go ahead", []),
    ],
)
def test_at_23_an_intent_is_one_line_of_what_is_wanted(text: str, intents: list[str]) -> None:
    assert [intent.text for intent in read(text).intents] == intents


def test_a_long_request_is_cut_to_a_line() -> None:
    (intent,) = read("please add " + "many " * 80 + "tests").intents
    assert len(intent.text) <= 200
    assert "\n" not in intent.text


def test_batches_hold_all_messages_in_order() -> None:
    messages = [Said(str(number), number, "hi") for number in range(450)]
    answerer = RulesAnswerer()
    batches = answerer.batches(messages)
    assert [said for batch in batches for said in batch] == messages
    assert [number for number, _ in answerer.answer_all(batches)] == list(range(len(batches)))
    assert (answerer.model, answerer.prompt_version) == ("rules", "rules/1")


PIECES = st.sampled_from(
    [
        "no, ",
        "that's wrong. ",
        "not a, but b. ",
        "every time ",
        "we decided to ",
        "because ",
        "first ",
        "then ",
        "5 ms ",
        "`x`",
        "> ",
        "\n",
        "```\n",
        "nein, ",
        "不是这样，而是那样。",
        "每次都会",
        "ではなく",
        "実は、",
        "it ",
        "column ",
        "only on staging ",
        "? ",
        "\u2028",
        "İ",
        "ﬁ",
    ]
)


@settings(max_examples=300)
@given(st.lists(PIECES | st.text(max_size=12), max_size=25).map("".join), st.none() | st.text(max_size=60))
def test_at_08_whatever_is_written_each_quote_was_typed(text: str, before: str | None) -> None:
    said = Said("m", 0, text, before)
    found = read_message(said)
    assert len(found.atoms) <= MOST
    for candidate in found.atoms:
        assert candidate.verbatim_quote in text
        judged = judge(candidate, {"m": said})
        if isinstance(judged, Atom):
            assert judged.verbatim_quote == candidate.verbatim_quote.strip()
            assert judged.domain
    assert read_message(said) == found


LARGE = 200_000


@pytest.mark.parametrize(
    "piece",
    [
        "no, ",
        "no\n\n",
        "first then every time we decided ",
        "not a but b. ",
        "1 of 2 ",
        "不是这样，而是那样。",
        "実は、これではなくあれです。",
        "a",
        " ",
        "\n",
        "_",
        '"',
        "e.g. ",
        "only on ",
        "> x\n",
        "`",
        "the way this works is that x is not y but z.\n\n",
    ],
)
def test_time_grows_no_faster_than_the_text(piece: str) -> None:
    """A lot of anything is read in a second or so: a pattern that goes back and forth would take hours."""
    text = piece * (LARGE // len(piece))
    began = time.process_time()
    read_message(Said("m", 0, text, text[:2_000]))
    for first in range(0, 30_000, 3_000):
        read_message(Said("m", 0, text[first : first + 3_000], None))
    assert time.process_time() - began < 20


def test_a_megabyte_is_read_in_seconds() -> None:
    text = "no, that is wrong. not a but b.\n\n" * 30_000
    began = time.process_time()
    read_message(Said("m", 0, text, text[:2_000]))
    assert time.process_time() - began < 20
