"""Tests of `thermite_pipelines.assets`."""
