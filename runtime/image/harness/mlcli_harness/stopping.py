"""SIGTERM, by which the platform and `docker stop` end a container."""

import os
import signal
import sys

# What a shell reports for a program that SIGTERM ended.
STATUS = 128 + signal.SIGTERM


def stop_on_sigterm():
    """Makes SIGTERM a SystemExit, so that `finally` blocks run. User code may install its own."""
    owner = os.getpid()
    stopping = False

    def stop(signum, frame):
        nonlocal stopping
        if os.getpid() != owner:
            # A forked child, such as a pool's worker: ended as if we had never been here.
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        elif not stopping:
            # Once only: a second SIGTERM must not break off the cleaning up.
            stopping = True
            sys.exit(STATUS)

    signal.signal(signal.SIGTERM, stop)
