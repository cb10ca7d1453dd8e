"""Fixtures that tests of help requests and learnings share."""

import pytest

from tests.learnings.telling import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Control's clock, which stands still until a test sets it."""
    return Clock(monkeypatch)
