"""The one exception that reaches people.

Put a subclass here only when a caller must tell it apart; everything a person should read is a `ThermiteError`.
"""


class ThermiteError(Exception):
    """Something a person can act on: one line that says what is wrong, where, and what to do.

    The command line prints it to standard error and ends with exit code 1; an asset turns it into a Dagster failure.
    """

    def __init__(self, what: str, *, where: str = "", do: str = "") -> None:
        parts = [f"{where}: {what}" if where else what]
        if do:
            parts.append(do)
        super().__init__(" ".join(" — ".join(parts).split()))
        self.what = what
        self.where = where
        self.do = do


class UsageError(ThermiteError):
    """The words of a call are wrong (a name that breaks its pattern, an impossible value): exit code 2."""


class UnknownName(ThermiteError):
    """Control knows no rig, campaign or learning of the name that was given: the service answers 404."""
