"""Tests of control's record."""
