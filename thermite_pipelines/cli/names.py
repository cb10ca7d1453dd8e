"""The names of all commands, as they are typed after `thermite`; see `safety/product_names.py`."""

from collections.abc import Iterator

import typer


def command_names() -> frozenset[str]:
    """Every command and every group of the live command line: `init`, `rig`, `rig add`, …"""
    from thermite_pipelines.cli.main import app  # here: the command line may be what imports this module

    return names_of(app)


def names_of(app: typer.Typer) -> frozenset[str]:
    """Every command and group of a typer app, groups' own names before those of their commands."""
    return frozenset(_names(typer.main.get_command(app), ()))


def _names(command: object, above: tuple[str, ...]) -> Iterator[str]:
    for name, inner in getattr(command, "commands", {}).items():
        path = (*above, name)
        yield " ".join(path)
        yield from _names(inner, path)
