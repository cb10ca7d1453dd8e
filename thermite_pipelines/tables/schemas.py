"""Every Parquet table of the lake, as data.

Parquet field descriptions, Dagster's column schema and `docs/tables.md` all come from here. A column is never removed
or retyped without raising `LAKE_SCHEMA`; a test holds a snapshot to make sure. Column names must need no quotes in
DuckDB, PostgreSQL or Polars SQL (`by` and `at` do, so a writer is `written_by` and times end in `_at`).

Times are microseconds in UTC. Measured values are always doubles: a whole-number file beside a double file would be
added up wrongly, without an error, by some readers.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from thermite_pipelines.tables import LAKE_SCHEMA as LAKE_SCHEMA

TIME = pa.timestamp("us", tz="UTC")
# Offsets of 64 bits: 10,000 archived pages in one block may pass 2 GiB, and a table must stay one chunk.
LONG_TEXT = pa.large_string()


@dataclass(frozen=True)
class Column:
    """One column: its name, Arrow type, what it means, whether it may be null, and whether its values repeat.

    `repeats` says that few different values fill the column, so that a dictionary pays; it changes no value.
    """

    name: str
    type: pa.DataType
    description: str
    nullable: bool = True
    repeats: bool = False


@dataclass(frozen=True)
class Table:
    """One table: its columns in order, the columns that sort its rows (unique together), and where its files lie."""

    name: str
    columns: tuple[Column, ...]
    sort: tuple[str, ...]
    description: str
    path: str = ""

    @cached_property
    def schema(self) -> pa.Schema:
        """The Arrow schema; each field carries its `description` as metadata, and there is no pandas metadata."""
        return pa.schema(
            pa.field(column.name, column.type, column.nullable, {"description": column.description})
            for column in self.columns
        )

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def column(self, name: str) -> Column:
        """The column of that name; raises `KeyError` where there is none."""
        return self._by_name[name]


def word(name: str, description: str, nullable: bool = True) -> Column:
    """A short text whose values repeat."""
    return Column(name, pa.string(), description, nullable, repeats=True)


def line(name: str, description: str, nullable: bool = True) -> Column:
    """A short text."""
    return Column(name, pa.string(), description, nullable)


def text(name: str, description: str, nullable: bool = True) -> Column:
    """A text that may be long."""
    return Column(name, LONG_TEXT, description, nullable)


def whole(name: str, description: str, nullable: bool = True, repeats: bool = False) -> Column:
    """A whole number."""
    return Column(name, pa.int64(), description, nullable, repeats)


def number(name: str, description: str) -> Column:
    """A measured value."""
    return Column(name, pa.float64(), description)


def flag(name: str, description: str) -> Column:
    """Yes or no."""
    return Column(name, pa.bool_(), description)


def time(name: str, description: str, nullable: bool = True, repeats: bool = False) -> Column:
    """A time in UTC."""
    return Column(name, TIME, description, nullable, repeats)


def _list(element: pa.DataType) -> pa.DataType:
    # Parquet calls the inner field `element`; the same name here makes a table read back with the very same schema.
    return pa.list_(pa.field("element", element))


def words(name: str, description: str) -> Column:
    """A list of short texts."""
    return Column(name, _list(pa.string()), description)


def structs(name: str, description: str, **fields: pa.DataType) -> Column:
    """A list of records."""
    return Column(name, _list(pa.struct([pa.field(key, value) for key, value in fields.items()])), description)


_EVENT_HEAD = (
    word("ledger", "The rig's ledger that the event belongs to.", nullable=False),
    whole("seq", "Number of the report that brought the event, within its ledger.", nullable=False, repeats=True),
    whole("n", "Number of the event within its ledger, from 1, without a hole.", nullable=False),
    line("id", "The rig's id of the event, unique within its report.", nullable=False),
    time("occurred_at", "When it happened, by the rig's clock.", nullable=False),
    word("run", "The run it is about; null for an event about the rig itself."),
    word("campaign", "The campaign that the rig believes in; control decides the folder from its own record."),
    word("type", "What happened: one of the event types of the report format.", nullable=False),
    word("written_by", "Who wrote it, as the harness knows it from how it arrived.", nullable=False),
    text("data", "The record, as JSON text; help and learning events are stored redacted.", nullable=False),
    word("report_sha256", "Hex SHA-256 of the payload of the signed report that brought it.", nullable=False),
    time("accepted_at", "When control accepted that report (from its receipt).", nullable=False, repeats=True),
)

EVENTS = Table(
    "events",
    _EVENT_HEAD,
    ("ledger", "n"),
    "Verified events: signed by the rig's key, in their chain, and true to the rules of their type.",
    "lake/events/rig=<rig>/<ledger>-<block>.parquet",
)
REJECTED_EVENTS = Table(
    "rejected_events",
    (
        *_EVENT_HEAD,
        word("reason", "The first rule that the event breaks, as a code of the report format.", nullable=False),
        line("detail", "What exactly is wrong, in words; never the text of the event."),
    ),
    ("ledger", "n"),
    "Events of accepted reports that break a rule of their type; judged again by a rebuild.",
    "lake/rejected_events/rig=<rig>/<ledger>-<block>.parquet",
)
UNKNOWN_EVENTS = Table(
    "unknown_events",
    _EVENT_HEAD,
    ("ledger", "n"),
    "Events of accepted reports whose type this version does not know; judged again by a rebuild.",
    "lake/unknown_events/rig=<rig>/<ledger>-<block>.parquet",
)

_ITEM_HEAD = (
    line("item", "`<kind>:<rig>/<run>/<record id>`; `<run>~<ledger>` where another ledger had that run first.", False),
    word("rig", "The rig it came from, as its key says.", nullable=False),
    word("ledger", "The rig's ledger it came from.", nullable=False),
    word("run", "The rig's own id of the run it came from.", nullable=False),
    word("written_by", "Who wrote its first event, as the harness knows it.", nullable=False),
    time("created_at", "When its first event happened.", nullable=False),
    time("updated_at", "When its last event happened.", nullable=False),
    whole("n", "Number of its first event in the ledger.", nullable=False),
    whole("updated_n", "Number of its last event in the ledger.", nullable=False),
    line("title", "What a person reads first.", nullable=False),
    text("text", "What a person reads, and what search and synthesis read; null where there is none."),
    word("about_kind", "Notes: the kind of record it is about (`run` where it names none); null for other kinds."),
    line("about", "Notes: the id of the record it is about (the run id where it names none); null for other kinds."),
)

_METRIC = word("metric", "Name of what was measured.")
_VALUE = number("value", "The measured value.")
_OWN: dict[str, tuple[str, tuple[Column, ...]]] = {
    "run": (
        "Runs: what was started, how, and how it ended.",
        (
            word("mode", "`research`, `hill_climb`, `goal` or `smoke`."),
            word("kit", "The kit it runs with."),
            line("contract", "The contract it works under."),
            words("flags", "Flags it was started with."),
            words("routes", "Model routes it may use."),
            word("planner_runtime", "What the planner runs in."),
            flag("teachers_open_fetch", "Whether its teachers may fetch any page (true where the rig did not say)."),
            flag("agents", "Whether agents take part (false: a try without agents)."),
            structs(
                "briefing",
                "The past research it was given at its start; `written_at` is RFC 3339, as the rig gave it.",
                item=pa.string(),
                kind=pa.string(),
                campaign=pa.string(),
                rig=pa.string(),
                run=pa.string(),
                written_by=pa.string(),
                written_at=pa.string(),
                text=pa.string(),
            ),
            word("outcome", "`completed`, `failed` or `stopped`; null while it is open."),
            text("summary", "What came of it, in the harness's words."),
            time("started_at", "When it started."),
            time("finished_at", "When it finished."),
        ),
    ),
    "trial": (
        "Trials: one session of an agent in a lane, and how it ended.",
        (
            word("lane", "The lane it ran in."),
            word("trial_kind", "`code` or `research`."),
            word("runtime", "The agent runtime: `opencode`, `claude_code`, `codex` or `pi`."),
            line("experiment", "The experiment it was started for."),
            word("agent", "Name of the session's agent (`worker` where the rig did not say)."),
            word("outcome", "`submitted`, `gave_up`, `failed` or `timed_out`; null while it runs."),
            text("reason", "Why it ended so."),
        ),
    ),
    "experiment": (
        "Experiments: what was tried, with its result.",
        (
            text("description", "What is to be tried."),
            line("from_item", "The item of past research it was copied from."),
            line("trial", "The trial that ran it."),
            word("status", "`improved`, `no_change`, `worse`, `failed` or `skipped`; null until it is finished."),
            _METRIC,
            _VALUE,
            word("unit", "Unit of `value` and `baseline`."),
            number("baseline", "What `value` is compared with."),
            text("summary", "What came of it."),
        ),
    ),
    "attempt": (
        "Attempts: what a trial handed in, with the judge's verdict.",
        (
            line("trial", "The trial that handed it in."),
            line("experiment", "The experiment it belongs to."),
            text("summary", "What was done, in the agent's words."),
            line("commit", "The commit that holds it."),
            word("verdict", "`accepted`, `rejected` or `invalid`; null until it is judged."),
            _METRIC,
            _VALUE,
            number("champion_value", "The best value before it."),
            text("reason", "The judge's reason."),
        ),
    ),
    "note": (
        "Field notes: what an agent learned. A run's journal is its notes in the order of `n`.",
        (word("note_kind", "`observation`, `decision`, `surprise`, `question`, `lesson` or `note`."),),
    ),
    "research_note": (
        "Research notes: what sources say.",
        (words("sources", "Ids of the sources it rests on."),),
    ),
    "document": (
        "Documents: text files that lanes wrote; one row holds the newest version.",
        (
            word("lane", "The lane that wrote the newest version."),
            whole("version", "How often it was written."),
            line("text_sha256", "Hex SHA-256 of the newest text."),
        ),
    ),
    "source": (
        "Sources: pages that were fetched, with the text that was read.",
        (
            line("url", "Where it was fetched."),
            word("media_type", "What the server called it."),
            line("text_sha256", "Hex SHA-256 of the archived text."),
            time("fetched_at", "When it was fetched."),
        ),
    ),
    "claim": (
        "Claims, with the exact quotes they rest on.",
        (
            structs(
                "quotes",
                "The quotes; `verified` says whether one stands word for word in the archived text of its source.",
                source=pa.string(),
                quote=pa.string(),
                verified=pa.bool_(),
            ),
        ),
    ),
    "hypothesis": (
        "Hypotheses of research runs, and what became of them.",
        (
            text("statement", "The hypothesis itself."),
            text("prediction", "What follows if it is true."),
            text("falsifier", "What would show that it is false."),
            word("outcome", "`confirmed`, `refuted` or `inconclusive`; null until it is resolved."),
            text("evidence", "What decided it."),
        ),
    ),
    "finding": (
        "Findings of research runs.",
        (
            words("claims", "Ids of the claims it rests on."),
            number("confidence", "How sure the writer is, 0 to 1."),
        ),
    ),
    "report": ("Reports of research runs, in Markdown.", ()),
}

ITEM_TABLES: dict[str, Table] = {
    kind: Table(
        kind,
        (*_ITEM_HEAD, *columns),
        # One run of one ledger has one item of a kind for an event number; the rest tells runs apart in larger tables.
        ("rig", "ledger", "run", "n", "item"),
        description,
        f"lake/folders/{kind}/campaign=<campaign>/<rig>-<16 hex>-<block>.parquet",
    )
    for kind, (description, columns) in _OWN.items()
}
"""The table of each of the twelve item kinds, by kind. `campaign` stands in the path alone."""

ITEM_COLUMNS: tuple[str, ...] = tuple(column.name for column in _ITEM_HEAD)
"""The columns that items of every kind have, in order; a kind's own follow."""

EVENT_TABLES: dict[str, Table] = {table.name: table for table in (EVENTS, REJECTED_EVENTS, UNKNOWN_EVENTS)}
"""The three tables of events, by name. `rig` stands in the path alone."""


def with_campaign(table: Table) -> Table:
    """The form of an item table in `lake/tables`: one sorted file, with `campaign` as its first column."""
    campaign = word("campaign", "The campaign whose folder holds the item.", nullable=False)
    return replace(
        table,
        columns=(campaign, *table.columns),
        sort=("campaign", *table.sort),
        path=f"lake/tables/{table.name}.parquet",
    )


WHOLE_TABLES: dict[str, Table] = {kind: with_campaign(table) for kind, table in ITEM_TABLES.items()}
"""The nightly tables of all campaigns, by kind."""
