"""What was refused, in the audit log: who asked for what, from where, and how often.

The log is never cleared, so whoever asks again and again must not fill it: the same refusal stands there once a minute,
with the number of those since, and each token has a bound, as have all strangers together.
"""

import re
import threading
from collections import OrderedDict
from typing import Any

from thermite_pipelines.control import audit
from thermite_pipelines.control.db import Control
from thermite_pipelines.control.tokens import Principal
from thermite_pipelines.serve.rates import Rates

ACTION = "refuse"
STRANGER = "unknown"
ENTRIES_PER_MINUTE = 20
"""How many entries one token can cause in a minute, and all who show none together."""
_MOST_COUNTED = 1_000
_SHOWN = re.compile(r"[^0-9A-Za-z /_.:-]")
_LONGEST = 200


class Refusals:
    """Writes refusals to the audit log; `note` may wait for the database, so call it from a thread."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._same = Rates(1)
        self._entries = Rates(ENTRIES_PER_MINUTE)
        self._unwritten: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, principal: Principal | None, address: str, request: str, status: int) -> None:
        """Note that a request (method and path) was answered with a status. Whoever shows no token is `unknown`.

        Strangers are counted together: they may come under any number of addresses and paths.
        """
        who = STRANGER if principal is None else principal.id
        times = self._due(f"{who} {status}" if principal is None else f"{who} {status} {request}", who)
        if not times:
            return
        detail: dict[str, Any] = {"status": status, "times": times}
        if principal is not None:
            detail |= {"token": principal.id, "role": principal.role}
        subject = _SHOWN.sub("?", request)[:_LONGEST]
        with audit.coming_from(address), self._control.write() as connection:
            audit.record(connection, STRANGER if principal is None else principal.name, ACTION, subject, **detail)

    def _due(self, key: str, who: str) -> int:
        """How often the same was refused since it was written last, where it is to be written now; else 0."""
        with self._lock:
            times = self._unwritten.pop(key, 0) + 1
            if self._same.take(key) and self._entries.take(who):
                return times
            self._unwritten[key] = times
            if len(self._unwritten) > _MOST_COUNTED:
                self._unwritten.popitem(last=False)
            return 0
