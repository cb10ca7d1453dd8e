"""What a sentence, a header or a command line announces as a credential goes; prose about credentials stays."""

import pytest

from tests.safety.test_redaction import HEX, letters
from tests.support.growth import assert_in_proportion
from thermite_pipelines.safety.product_names import ProductNames
from thermite_pipelines.safety.redaction import MARK, redact, redact_text
from thermite_pipelines.safety.screening import screen

SECRET = "Wint3r" + letters(8)
HASH = "7b" + letters(38, HEX)

# `{}` is the secret; what stands around it stays.
ANNOUNCED = """
Cookie: session={}
Cookie: theme=dark; session={}; lang=en
curl -H 'Cookie: sid={}' host
Set-Cookie: id={}; Path=/; Max-Age=2592000; HttpOnly
sshpass -p {} ssh host
sshpass -p{} ssh host
mysql -p{} -uroot
mysql -h db -u root -p{} runs
mysqldump -uroot -p{} runs > dump.sql
the password is {}
The password for the registry is "{}".
my passphrase was {}, until today
Passwort: {}
Das Passwort ist {}.
Das Kennwort lautet „{}“
contraseña: {}
la contraseña es {}
mot de passe : {}
le mot de passe est {}
пароль: {}
пароль — {}
密码:{}
密码：{}
密码是 {}
密码是{}。
密碼為{}
パスワード：{}
パスワードは{}です
パスワード「{}」
パスワード…{}
비밀번호는 {}
senha: {}
wachtwoord: {}
lösenord: {}
hasło: {}
mật khẩu: {}
the token that works is {}
the key we use for uploads is {}
api key = {}
api key: {}
""".strip().splitlines()
# After a mere word, only a long one that is no word.
LONG = """
token {}
wandb login {}
api key {}
WANDB_API_KEY {}
the key {} was refused
secret "{}" is the old one
password {}
""".strip().splitlines()
STAYS = """
the password is missing
the password is wrong.
the password is case-sensitive, the key is base64-encoded
the password is $DB_PASSWORD, or <your password>
Passwort: abgelaufen
Das Passwort ist abgelaufen.
la contraseña es incorrecta
mot de passe : incorrect
пароль: неверный
密码:错误
密码错误，请重试
密码: missing
パスワードが違います
パスワード: expired
The api key: should be set by the operator
API key is OPENAI_API_KEY
api_key=os.environ.get("OPENAI_API_KEY") and password = password.encode("utf-8")
api_key: os.environ/OPENAI_API_KEY
the token is missing, login failed after 3 attempts
the key commit is 3f786850e387
cache key 3f786850e387550fdab836ed7e6dc881de23001b missed
the login node gpu-a100-80gb-01 is down
the token budget is 128000, token count = 4096000
keys layers.0.attention.wq.weight and layers.11.mlp.c_fc.bias
the secret of the speed-up is batch-size-64
Cookie: SameSite=Strict
cookies are refused by the proxy
mysql -u root -p runs
mysql -P 3306 -h db
docker run -p 8080:8080 mysql
ssh -p 2222 host
mkdir -p /data/mysql/store01
""".strip().splitlines()


@pytest.mark.parametrize("frame", ANNOUNCED)
def test_hl_19_what_is_announced_goes_and_what_announces_it_stays(frame: str) -> None:
    assert redact_text(frame.format(SECRET)) == frame.format(MARK)
    assert redact_text(frame.format(MARK)) == frame.format(MARK)


@pytest.mark.parametrize("secret", [HASH, HASH[:16], SECRET], ids=["hash", "half", "mixed"])
@pytest.mark.parametrize("frame", LONG)
def test_hl_19_a_long_word_after_a_word_for_credentials_goes(frame: str, secret: str) -> None:
    assert redact_text(frame.format(secret)) == frame.format(MARK)


@pytest.mark.parametrize("text", STAYS)
def test_prose_about_credentials_stays(text: str) -> None:
    assert redact_text(text) == text


@pytest.mark.parametrize("frame", [*ANNOUNCED, *LONG])
def test_hl_42_what_is_announced_is_no_learning(frame: str) -> None:
    refusal = screen(frame.format(SECRET), ProductNames())
    assert refusal is not None
    assert refusal.reason == "credential"


@pytest.mark.parametrize(
    "text",
    ["the token that works is 9f8e7d6c5b4a", "api key = 12345-abcde-67890", "api key is 12345-abcde-67890"],
)
def test_hl_42_short_keys_that_are_announced_are_refused(text: str) -> None:
    refusal = screen(text, ProductNames())
    assert refusal is not None
    assert refusal.reason == "credential"


def wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


KEY = "ghp_" + letters(36)


@pytest.mark.parametrize("place", [2, 5, 20, 28, 38])
@pytest.mark.parametrize("unseen", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad"])
def test_hl_19_a_key_with_characters_in_it_that_nobody_sees_goes_whole(place: int, unseen: str) -> None:
    assert redact_text(f"it said {KEY[:place]}{unseen}{KEY[place:]} twice") == f"it said {MARK} twice"


def test_hl_19_a_key_in_wide_letters_goes() -> None:
    assert redact_text(f"it said {wide(KEY)}，twice") == f"it said {MARK},twice"
    assert redact_text(wide(f"password:{SECRET}")) == f"password:{MARK}"


def test_text_that_hides_nothing_keeps_its_characters() -> None:
    text = "Ｗｉｄｅ letters, a so\u00adft hyphen, 👩\u200d🔬 and ½ stay"
    assert redact_text(text) == text
    assert redact_text(f"{text}: {KEY}") == f"{text}: {MARK}"


def test_a_value_under_a_word_for_passwords_goes_in_any_language() -> None:
    value = {"Passwort": "offen", "密码": "x", "ｐａｓｓｗｏｒｄ": "y", "Wort": "z"}
    assert redact(value) == {"Passwort": MARK, "密码": MARK, "ｐａｓｓｗｏｒｄ": MARK, "Wort": "z"}


@pytest.mark.parametrize(
    "unit",
    ["key for a ", "the password is ", "cookie: a=b; ", "mysql -u x ", "Passwort: ", "密码是", "is \u200b"],
)
def test_long_texts_take_time_as_they_are_long(unit: str) -> None:
    assert_in_proportion(redact_text, lambda size: unit * (size // len(unit)), 200_000)
