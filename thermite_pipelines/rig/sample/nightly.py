"""Campaign `nightly-checks`: one short run each night, whose agent learns what the shared card does meanwhile."""

from datetime import date, timedelta

from thermite_pipelines.rig.sample.story import Story, Told

CAMPAIGN = "nightly-checks"
TITLE = "Does the training code of the day still run on the shared card?"

NIGHTS = 22
_EVENING = date(2026, 10, 24)
_PROPOSED = {
    # Twenty briefs later nobody has found it again, so it has lapsed by the last night.
    1: ("Between two and three the scratch disk is scrubbed: loading the data takes four times as long.", "medium"),
    14: ("Where the card was busy until midnight it starts hot, and the first ten steps are 6 % slower.", "low"),
}
_LIFE = 20
_SECONDS = (61, 58, 240, 60, 59, 63, 57)


def checks(rig: str) -> list[Told]:
    """Runs `check-01` to `check-22` of a rig: each is briefed, trains for a minute and ends."""
    return [event for night in range(1, NIGHTS + 1) for event in _check(rig, night)]


def _check(rig: str, night: int) -> list[Told]:
    day = _EVENING + timedelta(days=night)
    story = Story(_run(night), CAMPAIGN, f"{day.isoformat()}T02:00:00Z", pace=1)
    story.tell("run_created", "harness", mode="smoke", title=f"Check of night {night}", agents=True, briefing=[])
    # A brief shows a learning from the night after it was proposed until it lapses.
    story.brief("worker", [f"{rig}/{_run(first)}/l1" for first in _PROPOSED if first < night <= first + _LIFE])
    if night in _PROPOSED:
        story.learn("l1", "lane-1", *_PROPOSED[night])
    seconds = _SECONDS[night % len(_SECONDS)]
    story.finish("completed", f"Thirty steps took {seconds} seconds, and the loss falls as it did.")
    return story.told


def _run(night: int) -> str:
    return f"check-{night:02}"
