"""Answers to reflect items: transitions that speak for a methodology, and, rarely, a new one."""

import json
from collections.abc import Iterable

from thermite_pipelines.synthesis.answers import ReflectAnswer
from thermite_pipelines.synthesis.gate.reading import decode, named, refusal
from thermite_pipelines.synthesis.gate.refs import malformed
from thermite_pipelines.synthesis.work import Item


def judge(item: Item, text: str) -> ReflectAnswer:
    """Decode and check an answer, however many methodologies it proposes. Raises `Refused`."""
    answer = decode(item, text, ReflectAnswer)
    transitions = {record["path"] for record in json.loads(item.facts)}
    problems = []
    for name, entries in (("reinforce", answer.reinforce), ("propose", answer.propose)):
        for place, entry in enumerate(entries):
            problems += _transitions(entry.transition_paths, transitions, f"{name}[{place}]")
    for place, one in enumerate(answer.reinforce):
        if not one.rationale.strip():
            problems.append(f"reinforce[{place}].rationale is empty")
    for place, proposal in enumerate(answer.propose):
        problems += malformed(proposal.refs, f"propose[{place}]")
    if problems:
        raise refusal(item, problems)
    return answer


def _transitions(paths: Iterable[str], transitions: set[str], place: str) -> list[str]:
    strangers = [path for path in dict.fromkeys(paths) if path not in transitions]
    return [f"{place}.transition_paths names {named(path)}, which is no transition of the item" for path in strangers]
