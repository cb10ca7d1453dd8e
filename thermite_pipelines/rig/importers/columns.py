"""Which column of a log means what: the names seen in public logs of autoresearch-style loops."""

import re

from thermite_pipelines.rig.importers.words import plain

COMMIT = ["commit", "commit_hash", "experiment_commit", "sha", "hash", "git_sha", "git_commit", "rev", "revision"]
KEY = [
    *["exp_id", "experiment_id", "experiment_num", "experiment_no", "exp", "exp_no", "id", "iteration", "iter", "run"],
    *["round", "trial", "trial_id", "run_id", "node", "no", "nr", "num", "index", "attempt", "experiment"],
]
TITLE = [
    *["title", "name", "experiment_name", "model_shorthand_name", "description", "desc", "plan", "idea", "agent_idea"],
    *["change", "what", "summary", "subject", "message", "label", "composition", "tag", "experiment", "hypothesis"],
    *["idea_id", "model_family", "config_name", "approach", "model", "blurb", "proposal", "task"],
]
DESCRIPTION = [
    *["description", "desc", "experiment", "blurb", "plan", "idea", "agent_idea", "summary", "hypothesis", "rationale"],
    *["mechanism", "prediction", "exact_change", "technique_summary", "proposal"],
]
STATUS = ["status", "decision", "verdict", "outcome", "kept", "keep", "accepted", "state", "result", "correctness"]
BOOLEAN_STATUS = frozenset(["kept", "keep", "accepted"])
REASON = ["reason", "why", "judge_reason", "reject_reason", "failure_reason", "error"]
TIME = [
    *["timestamp", "time", "ts", "datetime", "date_time", "date", "at", "created_at", "finished_at", "ended_at"],
    *["completed_at", "started_at", "when", "run_at", "meta_timestamp"],
]
METRIC_NAME = ["metric", "metric_name", "metric_key", "primary_metric"]
VALUE = ["value", "metric_value", "metric_after", "after"]
BASELINE = ["baseline", "baseline_value", "metric_before", "before", "parent_value", "best_before", "baseline_ns"]
UNIT = ["unit", "metric_unit", "units"]
DELTA = ["delta", "delta_vs_best", "improvement", "improvement_pct", "gain", "diff_pct"]
RUNTIME = ["runtime", "agent", "harness", "tool", "model"]

NOTES = {
    **dict.fromkeys(
        ["notes", "note", "comment", "comments", "remark", "remarks", "analysis", "reasoning"], "observation"
    ),
    **dict.fromkeys(["conclusion", "observation", "observations", "agent_thinking", "thinking", "log"], "observation"),
    **dict.fromkeys(["findings_text", "findings", "readme", "text", "reproducibility_notes", "body"], "observation"),
    **dict.fromkeys(["lesson", "lessons", "learning", "learnings", "insight", "insights", "takeaway"], "lesson"),
    **dict.fromkeys(["direction", "next", "next_step", "next_steps", "next_direction"], "decision"),
    **dict.fromkeys(["surprise", "surprises"], "surprise"),
    **dict.fromkeys(["question", "questions", "open_question"], "question"),
}
"""Columns of prose, and the kind of the journal note that each becomes."""

# Whole patches: too long to be read as a record, and the repository has them.
DROPPED = frozenset(["diff", "diff_summary", "patch", "findings_hash"])

RESULT_GROUPS = ("metrics", "secondary_metrics", "results", "result", "scores", "meta")
"""Nested objects whose figures are results; what is nested elsewhere (settings, environment) is never a metric."""

_FIRST_CHOICE = ["val_bpb", "metric_after", "score"]
_NO_METRIC = re.compile(
    r"(memory|mem_|peak|vram|hbm|gpu|cpu|num_|n_|seed|batch|phase|stage|segment|bytes|artifact|code_|param|delta|improve"
    r"|prior|posterior|threshold|version|seq_len|rank|layers|depth|model|date|time|baseline|best|parent|interesting"
    r"|feasib|novel|priority|confidence|interaction|training_|total_|wallclock|eval_time|penetration|config|fold|ci_).*"
    r"|n|k|b|h|lr|step|steps|epoch|line|year|rows_total|before|after|value|run_dir"
    r"|.*(_std|_sd|_var|_lo|_hi|_low|_high|_lower|_upper|_type|_family|_id|_seconds|elapsed|elapsed_m?s|agent_time_s|_steps|_count)"
)
_METRIC = re.compile(
    r".*(bpb|loss|acc|auc|f1|f2|mae|rmse|mse|r2|r_squared|score|corr|tss|bss|brier|perplexity|ppl|flops|tps|tok_s"
    r"|tok_per_s|throughput|latency|speedup|mfu|bandwidth|iou|bleu|rouge|reward|win_rate|recall|precision|composite"
    r"|primary|objective|fitness|metric|error|cosine|nll|elbo).*|.*_(ms|us|ns|s|µs)"
)
_UNITS = {
    "ms": "ms",
    "us": "µs",
    "µs": "µs",
    "ns": "ns",
    "s": "s",
    "gb": "GB",
    "mb": "MB",
    "pct": "%",
    "percent": "%",
    "tflops": "TFLOPS",
    "bpb": "bits per byte",
}
_DURATIONS = frozenset(
    ["time", "wall", "latency", "duration", "step", "total", "score", "mean", "median", "p50", "p95"]
)
_RUNTIMES = [
    *[("codex", "codex"), ("gpt", "codex"), ("opencode", "opencode"), ("claude", "claude_code")],
    *[("pi-agent", "pi"), ("pi-autoresearch", "pi")],
]


def metric_order(names: list[str]) -> list[str]:
    """The columns that may hold the metric, the likeliest first; decided by names alone.

    Figures have no say, so that a log that grows keeps the metric it began with.
    """
    known = {name for columns in (COMMIT, KEY, STATUS, TIME, METRIC_NAME, BASELINE, DELTA) for name in columns}
    usable = [name for name in names if plain(name) not in known and not _NO_METRIC.fullmatch(plain(name))]
    first = [name for wanted in _FIRST_CHOICE for name in usable if plain(name) == wanted]
    telling = [name for name in usable if _METRIC.fullmatch(plain(name))]
    return list(dict.fromkeys([*first, *telling, *usable]))


def is_metric(name: str) -> bool:
    """Whether a plain name is that of a known kind of figure."""
    return _METRIC.fullmatch(name) is not None


def unit_of(metric: str) -> str | None:
    """The unit that a metric's name ends in (`latency_us` is in µs), or `None`."""
    words = plain(metric).split("_")
    if words[-1] in ("s", "ms") and not _DURATIONS.intersection(words):
        # `tok_s` and `speed_ms` are rates.
        return None
    return _UNITS.get(words[-1])


def runtime_of(text: str) -> str | None:
    """The runtime that a cell such as `gpt-5-codex` or `claude-sonnet` names, or `None`."""
    lowered = text.lower()
    return next((runtime for sign, runtime in _RUNTIMES if sign in lowered), None)
