"""Campaigns, grants between them, which campaign a run belongs to, and the audit log."""

from typing import Annotated

import typer

from thermite_pipelines.cli.options import By, Json, check_by, parse_since
from thermite_pipelines.cli.output import clean, print_json, print_table, say, warn

CampaignName = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Name of the campaign.", show_default=False)]
Reader = Annotated[str, typer.Argument(metavar="READER", help="The campaign that reads.", show_default=False)]
Source = Annotated[str, typer.Argument(metavar="SOURCE", help="The campaign whose folder it is.", show_default=False)]
RigOption = Annotated[str, typer.Option("--rig", metavar="RIG", help="The rig that has, or will have, the run.")]
RunOption = Annotated[str, typer.Option("--run", metavar="RUN", help="The run; it need not have been seen yet.")]
CampaignOption = Annotated[str, typer.Option("--campaign", metavar="CAMPAIGN", help="The campaign it belongs to.")]
Brief = Annotated[
    list[str] | None,
    typer.Option(
        "--brief", metavar="ITEM", help="An item for the briefing, or an experiment for the queue; repeat it."
    ),
]
NoAgents = Annotated[bool, typer.Option("--no-agents", help="The run has no agents, so it takes no briefing.")]

campaign = typer.Typer(help="Campaigns: each has a folder of knowledge.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(campaign, name="campaign")
    app.command()(assign)
    app.command()(grant)
    app.command()(revoke)
    app.command()(grants)
    app.command("audit")(audit_log)


@campaign.command("add")
def add(
    name: CampaignName,
    title: Annotated[str | None, typer.Option("--title", metavar="T", help="What it is about.")] = None,
    json: Json = False,
) -> None:
    """Add a campaign, or give it another title."""
    from thermite_pipelines.control import audit, campaigns
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.write() as connection:
        changed = campaigns.add_campaign(connection, name, title, audit.whoami())
        stored = next(row for row in campaigns.campaigns(connection) if row["campaign"] == name)
    if json:
        print_json({"changed": changed, **stored})
    else:
        say(f"campaign {name} {'is added or retitled' if changed else 'is there already'}")


@campaign.command("list")
def listing(json: Json = False) -> None:
    """List campaigns."""
    from thermite_pipelines.control import campaigns
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.read() as connection:
        found = campaigns.campaigns(connection)
    if json:
        print_json({"campaigns": found})
    else:
        rows = [(row["campaign"], row["title"]) for row in found]
        print_table(("campaign", "title"), rows, "no campaigns yet: add one with `thermite campaign add`")


def assign(
    rig: RigOption,
    run: RunOption,
    campaign: CampaignOption,
    brief: Brief = None,
    no_agents: NoAgents = False,
    kit: Annotated[str | None, typer.Option("--kit", metavar="K", help="The kit it runs with.")] = None,
    flag: Annotated[list[str] | None, typer.Option("--flag", metavar="F", help="A flag; repeat it.")] = None,
    route: Annotated[list[str] | None, typer.Option("--route", metavar="R", help="A model route; repeat it.")] = None,
    move: Annotated[bool, typer.Option("--move", help="Move a run that is assigned to another campaign.")] = False,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who decides (default: the user).")] = None,
    json: Json = False,
) -> None:
    """Say which campaign a run on a rig belongs to, and sign the command that tells the rig.

    The first time also fixes the run's briefing and queue: later calls can't change them.
    """
    from thermite_pipelines.control.audit import whoami
    from thermite_pipelines.knowledge.briefing import assign_run
    from thermite_pipelines.knowledge.home import open_home

    done = assign_run(
        open_home(),
        rig,
        run,
        campaign,
        by=whoami() if by is None else check_by(by),
        picks=brief or (),
        agents=not no_agents,
        kit=kit,
        flags=flag or (),
        routes=route or (),
        move=move,
    )
    for notice in done.notices:
        warn(f"note: {notice}")
    if json:
        print_json({"rig": rig, "run": run, "campaign": campaign, "command": done.command, "changed": done.changed})
        return
    say(f"run {run} of {rig} {'now belongs' if done.changed else 'belongs already'} to {campaign}")
    say(f"the signed command is {clean(done.command)}")


def grant(reader: Reader, source: Source, by: By, json: Json = False) -> None:
    """Let campaign READER read the folder of campaign SOURCE."""
    from thermite_pipelines.control import campaigns
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.write() as connection:
        changed = campaigns.grant(connection, reader, source, check_by(by))
    if json:
        print_json({"changed": changed, "reader": reader, "source": source})
    else:
        say(f"{reader} {'may now read' if changed else 'may already read'} {source}")


def revoke(reader: Reader, source: Source, by: By, json: Json = False) -> None:
    """Take a grant back; the next sync empties SOURCE's part in READER's runs."""
    from thermite_pipelines.control import campaigns
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.write() as connection:
        changed = campaigns.revoke(connection, reader, source, check_by(by))
    if json:
        print_json({"changed": changed, "reader": reader, "source": source})
    else:
        say(f"{reader} {'may no longer read' if changed else 'could not read'} {source}")


def grants(json: Json = False) -> None:
    """List grants: which campaign may read which folder, who granted it and when."""
    from thermite_pipelines.control import campaigns
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.read() as connection:
        found = campaigns.grants(connection)
    if json:
        print_json({"grants": found})
    else:
        rows = [(row["reader"], row["source"], row["by"], row["at"]) for row in found]
        print_table(("reader", "source", "by", "at"), rows, "no grants: each campaign reads its own folder alone")


def audit_log(
    since: Annotated[str | None, typer.Option("--since", metavar="T", help="Only from this time on.")] = None,
    json: Json = False,
) -> None:
    """List what people changed: when, who, what and from where."""
    from thermite_pipelines.control import audit
    from thermite_pipelines.knowledge.home import open_home

    start = parse_since(since)
    with open_home().control.read() as connection:
        found = audit.entries(connection, start)
    if json:
        print_json({"entries": found})
        return
    rows = []
    for entry in found:
        detail = ", ".join(f"{name}: {value}" for name, value in entry["detail"].items())
        rows.append((entry["at"], entry["by"], entry["action"], entry["subject"], detail))
    print_table(("at", "by", "action", "subject", "detail"), rows)
