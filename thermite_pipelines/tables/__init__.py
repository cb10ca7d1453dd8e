"""The lake's Parquet tables: their schemas as data, and the one function that writes them.

Put here what is true of every table (types, order, bytes on disk). What a row means and how it comes about belongs to
the package that makes it.
"""
