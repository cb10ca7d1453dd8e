"""The command line `thermite`.

Each module holds the commands of one subject and no rule of the domain: it opens the home, calls the packages, prints.
What is heavy (Dagster, Arrow, SQLAlchemy) is imported inside the command that needs it, so that others answer at once.
"""
