"""What a reader may read: the one way from a reader to folders, and so to any text of them.

Whatever shows knowledge asks here: search, syncs, briefs, the picker of past research, and whoever serves people and
agents. It fails closed: a reader that control does not know reads nothing and is an error, a folder that may not be
read is an error and not an empty one, and without a reader there is nothing to ask.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from thermite_pipelines.control import campaigns
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader

if TYPE_CHECKING:
    # What searches need numpy for is loaded where one is made: syncs and definitions load this module.
    from thermite_pipelines.knowledge.index.folder_view import FolderView
    from thermite_pipelines.knowledge.index.texts import Source

Row = dict[str, Any]


class NotReadable(ThermiteError):
    """A reader asked for what it may not read; the same whether that is there or not."""


@dataclass(frozen=True)
class Reader:
    """Who reads: a campaign, on behalf of its runs, or the owner of all. Made by the two functions below alone."""

    campaign: str | None

    @classmethod
    def owner(cls) -> "Reader":
        """People who may see all: the owner, and operators."""
        return cls(None)

    @classmethod
    def of(cls, campaign: str) -> "Reader":
        """A campaign: it reads its own folder and those that were granted to it."""
        if not campaign:
            raise NotReadable("a reader without a name reads nothing")
        return cls(campaign)


@dataclass(frozen=True)
class Readable:
    """The folders that a reader may read, as control's record stood when it was asked."""

    reader: Reader
    folders: tuple[str, ...]
    _sources: "dict[str, list[Source]]" = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def by(cls, connection: Connection, reader: Reader) -> "Readable":
        """What a reader may read now. Raises `ThermiteError` for a campaign that control does not know."""
        if reader.campaign is None:
            return cls(reader, tuple(campaigns.campaign_names(connection)))
        campaigns.require_campaign(connection, reader.campaign)
        return cls(reader, tuple(campaigns.readable_by(connection, reader.campaign)))

    @classmethod
    def with_files(cls, home: Home, reader: Reader) -> "Readable":
        """The same, with the files of those folders, all of one look at control's record."""
        from thermite_pipelines.knowledge.index.texts import sources

        with home.control.read() as connection:
            found = cls.by(connection, reader)
            found._sources.update({folder: sources(connection, folder) for folder in found.folders})
        return found

    def __contains__(self, folder: object) -> bool:
        """Whether a folder may be read."""
        return folder in self.folders

    def require(self, folder: str) -> str:
        """The folder, where it may be read. Raises `NotReadable`."""
        if folder not in self.folders:
            raise NotReadable(f"campaign {self.reader.campaign} may not read folder {folder!r}")
        return folder

    def only(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """Those of some folders that may be read, in order."""
        names = frozenset(wanted)
        return tuple(folder for folder in self.folders if folder in names)

    def find(self, reader: FolderReader, item: str) -> Row | None:
        """An item by its id, where it lies in a folder that may be read. Raises `UsageError` for what is no id."""
        row = reader.find(item)
        return row if row is not None and row["campaign"] in self.folders else None

    def rows(
        self, reader: FolderReader, folder: str, kinds: Iterable[str] | None = None, run: str | None = None
    ) -> Iterator[Row]:
        """The items of a folder. Raises `NotReadable`."""
        return reader.rows(self.require(folder), kinds, run)

    def views(self, home: Home) -> "Sequence[FolderView]":
        """The texts of all folders that may be read, for a search; needs `with_files`."""
        from thermite_pipelines.knowledge.index.folder_view import view

        return [view(home, folder, self._sources[folder]) for folder in self.folders]


def folders_of(connection: Connection, campaign: str) -> list[str]:
    """The folders that the runs of a campaign may read, in order: for what is kept ready for those runs."""
    return list(Readable.by(connection, Reader.of(campaign)).folders)
