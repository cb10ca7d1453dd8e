"""The tables of control's record.

Each says by `role` whether it is `source` (people's decisions and receipts: can't be made again) or `derived` (can be
rebuilt from the lake and the source tables). Times are microseconds since the epoch in UTC.
"""

from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, Boolean, ForeignKey, Index, Integer, LargeBinary, Table, Text, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# SQLite numbers rows by itself only in a column of the plain type INTEGER.
RowNumber = BigInteger().with_variant(Integer(), "sqlite")


class Base(DeclarativeBase):
    """Column types that all tables share."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {
        int: BigInteger(),
        str: Text(),
        bool: Boolean(),
        dict: JSON(),
        list: JSON(),
        bytes: LargeBinary(),
    }


def role(name: str, **options: Any) -> dict[str, Any]:
    """Table arguments that say whether a table is `source` or `derived`."""
    return {"info": {"role": name}, **options}


class Fact(Base):
    """Single values: `lake_schema`, the home's layout version."""

    __tablename__ = "facts"
    __table_args__ = role("source")
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class Rig(Base):
    """A rig that control knows."""

    __tablename__ = "rigs"
    __table_args__ = role("source")
    rig: Mapped[str] = mapped_column(primary_key=True)
    added_at: Mapped[int]


class RigKey(Base):
    """A public key of a rig; a revoked key stays, with the time from which it no longer counts."""

    __tablename__ = "rig_keys"
    __table_args__ = role("source")
    keyid: Mapped[str] = mapped_column(primary_key=True)
    rig: Mapped[str] = mapped_column(ForeignKey("rigs.rig"), index=True)
    public_key: Mapped[str]
    added_at: Mapped[int]
    revoked_at: Mapped[int | None]


class Receipt(Base):
    """One row a file that arrived in an inbox, with what became of it."""

    __tablename__ = "receipts"
    __table_args__ = (
        Index("receipts_by_rig", "rig", "outcome", "reason"),
        Index("receipts_in_order", "rig", "accepted_number"),
        Index("receipts_by_place", "payload_rig", "ledger", "seq"),
        Index("receipts_by_file", "rig", "name", "mtime_ns"),
        Index("receipts_by_payload", "payload_sha256"),
        Index("receipts_by_kept", "kept"),
        # At most one accepted report a place of a chain, whoever writes.
        Index(
            "receipts_accepted_once",
            "rig",
            "ledger",
            "seq",
            unique=True,
            sqlite_where=text("outcome = 'accepted'"),
            postgresql_where=text("outcome = 'accepted'"),
        ),
        role("source"),
    )
    receipt: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    rig: Mapped[str]  # the inbox it lay in
    name: Mapped[str]
    sha256: Mapped[str | None]  # of the file as it arrived
    inode: Mapped[int]
    mtime_ns: Mapped[int]
    kept: Mapped[str | None]  # path in the lake; null for unsafe files and for bytes given up
    kept_bytes: Mapped[int]
    outcome: Mapped[str]
    reason: Mapped[str | None]
    detail: Mapped[str | None]
    conflicts_with: Mapped[str | None]  # payload hash of the accepted side of a fork
    payload_sha256: Mapped[str | None]
    keyid: Mapped[str | None]
    payload_rig: Mapped[str | None]
    ledger: Mapped[str | None]
    seq: Mapped[int | None]
    prev: Mapped[str | None]
    first_n: Mapped[int | None]
    events: Mapped[int | None]
    sent_at: Mapped[int | None]
    arrived_at: Mapped[int]
    accepted_number: Mapped[int | None] = mapped_column(unique=True)  # the order in which reports were accepted
    accepted_at: Mapped[int | None]


class Head(Base):
    """Where the chain of each ledger stands: the last accepted report and the last event number."""

    __tablename__ = "heads"
    __table_args__ = role("derived")
    rig: Mapped[str] = mapped_column(primary_key=True)
    ledger: Mapped[str] = mapped_column(primary_key=True)
    seq: Mapped[int]
    n: Mapped[int]
    payload_sha256: Mapped[str]
    first_sent_at: Mapped[int]  # sent_at of seq 1


class RigState(Base):
    """How far a rig's accepted reports have become events: the newest accepted number written to the lake."""

    __tablename__ = "rig_states"
    __table_args__ = role("derived")
    rig: Mapped[str] = mapped_column(primary_key=True)
    events_through: Mapped[int]
    rebuilding: Mapped[bool]  # a rebuild began and its last step, the removal of what is left over, is not done
    verified: Mapped[int]
    rejected: Mapped[int]
    unknown: Mapped[int]
    # Of the rules by which the events were judged; null or an older one: they are judged again, see `intake.events`.
    rules: Mapped[int | None]


class Run(Base):
    """A run of a ledger, as its verified events tell it. `run_key` is internal and stays over a rebuild."""

    __tablename__ = "runs"
    __table_args__ = (
        Index("runs_by_name", "rig", "ledger", "run", unique=True),
        Index("runs_by_campaign", "named_campaign"),
        role("derived"),
    )
    run_key: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    rig: Mapped[str]
    ledger: Mapped[str]
    run: Mapped[str]
    label: Mapped[str]  # `run`, or `run~ledger` where another ledger's run of that name was accepted first
    mode: Mapped[str]
    named_campaign: Mapped[str | None]
    accepted_number: Mapped[int]  # of the report that created it
    created_n: Mapped[int]
    last_n: Mapped[int]
    events: Mapped[int]
    started: Mapped[bool]
    outcome: Mapped[str | None]
    finished_n: Mapped[int | None]
    finished_accepted_at: Mapped[int | None]
    last_accepted_at: Mapped[int]
    # Number and count of its events in which people speak; null: of before they were counted.
    said_n: Mapped[int | None]
    said_events: Mapped[int | None]


