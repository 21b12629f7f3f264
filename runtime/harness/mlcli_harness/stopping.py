"""SIGTERM, by which SageMaker and `docker stop` end a container."""

from __future__ import annotations

import os
import signal
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

# What a shell reports for a program that SIGTERM ended.
STATUS = 128 + signal.SIGTERM

# A SIGTERM during a fork is sent again so many seconds later; the fork takes only microseconds more.
AFTER_FORK = 0.01


def stop_on_sigterm() -> None:
    """Makes SIGTERM a SystemExit, so that `finally` blocks run. User code may install its own."""
    stopping = False

    def stop(signum: int, frame: FrameType | None) -> None:
        nonlocal stopping
        # Once only: a second SIGTERM must not interrupt the clean-up.
        if stopping:
            return
        if is_within(frame, called_by_fork):
            # Python ignores exceptions there.
            again = threading.Timer(AFTER_FORK, os.kill, (os.getpid(), signal.SIGTERM))
            again.daemon = True
            again.start()
            return
        stopping = True
        sys.exit(STATUS)

    called_by_fork = leave_children_alone(stop)
    signal.signal(signal.SIGTERM, stop)


def is_within(frame: FrameType | None, functions: Iterable[Callable[[], None]]) -> bool:
    """Whether one of the functions is on the frame's stack."""
    codes = [function.__code__ for function in functions]
    while frame is not None:
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False


def leave_children_alone(handler: object) -> tuple[Callable[[], None], Callable[[], None]]:
    """Gives forked children, such as a pool's workers, the default action back.

    SIGTERM waits while a fork is under way: Python forgets a signal that reaches a child before the
    child has started, and `Process.terminate()` right after `start()` would have no effect.
    Returns the functions that the parent calls before and after a fork.
    """
    mask = set()

    def before() -> None:
        nonlocal mask
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def in_parent() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def in_child() -> None:
        if signal.getsignal(signal.SIGTERM) is handler:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    os.register_at_fork(before=before, after_in_parent=in_parent, after_in_child=in_child)
    return before, in_parent
