"""The HTTP client for OpenAI-compatible servers: it bounds an answer in time and size, and mends its odd parts.

The time-outs of HTTP libraries are for one read each, and the libraries above judge a whole answer by its least part:
one odd count of tokens, and an answer that was paid for is lost, with its text in a warning.
"""

import json
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

limit = threading.local()
"""`limit.at`: when the call of this thread is over, on the clock `time.monotonic`."""

_MOST_BYTES = 32 * 2**20
_MOST_TOKENS = 10**9
_MOST_DIGITS = 300
_COUNTS = ("prompt_tokens", "completion_tokens")
_DETAILS = ("prompt_tokens_details", "completion_tokens_details")


def tokens_of(value: Any) -> int | None:
    """A count of tokens as a server gives it; None for all that is no whole number from 0 to 10^9."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_TOKENS:
        return None
    return int(value) if value == int(value) else None


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts. Raises `TypeError` for anything else."""
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    if not isinstance(content, str):
        raise TypeError("content that is no text")
    return content


def mended(body: bytes) -> bytes:
    """The JSON of a completion, with counts of tokens that can be believed or none, and content as one text.

    What is no such JSON comes back as it is.
    """
    try:
        value = json.loads(body, parse_int=_number)
    except (ValueError, RecursionError):
        return body
    if not isinstance(value, dict):
        return body
    changed = _mend_usage(value)
    choices = value.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        message = choice.get("message") if isinstance(choice, dict) else None
        if isinstance(message, dict) and isinstance(message.get("content"), list):
            message["content"] = text_of(message["content"])
            changed = True
    return json.dumps(value).encode() if changed else body


def _number(digits: str) -> int | float:
    # Python reads no longer ones; and nothing that counts is that large.
    return int(digits) if len(digits) <= _MOST_DIGITS else float("inf")


def _mend_usage(value: dict[str, Any]) -> bool:
    """Take out of a completion what is no count; False where all is well."""
    usage = value.get("usage")
    if usage is None:
        return False
    counts = {key: tokens_of(usage.get(key)) for key in _COUNTS} if isinstance(usage, dict) else {}
    sent, answered = (counts.get(key) for key in _COUNTS)
    if sent is None or answered is None:
        del value["usage"]
        return True
    details = {key: usage[key] for key in _DETAILS if usage.get(key) is not None}
    good = {key: one for key, one in details.items() if isinstance(one, dict) and all(map(_counts, one.values()))}
    total = usage.get("total_tokens", 0)
    if len(good) == len(details) and tokens_of(total) is not None:
        return False
    value["usage"] = {**counts, "total_tokens": sent + answered, **good}
    return True


def _counts(value: Any) -> bool:
    return value is None or tokens_of(value) is not None


def bounded_client(verify: Any) -> "httpx.Client":
    """A client that gives up an answer at `limit.at`, or beyond 32 MiB, and never goes where a redirect points.

    `verify` is what httpx takes to check certificates. It gives the whole answer, `mended`.
    """
    import httpx

    class Client(httpx.Client):
        def send(self, request: httpx.Request, **more: Any) -> httpx.Response:
            more.update(stream=True, follow_redirects=False)
            came = super().send(request, **more)
            try:
                body = _read(came)
            finally:
                came.close()
            coded = (b"content-encoding", b"content-length", b"transfer-encoding")
            # As bytes: they may be no ASCII.
            headers = [(name, value) for name, value in came.headers.raw if name.lower() not in coded]
            read = httpx.Response(came.status_code, headers=headers, content=mended(body), request=request)
            read.elapsed = came.elapsed
            return read

    def _read(came: httpx.Response) -> bytes:
        at, body = getattr(limit, "at", float("inf")), bytearray()
        for piece in came.iter_bytes():
            if time.monotonic() > at:
                raise httpx.ReadTimeout("the answer took too long", request=came.request)
            body += piece
            if len(body) > _MOST_BYTES:
                raise httpx.ReadError("the answer is too large", request=came.request)
        return bytes(body)

    # A call that was given up may hold its connection for long: that must keep no other from having one.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    return Client(verify=verify, follow_redirects=False, limits=limits)
