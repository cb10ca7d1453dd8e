"""Files that are no plain files, and a plain first report."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

from tests.support.rigs import RigSimulator


def first_report(rig: RigSimulator) -> bytes:
    rig.say_run()
    return rig.report().envelope


def make_link(path: Path) -> None:
    target = path.parent / "elsewhere"
    target.write_bytes(b"{}")
    path.symlink_to(target)


def make_socket(path: Path) -> None:
    # A socket's whole path may have only some hundred bytes.
    descriptor = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{descriptor}/{path.name}")
    os.close(descriptor)


UNSAFE: dict[str, Callable[[Path], object]] = {
    "link": make_link,
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "pipe": os.mkfifo,
    "socket": make_socket,
    "directory": lambda path: path.mkdir(),
}
if os.geteuid() == 0:
    UNSAFE["device"] = lambda path: os.mknod(path, 0o20666, os.makedev(1, 5))
