"""`pyarrow.compute`, loaded at its first use: that takes as long as all else of pyarrow, and sensors do not need it."""

from typing import Any


class _Compute:
    def __getattr__(self, name: str) -> Any:
        import pyarrow.compute

        return getattr(pyarrow.compute, name)


pc: Any = _Compute()
