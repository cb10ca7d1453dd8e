"""Whether a rig's event tables are what its accepted reports gave."""

from sqlalchemy import func, select

from thermite_pipelines.control.db import Control
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import Receipt, RigState
from thermite_pipelines.tables.lake import Lake


def events_agree(control: Control, lake: Lake, rig: str) -> bool:
    """Whether a rig's event files are what was written, and each accepted report's events are all in one of them."""
    if LakeFiles(control, lake, f"rig:{rig}").damaged(thorough=True):
        return False
    with control.read() as connection:
        query = select(func.coalesce(func.sum(Receipt.events), 0), func.max(Receipt.accepted_number))
        due, newest = connection.execute(query.where(Receipt.rig == rig, Receipt.outcome == "accepted")).one()
        state = connection.execute(select(RigState).where(RigState.rig == rig)).first()
    if state is None:
        return due == 0
    return state.events_through == newest and state.verified + state.rejected + state.unknown == due
