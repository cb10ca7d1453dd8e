"""Prompts in files of their own: Markdown with a version in front, and placeholders that must all be filled."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from thermite_pipelines.errors import ThermiteError

_FRONT_MATTER = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}", re.ASCII)


@dataclass(frozen=True)
class Prompt:
    """A text with `{{name}}` where something is to be put in."""

    name: str
    version: int
    text: str

    @property
    def label(self) -> str:
        """Name and version as the table of calls has them: `extract_atoms/1`."""
        return f"{self.name}/{self.version}"

    @property
    def placeholders(self) -> frozenset[str]:
        """The names to fill."""
        return frozenset(_PLACEHOLDER.findall(self.text))

    def fill(self, **values: str) -> str:
        """The text with every placeholder replaced; what a value holds is never looked at again.

        Raises `ThermiteError` for a placeholder without a value or a value without a placeholder.
        """
        if wrong := sorted(self.placeholders ^ values.keys()):
            raise ThermiteError(
                "values and placeholders do not match: " + ", ".join(wrong), where=f"prompt {self.label}"
            )
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self.text)


@cache
def load_prompt(package: str, name: str) -> Prompt:
    """The prompt in `<name>.md` of a package's folder `prompts`, or of the package itself.

    The file begins with YAML front matter that holds `version: N`. Raises `ThermiteError` where there is no such file
    or no version in it.
    """
    places = [files(package) / "prompts" / f"{name}.md", files(package) / f"{name}.md"]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ThermiteError("there is no such prompt", where=f"{package}: {name}.md")
    match = _FRONT_MATTER.fullmatch(found.read_text(encoding="utf-8").replace("\r\n", "\n"))
    try:
        front = yaml.safe_load(match[1]) if match else None
    except yaml.YAMLError:
        front = None
    version = front.get("version") if isinstance(front, dict) else None
    if match is None or isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ThermiteError("the prompt has no `version: N` in front of it", where=f"{package}: {name}.md")
    return Prompt(name, version, match[2].strip())
