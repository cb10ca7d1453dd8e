"""Help requests and learnings, from agents to people and later agents: see `docs/help-and-learnings.md`."""
