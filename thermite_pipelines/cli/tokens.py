"""`thermite token`: who may ask the service for what."""

from typing import Annotated, Literal

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, print_table, say

Role = Literal["owner", "operator", "reader", "agent", "advisor", "rig"]

token = typer.Typer(help="Tokens of the service: for people, agents of a run, and rigs.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(token, name="token")


@token.command("add")
def add(
    role: Annotated[Role, typer.Option("--role", help="Whom it is for.")],
    rig: Annotated[
        str | None, typer.Option("--rig", metavar="R", help="The rig, for roles rig, agent and advisor.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="The run, for roles agent and advisor.")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="WRITER", help="Which agent of the run: lane-1, planner, teachers:NAME …"),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Who holds it, as the audit log is to say.")
    ] = None,
    json: Json = False,
) -> None:
    """Make a token. It is shown this once: control keeps its hash alone."""
    from thermite_pipelines.control import audit, tokens
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.write() as connection:
        made = tokens.add_token(connection, role, audit.whoami(), name=name, rig=rig, run=run, writer=agent)
    if json:
        fields = ("id", "role", "name", "rig", "run", "prefix")
        shown = {field: getattr(made, field) for field in fields} | {"agent": made.writer}
        print_json({"changed": True, "token": made.secret} | shown)
        return
    say(f"token  {made.secret}")
    say(f"id     {made.id} (of {clean(made.name)}; to take it back: thermite token revoke {made.id})")
    say("It is shown this once; send it as `Authorization: Bearer …`.")


@token.command("list")
def listing(json: Json = False) -> None:
    """List tokens: whom each is for, how it begins, and whether it was revoked."""
    from thermite_pipelines.control import tokens
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.read() as connection:
        found = tokens.tokens(connection)
    if json:
        print_json({"tokens": found})
        return
    columns = ("id", "role", "name", "rig", "run", "agent", "prefix", "by", "added_at", "revoked_at")
    shown = ([row[column] for column in columns] for row in found)
    print_table(columns, shown, "no tokens yet: make one with `thermite token add`")


@token.command("revoke")
def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its id, see `thermite token list`.", show_default=False)],
    json: Json = False,
) -> None:
    """Revoke a token: from the next request on it does not count."""
    from thermite_pipelines.control import audit, tokens
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.write() as connection:
        changed = tokens.revoke_token(connection, id, audit.whoami())
    if json:
        print_json({"changed": changed, "id": id})
    else:
        say(f"token {clean(id)} {'is revoked' if changed else 'was revoked before'}")
