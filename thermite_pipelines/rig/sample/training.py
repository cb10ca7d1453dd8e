"""Campaign `faster-training`: the lowest validation loss of a small language model within five minutes of one GPU."""

from typing import Any

from thermite_pipelines.rig.sample.story import Result, Story, Told, try_out

CAMPAIGN = "faster-training"
TITLE = "Lowest validation loss of a 12-million-parameter language model in five minutes of one GPU"

# What workers learned. The last one is refused, since it names a page: the pipeline keeps no word of it.
_CACHE = "The compiler's cache is cold after a restart of the container: the first trial loses 40 seconds."
_VOCABULARY = "A vocabulary of 32,000 tokens makes each step slower and the loss worse, at any length of training."
_PEAK = "Measure peak memory after the third step: the first two allocate less than all later ones."
_LINKED = "Why memory peaks twice in a step is explained at https://example.org/allocator-notes, near the end."


def first_climb() -> list[Told]:
    """Run `climb-1`: nine experiments from the first baseline on, three of them kept."""
    story = Story("climb-1", CAMPAIGN, "2026-11-03T08:00:00Z")
    story.create(
        "hill_climb", "First climb from the plain recipe", kit="nano-lm", flags=["five-minutes"], routes=["fast"]
    )
    story.tell(
        "owner_message", "owner", message="m1", text="Please keep the tokenizer as it is: figures must stay comparable."
    )
    story.round("r1", "plan", "nine experiments, cheap ones first")
    story.note("n1", "decision", "planner", "One change at a time until the noise is known.", ("round", "r1"))
    _climb_measure(story)
    _climb_schedule(story)
    _climb_attention(story)
    _climb_depth(story)
    _climb_optimizer(story)
    story.learn("l1", "lane-1", _CACHE, "medium")
    story.round("r2", "review", "the gains hold over three seeds", "auditor:careful")
    story.note(
        "n13",
        "note",
        "auditor:careful",
        "Checked e3, e5 and e7 again with three new seeds: 1.0968, 1.0886 and 1.0833 on average.",
        ("round", "r2"),
    )
    # A finding belongs to research runs: this one is left out of the folder, and listed among the rejected events.
    story.tell("finding_recorded", "planner", finding="f1", text="Lower beta2 helps short runs.", claims=[])
    story.finish("completed", "Validation loss went from 1.1043 to 1.0831 bits per byte with three kept changes.")
    return story.told


def _climb_measure(story: Story) -> None:
    story.queue("e1", "Measure the plain recipe", "Three seeds of the unchanged code, to learn what noise looks like.")
    try_out(
        story,
        1,
        1,
        "claude_code",
        Result(
            1.1043, 1.1043, "no_change", "Seeds gave 1.1043, 1.1051 and 1.1038: the noise is about 0.0007.", "accepted"
        ),
        "5c1f0aa",
    )
    story.note(
        "n2",
        "observation",
        "lane-1",
        "1,790 steps of 168 ms fit into five minutes; memory peaks at 21.4 GB: there is no room for a larger batch.",
        ("experiment", "e1"),
    )
    story.queue("e2", "Raise the matrix learning rate from 0.04 to 0.06", "Few steps might want larger ones.")
    try_out(
        story,
        2,
        1,
        "claude_code",
        Result(
            1.1189,
            1.1043,
            "worse",
            "Loss is lower until step 400 and then stops falling.",
            reason="0.0146 above the champion",
        ),
        "9b07c3d",
    )
    story.note(
        "n3",
        "lesson",
        "lane-1",
        "A rate that wins the first minute lost the fifth: judge at the end only.",
        ("attempt", "a2"),
    )


def _climb_schedule(story: Story) -> None:
    story.queue("e3", "Weight decay from 0.2 to 0.1", "Five minutes see each token once: there is little to overfit.")
    try_out(
        story,
        3,
        2,
        "codex",
        Result(1.0967, 1.1043, "improved", "0.0076 lower, ten times the noise.", "accepted"),
        "e41d2b8",
    )
    story.queue("e4", "Warm up over a tenth of the steps", "The usual advice for larger models.")
    try_out(
        story,
        4,
        2,
        "codex",
        Result(
            1.1012,
            1.0967,
            "worse",
            "The warm-up costs 179 steps that are not made up.",
            reason="0.0045 above the champion",
        ),
        "77aa310",
    )
    story.note(
        "n4", "surprise", "lane-2", "Even a warm-up of 50 steps was worse than none, by 0.0011.", ("experiment", "e4")
    )
    story.note(
        "n5",
        "question",
        "lane-2",
        "Does the normalisation layer already do what a warm-up is for?",
        ("experiment", "e4"),
    )


def _climb_attention(story: Story) -> None:
    story.queue("e5", "Every second layer attends to the whole context", "So far only every fourth does.")
    try_out(
        story,
        5,
        1,
        "claude_code",
        Result(1.0884, 1.0967, "improved", "83 steps fewer, and still 0.0083 lower.", "accepted"),
        "1f6e9c4",
    )
    story.note(
        "n6",
        "lesson",
        "lane-1",
        "Whole-context attention is worth its 5 % of the step time here; a longer context alone was not.",
        ("attempt", "a5"),
    )


