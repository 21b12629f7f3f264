"""Runs the entry point's command: train, serve, or process FILE [ARGS...]."""

from __future__ import annotations

import sys


def main(arguments: list[str]) -> None:
    command, rest = arguments[0], arguments[1:]
    # First of all: as process 1 of a container, Python ignores SIGTERM until it has a handler.
    from mlcli_harness.stopping import stop_on_sigterm

    stop_on_sigterm()
    # Imported only now: training does not need the server, and starts sooner without it.
    if command == "train":
        from mlcli_harness.train import train

        train()
    elif command == "process":
        from mlcli_harness.process import process

        process(rest[0], rest[1:])
    else:
        from mlcli_harness.serving.server import serve

        serve()


# Guarded, and with every import inside: multiprocessing's `spawn` imports this file again.
if __name__ == "__main__":
    main(sys.argv[1:])
