"""Tests of the tables: schemas, bytes, the page made of them."""
