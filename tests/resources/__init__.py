"""Tests of `thermite_pipelines.resources`."""
