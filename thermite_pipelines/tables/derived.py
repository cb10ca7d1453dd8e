"""The tables derived from what people said and from items: sessions to checkpoints, calls of models, and facts.

They lie below `lake/derived/<table>/campaign=<c>/`; `campaign` stands in the path alone.
"""

import pyarrow as pa

from thermite_pipelines.tables.schemas import Column, Table, flag, line, number, structs, text, time, whole, word, words


def _table(name: str, columns: tuple[Column, ...], sort: tuple[str, ...], description: str, file: str) -> Table:
    return Table(name, columns, sort, description, f"lake/derived/{name}/campaign=<campaign>/{file}.parquet")


_SESSION = line("session", "The session: its id, or `owner:<rig>/<run>` for the owner's messages to a run.", False)
_ORIGIN = (
    word("rig", "The rig whose signed report brought it; null for a transcript file."),
    word("ledger", "The rig's ledger; null for a transcript file."),
    word("run", "The rig's own id of the run; null for a transcript file."),
)
_MODEL = word("model", "Who extracted it: `rules`, or a language model; null for what people proposed.")
_PROMPT = word("prompt_version", "Name and version of the prompt or of the rules; null for what people proposed.")

SESSIONS = _table(
    "sessions",
    (
        _SESSION,
        word("tool", "`session_recorded`, `owner_message`, or the tool that wrote the transcript.", nullable=False),
        *_ORIGIN,
        line("transcript", "Path in the lake of the kept transcript file; null for signed events."),
        line("content_sha256", "Hex SHA-256 of what the session was read from.", nullable=False),
        line("established", "The session's day in UTC, `YYYY-MM-DD`.", nullable=False),
        word("dated_by", "What gave the day: `started_at`, `message` or `file`.", nullable=False),
        whole("messages", "Messages kept, of people and of agents.", nullable=False),
        whole("human_messages", "Messages that a person typed.", nullable=False),
        whole("skipped_lines", "Lines that could not be read.", nullable=False),
        whole("extracted_messages", "Human messages that atoms were taken from so far.", nullable=False),
    ),
    ("session",),
    "Sessions: conversations of people with agents, from signed reports and transcript files.",
    "sessions",
)
MESSAGES = _table(
    "messages",
    (
        _SESSION,
        whole("place", "Place of the message among the session's messages, from 0.", nullable=False),
        line("message", "The message's id, unique within its session.", nullable=False),
        time("said_at", "When it was said; null where nobody wrote that down."),
        text("text", "The person's words as they were recorded, at most 65,536 characters.", nullable=False),
        flag("is_cut", "Whether the text was longer."),
        word("before_role", "Who wrote the message before it: `human` or `assistant`."),
        text("before_text", "The message before it, at most 2,000 characters."),
        word("after_role", "Who wrote the message after it: `human` or `assistant`."),
        text("after_text", "The message after it, at most 2,000 characters."),
    ),
    ("session", "place"),
    "What people typed, each message with its neighbours: where the quotes of atoms stand.",
    "<16 hex>",
)
ATOMS = _table(
    "atoms",
    (
        line(
            "atom", "`atom:<campaign>/<16 hex of SHA-256 of the normalized statement>`, longer on a collision.", False
        ),
        word("type", "What the person did: one of the eight types of atoms.", nullable=False),
        text("statement", "The assertion, readable without the conversation.", nullable=False),
        words("domain", "What it is about: lower-case, hyphenated tags, at least one."),
        text("conditions", "When it holds, or `none stated`.", nullable=False),
        text("verbatim_quote", "The person's exact words; null for a gestalt and for a proposal without one."),
        flag("quote_checked", "Whether the quote was found character for character in the cited message."),
        text("wrong_assumption", "Corrections: what was wrongly assumed; null for other types."),
        text("why_confused", "Corrections: why one would assume it; null for other types."),
        line("established", "The day of the session it was first said in, `YYYY-MM-DD`, UTC.", nullable=False),
        word("confidence", "`stated`; readers call it `inferred` once it is older than 14 days.", nullable=False),
        flag("time_bound", "Whether it holds data that time changes: prices, dates, counts."),
        word("source", "`campaign`, `person:<name>` or `company`.", nullable=False),
        word("origin", "`extracted`, `proposed` or `grouped`.", nullable=False),
        line("session", "The session it was first said in; null for a proposal that names none."),
        line("message", "The message of that session which says it."),
        whole("place", "Place of that message in its session."),
        words("sessions", "Every session that says the same, in the order of their days."),
        *_ORIGIN,
        words("members", "Gestalts: the atoms it is composed of; empty for other types."),
        line("supersedes", "The atom that this one corrects or takes the place of."),
        line("superseded_by", "The atom that took its place; readers show the newest of a chain."),
        line("statement_sha256", "Hex SHA-256 of the normalized statement: what tells atoms apart.", nullable=False),
        _MODEL,
        _PROMPT,
    ),
    ("atom",),
    "Knowledge atoms: self-contained assertions of people, with their exact words.",
    "atoms",
)
INTENTS = _table(
    "intents",
    (
        _SESSION,
        whole("place", "Place of the message in its session.", nullable=False),
        line("message", "The message that says it.", nullable=False),
        line("intent", "What the person wanted done, in one line.", nullable=False),
        line("established", "The session's day in UTC, `YYYY-MM-DD`.", nullable=False),
        *_ORIGIN,
        _MODEL,
        _PROMPT,
    ),
    ("session", "place", "intent"),
    "Intents: what people wanted done.",
    "intents",
)
CHECKPOINTS = _table(
    "checkpoints",
    (
        whole("checkpoint", "Number of the checkpoint, from 1.", nullable=False),
        whole("sessions", "Sessions it covers: 10, or the remainder in the last.", nullable=False),
        line("first_session", "Its first session, by day then id.", nullable=False),
        line("last_session", "Its last session.", nullable=False),
        line("oldest_day", "Day of its oldest session.", nullable=False),
        line("newest_day", "Day of its newest session.", nullable=False),
        whole("age_range_days", "Days between the two.", nullable=False),
        whole("human_messages", "Messages that people typed in its sessions.", nullable=False),
        whole("atoms", "Atoms first said in its sessions.", nullable=False),
        whole("duplicates", "Statements of its sessions that were said before.", nullable=False),
        number("signal_to_noise", "Atoms a human message; null where there is none."),
        number("duplicate_rate", "Duplicates by all statements; null where there is none."),
        structs("types", "Atoms by type.", type=pa.string(), atoms=pa.int64()),
        structs("domains", "Atoms by domain tag.", domain=pa.string(), atoms=pa.int64()),
        structs("refused", "Candidates that a quality rule refused.", rule=pa.string(), candidates=pa.int64()),
        flag("is_final", "Whether it is the remainder: its figures change with the next sessions."),
    ),
    ("checkpoint",),
    "Checkpoints: the figures of every 10 sessions, and of the remainder.",
    "checkpoints",
)
MODEL_CALLS = _table(
    "model_calls",
    (
        whole("call", "Number of the question, over all campaigns.", nullable=False),
        time("asked_at", "When it was asked.", nullable=False),
        word("asset", "The asset that asked.", nullable=False),
        word("run", "The Dagster run that asked; null for a command that is none."),
        word("model", "The model that answered, or that was asked.", nullable=False),
        word("prompt_version", "Name and version of the prompt.", nullable=False),
        line("cache_key", "Hex SHA-256 of what was asked: the answer's name in `lake/model_cache`."),
        whole("tokens_in", "Tokens sent; null where nobody counted them."),
        whole("tokens_out", "Tokens of the answer; null where nobody counted them."),
        number("usd", "What it cost in USD; null where that is unknown."),
        whole("ms", "How long it took, in milliseconds.", nullable=False),
        whole("attempts", "Requests that were sent for it; 0 where the answer was cached.", nullable=False),
        flag("cached", "Whether the answer was cached: then nothing was asked, and it cost nothing."),
        word("outcome", "`answered`, `cached`, `repaired`, or why there is no answer.", nullable=False),
    ),
    ("call",),
    "Questions to language models: what they cost, and what came of them.",
    "<block>",
)

