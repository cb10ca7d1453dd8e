"""Tests of help requests and learnings."""
