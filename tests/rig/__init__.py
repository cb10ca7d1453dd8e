"""Tests of what runs on a rig."""