FACT_COLUMNS: tuple[Column, ...] = (
    line("fact", "`<campaign>/<12 hex of SHA-256 of its source's id>`, longer on a collision.", False),
    line("version", "16 hex digits over what it says, the first 8 of them over its words alone.", False),
    word("type", "`observation`, `principle`, `reference`, `hypothesis` … : what sort of thing it says.", False),
    word("kind", "`epistemic` (it says how things are) or `pragmatic` (what to do; never in synthesis).", False),
    line("title", "One line, at most 120 characters.", False),
    text("body", "What it says, in Markdown.", False),
    words("domain", "What it is about: tags in their one form, lower case with blanks."),
    words("entities", "Names that it is about: code, files, identifiers, metrics."),
    number("confidence", "How sure it is, 0 to 1."),
    whole("sources", "How many sources say so.", nullable=False),
    words("refs", "What it cites: facts, items, and addresses of pages."),
    word("origin", "`authored`, `distilled` or `discovered`.", nullable=False),
    number("evidence_weight", "What its sources weigh together, 0 to below 1; 0 for what was authored."),
    whole("depth", "Of a derived fact: the depth of the work item that wrote it; null for others."),
    line("item", "The item that it was made from; null where it was none."),
    line("atom", "The atom that it was made from; null where it was none."),
    word("rig", "The rig whose signed report brought its source; null where none did."),
    word("run", "The rig's own id of the run; null where there is none."),
    word("written_by", "Who wrote its source."),
    time("created_at", "When its source was written first."),
)
"""The columns that all tables of facts begin with."""
BASE_FACTS = _table(
    "base_facts",
    (
        *FACT_COLUMNS,
        word("made_from", "16 hex digits over the item or atom that it was made from.", nullable=False),
        line("retracted_by", "The observation, or the item, that took it back; null while it holds."),
        word("retracted_as", "Hypotheses: `confirmed` or `refuted`; null while it is open."),
        line("superseded_by", "The fact (or the atom that is no fact) that took its place; null while it holds."),
    ),
    ("fact",),
    "Base facts: a campaign's items and atoms as facts, before any decision on them.",
    "<rig>-<16 hex>-<block>",
)

