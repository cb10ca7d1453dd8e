"""Which agents of a run may search past research, and as whom an agent of a run speaks."""

from thermite_pipelines.control.tokens import Principal
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader

TEACHERS = ("teachers", "combiner")


def may_search(home: Home, principal: Principal) -> bool:
    """Whether an agent may search: teachers not where they may fetch any page, since they could carry research out.

    As long as nothing of the run is known, its teachers may fetch any page.
    """
    if principal.writer is None or principal.writer.partition(":")[0] not in TEACHERS:
        return True
    assert principal.campaign is not None
    rows = FolderReader(home.control, home.lake).rows(principal.campaign, ["run"], principal.run)
    fetch = [row["teachers_open_fetch"] for row in rows if row["rig"] == principal.rig]
    return bool(fetch) and not any(fetch)
