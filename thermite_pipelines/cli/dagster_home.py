"""Which Dagster home a command uses."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from thermite_pipelines.knowledge.home import Home


@contextmanager
def dagster_instance(home: Home) -> Iterator[dg.DagsterInstance]:
    """The Dagster instance of DAGSTER_HOME, else of the home; both variables are set for what runs below."""
    folder = Path(os.environ.get("DAGSTER_HOME") or home.settings.dagster_home)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["DAGSTER_HOME"] = str(folder)
    os.environ["THERMITE_HOME"] = str(home.settings.home)
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    with dg.DagsterInstance.from_config(str(folder)) as instance:
        yield instance
