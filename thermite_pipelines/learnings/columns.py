"""What lists show of learnings, and of those that screening refused."""

SHOWN = ("id", "campaign", "agent", "text", "state", "impact", "proposals", "runs_left", "first_at", "last_at")
SHOWN_REFUSED = ("campaign", "agent", "rig", "run", "learning", "reason", "at")