class Record(Base):
    """Which records a run has, and the event that opened each: for references and to find an item's file."""

    __tablename__ = "records"
    __table_args__ = role("derived", sqlite_with_rowid=False)
    run_key: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    record: Mapped[str] = mapped_column(primary_key=True)
    n: Mapped[int]


class Campaign(Base):
    """A campaign that control knows."""

    __tablename__ = "campaigns"
    __table_args__ = role("source")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    added_at: Mapped[int]


class Assignment(Base):
    """Which campaign a run on a rig belongs to, with the briefing fixed at the first assignment."""

    __tablename__ = "assignments"
    __table_args__ = (Index("assignments_by_campaign", "campaign"), role("source"))
    rig: Mapped[str] = mapped_column(ForeignKey("rigs.rig"), primary_key=True)
    run: Mapped[str] = mapped_column(primary_key=True)
    campaign: Mapped[str] = mapped_column(ForeignKey("campaigns.campaign"))
    agents: Mapped[bool]
    picks: Mapped[list]  # the item ids picked, in order
    command: Mapped[dict]  # the payload of the signed command, word for word
    assigned_at: Mapped[int]
    assigned_by: Mapped[str]


class Grant(Base):
    """`reader` may read the folder of `source`."""

    __tablename__ = "grants"
    __table_args__ = role("source")
    reader: Mapped[str] = mapped_column(ForeignKey("campaigns.campaign"), primary_key=True)
    source: Mapped[str] = mapped_column(ForeignKey("campaigns.campaign"), primary_key=True)
    granted_by: Mapped[str]
    granted_at: Mapped[int]


class AuditEntry(Base):
    """Who changed what, when and from where. Only ever added to."""

    __tablename__ = "audit"
    __table_args__ = role("source")
    entry: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    at: Mapped[int]
    by: Mapped[str]
    action: Mapped[str]
    subject: Mapped[str]
    detail: Mapped[dict]


class Lease(Base):
    """Who works on a scope (`rig:<r>`, `campaign:<c>`, `run:<dagster run>`) right now."""

    __tablename__ = "leases"
    __table_args__ = role("derived")
    scope: Mapped[str] = mapped_column(primary_key=True)
    owner: Mapped[str]  # the Dagster run id, or `cli-<pid>` of a command
    host: Mapped[str]
    pid: Mapped[int]
    process_started: Mapped[int]
    acquired_at: Mapped[int]
    renewed_at: Mapped[int]


class Fold(Base):
    """How far a run's events are folded into a campaign's folder; 0: nothing that counts is there yet."""

    __tablename__ = "folds"
    __table_args__ = role("derived")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    run_key: Mapped[int] = mapped_column(primary_key=True, index=True)
    folded_n: Mapped[int]
    folded_events: Mapped[int]  # how many events that is: numbers of other runs lie between them


class LakeFile(Base):
    """A Parquet file of the lake as control wrote it: what `doctor` and the rebuild compare with."""

    __tablename__ = "lake_files"
    __table_args__ = (Index("lake_files_by_scope", "scope", "run_key"), role("derived"))
    path: Mapped[str] = mapped_column(primary_key=True)
    scope: Mapped[str]  # `rig:<r>` or `campaign:<c>`: whose lease guards it
    run_key: Mapped[int | None]  # of a folder file
    rows: Mapped[int]
    high_n: Mapped[int]  # largest `updated_n` (of events: `n`) in it, so that unchanged files need not be read
    rows_sha256: Mapped[str | None]  # null: announced, but never confirmed
    next_sha256: Mapped[str | None]  # announced before the file is replaced, so that a kill in between explains itself
    version: Mapped[str | None]  # of the lake entry (see `LakeEntry`)
    writer: Mapped[str]


class CampaignState(Base):
    """The last target reported to Dagster and the last finished refresh of each campaign."""

    __tablename__ = "campaign_states"
    __table_args__ = role("derived")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    reported_target: Mapped[str | None]
    behind_since: Mapped[int | None]
    refreshed_at: Mapped[int | None]
    checked_at: Mapped[int | None]
    sweep: Mapped[bool]  # files of runs that left, or of before a rebuild, may still lie there


class SyncState(Base):
    """What a run's `knowledge/` holds: the hash of what it was made from, and how far each source run was read.

    An empty signature: a sync began that is not done, so the folder may hold anything.
    """

    __tablename__ = "sync_states"
    __table_args__ = role("derived")
    rig: Mapped[str] = mapped_column(primary_key=True)
    run: Mapped[str] = mapped_column(primary_key=True)
    campaign: Mapped[str]
    signature: Mapped[str]
    sources: Mapped[dict]  # campaign -> `<rig>/<run as in item ids>` -> event number and count synced
    items: Mapped[int]
    manifest: Mapped[str]  # size, time and inode of the manifest, so that a change by another hand is noticed
    synced_at: Mapped[int]
    checked_at: Mapped[int]


class Export(Base):
    """An export that counts: its number, and the state of the rig's runs that it ended at."""

    __tablename__ = "exports"
    __table_args__ = role("source")
    rig: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[dict]  # of the newest export: heads, and ledger -> run -> [event number, campaign, finished]; else {}
    manifest_sha256: Mapped[str]
    exported_at: Mapped[int]


def core_table(model: type[Base]) -> Table:
    """The Core table of a model, for bulk statements."""
    table = model.__table__
    assert isinstance(table, Table)
    return table
