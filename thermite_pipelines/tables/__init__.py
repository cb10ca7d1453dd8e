"""The lake's Parquet tables: their schemas as data, and the one function that writes them.

Put here what is true of every table (types, order, bytes on disk). What a row means and how it comes about belongs to
the package that makes it.
"""

LAKE_SCHEMA = 1
"""Number of the lake's schema. Raise it when a column is removed or retyped: a home of another number is refused.

It stands here, beside no import, so that a command that only looks at control's record need not load Arrow.
"""
