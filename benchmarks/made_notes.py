"""Notes as agents of research rigs write them, made up: many fields, each with its own words, numbers and names.

Every note is made of its number alone, so the same notes come each time. `said_again` says one in other words, `turned`
says nearly the same and means another thing.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

Dice = random.Random

# What each field works on, and what it measures.
_FIELDS: dict[str, tuple[str, str]] = {
    "training": ("warmup schedule, gradient clipping, weight decay, batch size, label smoothing", "loss in nats"),
    "attention": ("sliding window, rotary base, key cache, head count, softmax temperature", "ms a step"),
    "kernels": ("fused optimizer, tiled matmul, layer norm, gather kernel, autotuner", "GB a second"),
    "loading": ("shard reader, shuffle buffer, decoder pool, prefetch queue, page cache", "samples a second"),
    "tokenizing": ("byte fallback, merge table, vocabulary size, digit splitting, unicode folding", "bytes a token"),
    "retrieval": ("reranker, chunk overlap, inverted index, query expansion, embedding cache", "recall at ten"),
    "storage": ("compaction, bloom filter, write-ahead log, block checksum, snapshot reader", "MB a second"),
    "network": ("retry budget, connection pool, keep-alive timer, load balancer, circuit breaker", "failed calls"),
    "scheduling": ("preemption rule, gang scheduler, node quota, backfill queue, spot pool", "hours of waiting"),
    "compiling": ("loop unrolling, link-time optimizer, register allocator, inlining budget, cold cache", "seconds"),
    "chemistry": ("solvent ratio, catalyst load, stirring speed, drying step, crystal seeding", "percent of yield"),
    "cells": ("growth medium, passage number, serum lot, incubator humidity, freezing rate", "live cells"),
    "proteins": ("lysis buffer, column resin, elution gradient, refolding bath, tag cleavage", "mg a litre"),
    "imaging": ("exposure time, flat-field correction, lens heater, stage drift, pixel binning", "counts"),
    "climate": ("cloud scheme, ocean grid, aerosol forcing, snow albedo, spin-up period", "degrees of bias"),
    "traffic": ("signal timing, lane closure, bus priority, detour sign, speed camera", "vehicles an hour"),
    "radar": ("chirp slope, antenna spacing, clutter map, range gate, phase calibration", "dB of noise"),
    "batteries": ("electrolyte mix, charge rate, cell balancing, separator coating, rest period", "cycles"),
    "robotics": ("grip force, joint damping, camera mount, path planner, contact sensor", "failed grasps"),
    "markets": ("spread model, order size, holding period, fee estimate, volatility filter", "basis points"),
    "speech": ("noise mask, frame shift, speaker vector, beam width, silence trimming", "percent of wrong words"),
    "proofs": ("induction lemma, rewrite rule, proof cache, case split, tactic timeout", "open goals"),
    "games": ("reward shaping, replay buffer, opponent pool, exploration bonus, frame stacking", "points"),
    "printing": ("nozzle temperature, layer height, bed adhesion, cooling fan, infill pattern", "microns of error"),
}
_PLACES = [(field, thing, measure) for field, (things, measure) in _FIELDS.items() for thing in things.split(", ")]
_PARTS = ("lane", "host", "probe", "batch", "model", "config", "site", "rack")
_CHANGED = [("raised", "raise"), ("lowered", "lower"), ("widened", "widen"), ("improved", "improve"), ("hurt", "hurt")]
_LEADS = (
    "Changing the {thing} {changed} {measure}",
    "A second look at the {thing}: it {changed} {measure}",
    "With the new {thing} in place the {field} run {changed} {measure}",
    "The {thing} {changed} what we count as {measure}",
    "Our {field} test shows that the {thing} {changed} {measure}",
)
_AMOUNTS = (
    "from {first} to {second}",
    "by {first} percent over {second} repeats",
    "to {first}, measured {second} times",
    "by {first} against the baseline of {second}",
)
_WHERE = (
    "Seen on {name} with the defaults",
    "Only {name} shows this so far",
    "The same came out on {name} after a restart",
    "Measured on {name}, nothing else was touched",
)
_WHY = (
    "Most likely the old setting was tuned for a smaller load",
    "The cause seems to be that work piles up before the slowest part",
    "It fits what the paper predicts for long runs",
    "Nobody knows yet why, the logs hold no hint",
    "Half of it goes away when the machine is quiet",
    "The effect is gone once the warm start is left out",
    "That is more than the spread between seeds explains",
    "We would not build on it before someone repeats it",
)
_FILLERS = ("clearly", "again", "slightly", "reliably", "surprisingly")
_OTHER_WORDS = (
    ("Changing", "Replacing"),
    ("Most likely", "Probably"),
    ("The cause seems to be", "It seems to come from this"),
    ("Measured on", "Taken on"),
    ("Seen on", "Observed on"),
    ("shows that", "tells us that"),
    ("A second look at", "Looking once more at"),
    ("in place", "switched on"),
    ("what we count as", "our figure for"),
    ("Nobody knows yet why", "So far nobody can say why"),
    ("goes away", "vanishes"),
    ("The same came out", "The same was found"),
    ("so far", "until now"),
    ("fits", "agrees with"),
    ("is gone", "is no longer there"),
    ("build on", "rely on"),
    ("That is more", "This is more"),
)


@dataclass(frozen=True)
class Note:
    """A note as sentences without their full stops, and what of them can be edited."""

    sentences: tuple[str, ...]
    name: str
    filler: str
    changed: tuple[str, str]
    amount: tuple[int, int]

    @property
    def text(self) -> str:
        """What it says."""
        return ". ".join(self.sentences) + "."


def note(number: int) -> Note:
    """The note of a number."""
    dice = Dice(f"note {number}")
    field, thing, measure = dice.choice(_PLACES)
    name = f"{dice.choice(_PARTS)}-{dice.randrange(1, 60)}"
    changed, filler = dice.choice(_CHANGED), dice.choice(_FILLERS)
    amount = dice.randrange(2, 900), dice.randrange(900, 4_000)
    lead = dice.choice(_LEADS).format(thing=thing, field=field, measure=measure, changed=f"{filler} {changed[0]}")
    much = dice.choice(_AMOUNTS).format(first=amount[0], second=amount[1])
    rest = [dice.choice(_WHERE).format(name=name), *dice.sample(_WHY, dice.randrange(1, 3))]
    return Note((f"{lead} {much}", *rest), name, filler, changed, amount)


def _without_a_word(one: Note, _: Dice) -> str:
    return one.text.replace(f"{one.filler} ", "", 1)


def _in_another_order(one: Note, _: Dice) -> str:
    first, where, *why = one.sentences
    return replace(one, sentences=(where, first, *why)).text


def _in_other_letters(one: Note, dice: Dice) -> str:
    joined = one.text.replace(". ", dice.choice((" - ", "; ", "! "))).rstrip(".")
    return dice.choice((str.lower, str))(joined)


def _in_other_words(one: Note, _: Dice) -> str:
    text = one.text
    for word, other in _OTHER_WORDS:
        text = text.replace(word, other)
    return text


def _with_another_number(one: Note, dice: Dice) -> str:
    place = dice.randrange(2)
    return re.sub(rf"\b{one.amount[place]}\b", str(one.amount[place] + dice.randrange(1, 99)), one.text, count=1)


def _with_another_name(one: Note, dice: Dice) -> str:
    part, _, number = one.name.partition("-")
    return one.text.replace(one.name, f"{part}-{int(number) + dice.randrange(1, 30)}")


def _denied(one: Note, _: Dice) -> str:
    return one.text.replace(f"{one.filler} {one.changed[0]}", f"did not {one.filler} {one.changed[1]}")


Edit = Callable[[Note, Dice], str]
_SAME: dict[str, Edit] = {
    "a word dropped": _without_a_word,
    "sentences in another order": _in_another_order,
    "other punctuation or case": _in_other_letters,
    "other words": _in_other_words,
}
_DIFFERENT: dict[str, Edit] = {
    "another number": _with_another_number,
    "another name": _with_another_name,
    "denied": _denied,
}
SAME, DIFFERENT = tuple(_SAME), tuple(_DIFFERENT)


def said_again(one: Note, how: str, dice: Dice) -> str:
    """The note said again, in one of the ways of `SAME`."""
    return _SAME[how](one, dice)


def turned(one: Note, how: str, dice: Dice) -> str:
    """Nearly the note, but it means another thing: one of the ways of `DIFFERENT`."""
    return _DIFFERENT[how](one, dice)
