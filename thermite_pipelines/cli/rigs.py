"""`thermite rig`: rigs and their public keys, and a key file for a rig."""

from pathlib import Path
from typing import Annotated

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, print_table, say

RigName = Annotated[str, typer.Argument(metavar="RIG", help="Name of the rig.", show_default=False)]

rig = typer.Typer(help="Rigs and their keys.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(rig, name="rig")


@rig.command("add")
def add(
    name: RigName,
    public_key: Annotated[
        str, typer.Option("--public-key", metavar="HEX", help="Its Ed25519 public key, 64 hex digits.")
    ],
    json: Json = False,
) -> None:
    """Register a public key for a rig; a new rig is added. A rig may hold several keys."""
    from thermite_pipelines.control import audit, rigs
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.ledger.envelope import keyid_of

    home = open_home()
    with home.control.write() as connection:
        changed = rigs.add_key(connection, name, public_key, audit.whoami())
    keyid = keyid_of(bytes.fromhex(public_key))
    if json:
        print_json({"changed": changed, "rig": name, "keyid": keyid})
    else:
        say(f"{name} {'now holds' if changed else 'holds already'} the key {keyid}")
        say(f"its reports arrive in {clean(home.settings.inbox / name)}")


@rig.command("revoke")
def revoke(
    name: RigName,
    keyid: Annotated[str, typer.Argument(metavar="KEYID", help="The key's id, see `thermite rig list`.")],
    json: Json = False,
) -> None:
    """Revoke a key from now on: what was accepted stays, all else signed with it is quarantined."""
    from thermite_pipelines.control import audit, rigs
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.write() as connection:
        changed = rigs.revoke_key(connection, name, keyid.lower(), audit.whoami())
    if json:
        print_json({"changed": changed, "rig": name, "keyid": keyid.lower()})
    else:
        say(f"key {keyid.lower()} of {name} {'is revoked' if changed else 'was revoked before'}")


@rig.command("list")
def listing(json: Json = False) -> None:
    """List rigs: keys, how far their ledgers are, what waits and what is quarantined."""
    from thermite_pipelines.control import rigs
    from thermite_pipelines.knowledge.home import open_home

    with open_home().control.read() as connection:
        found = rigs.overview(connection)
    if json:
        print_json({"rigs": found})
        return
    rows = []
    for one in found:
        keys = [f"{key['keyid'][:16]}…{' (revoked)' if key['revoked_at'] else ''}" for key in one["keys"]]
        heads = [f"{head['ledger']}: report {head['seq']}, event {head['n']}" for head in one["heads"]]
        rows.append((one["rig"], ", ".join(keys), "; ".join(heads), one["waiting"], one["quarantined"]))
    print_table(
        ("rig", "keys", "ledgers", "waiting", "quarantined"), rows, "no rigs yet: add one with `thermite rig add`"
    )


@rig.command("keygen")
def keygen(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The key file (default: ./rig-key.hex).")
    ] = None,
    json: Json = False,
) -> None:
    """Make a key file for a rig: 64 hex digits, readable by its owner alone. An existing file is never overwritten."""
    from thermite_pipelines.rig import keys

    made = keys.generate(out)
    path = made.path.absolute()
    if json:
        print_json({"public_key": made.public_key_hex, "keyid": made.keyid, "file": str(path)})
    else:
        say(f"key file    {clean(path)} (keep it on the rig, and secret)")
        say(f"public key  {made.public_key_hex}")
        say(f"key id      {made.keyid}")
        say(f"register it with: thermite rig add RIG --public-key {made.public_key_hex}")
