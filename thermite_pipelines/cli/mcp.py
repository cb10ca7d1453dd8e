"""`thermite mcp`: knowledge bases outside, which runs reach as ordinary MCP servers."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from thermite_pipelines.cli.options import Json, check_by
from thermite_pipelines.cli.output import clean, print_json, print_table, say, warn
from thermite_pipelines.errors import ThermiteError, UsageError

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the server is called in kits.", show_default=False)]
ByOrUser = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who decides (default: the user).")]

_LARGEST_SECRET = 8192

mcp = typer.Typer(help="Knowledge bases outside: MCP servers for the runs whose kit names them.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(mcp, name="mcp")


@mcp.command("add")
def add(
    name: Name,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Its address: https, or http on loopback.")],
    secret_file: Annotated[
        Path | None,
        typer.Option("--secret-file", metavar="FILE", help="A file with the secret, instead of being asked for it."),
    ] = None,
    by: ByOrUser = None,
    json: Json = False,
) -> None:
    """Add a server, or give one that is there another URL or secret.

    The secret is asked for on a terminal, and read from standard input elsewhere. It is kept sealed and never shown.
    """
    from thermite_pipelines.control import audit, mcp_servers
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.names import check_name

    who = audit.whoami() if by is None else check_by(by)
    home = open_home()
    # Before the secret is asked for.
    check_name("MCP server", name)
    mcp_servers.check_url(url)
    secret = _read_secret(secret_file)
    with home.control.write() as connection:
        changed = mcp_servers.add_server(connection, home.settings, name, url, secret, who)
    if json:
        print_json({"changed": changed, "name": name, "url": url})
        return
    say(f"MCP server {name} {'is added or changed' if changed else 'is there already'}")
    if changed:
        say("Commands that are made from now on carry it, for runs whose kit names it.")


@mcp.command("list")
def listing(json: Json = False) -> None:
    """List servers and the kits that name them; no secrets."""
    from thermite_pipelines.control import kits, mcp_servers
    from thermite_pipelines.knowledge.home import open_home

    home = open_home()
    with home.control.read() as connection:
        found = mcp_servers.servers(connection)
    known, wrong = kits.all_kits(home.settings.kits)
    for error in wrong:
        warn(f"warning: {error}")
    for row in found:
        row["kits"] = [
            {"kit": kit.name, "roles": kit.servers[row["name"]]} for kit in known if row["name"] in kit.servers
        ]
    if json:
        print_json({"servers": found})
        return
    columns = ("name", "url", "kits", "by", "added_at", "changed_at")
    shown = [row | {"kits": ", ".join(kit["kit"] for kit in row["kits"])} for row in found]
    rows = ([row[column] for column in columns] for row in shown)
    print_table(columns, rows, "no outside servers yet: add one with `thermite mcp add`")


@mcp.command("remove")
def remove(name: Name, by: ByOrUser = None, json: Json = False) -> None:
    """Remove a server with its secret: commands that are made from now on carry it no more."""
    from thermite_pipelines.control import audit, mcp_servers
    from thermite_pipelines.knowledge.home import open_home

    who = audit.whoami() if by is None else check_by(by)
    with open_home().control.write() as connection:
        changed = mcp_servers.remove_server(connection, name, who)
    if json:
        print_json({"changed": changed, "name": name})
        return
    say(f"MCP server {name} {'is removed' if changed else 'is not there'}")
    if changed:
        say("Rigs keep what they were handed: change the secret at the server itself, too.")


@mcp.command("migrate")
def migrate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The old settings, TOML or JSON.", show_default=False)],
    by: ByOrUser = None,
    json: Json = False,
) -> None:
    """Make MCP servers of old settings with a writer and a reader, and take those settings out of the file."""
    from thermite_pipelines.control import audit, mcp_migration
    from thermite_pipelines.knowledge.home import open_home

    who = audit.whoami() if by is None else check_by(by)
    home = open_home()
    old = mcp_migration.read_old_settings(file)
    with home.control.write() as connection:
        added = mcp_migration.store(connection, home.settings, old, who)
    cleaned = mcp_migration.take_out(file, old)
    if json:
        rows = [
            {"name": one.name, "role": one.role, "url": one.url, "added": added[one.name], "pages": one.pages}
            for one in old.servers
        ]
        print_json({"changed": cleaned or any(added.values()), "servers": rows, "grants_dropped": old.grants})
        return
    for one in old.servers:
        say(f"{one.role}: MCP server {one.name} {'is added' if added[one.name] else 'is there already'}")
        say(f"    {one.pages} pages that it names stay where they are")
    if not cleaned:
        say(f"{clean(file)} has no settings of an outside knowledge base (any more)")
        return
    say(f"{clean(file)} holds them no more: copying has stopped, {old.grants} grants are gone")
    say("Runs are handed these servers once a kit names them: see `thermite mcp list`.")


def _read_secret(path: Path | None) -> str:
    """The secret: from a file, typed unseen on a terminal, or standard input; the line end is no part of it."""
    if path is not None:
        return _decoded(_read_file(path))
    if sys.stdin is None:  # closed
        return ""
    if not sys.stdin.isatty():
        return _decoded(sys.stdin.buffer.read(_LARGEST_SECRET))
    from getpass import getpass

    try:
        return getpass("secret (not shown): ").strip()
    except EOFError:
        return ""


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_LARGEST_SECRET)
    except OSError as error:
        do = "give the path of a file that holds the secret alone"
        raise ThermiteError(f"the secret can't be read ({error.strerror})", where=str(path), do=do) from None


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("ascii").strip()
    except UnicodeDecodeError:
        raise UsageError("the secret is no visible ASCII", do="give it on one line") from None
