"""Assets write their files themselves: a value that reaches an IO manager is a mistake, and says so."""

from typing import NoReturn

import dagster as dg


class NoIOManager(dg.IOManager):
    """Refuses to store or load any value."""

    def handle_output(self, context: dg.OutputContext, obj: object) -> NoReturn:
        """Raise: an asset must return a `MaterializeResult`, which holds no value."""
        raise dg.DagsterInvariantViolationError(f"{context.step_key} returned a value; assets write their own files")

    def load_input(self, context: dg.InputContext) -> NoReturn:
        """Raise: an asset reads what it needs from the lake."""
        raise dg.DagsterInvariantViolationError(f"{context.name} would be loaded; assets read the lake themselves")


@dg.io_manager
def no_io_manager(_: dg.InitResourceContext) -> NoIOManager:
    """The IO manager of all assets."""
    return NoIOManager()
