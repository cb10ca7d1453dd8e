"""Knowledge bases outside: kits that can't be used as they are, and secrets that can't be opened."""

from collections.abc import Iterator

from thermite_pipelines.cli.diagnosis.finding import Finding, some
from thermite_pipelines.control.kits import all_kits
from thermite_pipelines.control.mcp_servers import open_server, servers
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home


def kits(home: Home) -> Iterator[Finding]:
    """Each kit can be read, and names servers that are there."""
    known, wrong = all_kits(home.settings.kits)
    for error in wrong:
        why = "runs of this kit can't be assigned, and help requests of theirs can't be answered"
        yield Finding("error", f"{error.where}: {error.what}", why, error.do)
    with home.control.read() as connection:
        there = {row["name"] for row in servers(connection)}
    for kit in known:
        missing = sorted(set(kit.servers) - there)
        if missing:
            what = f"kit {kit.name} names MCP servers that are not there: {some(missing)}"
            do = f"`thermite mcp add` them, or take them out of kits/{kit.name}.toml"
            yield Finding("warning", what, "its runs start without them", do)


def mcp_secrets(home: Home) -> Iterator[Finding]:
    """Each server's secret can be opened with control's key."""
    with home.control.read() as connection:
        for row in servers(connection):
            try:
                open_server(connection, home.settings, row["name"])
            except ThermiteError as error:
                why = "runs whose kit names it can't be assigned"
                yield Finding("error", f"{error.where}: {error.what}", why, error.do)
