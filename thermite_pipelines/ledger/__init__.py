"""Reports and events as the wire contract (docs/report-format.md) has them: pure rules, no files, no database."""
