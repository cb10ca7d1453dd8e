"""Tests of knowledge atoms."""
