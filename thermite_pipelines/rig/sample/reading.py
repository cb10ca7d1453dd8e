"""Campaign `optimizer-reading`: what is written about optimisers for short training runs."""

from thermite_pipelines.rig.sample.story import Story, Told

CAMPAIGN = "optimizer-reading"
TITLE = "What is known about optimisers for very short training runs"

_BUDGETS = """Training on a short budget: field report

We trained the same network for five, twenty and sixty minutes with each setting. For the five-minute runs a beta2 of
0.90 gave a lower loss than 0.95 in eleven of twelve pairs. At sixty minutes the difference was gone.

Warm-up did not pay below two thousand steps. We did not test models above one hundred million parameters.
"""
_DECAY = """Weight decay and the number of passes over the data

When every token is seen once, the best weight decay we found was half of what the same network wanted for four passes.
The curve is flat: anything between 0.05 and 0.12 was within noise.
"""
_SCHEDULES = """Schedules compared

A linear fall to zero over the last half of training was never more than 0.002 worse than the best schedule of its
length, and it has one parameter. Cosine schedules needed to know the length in advance to be as good.
"""

_LIST_1 = "# Reading list\n\n1. Training on a short budget: field report\n2. Weight decay and the number of passes\n"
_LIST_2 = _LIST_1 + "3. Schedules compared\n\nRead twice: the first, since it has our budget.\n"
_OPEN = (
    "# Open questions\n\n- Is the beta2 effect there with fewer layers?\n- Does a schedule to zero need a warm-up?\n"
)

_REPORT = """## Question

Which optimiser settings should differ when training lasts five minutes instead of hours?

## Answer

1. **A shorter second-moment memory.** With a beta2 of 0.90 five-minute runs end lower; after an hour it is gone.
2. **Half the weight decay**, where every token is seen once.
3. **No warm-up** below two thousand steps.

A linear fall to zero is a safe schedule. The expectation that cosine schedules are better was not borne out.

## How sure

The first point rests on one report with twelve pairs, and was then seen by `climb-1` of another campaign. The second is
from one report, whose curve is flat.
"""


def survey() -> list[Told]:
    """Run `survey-1`: sources, claims with quotes, hypotheses, findings and a report."""
    story = Story("survey-1", CAMPAIGN, "2026-11-02T10:00:00Z", pace=5)
    story.create("research", "Optimisers for five minutes", teachers_open_fetch=False, planner_runtime="claude_code")
    story.round("r1", "plan", "two lanes: optimisers, schedules")
    _read_optimisers(story)
    _read_decay(story)
    _read_schedules(story)
    _write_down(story)
    _conclude(story)
    story.finish("completed", "Three sources, two findings; one expectation was refuted.")
    return story.told


def _read_optimisers(story: Story) -> None:
    story.trial("t1", 1, "claude_code", kind="research")
    story.tell(
        "hypothesis_recorded",
        "lane-1",
        hypothesis="h1",
        text="Short runs want a shorter memory of squared gradients.",
        prediction="A beta2 of 0.90 ends lower than 0.95 within five minutes.",
        falsifier="No difference, or a higher loss, over several seeds.",
    )
    story.source(
        "s1", "https://example.org/short-budget", "Training on a short budget: field report", _BUDGETS, by="lane-1"
    )
    story.document("lane-1/reading-list.md", 1, _LIST_1)
    story.claim(
        "c1",
        "lane-1",
        "In five-minute runs a beta2 of 0.90 was better than 0.95 in nearly all pairs.",
        ("s1", "0.90 gave a lower loss than 0.95 in eleven of twelve pairs"),
    )
    story.claim(
        "c2", "lane-1", "The effect is gone after an hour.", ("s1", "At sixty minutes the difference was gone.")
    )
    story.claim(
        "c3", "lane-1", "Warm-up does not pay in short runs.", ("s1", "Warm-up did not pay below two thousand steps.")
    )
    story.tell(
        "research_note",
        "lane-1",
        note="rn1",
        text="The report says nothing about how seeds were chosen.",
        sources=["s1"],
    )


