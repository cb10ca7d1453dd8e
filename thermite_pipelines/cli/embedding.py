"""`thermite embed`: which cosines count as alike for the embedding model of the settings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import print_json, print_table, say
from thermite_pipelines.errors import ThermiteError

if TYPE_CHECKING:
    from thermite_pipelines.embeddings.calibration import Calibrated
    from thermite_pipelines.embeddings.corpus import Sample

embed = typer.Typer(help="The embedding model: how near two texts are, and how near counts as alike.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(embed, name="embed")


@embed.callback()
def _group() -> None:
    """A group, though it has one command only."""


@embed.command()
def calibrate(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Facts as JSON lines (title, body, domain), instead of those that ship."),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Keep the thresholds in the lake, for this model.")] = False,
    json: Json = False,
) -> None:
    """Measure cosines over facts and labelled pairs, and find the model's thresholds."""
    import json as json_text
    from dataclasses import asdict

    from thermite_pipelines.embeddings import calibration, corpus, embedder, local, thresholds
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.settings import load_settings
    from thermite_pipelines.tables.lake import Lake

    settings = load_settings()
    lake = open_home(settings).lake if write else Lake(settings.lake)
    model = embedder.embedder_of(settings, lake)
    reference = local.UniversalSentenceEncoder(thresholds.thresholds_of(embedder.BUILT_IN))
    facts = corpus.built_in() if file is None else _facts(file)
    found = calibration.calibrate(model, reference, facts, corpus.labelled_pairs())
    path = thresholds.calibration_path(found.model)
    if write:
        if not found.sanity.ok:
            raise ThermiteError(
                f"Dedup would be {found.sanity.dedup}, but must lie between {found.sanity.doc_doc_same_p99}, where"
                f" different facts end, and {found.sanity.near_dup_p5}, where near copies begin; nothing was written",
                do="calibrate on more facts, or use another model",
            )
        lake.put(path, (json_text.dumps(found.held(), indent=1) + "\n").encode())
    written = lake.address(path) if write else None
    if json:
        checked = asdict(found.sanity) | {"ok": found.sanity.ok}
        more = {"cuts": [asdict(cut) for cut in found.cuts], "sanity": checked, "written": written}
        print_json(found.held() | more)
        return
    _print(found, written)


def _facts(file: Path) -> "list[Sample]":
    from thermite_pipelines.embeddings.corpus import samples

    try:
        return samples(file.read_text(encoding="utf-8").splitlines(), str(file))
    except UnicodeDecodeError:
        raise ThermiteError("this is no UTF-8 text", where=str(file), do="give facts as JSON lines") from None


def _print(found: "Calibrated", written: str | None) -> None:
    say(f"{found.model}: {found.dimension} dimensions, {found.facts} facts, {found.pairs} labelled pairs")
    say()
    shown = {name: one.shown() for name, one in found.distributions.items()}
    percents = list(next(iter(shown.values())))
    print_table(["cosines of", *percents], [[name, *_numbers(list(values.values()))] for name, values in shown.items()])
    say()
    print_table(
        ["merged above", "recall", "precision", "merged wrongly", "only words tell"],
        [[*_numbers([cut.threshold, cut.recall, cut.precision]), cut.merged_wrongly, cut.beyond] for cut in found.cuts],
    )
    say()
    print_table(["threshold", "cosine"], [[name, f"{value:.2f}"] for name, value in vars(found.thresholds).items()])
    say()
    rule = found.sanity
    state = "lies" if rule.ok else "does NOT lie"
    say(f"Dedup {rule.dedup:.2f} {state} between {rule.doc_doc_same_p99:.2f}, where different facts of one domain end,")
    say(f"and {rule.near_dup_p5:.2f}, where near copies begin.")
    say(f"written to {written}" if written else "Nothing was written; --write keeps the thresholds in the lake.")


def _numbers(values: list[Any]) -> list[str]:
    return ["" if value is None else f"{value:.3f}" for value in values]
