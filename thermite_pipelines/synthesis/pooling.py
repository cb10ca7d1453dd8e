"""Pooling: how many sources say what several facts say that become one.

They are those of the facts together, with two exceptions. A hypothesis is a conjecture and adds none. And what was
recorded once counts once, however many facts were made of it: an attempt is the judgement on an experiment, and a note
about an experiment tells what was seen there, so both have the record of that experiment, if it is one of their own
run. An importer makes all three of one row of a log.
"""

from collections.abc import Callable, Iterable, Mapping

from thermite_pipelines.synthesis.facts import Fact

Records = Mapping[str, int]
"""By record, the sources that it stands for; a record is what was seen or said once."""
RecordsOf = Callable[[Fact], Records]
"""The records that a fact stands for: its own, or those of all facts that it replaced."""
_OF_EXPERIMENTS = ("attempt", "note")


def record_of(fact: Fact) -> str:
    """The one record that a fact was made from: the experiment that its item is about, else its own source."""
    if fact.item is None:
        return fact.atom or fact.fact
    kind, run = _kind_and_run(fact.item)
    # What an item is about stands first among the references, before those that its words name.
    about = next(iter(fact.refs), "")
    return about if kind in _OF_EXPERIMENTS and _kind_and_run(about) == ("experiment", run) else fact.item


def records_of(fact: Fact) -> Records:
    """The record of a fact that replaced no other."""
    return {record_of(fact): fact.sources}


def pooled_records(name: str, facts: Iterable[Fact], records: RecordsOf = records_of) -> Records:
    """The records of the fact `name` that replaces others: all of theirs, or one of its own where these have none."""
    pool = _pool({}, facts, records)
    return pool if sum(pool.values()) else {name: 1}


def pooled_sources(facts: Iterable[Fact], records: RecordsOf = records_of) -> int:
    """The sources of a fact that replaces others, at least one."""
    return sum(pooled_records("", facts, records).values())


def absorbed_records(survivor: Fact, *losers: Fact, records: RecordsOf = records_of) -> Records:
    """The records of a fact that takes over others: its own, whatever it is, and those of the others."""
    return _pool(records(survivor), losers, records)


def _pool(own: Records, facts: Iterable[Fact], records: RecordsOf) -> Records:
    pool = dict(own)
    for fact in facts:
        if fact.type != "hypothesis":
            for record, sources in records(fact).items():
                pool[record] = max(sources, pool.get(record, 0))
    return pool


def _kind_and_run(item: str) -> tuple[str, str]:
    """Kind and run (with its rig) of an item's id; what is no item has an empty run."""
    kind, _, rest = item.partition(":")
    rig, _, rest = rest.partition("/")
    run, _, record = rest.partition("/")
    return kind, f"{rig}/{run}" if record else ""
