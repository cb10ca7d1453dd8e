"""One call of one model through litellm, and what came of it. Nothing is tried twice here.

What litellm or a provider says in words stays here: it may quote the question, or a key.
"""

import logging
import math
import os
import queue
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Literal, TypeVar

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.prices import Price
from thermite_pipelines.llm.questions import UNKNOWN, Messages, Spent
from thermite_pipelines.llm.transport import bounded_client, limit, text_of, tokens_of

T = TypeVar("T")

FREE = Spent()
_BUSY = 429
# By these a server says that it began nothing. After other failures of its own side nobody knows what they cost.
_NOT_BEGUN = (503, 529)
_TIMED_OUT = 408
_CONFLICT = 409
_CANT_BE_HAD = (401, 402, 403, 404)
_NEVER_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol"}
_FORMAT = re.compile(r"response_format|json_schema|structured.output|response.schema", re.IGNORECASE)
_TOO_LONG = re.compile(r"context.length|context.window|too long|too many tokens", re.IGNORECASE)
# At DEBUG they write out whole requests, and warnings quote what they warn of: texts, and headers with their keys.
_QUIET = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "litellm")
_QUIET_CLIENTS = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")
_QUIET_MODULES = r"(litellm|openai|pydantic|httpx2?|httpcore2?)(\.|$)"
# The clients' own time-outs come first where they work: they tell whether anything was sent.
_GRACE_SECONDS = 1.0
_loading = threading.Lock()


@dataclass(frozen=True)
class Reply:
    """What a model said: `finish` is why it ended, `refusal` whether it said that it will not answer."""

    text: str
    finish: str
    refusal: bool
    spent: Spent


@dataclass(frozen=True)
class Failure:
    """Why there is no reply.

    `passing`: the next call may go well (after `retry_after` seconds). `absent`: this model can't be had. `refused`:
    it does not take this question. `format`: it does not take `response_format`.
    """

    kind: Literal["passing", "absent", "refused", "format"]
    why: str
    spent: Spent
    retry_after: float | None = None


@dataclass(frozen=True)
class Call:
    """What one call sends. `format`: the provider's own schema, or None to do without it."""

    model: str
    messages: Messages
    format: dict[str, Any] | None
    max_tokens: int
    temperature: float
    timeout: float
    api_base: str | None


def send(call: Call, price: Price | None) -> Reply | Failure:
    """Make one call; it ends soon after its time-out. Raises `ThermiteError` for a model that litellm can't ask."""
    return in_time(lambda: _sent(call, price), call.timeout)


def in_time(work: Callable[[], T | Failure], timeout: float) -> T | Failure:
    """Load litellm, then do the work of one call: its result, or a failure soon after the time-out.

    The time-outs of HTTP clients are for one read each, so that a server that trickles holds them for ever: then the
    call is left to a thread of its own that nobody waits for, and what it costs stays unknown.
    """
    results: queue.SimpleQueue[T | Failure | BaseException] = queue.SimpleQueue()

    def work_and_tell() -> None:
        try:
            limit.at = time.monotonic() + timeout
            results.put(work())
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever made the call
            results.put(error)

    load()
    threading.Thread(target=work_and_tell, name="model-call", daemon=True).start()
    try:
        result = results.get(timeout=timeout + _GRACE_SECONDS)
    except queue.Empty:
        return Failure("passing", "no answer in time", UNKNOWN)
    if isinstance(result, BaseException):
        raise result
    return result


def _sent(call: Call, price: Price | None) -> Reply | Failure:
    litellm = load()
    arguments = address(call.api_base, provider_of(call.model)) if call.api_base else {}
    if call.format is not None:
        arguments["response_format"] = call.format
    try:
        response = litellm.completion(
            model=call.model,
            messages=[{"role": role, "content": content} for role, content in call.messages],
            max_tokens=call.max_tokens,
            temperature=call.temperature,
            timeout=call.timeout,
            max_retries=0,
            drop_params=True,
            **arguments,
        )
        return _reply(response, call.model, price)
    except Exception as error:  # noqa: BLE001 - providers' code raises anything, down to IndexError
        return failure_of(error)


def address(api_base: str, provider: str) -> dict[str, Any]:
    """The arguments of a call to a server of one's own."""
    if provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
        return {"api_base": api_base, "api_key": "none"}  # it often wants no key, but the client insists on one
    return {"api_base": api_base}


@cache
def provider_of(model: str) -> str:
    """The provider that litellm asks for a model. Raises `ThermiteError` where there is none, or no limit of tokens.

    Without a limit on its answer nobody knows the most that a call can cost.
    """
    litellm = load()
    try:
        provider = litellm.get_llm_provider(model)[1]
        parameters = litellm.get_supported_openai_params(model)
    except litellm.exceptions.BadRequestError:
        raise ThermiteError(
            f"litellm knows no provider of the model {model!r}",
            do="write it as `provider/model`, such as openai/gpt-4o-mini, in THERMITE_LLM_MODEL and its like",
        ) from None
    if parameters is not None and not {"max_tokens", "max_completion_tokens"} & set(parameters):
        raise ThermiteError(f"answers of the model {model!r} can't be limited", do="choose another model")
    return provider


