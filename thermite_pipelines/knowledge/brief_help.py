"""The learnings and refusals that briefs show, read again only where the help files are others than before."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thermite_pipelines.knowledge.help_reading import LEARNINGS_FILE, REFUSED_FILE, learnings, refusals
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.learning_block import is_active
from thermite_pipelines.knowledge.sync_files import file_version

Row = dict[str, Any]


@dataclass
class Channels:
    """What agents learned and what was refused of it, by campaign: the rows that a brief can show."""

    learnings: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    refusals: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    _digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, learnings: Iterable[Row], refusals: Iterable[Row]) -> "Channels":
        """Sort the rows of the help files; what is never shown is left out."""
        found = cls()
        for row in filter(is_active, learnings):
            found.learnings[row["campaign"]].append(row)
        for row in refusals:
            if not row["told"]:
                found.refusals[row["campaign"]].append(row)
        return found

    def digest(self, campaign: str) -> str:
        """A hash of all that the briefs of a campaign's runs can show."""
        if campaign not in self._digests:
            shown = ("agent", "id", "state", "text", "first_at", "since_run")
            parts = [[row[name] for name in shown] for row in self.learnings.get(campaign, ())]
            parts += sorted([row["agent"], row["reason"]] for row in self.refusals.get(campaign, ()))
            self._digests[campaign] = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return self._digests[campaign]


class HelpRows:
    """The rows of a home's help files, as they are now."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._versions: list[str | None] | None = None
        self._channels = Channels()

    def channels(self) -> Channels:
        """What briefs can show of the help files. Raises `ThermiteError` where a line of one is broken."""
        folder = self._home.settings.help
        versions = [_version(folder / name) for name in (LEARNINGS_FILE, REFUSED_FILE)]
        if versions != self._versions:
            # The versions of before the files were read: what is written meanwhile is read the next time.
            self._channels = Channels.of(learnings(self._home), refusals(self._home))
            self._versions = versions
        return self._channels


def _version(path: Path) -> str | None:
    try:
        return file_version(path.stat())
    except OSError:
        return None
