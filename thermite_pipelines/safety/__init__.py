"""Redaction, and quoting for each place that text reaches."""
