"""Which Dagster home a command uses."""

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.initialise import write_dagster_settings

_LOCK = ".opening"


def dagster_folder(home: Home) -> Path:
    """Dagster's home: DAGSTER_HOME, else the one in the home."""
    return Path(os.environ.get("DAGSTER_HOME") or home.settings.dagster_home).absolute()


@contextmanager
def dagster_instance(home: Home) -> Iterator[dg.DagsterInstance]:
    """The Dagster instance of the home; both variables are set for what runs below.

    A Dagster home that is gone is made anew: it holds nothing that can't be done again. A new one gets our settings
    wherever it lies, since Dagster's defaults send telemetry; one that others use already is left as it is.
    """
    folder = dagster_folder(home)
    folder.mkdir(parents=True, exist_ok=True)
    if folder == home.settings.dagster_home or not any(folder.iterdir()):
        write_dagster_settings(folder)
    os.environ["DAGSTER_HOME"] = str(folder)
    os.environ["THERMITE_HOME"] = str(home.settings.home)
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    with _opened(folder) as instance:
        yield instance


@contextmanager
def _opened(folder: Path) -> Iterator[dg.DagsterInstance]:
    """Open the instance; one process at a time makes its databases, since two would trip over each other."""
    with open(folder / _LOCK, "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        instance = dg.DagsterInstance.from_config(str(folder))
        with instance:
            # Each of these makes its database at the first call.
            instance.get_runs(limit=1)
            instance.event_log_storage.has_asset_key(dg.AssetKey("none"))
            instance.all_instigator_state()
            fcntl.flock(lock, fcntl.LOCK_UN)
            yield instance
