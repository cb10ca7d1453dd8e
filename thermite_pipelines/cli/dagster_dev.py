"""`python -m thermite_pipelines.cli.dagster_dev ARGUMENTS`: `dagster dev` that ends when whoever started it is gone.

Its standard input is a pipe that only the starter holds open. Without it a killed starter would leave the daemon
behind, and the next start would have two.
"""

import os
import signal
import sys
import threading
import warnings

from dagster._cli import main


def _end_with_starter() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    # It says that `dg dev` came after it, which is a developer's tool; the two do the same.
    warnings.filterwarnings("ignore", "Function `dev_command` is superseded")
    # Whoever started the starter may have told it to ignore the signal by which `dagster dev` ends.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_end_with_starter, name="end-with-starter", daemon=True).start()
    sys.argv = ["dagster", "dev", *sys.argv[1:]]
    main()