def _climb_depth(story: Story) -> None:
    story.queue("e6", "Ten layers instead of eight", "More capacity at the same width.")
    try_out(
        story,
        6,
        2,
        "codex",
        Result(
            1.1305,
            1.0884,
            "worse",
            "Only 1,310 steps fit: the model is not trained long enough.",
            reason="too few steps",
        ),
        "c2d8e07",
    )
    story.note(
        "n7",
        "lesson",
        "lane-2",
        "Whatever makes a step a third slower must win a third of the loss back first.",
        ("trial", "t6"),
    )
    story.note(
        "n8", "note", "panel:second-look", "Depth was asked for twice by different lanes; both lost in the same way."
    )


def _climb_optimizer(story: Story) -> None:
    story.queue("e7", "Adam's beta2 from 0.95 to 0.90", "A shorter memory for a shorter run.")
    try_out(
        story,
        7,
        1,
        "claude_code",
        Result(1.0831, 1.0884, "improved", "0.0053 lower, with fewer spikes after step 900.", "accepted"),
        "3ab5f12",
    )
    story.queue(
        "e8", "Embedding learning rate from 0.6 to 0.9", "The embedding moves little in five minutes.", by="lane-2"
    )
    try_out(
        story,
        8,
        2,
        "codex",
        Result(None, 1.0831, "failed", "The loss is not a number from step 212 on.", "invalid", "no value to judge"),
    )
    story.note(
        "n9", "observation", "lane-2", "0.75 trains, but ends at 1.0897: the edge is near.", ("experiment", "e8")
    )
    story.queue("e9", "Half the batch, twice the steps", "If memory were the limit.")
    story.tell(
        "experiment_finished", "planner", experiment="e9", status="skipped", summary="Time is the limit, not memory."
    )
    story.note("n10", "decision", "planner", "Stop here: three changes in a row brought less than 0.0010.")
    story.note(
        "n11",
        "lesson",
        "combiner:merge",
        "The three kept changes add up: together 0.0212, alone 0.0076, 0.0083 and 0.0053.",
    )
    story.note(
        "n12", "question", "teachers:tutor", "Was beta2 tried together with the old weight decay? They may overlap."
    )


def second_climb() -> list[Told]:
    """Run `climb-2`: ends early, since the GPU runs out of memory and only a person can help."""
    story = Story("climb-2", CAMPAIGN, "2026-11-05T09:00:00Z", pace=7)
    story.create(
        "hill_climb", "Second climb, with a larger vocabulary", kit="nano-lm", flags=["five-minutes", "vocab-32k"]
    )
    story.brief("worker", ["rig-a/climb-1/l1"])
    story.queue("e1", "A vocabulary of 32,000 tokens", "Fewer tokens a document, and a larger last layer.")
    try_out(
        story,
        1,
        1,
        "opencode",
        Result(
            1.0902, 1.0831, "worse", "The last layer now takes 31 % of the step.", reason="0.0071 above the champion"
        ),
        "d90b6ee",
    )
    story.queue("e2", "The same with a factored last layer", "Two thin matrices instead of a wide one.")
    story.trial("t2", 2, "pi", experiment="e2")
    story.tell("experiment_started", "lane-2", experiment="e2", trial="t2")
    story.note(
        "n1", "surprise", "lane-2", "Peak memory rose to 23.8 GB although there are fewer parameters.", ("trial", "t2")
    )
    story.tell(
        "experiment_finished",
        "lane-2",
        experiment="e2",
        trial="t2",
        status="failed",
        summary="Out of memory at step 3.",
    )
    story.end_trial("t2", "failed", "out of memory")
    story.learn("l1", "lane-1", _VOCABULARY, "high")
    story.ask(
        "q1",
        "lane-2",
        "environment",
        "Another process holds 6 GB of the GPU",
        "It belongs to another user, so no agent may end it. Once the card is free, e2 goes on from d90b6ee.",
        agent="worker",
        fatal=True,
    )
    story.finish("failed", "The GPU was shared with another process; nothing could be measured after that.")
    return story.told


def memory_goal() -> list[Told]:
    """Run `memory-goal`: a goal run, the same loss in 16 GB."""
    story = Story("memory-goal", CAMPAIGN, "2026-11-09T07:30:00Z", pace=6)
    story.create(
        "goal", "The same loss within 16 GB", kit="nano-lm", contract="val_bpb <= 1.0881 and peak_memory <= 16 GB"
    )
    story.brief("worker", ["rig-a/climb-1/l1", "rig-a/climb-2/l1"])
    _shrink(story)
    _tell_others(story)
    # An event type of a later version: kept aside until a version that knows it judges it.
    story.tell("thermal_reading", "harness", gpu=0, celsius=71)
    story.finish("completed", "15.1 GB at 1.0874 bits per byte.")
    return story.told


