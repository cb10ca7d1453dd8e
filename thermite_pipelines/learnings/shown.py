"""Which learnings a run was shown, by the briefs that its rig reported."""

from sqlalchemy import select

from thermite_pipelines.control.channel_models import ChannelEvent
from thermite_pipelines.control.models import Run
from thermite_pipelines.control.rigs import require_rig
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import all_runs
from thermite_pipelines.names import check_run


def shown_to(home: Home, run: str, rig: str | None = None) -> list[str] | None:
    """The ids that the briefs given to a run listed, in the order in which they were first shown, in all its ledgers.

    None: its rig reported no brief of it, which is not the same as a brief that listed none.
    Raises `ThermiteError` where no rig, or more than one, has a run of that name in a folder.
    """
    check_run(run)
    with home.control.read() as connection:
        if rig is not None:
            require_rig(connection, rig)
        of_rig = [] if rig is None else [Run.rig == rig]
        found = [one for one in all_runs(connection, Run.run == run, *of_rig) if one.campaign is not None]
        rigs = sorted({one.rig for one in found})
        if not rigs:
            raise ThermiteError(f"no run {run} is in a folder", do="look at `thermite folders`")
        if len(rigs) > 1:
            raise ThermiteError(f"run {run} is on several rigs: {', '.join(rigs)}", do="name one with --rig")
        given = select(ChannelEvent.data).where(
            ChannelEvent.run_key.in_([one.run_key for one in found]), ChannelEvent.type == "brief_given"
        )
        briefs = connection.execute(given.order_by(ChannelEvent.at, ChannelEvent.n)).scalars().all()
        return list(dict.fromkeys(name for data in briefs for name in data["learnings"])) if briefs else None
