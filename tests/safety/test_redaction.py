"""Redaction by shape: credentials go, ordinary words stay. All secrets here are made up on the spot."""

import random
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.safety.redaction import MARK, redact, redact_text

_RANDOM = random.Random(20)


def letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Random text with all kinds of characters in it, as keys have."""
    start = "aZ9" if alphabet == string.ascii_letters + string.digits else ""
    return start + "".join(_RANDOM.choices(alphabet, k=count - len(start)))


UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"

# Where a secret stands, and the secret itself. Built from parts, so that no scanner takes this file for a leak.
SECRETS = {
    "openai": ("the key {} was refused", "sk-" + "proj-" + letters(48)),
    "old-openai": ("OPENAI said: bad key {}", "sk-" + letters(48)),
    "anthropic": ("login with {} failed", "sk-" + "ant-api03-" + letters(80) + "-" + letters(8) + "AA"),
    "stripe": ("{}", "sk_" + "live_" + letters(24)),
    "github": ("git push https with {}: 403", "ghp_" + letters(36)),
    "github-fine": ("token={}", "github_" + "pat_" + letters(22) + "_" + letters(59)),
    "gitlab": ("GITLAB {}", "glpat-" + letters(20)),
    "slack": ("posted by {}", "xoxb-" + letters(12, string.digits) + "-" + letters(24)),
    "hugging-face": ("hf login --token {}", "hf_" + letters(34)),
    "npm": ("//registry/:_authToken={}", "npm_" + letters(36)),
    "pypi": ("twine used {}", "pypi-" + "AgEIcHlwaS5vcmc" + letters(60)),
    "aws-id": ("key id {} has no rights", "AKIA" + letters(16, UPPER)),
    "aws-secret": ("aws_secret_access_key = {}", letters(40, string.ascii_letters + string.digits + "+/")),
    "google": ("Maps answered 403 for {}", "AIza" + letters(35)),
    "google-oauth": ("{} is expired", "ya29." + letters(60)),
    "jwt": ("cookie session={};", "eyJ" + letters(30) + ".eyJ" + letters(60) + "." + letters(43)),
    "bearer": ("curl -H 'Authorization: Bearer {}'", letters(32)),
    "basic": ("Authorization: Basic {}", "dXNlcjpzZWNyZXQ" + letters(17)),
    "url-password": ("psql postgresql://app:{}@db.internal:5432/runs", "hunter2-" + letters(8)),
    "url-token-user": ("git clone https://{}@example.org/repo.git", "x-access-token:" + letters(20)),
    "url-only-user": ("remote: https://{}@github.example/org/repo", letters(40)),
    "password": ("password: {} (from the wiki)", "correct-horse-" + letters(6)),
    "api-key-json": ('{{"api_key": "{}"}}', letters(20)),
    "api-key-spaced": ("set API_KEY = {} in the shell", letters(24)),
    "env": ("export WANDB_API_KEY={}", letters(40, HEX)),
    "secret-named": ("client_secret='{}'", letters(12)),
    "hex64": ("the seed is {} as hex", letters(64, HEX)),
    "private-key": (
        "{}",
        "-----BEGIN OPENSSH "
        "PRIVATE KEY-----\n" + letters(64) + "\n" + letters(30) + "\n-----END OPENSSH " + "PRIVATE KEY-----",
    ),
    "cut-private-key": ("log: {}", "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE" + letters(64)),
    "azure": ("AccountKey={};EndpointSuffix=x", letters(86, string.ascii_letters + string.digits + "+/") + "=="),
    "telegram": ("bot {} is gone", letters(10, string.digits[1:]) + ":AA" + letters(33)),
    "sendgrid": ("mail with {}", "SG." + letters(22) + "." + letters(43)),
    "groq": ("{} rate limited", "gsk_" + letters(52)),
    "discord": ("webhook https://discord.example/api/webhooks/1234567890/{}", letters(68)),
    "discord-bot": ("bot {} left", "M" + letters(23) + "." + letters(6) + "." + letters(27)),
    "slack-app": (
        "{}",
        "xapp-" + "1-A0" + letters(9, UPPER) + "-" + letters(13, string.digits) + "-" + letters(64, HEX),
    ),
    "slack-hook": (
        "https://hooks.slack.com/{}",
        "services/T" + letters(8, UPPER) + "/B" + letters(9, UPPER) + "/" + letters(24),
    ),
    "stripe-hook": ("{} does not sign", "whsec_" + letters(32)),
    "gitlab-runner": ("runner {}", "glrt-" + letters(20)),
    "azure-app": ("client {}", "aZ9" + "8Q~" + letters(34)),
    "azure-sas": ("https://x.blob.example/c?sv=1&sig={}", letters(43) + "%3D"),
    "azure-bus": ("Endpoint=sb://x/;SharedAccessKey={}", letters(43) + "="),
    "twilio": ("{}", "SK" + letters(32, HEX)),
    "mailgun": ("{}", "key-" + letters(32, HEX)),
    "digital-ocean": ("{}", "dop_v1_" + letters(64, HEX)),
    "shopify": ("{}", "shpss_" + letters(32, HEX)),
    "square": ("{}", "sq0atp-" + letters(22)),
    "vault": ("vault login {}", "hvs." + letters(90)),
    "doppler": ("{}", "dp.pt." + letters(43)),
    "databricks": ("{}", "dapi" + letters(32, HEX)),
    "linear": ("{}", "lin_api_" + letters(40)),
    "notion": ("{}", "ntn_" + letters(46)),
    "old-notion": ("{}", "secret_" + letters(43)),
    "grafana": ("{}", "glsa_" + letters(32) + "_" + letters(8, HEX)),
    "new-relic": ("{}", "NRAK-" + letters(27, UPPER)),
    "age": ("{}", "AGE-SECRET-" + "KEY-1" + letters(58, UPPER)),
    "wireguard": ("PrivateKey = {}", letters(43) + "="),
    "replicate": ("{}", "r8_" + letters(37)),
    "xai": ("{}", "xai-" + letters(80)),
    "postman": ("{}", "PMAK-" + letters(24, HEX) + "-" + letters(34, HEX)),
    "terraform": ("{}", letters(14) + ".atlasv1." + letters(60)),
    "fly": ("{}", "FlyV1 fm2_" + letters(60)),
    "atlassian": ("{}", "ATATT3xFfGF0" + letters(150)),
    "docker": ("docker login {}", "dckr_pat_" + letters(27)),
    "tailscale": ("{}", "tskey-auth-" + letters(12) + "-" + letters(32)),
    "redis-url": ("redis://{}@cache:6379", ":" + letters(16)),
    "sql-server": ("Server=db;User Id=sa;Password={};", letters(10)),
    "netrc": ("machine a login b password {}", letters(12)),
    "curl-user": ("curl -u {} host", "admin:" + letters(14)),
    "flag": ("run --password {} now", letters(12)),
    "github-header": ("Authorization: token {}", letters(40, HEX)),
    "pgp": (
        "{}",
        "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n" + letters(40) + "\n-----END PGP " + "PRIVATE KEY BLOCK-----",
    ),
    "gcp-account": (
        '{{"type": "service_account", "private_key": "{}"}}',
        "-----BEGIN " + "PRIVATE KEY-----\\n" + letters(64) + "\\n-----END " + "PRIVATE KEY-----\\n",
    ),
}

HARMLESS = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b broke the build",
    "the learning rate was lowered from 3e-4 to 1e-4, and the loss went from 3.2 to 2.9",
    "/home/agent/work/experiments/2026-11-29/run-7/checkpoints/step_0001000/model.safetensors",
    "src/thermite/harness/supervisor/process_manager/child_process_reaper.py line 1234",
    "https://docs.example.org/en/latest/user-guide/token-counting.html?page=2#tokens",
    "see https://arxiv.org/abs/2401.12345v2 and http://localhost:8080/health",
    "ssh git@github.com: Permission denied (publickey)",
    "mail ops@example.org, or ask on the channel",
    "no token was given; a password is needed for the registry",
    "the tokenizer: 50257 tokens, vocab_size=50257, max_tokens=4096",
    "ANTHROPIC_API_KEY is not set in the environment",
    "the api key is missing",
    "skipped: task-list-is-empty-and-there-is-nothing-to-do",
    "risk-of-overfitting-in-small-batches is what we saw",
    "01JD0Z3M7Q4K5T6V7W8X9Y0ZAB and 0b6f3a52-8c3e-4f1a-9d55-2f2f9c1b7a10",
    "torch.nn.functional.scaled_dot_product_attention raises RuntimeError",
    "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.15 GiB total capacity)",
    "ModuleNotFoundError: No module named 'flash_attn_2_cuda'",
    "docker image nvcr.io/nvidia/pytorch:24.07-py3 is 20 GB",
    "the secret of the speed-up is a larger batch",
    "/home/agent/Projects/run7/Checkpoints/final/epoch_12/model_ema.bin is missing",
    "TestThatVeryLongNamesOfConfigurationClassesLikeVersion2AreKept",
    "build/lib.linux-x86_64-cpython-311/thermite/Harness/ProcessManager3/reaper",
    "basic research and bearer bonds are no headers",
    "ThisIsAVeryLongCamelCaseIdentifierForAConfigurationClassName",
    "pip install 'torch==2.5.1+cu124' failed with exit status 1",
    "hf_transfer_is_not_installed_here, so downloads are slow",
    "npm-run-all-with-many-arguments and pypi-mirror-on-port-3141 are slow",
    "sk-learn-pipeline-wrappers and fw_bw_pass_takes_32ms_on_A100",
    "tokenizer.pad_token = tokenizer.eos_token",
    "token: expired, password: required",
    "secret: ${DB_PASSWORD}, password=<your password>",
    "ops_per_second_benchmark_v3 and secret_manager_service_client",
    "docker run -u 1000:1000 image",
    "the password requires a digit",
]


@pytest.mark.parametrize("shape", SECRETS)
def test_kb_75_secrets_of_a_known_shape_go(shape: str) -> None:
    frame, secret = SECRETS[shape]
    clean = redact_text(frame.format(secret))
    assert MARK in clean
    for part in secret.splitlines():
        assert part not in clean
    middle = secret[len(secret) // 2 :][:8]
    assert middle not in clean


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert redact_text(text) == text


@pytest.mark.parametrize("shape", SECRETS)
def test_redacting_again_changes_nothing(shape: str) -> None:
    frame, secret = SECRETS[shape]
    clean = redact_text(frame.format(secret))
    assert redact_text(clean) == clean


def test_secrets_go_at_any_depth_and_from_keys() -> None:
    secret = SECRETS["github"][1]
    value: dict[str, Any] = {"a": [{"b": f"x {secret}"}, 3, None, True, 1.5], secret: "v"}
    clean = redact(value)
    assert clean == {"a": [{"b": f"x {MARK}"}, 3, None, True, 1.5], MARK: "v"}
    assert value["a"][0]["b"] == f"x {secret}"  # what was handed in is not changed


def test_what_a_name_announces_goes_also_as_a_value_of_that_name() -> None:
    assert redact({"password": "correct horse battery", "api_key": "abc", "tokens": 12, "token": None}) == {
        "password": MARK,
        "api_key": MARK,
        "tokens": 12,
        "token": None,
    }


@given(st.text(max_size=300))
def test_any_text_can_be_redacted(text: str) -> None:
    clean = redact_text(text)
    assert redact_text(clean) == clean


@pytest.mark.parametrize(
    "unit", ["a.b.c.", "Aa0+", "api_key", "sk-", "eyJ.", "://a:", "password=", "-----BEGIN ", "aA1_"]
)
def test_long_texts_take_no_long_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert isinstance(redact_text(text), str)
