"""How a worker process gets the application, and with it the model."""

from __future__ import annotations

import mmap
import os
import signal
import struct
import sys
import threading
import time

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from mlcli_harness.failure import describe, log
from mlcli_harness.serving.memory import Footprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Signals that wait while a worker is made: Python forgets one that reaches the new process before
# that has handlers of its own, and gunicorn forgets a worker that ends before it is noted.
HELD_BACK = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGCHLD}

LOADING, LOADED, FAILED = 0, 1, 2

# When a line tells that the model is still loading, in seconds: then, and again each time that the
# wait has doubled.
FIRST_WORD = 10


class BootRecord:
    """What a worker reports to the master about its start, in shared memory."""

    FORMAT = struct.Struct("=BQQ")

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, self.FORMAT.size)

    def loaded(self, growth: int, peak: int) -> None:
        """Notes that the model is there, and the memory that it took, in bytes: what it keeps, and
        the most that it needed to load."""
        self.FORMAT.pack_into(self.memory, 0, LOADED, growth, peak)

    def failed(self) -> None:
        """Notes that the model did not load, and that somebody has told why."""
        self.memory[0] = FAILED

    @property
    def state(self) -> int:
        return self.memory[0]

    @property
    def sizes(self) -> tuple[int, int]:
        _, growth, peak = self.FORMAT.unpack_from(self.memory)
        return growth, peak


class BootingWorker(Worker):
    """A gunicorn worker that can be stopped while the model loads, and tells a failure once."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.boot = BootRecord()
        # Set by the master: it has asked the worker to end.
        self.asked = False

    def load_wsgi(self) -> None:
        # A model can take minutes to load: a stop must not wait for it.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_BACK)
        before = Footprint()
        try:
            self.wsgi = self.app.preloaded or self.app.load()
        except BaseException as error:
            # BaseException, since a panic of a library in Rust is not an Exception.
            self.fail_to_boot(error)
        finally:
            signal.signal(signal.SIGTERM, self.handle_exit)
        if self.app.preloaded:
            reseed()
        after = Footprint()
        self.boot.loaded(max(0, after.own - before.own), max(0, after.peak - before.all))
        # Wakes the master, which may have waited for this.
        os.kill(self.ppid, signal.SIGCHLD)

    def fail_to_boot(self, error: BaseException) -> None:
        """Ends the worker. Of several that fail at the same time, only the first says why."""
        # The master may send SIGTERM now, because another one failed as well. It waits until the
        # failure is told, and ends the process even where the code has set it to be ignored.
        signal.pthread_sigmask(signal.SIG_BLOCK, HELD_BACK)
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        if self.app.failure_token.take():
            log(describe(error))
        self.boot.failed()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_BACK)
        sys.exit(Arbiter.WORKER_BOOT_ERROR)


def reseed() -> None:
    """Gives a forked process random numbers of its own; gunicorn does so for `random`."""
    numpy_random, torch = sys.modules.get("numpy.random"), sys.modules.get("torch")
    if numpy_random:
        numpy_random.seed()
    if torch:
        torch.seed()


class SlowLoad:
    """Says in the log what the server waits for, at growing intervals."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.due = FIRST_WORD

    def tell(self) -> float:
        """Says it where it is due. Returns in how many seconds it is due again."""
        seconds = time.monotonic() - self.began
        if seconds >= self.due:
            log(
                "mlcli: the model has been loading for %d s (model_fn and imports), and /ping fails "
                "until it is loaded. SageMaker waits 240 s, or as long as "
                "`mlcli deploy --health-check-timeout` allows." % seconds
            )
            while self.due <= seconds:
                self.due *= 2
        return self.due - seconds

    def told_during(self, call: Callable[[], Any]) -> Any:
        """Calls it, and meanwhile tells from a thread."""
        done = threading.Event()

        def watch() -> None:
            while not done.wait(self.tell()):
                pass

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            return call()
        finally:
            done.set()
            # What is forked next must not have half of a thread.
            thread.join()
