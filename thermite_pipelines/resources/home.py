"""The home as a Dagster resource: settings, control's record, the lake, and the leases of the run.

Put here what binds a Dagster run to the packages below; rules of the domain belong into those packages.
"""

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg
from pydantic import PrivateAttr

from thermite_pipelines.control.leases import LeaseKeeper, LeaseTaken
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home, open_home
from thermite_pipelines.resources.rebuilds import wants_rebuild
from thermite_pipelines.tables.lake import write_atomic

# How long a run waits for another to finish with the same rig or campaign before it gives way.
WAIT_SECONDS = 20.0
# A run that a person asked for, to make all anew, must not give way unseen: it waits longer, then fails.
REBUILD_WAIT_SECONDS = 600.0
_POLL_SECONDS = 0.25


class HomeResource(dg.ConfigurableResource):
    """Opens THERMITE_HOME for a run, says that the run is alive, and takes the leases of what it writes."""

    _home: Home | None = PrivateAttr(default=None)
    _keeper: LeaseKeeper | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["HomeResource"]:
        """Open the home; while the run lasts it holds the lease `run:<run id>`: others see by it that it is alive."""
        with explained(None, context.run_id):
            self._home = open_home()
            self._keeper = LeaseKeeper(self._home.control, context.run_id or "no-run")
            if context.run_id is not None:
                self._keeper.hold(f"run:{context.run_id}")
        try:
            yield self
        finally:
            # Dagster writes the end of the run after this: until then the run must not look dead.
            self._keeper.close(keep="run:")

    @property
    def opened(self) -> Home:
        """The opened home."""
        assert self._home is not None, "the resource is only open while a run lasts"
        return self._home

    def take(self, context: dg.AssetExecutionContext | dg.OpExecutionContext, scope: str) -> bool:
        """Take a lease for the rest of the run; False where another still holds it: the caller then does nothing.

        A backfill or rebuild fails instead: that nothing was made anew must be seen.
        """
        assert self._keeper is not None
        rebuilds = wants_rebuild(context)
        deadline = time.monotonic() + (REBUILD_WAIT_SECONDS if rebuilds else WAIT_SECONDS)
        while True:
            try:
                self._keeper.hold(scope)
                return True
            except LeaseTaken as taken:
                if time.monotonic() >= deadline and rebuilds:
                    raise dg.Failure(f"nothing was made anew: {taken}", allow_retries=False) from None
                if time.monotonic() >= deadline:
                    context.log.info(f"gives way: {taken}")
                    return False
                time.sleep(_POLL_SECONDS)


@contextmanager
def explained(home: Home | None, run_id: str | None) -> Iterator[None]:
    """Turn errors into Dagster failures that hold no text by agents.

    A `ThermiteError` gives its one line. Any other exception may quote data, so Dagster gets its class and place alone,
    and the whole goes to `<home>/errors/<run id>.txt`, which is outside Dagster's home.
    """
    try:
        yield
    except ThermiteError as error:
        raise dg.Failure(str(error), allow_retries=False) from None
    except dg.Failure:
        raise
    except Exception as error:  # noqa: BLE001 whatever it is, its text may be data
        place = traceback.extract_tb(error.__traceback__)[-1]
        name = f"{type(error).__name__} at {place.name} ({place.filename.rpartition('/')[2]}:{place.lineno})"
        if home is not None:
            path = home.settings.home / "errors" / f"{run_id or 'no-run'}.txt"
            write_atomic(path, "".join(traceback.format_exception(error)).encode(), mode=0o600)
            name += f"; the whole is in errors/{path.name} of the home"
        raise dg.Failure(f"unexpected {name}", allow_retries=False) from None
