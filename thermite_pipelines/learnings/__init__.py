"""Help requests and learnings: what agents tell people and later agents. The rules are told in `docs/help.md`."""
