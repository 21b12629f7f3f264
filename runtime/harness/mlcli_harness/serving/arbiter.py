"""The master process: keeps the workers running, and reports how they end.

gunicorn's arbiter takes a worker that ends with status 3 or 4 for one that cannot start, and ends
the server, though user code may have called `exit(3)`; what it says of a worker's end differs from
version to version. Here the workers themselves tell how far they got, and the master says the rest.
"""

from __future__ import annotations

import collections
import os
import signal
import sys
import time

from gunicorn.arbiter import Arbiter

from mlcli_harness.failure import log
from mlcli_harness.serving import memory
from mlcli_harness.serving.booting import FAILED, HELD_BACK, LOADED, SlowLoad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Workers that end at once, one after the other, are replaced so often (seconds).
PAUSE = 1
# One that cannot load the model, while others serve, is replaced ever less often, but at least so.
LONGEST_PAUSE = 60


class ServingArbiter(Arbiter):
    """gunicorn's arbiter, versions 20.1 to 27."""

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        # How many workers there are to be in the end; `num_workers` is how many there may be now.
        self.target = self.cfg.workers
        self.ended: collections.deque = collections.deque()
        self.failures = 0
        self.spawned_at = self.spawn_after = 0.0
        self.slow_load: SlowLoad | None = SlowLoad()
        # One worker loads the model first where it may not fit once more for each of the others.
        several = self.target > 1 and not app.preloaded
        self.limits = memory.bounds(self.target) if several else []
        self.at_once: int | None = None
        if self.limits:
            self.num_workers = 1

    # Called by gunicorn's main loop, once a second and after each signal.

    def manage_workers(self) -> None:
        """Brings the workers to their number."""
        while self.ended:
            self.attend_end(*self.ended.popleft())
        loaded = self.loaded_workers()
        if loaded:
            self.slow_load = None
        else:
            self.slow_load = self.slow_load or SlowLoad()
            self.slow_load.tell()
        if self.limits and loaded:
            self.start_more(loaded)
        if len(loaded) == self.num_workers:
            self.failures = 0
        super().manage_workers()

    def spawn_workers(self) -> None:
        """Makes the workers that are missing, unless the last ones have just died."""
        now = time.monotonic()
        if now < self.spawn_after:
            return
        self.spawned_at = now
        # One of these workers tells why it failed.
        self.app.failure_token.renew()
        super().spawn_workers()

    def spawn_worker(self) -> Any:
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, HELD_BACK)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def murder_workers(self) -> None:
        """Ends workers that show no sign of life."""
        # A worker that still loads gives none. How long that may take is up to the client that waits
        # for /ping: SageMaker waits up to an hour.
        for worker in list(self.WORKERS.values()):
            if worker.boot.state != LOADED:
                try:
                    worker.tmp.notify()
                except ValueError:
                    # It has ended just now.
                    pass
        super().murder_workers()

    def kill_worker(self, pid: int, sig: int) -> None:
        if sig != signal.SIGUSR1 and pid in self.WORKERS:
            self.WORKERS[pid].asked = True
        super().kill_worker(pid, sig)

    def reap_workers(self) -> None:
        """Notes which workers have ended."""
        # gunicorn to 23 calls this in a signal handler, where nothing may be said or raised: the
        # main loop does.
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                # As process 1 of a container, the master has the orphans of others as well.
                worker = self.WORKERS.pop(pid, None)
                if worker:
                    worker.tmp.close()
                    self.app.balance.leave(worker.age)
                    self.ended.append((worker, status))
        except ChildProcessError:
            pass

    # What to do about them.

    def loaded_workers(self) -> list[Any]:
        return [worker for worker in self.WORKERS.values() if worker.boot.state == LOADED]

    def attend_end(self, worker: Any, status: int) -> None:
        """Says how a worker ended that was not asked to, and sees to it that the server goes on.

        Ends it where there is no model: the next worker would fail, too.
        """
        if worker.asked and not worker.aborted:
            return
        how = describe_end(status)
        if worker.aborted:
            how = "no heartbeat for %d s" % self.timeout
        if worker.boot.state == LOADED:
            log("mlcli: worker process %s exited (%s); starting another one" % (worker.pid, how))
            self.spawn_after = self.spawned_at + PAUSE
            return
        if not self.loaded_workers():
            # Where it failed by an exception, it has said so.
            if worker.boot.state != FAILED:
                log("mlcli: a worker process exited while loading the model (%s)" % how)
            self.stop()
            sys.exit(self.WORKER_BOOT_ERROR)
        if is_killed(status) and self.target > 1:
            # It would be killed again, or, worse, one that serves would be.
            self.target -= 1
            self.num_workers = min(self.num_workers, self.target)
            rest = "the server continues with %d of %d" % (self.target, self.cfg.workers)
        else:
            pause = min(PAUSE * 2**self.failures, LONGEST_PAUSE)
            self.failures += 1
            self.spawn_after = time.monotonic() + pause
            rest = "retrying in %d s" % pause
        log("mlcli: worker process %s exited while loading the model (%s); %s" % (worker.pid, how, rest))

    def start_more(self, loaded: list[Any]) -> None:
        """Lets more workers load the model: all for which there is memory."""
        if self.at_once is None:
            self.at_once = self.fit(*loaded[0].boot.sizes)
        self.num_workers = min(self.target, len(loaded) + self.at_once)
        if self.num_workers == self.target:
            # From now on there is nothing to wait for.
            self.limits = []

    def fit(self, growth: int, peak: int) -> int:
        """Sets how many workers there are to be, given what one takes. Returns how many load at
        once."""
        tightest = memory.room(self.limits)
        if tightest is None or not growth:
            return self.target
        limit, room = tightest
        fitting = 1 + max(0, room) // growth
        # Loading can take more for a moment, though some of it may be files: so this decides no
        # more than whether they load side by side or one after the other.
        at_once = max(1, room // max(growth, peak))
        if fitting < self.target:
            log(
                "mlcli: the model needs %s per worker, and %s of the %s's %s are free: only "
                "%d of %d workers start. Set MLCLI_PRELOAD=1 to load it once for all workers, "
                "or use %s. To avoid this message, set MLCLI_WORKERS=%d."
                % (
                    *(memory.megabytes(size) for size in (growth, room)),
                    limit.owner,
                    memory.megabytes(limit.size),
                    fitting,
                    self.target,
                    limit.remedy,
                    fitting,
                )
            )
            self.target = fitting
        return at_once


def is_killed(status: int) -> bool:
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def describe_end(status: int) -> str:
    """How a process ended, given what `wait` says of it."""
    if is_killed(status):
        return "SIGKILL, probably out of memory"
    if not os.WIFSIGNALED(status):
        return "exit code %d" % os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    try:
        return signal.Signals(number).name
    except ValueError:
        return "signal %d" % number
