"""Prompts in files of their own: Markdown with a front matter that gives the version.

A prompt lies in the package that asks with it. Raise its `version` with each change of its words: answers in the
cache and rows in the lake name it.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from thermite_pipelines.errors import ThermiteError

_FRONT = re.compile(r"\A---\n(.*?)\n---\n(.*)\Z", re.DOTALL)
_PLACE = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")


@dataclass(frozen=True)
class Prompt:
    """A prompt's words; places to fill are written `{{name}}`."""

    name: str
    version: int
    text: str

    @property
    def label(self) -> str:
        """Name and version, as `extract_atoms/1`."""
        return f"{self.name}/{self.version}"

    def fill(self, **values: str) -> str:
        """The text with every place filled. What is filled in is never searched for places itself.

        Raises `ThermiteError` for a place without a value or a value without a place.
        """
        places = set(_PLACE.findall(self.text))
        if places != set(values):
            odd = ", ".join(sorted(places ^ set(values)))
            raise ThermiteError(f"places and values differ: {odd}", where=f"prompt {self.label}")
        return _PLACE.sub(lambda found: values[found[1]], self.text)


@cache
def load_prompt(package: str, name: str) -> Prompt:
    """Read the prompt `<name>.md` of a package. Raises `ThermiteError` where it is absent or has no version."""
    where = f"prompt {name} of {package}"
    try:
        text = resources.files(package).joinpath(f"{name}.md").read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError):
        raise ThermiteError("no such prompt", where=where, do="install the package again") from None
    found = _FRONT.match(text)
    try:
        front = yaml.safe_load(found[1]) if found else None
    except yaml.YAMLError:
        front = None
    version = front.get("version") if isinstance(front, dict) else None
    if found is None or not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ThermiteError("its front matter gives no version from 1 on", where=where)
    return Prompt(name, version, found[2].strip())