def _shrink(story: Story) -> None:
    memory = {"metric": "peak_memory", "unit": "GB"}
    story.queue("e1", "Recompute activations in the backward pass", "Costs time, saves most of the memory.")
    result = Result(15.1, 21.4, "improved", "15.1 GB; the loss is 1.0874 with 1,560 steps.", "accepted", **memory)
    try_out(story, 1, 1, "pi", result, "a7712cd")
    story.queue("e2", "Half the batch", "The simple way.")
    bounds = {"reason": "the loss is out of bounds"}
    result = Result(12.3, 15.1, "no_change", "12.3 GB, but the loss is 1.0962.", **bounds, **memory)
    try_out(story, 2, 2, "opencode", result, "40fe8b1")
    story.note(
        "n1",
        "lesson",
        "lane-1",
        "Recomputing only the attention layers keeps 90 % of the saving at half the cost.",
        ("experiment", "e1"),
    )
    story.note(
        "n2",
        "observation",
        "lane-2",
        "Below 13 GB the allocator's own rounding is a tenth of all memory.",
        ("experiment", "e2"),
    )


# What the owner and the worker said to each other; the owner's words are what atoms are taken from.
_COUNTED = (
    "No, that's wrong: nvidia-smi counts everything on the card, also the allocator's cache. The peak of the process "
    "is `torch.cuda.max_memory_allocated`, because the cache is only given back when the process ends."
)
_KINDS = (
    "The way this works is that there are two kinds of memory: weights and optimizer state stay the same size, and "
    "activations grow with the batch."
)
_BATCH = (
    "Yesterday we spent an hour on the old setting and got a peak of 18.4 GB. We decided to keep the batch at 64 "
    "because smaller batches made the loss too noisy to compare."
)
_STEPS = (
    "For a memory figure that can be compared, first run three steps, then reset the peak counter, then run ten steps "
    "and read the counter."
)
MEMORY_SESSION = (
    ("human", "Bring the peak below 16 GB without losing more than 0.005."),
    ("assistant", "I assume that nvidia-smi shows the peak of the training process, so I will read it there."),
    ("human", _COUNTED),
    ("assistant", "Then I read the allocator. Where does the memory go?"),
    ("human", _KINDS),
    ("assistant", "I will recompute activations first, since the batch decides the loss."),
    ("human", "ok, go ahead"),
    ("tool", "peak 15.1 GB, val_bpb 1.0874"),
    ("human", _BATCH),
    ("human", "Every time the first step is slow, the compiler has missed its cache, only on the shared card."),
    ("human", "I'm not sure yet whether the optimizer state can go to 8 bits without a higher loss."),
    ("human", _STEPS),
)


def _tell_others(story: Story) -> None:
    story.learn("l1", "lane-1", _PEAK, "medium")
    story.tell(
        "session_recorded",
        "harness",
        session="6f9f7c52-3a55-4b7e-9a51-2d4c7f1f0a01",
        trial="t1",
        agent="worker",
        started_at="2026-11-09T07:40:00Z",
        messages=[{"role": role, "text": text} for role, text in MEMORY_SESSION],
    )


def third_climb(briefing: list[dict[str, Any]], copied: str) -> list[Told]:
    """Run `climb-3`, which goes on: it was assigned with a briefing and an experiment from earlier runs."""
    story = Story("climb-3", CAMPAIGN, "2026-11-16T08:00:00Z", pace=5)
    story.create(
        "hill_climb", "Third climb, from what is known", kit="nano-lm", flags=["five-minutes"], briefing=briefing
    )
    items = [entry["item"] for entry in briefing]
    story.brief("planner", [], items)
    story.queue(
        "e1",
        "Raise the matrix learning rate again, with beta2 at 0.90",
        "Worse before; the optimiser is another now.",
        from_item=copied,
    )
    story.trial("t1", 1, "claude_code", experiment="e1")
    story.brief("worker", ["rig-a/climb-1/l1", "rig-b/memory-goal/l1"], items, trial="t1")
    story.tell("experiment_started", "lane-1", experiment="e1", trial="t1")
    story.note(
        "n1",
        "observation",
        "lane-1",
        "At 0.05 the loss at step 900 is 1.131, 0.004 below the champion's.",
        ("experiment", "e1"),
    )
    story.note(
        "n2", "decision", "planner", "Let it run to the end: step 900 says little, as climb-1 learned.", ("trial", "t1")
    )
    story.learn("l1", "lane-1", _LINKED, "low")
    return story.told


def quick_look() -> list[Told]:
    """Run `quick-look`: tried by hand and assigned to nothing, so it is in no folder."""
    story = Story("quick-look", CAMPAIGN, "2026-11-10T16:00:00Z")
    story.create("smoke", "Does the new driver work?", agents=False)
    story.note("n1", "note", "owner", "Step time with the new driver is 166 ms, as before.")
    story.finish("stopped", "Only a look.")
    return story.told
