"""What the pipeline knows: items, campaign folders, and everything that is read from them.

`items`, `fold`, `quotes` and `placement` are pure: rows in, rows out, no files, no database, no clock.
"""
