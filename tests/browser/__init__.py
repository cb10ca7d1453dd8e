"""The UI in a real browser."""
