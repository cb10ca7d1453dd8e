"""Tests of the intake: what becomes of files, and of the events of accepted reports."""
