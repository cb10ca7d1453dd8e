"""Blocking the network within this process, so that whatever asks for it fails at once and by name."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn
from unittest import mock


class NetworkUsed(AssertionError):
    """Something tried to reach the network."""


def _refuse(*arguments: Any, **_: Any) -> NoReturn:
    raise NetworkUsed(f"tried to reach {arguments[1:]}")


@contextmanager
def no_network() -> Iterator[None]:
    """Let every connection and every look-up of a name fail, loopback included."""
    with (
        mock.patch.object(socket.socket, "connect", _refuse),
        mock.patch.object(socket.socket, "connect_ex", _refuse),
        mock.patch.object(socket, "getaddrinfo", _refuse),
    ):
        yield
