"""SIGTERM, by which the platform and `docker stop` end a container."""

import os
import signal
import sys

# What a shell reports for a program that SIGTERM ended.
STATUS = 128 + signal.SIGTERM


def stop_on_sigterm():
    """Makes SIGTERM a SystemExit, so that `finally` blocks run. User code may install its own."""
    stopping = False

    def stop(signum, frame):
        nonlocal stopping
        # Once only: a second SIGTERM must not break off the cleaning up.
        if not stopping:
            stopping = True
            sys.exit(STATUS)

    signal.signal(signal.SIGTERM, stop)
    leave_children_alone(stop)


def leave_children_alone(handler):
    """Gives forked children, such as a pool's workers, the default action back.

    SIGTERM waits while a fork is under way: Python forgets what reaches a child of its before that
    has started, and `Process.terminate()` right after `start()` would be without effect.
    """
    mask = set()

    def before():
        nonlocal mask
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def in_parent():
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def in_child():
        if signal.getsignal(signal.SIGTERM) is handler:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    os.register_at_fork(before=before, after_in_parent=in_parent, after_in_child=in_child)