def _read_decay(story: Story) -> None:
    story.source(
        "s2", "https://example.org/decay-and-passes", "Weight decay and the number of passes", _DECAY, by="lane-1"
    )
    story.claim(
        "c4",
        "lane-1",
        "With one pass over the data half the weight decay is enough.",
        ("s2", "the best weight decay we found was half of what the same network wanted for four passes"),
    )
    story.note(
        "n1", "observation", "lane-1", "The curve of s2 is flat: values in its middle are all alike.", ("source", "s2")
    )
    story.end_trial("t1", "submitted")


def _read_schedules(story: Story) -> None:
    story.trial("t2", 2, "pi", kind="research")
    story.tell(
        "hypothesis_recorded",
        "lane-2",
        hypothesis="h2",
        text="Cosine schedules are better than linear ones for short runs.",
        prediction="A gap above 0.002 at equal length.",
        falsifier="Linear schedules within 0.002.",
    )
    story.source("s3", "https://example.org/schedules-compared", "Schedules compared", _SCHEDULES, by="lane-2")
    # On purpose the figure is not the source's: the quote is kept, and marked as not verified.
    story.claim(
        "c5",
        "lane-2",
        "A linear fall to zero is nearly as good as the best.",
        ("s3", "was never more than 0.020 worse"),
    )
    story.claim(
        "c6",
        "lane-2",
        "A cosine schedule must know its length in advance.",
        ("s3", "Cosine schedules needed to know the length in advance to be as good."),
    )


def _write_down(story: Story) -> None:
    story.tell(
        "research_note",
        "lane-2",
        note="rn2",
        text="Linear schedules have one parameter less.\nThat matters when each trial is five minutes.",
        sources=["s3"],
    )
    story.document("lane-1/reading-list.md", 1, _LIST_2)
    story.document("lane-2/open-questions.md", 2, _OPEN)
    story.note(
        "n2",
        "lesson",
        "lane-2",
        "Check each figure of a quote against the page: one digit makes another claim.",
        ("claim", "c5"),
    )
    story.ask(
        "q1",
        "lane-2",
        "access",
        "The appendix of s3 is behind a sign-in",
        "The page answers 403 without an account. I went on with the main text and took the appendix to say nothing "
        "else. A copy in the run's inputs, or an account for this run, would settle it.",
        agent="reader",
        fatal=False,
    )
    story.end_trial("t2", "submitted")


def _conclude(story: Story) -> None:
    story.tell(
        "hypothesis_resolved",
        "lane-1",
        hypothesis="h1",
        outcome="confirmed",
        evidence="Eleven of twelve pairs (c1); the effect fades with time (c2).",
    )
    story.tell(
        "hypothesis_resolved",
        "lane-2",
        hypothesis="h2",
        outcome="refuted",
        evidence="Within 0.002 at every length of s3.",
    )
    story.tell(
        "finding_recorded",
        "lane-1",
        finding="f1",
        text="For five-minute runs set beta2 to 0.90 and leave out the warm-up.",
        claims=["c1", "c2", "c3"],
        confidence=0.8,
    )
    story.tell(
        "finding_recorded",
        "lane-1",
        finding="f2",
        text="Where every token is seen once, halve the weight decay.",
        claims=["c4"],
        confidence=0.6,
    )
    story.round("r2", "verdict", "both findings stand", "panel:second-look")
    story.note(
        "n3", "decision", "panel:second-look", "f2 stays at 0.6: one source, and a flat curve.", ("finding", "f2")
    )
    story.tell(
        "report_written", "planner", report="rep1", title="Optimisers for five minutes of training", text=_REPORT
    )


def follow_up() -> list[Told]:
    """Run `survey-2`: stopped by its owner before anything was settled."""
    story = Story("survey-2", CAMPAIGN, "2026-11-12T13:00:00Z", pace=9)
    story.create("research", "Does depth change the picture?")
    story.trial("t1", 1, "codex", kind="research")
    story.tell(
        "hypothesis_recorded",
        "lane-1",
        hypothesis="h1",
        text="With fewer layers the best beta2 is lower still.",
        prediction="0.85 beats 0.90 at four layers.",
    )
    story.note("n1", "question", "lane-1", "Nobody seems to have varied depth and beta2 together.", ("trial", "t1"))
    story.end_trial("t1", "timed_out", "no source in two hours")
    story.finish("stopped", "The owner prefers to measure it.")
    return story.told