@cache
def _library() -> Any:
    # The map of prices comes from the network otherwise, with retries and warnings.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else it reads whatever .env lies above its own folder
    import litellm
    from litellm.llms.custom_httpx.http_handler import HTTPHandler, get_ssl_configuration

    module: Any = litellm
    module.DEFAULT_MAX_RETRIES = 0  # embeddings take a 0 that they are given for none given
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    for name in (*_QUIET, *_QUIET_CLIENTS):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if litellm.client_session is None:
        litellm.client_session = bounded_client(get_ssl_configuration())
    _stay_at_home(HTTPHandler)
    return litellm


def _stay_at_home(handler: Any) -> None:
    """Make litellm's client for all other providers follow no redirect: a question is for the address that was set."""
    create = handler.create_client

    def create_client(self: Any) -> Any:
        self.follow_redirects = False
        return create(self)

    handler.create_client = create_client


def load() -> Any:
    """The module litellm, imported when first asked for (seconds) and kept quiet and off the network."""
    with _loading:
        # Each time: whoever catches warnings meanwhile puts the filters of before back.
        warnings.filterwarnings("ignore", module=_QUIET_MODULES)
        warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
        return _library()


def _reply(response: Any, model: str, price: Price | None) -> Reply:
    choice = response.choices[0]
    refusal = getattr(choice.message, "refusal", None)
    text = text_of(choice.message.content).encode("utf-8", "replace").decode()
    return Reply(text, str(choice.finish_reason), bool(refusal), _spent(response, model, price))


def _spent(response: Any, model: str, price: Price | None) -> Spent:
    """What a server says that a call took. litellm puts zeros where it says nothing, so 0 is unknown, too."""
    usage = getattr(response, "usage", None)
    sent, answered = (tokens_of(getattr(usage, key, None)) for key in ("prompt_tokens", "completion_tokens"))
    if not sent or not answered:
        return UNKNOWN
    if price is None:
        return Spent(sent, answered, None)
    if not price.in_table:
        return Spent(sent, answered, price.usual(sent, answered))
    try:
        usd = float(load().completion_cost(completion_response=response, model=model))
    except Exception:  # noqa: BLE001 - it raises plain ones; then nobody knows the cost
        return Spent(sent, answered, None)
    known = math.isfinite(usd) and (usd > 0 or (usd == 0 and price.usual(sent, answered) == 0))
    return Spent(sent, answered, usd if known else None)


def failure_of(error: Exception) -> Failure:
    """What an error of litellm means. Its status alone does not tell: a broken connection has one, too."""
    status = getattr(error, "status_code", None)
    answered = getattr(error, "litellm_response_headers", None) is not None
    said = str(error)
    if moved := _moved(error):
        return Failure("absent", f"HTTP {moved}, it points to another address", FREE)
    if _NEVER_SENT & {type(one).__name__ for one in _chain(error)}:
        return Failure("passing", "no connection", FREE)
    if not isinstance(status, int):
        return Failure("passing", "an answer that nobody can read", UNKNOWN)
    if status == _BUSY and "insufficient_quota" not in said:
        return Failure("passing", "HTTP 429, too many requests", FREE, _retry_after(error))
    if status == _TIMED_OUT:
        return Failure("passing", "no answer in time", UNKNOWN, _retry_after(error))
    if status == _CONFLICT or status >= 500:
        spent = FREE if answered and status in (*_NOT_BEGUN, _CONFLICT) else UNKNOWN
        return Failure("passing", f"HTTP {status}" if answered else "a broken answer", spent, _retry_after(error))
    if status in (*_CANT_BE_HAD, _BUSY):
        return Failure("absent", _ABSENT[status], FREE)
    if _FORMAT.search(said):
        return Failure("format", f"HTTP {status}, no JSON schemas", FREE)
    too_long = type(error).__name__ == "ContextWindowExceededError" or _TOO_LONG.search(said)
    return Failure("refused", f"HTTP {status}{', the question is too long for it' if too_long else ''}", FREE)


_ABSENT = {
    401: "HTTP 401, its key is missing or wrong",
    402: "HTTP 402, it wants to be paid",
    403: "HTTP 403, its key may not ask it",
    404: "HTTP 404, no such model or address",
    429: "HTTP 429, its quota is used up",
}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _moved(error: Exception) -> int | None:
    """The status of a redirect, which litellm makes a failure of the server of."""
    for one in _chain(error):
        for status in (getattr(one, "status_code", None), getattr(getattr(one, "response", None), "status_code", None)):
            if isinstance(status, int) and 300 <= status < 400:
                return status
    return None


def _retry_after(error: Exception) -> float | None:
    """Seconds that the server wants to be left alone, of its header: a number of any size, or an HTTP date."""
    headers = getattr(error, "litellm_response_headers", None) or {}
    value = str(headers.get("retry-after") or "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value, re.ASCII):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
