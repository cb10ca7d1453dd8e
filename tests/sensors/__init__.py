"""Tests of `thermite_pipelines.sensors`."""