_RETRACTED_BY = line("retracted_by", "What took it back: a decision, an item or another fact; null while it holds.")
_RETRACTED_AS = word("retracted_as", "Hypotheses that their own rig decided on: `confirmed` or `refuted`; else null.")
_SUPERSEDED_BY = line(
    "superseded_by", "The fact (or the atom that is no fact) that stands for it; null where none does."
)
_CHANGED_BY = words("changed_by", "The decisions that wrote it or took it back, in order; empty where none did.")
_ANSWERED_BY = "Who answered: `rules`, `model` or `agent`; `engine` where nobody was asked."
_ANSWERED_WITH = (
    word("model", "The language model that answered, or `rules`; null where none is known."),
    word("prompt_version", "Name and version of the prompt or of the rules; null where there was none."),
    line("cache_key", "Hex SHA-256 of what a model was asked: the answer's name in `lake/model_cache`; else null."),
)
_WRITTEN = (
    line("decision", "The decision that wrote it: `decision:<campaign>/<number>`; null for what an item says."),
    line("session", "The session of synthesis in which that was decided."),
    word("answered_by", _ANSWERED_BY),
    *_ANSWERED_WITH,
    time("decided_at", "When it was decided."),
)


def _derived(name: str, more: tuple[Column, ...], description: str) -> Table:
    return _table(name, (*FACT_COLUMNS, *more), ("fact",), description, name)


FACTS = _derived(
    "facts",
    (_RETRACTED_BY, _RETRACTED_AS, _SUPERSEDED_BY, _CHANGED_BY),
    "Facts after all decisions, without syntheses, methodologies and hypotheses. What was taken back keeps its row.",
)
SYNTHESES = _derived(
    "syntheses",
    (_RETRACTED_BY, _SUPERSEDED_BY, _CHANGED_BY, *_WRITTEN),
    "Syntheses: what several facts say together, at depth 0 of facts, deeper of other syntheses.",
)
METHODOLOGIES = _derived(
    "methodologies",
    (_RETRACTED_BY, _SUPERSEDED_BY, _CHANGED_BY, *_WRITTEN),
    "Methodologies: lessons on reasoning. The facts that cite one in `refs` are those that speak for it.",
)
HYPOTHESES = _derived(
    "hypotheses",
    (
        _RETRACTED_BY,
        _RETRACTED_AS,
        _SUPERSEDED_BY,
        _CHANGED_BY,
        *_WRITTEN,
        text("prediction", "What would be seen if it is so; null where the hypothesis was an item or has none."),
        text("falsifier", "What would prove it false; null where the hypothesis was an item or has none."),
    ),
    "Hypotheses: those that runs recorded, and those that synthesis made.",
)
DECISIONS = _table(
    "decisions",
    (
        line("decision", "`decision:<campaign>/<number>`.", False),
        whole("number", "Its place in the decision log, which counts over all campaigns.", nullable=False),
        time("decided_at", "When it was decided.", nullable=False),
        word("verb", "`keep`, `retract`, `update`, `merge`, `synthesize`, `reinforce`, `propose` … .", False),
        word("step", "The kind of work that led to it: `dedup`, `prune`, `distill`, `reflect` … .", False),
        whole("work_item", "Number of the work item that was answered; null for what was decided while planning."),
        line("session", "The session of synthesis.", False),
        word("answered_by", _ANSWERED_BY, False),
        *_ANSWERED_WITH,
        line("about", "The fact that it is about: the first of `inputs`.", False),
        structs(
            "inputs", "The facts that it rests on, each in its version then.", fact=pa.string(), version=pa.string()
        ),
        text(
            "output",
            "What it writes, as JSON: `fact` whole, and what goes with the verb; `{}` where it does not apply.",
            False,
        ),
        flag("applies", "Whether it still does something: all facts that it rests on are what they were."),
        text("why_not", "Why it doesn't apply any more; null where it does."),
    ),
    ("number",),
    "Decisions: all that answers did to facts, those that no longer apply too. The tables of facts are made of these.",
    "<block>",
)

SYNTHESIS_TABLES: dict[str, Table] = {
    table.name: table for table in (BASE_FACTS, FACTS, SYNTHESES, METHODOLOGIES, HYPOTHESES, DECISIONS)
}
"""The derived tables of facts, by name."""
DERIVED_TABLES: dict[str, Table] = {
    table.name: table for table in (SESSIONS, MESSAGES, ATOMS, INTENTS, CHECKPOINTS, MODEL_CALLS)
} | SYNTHESIS_TABLES
"""The derived tables, by name."""
