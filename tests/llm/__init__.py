"""Tests of the language-model client."""
