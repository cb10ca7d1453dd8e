"""Tests of embedding models."""
