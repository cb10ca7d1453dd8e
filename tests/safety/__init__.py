"""Tests of what keeps secrets out of tables."""
