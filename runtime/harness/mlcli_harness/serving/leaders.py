"""Threads that take turns to lead: the leader waits for what happens, until there is a task for it.

Where the task takes longer than PATIENCE, the main thread makes another thread leader, and the slow
one waits aside when it is done. So quick tasks run at full speed in one thread, slow ones side by
side, and there is always a thread that waits. Those aside can also be called to help.
"""

from __future__ import annotations

import threading
import time

from mlcli_harness.failure import describe, log
from mlcli_harness.serving.threads import inheriting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Seconds that the leader may spend on a task before another thread takes over. A shorter time would
# gain little: the main thread that has to see it waits for the interpreter itself.
PATIENCE = 0.005
# Where waiting for a task fails, it fails again at once: seconds until the next try.
PAUSE = 0.1


class Seat:
    """A thread's place: leading, helping, or waiting aside until it is called."""

    def __init__(self) -> None:
        self.called = threading.Event()
        # When the leader's task began, on the monotonic clock; None between tasks.
        self.busy_since: float | None = None


class Leaders:
    """The threads, `most` of them at most. `next_task` is only called by the leader, and waits; it may
    return None. `perform` is called with each task, `help` by threads that do not lead."""

    def __init__(
        self,
        next_task: Callable[[], Any],
        perform: Callable[..., object],
        help: Callable[[], object],
        most: int,
    ) -> None:
        self.next_task = next_task
        self.perform = perform
        self.help = help
        self.most = most
        self.lock = threading.Lock()
        # One of them is left aside by those who need help: who is to lead must be at hand.
        self.aside: list[Seat] = []
        self.threads = 0
        self.leader = Seat()
        # Whether the log says that no more threads can be had.
        self.has_complained = False

    def start(self) -> None:
        """Starts the first leader. Raises RuntimeError where there can be no thread at all."""
        self.start_thread(self.leader)

    # The main thread.

    def look_after(self) -> bool:
        """Has another thread lead where the leader takes long. Returns whether it is busy."""
        if not self.aside:
            self.add_thread()
        leader = self.leader
        since = leader.busy_since
        if since is None:
            return False
        if time.monotonic() - since >= PATIENCE:
            with self.lock:
                # It may just have become free, or busy with something else. Without another thread
                # it leads on when it is done.
                if leader.busy_since == since and self.aside:
                    self.leader = self.aside.pop()
                    self.leader.called.set()
        return True

    def add_helper(self) -> None:
        """Has another thread help, if one is to be had."""
        if not self.call_helper():
            self.add_thread()

    def add_thread(self) -> None:
        """Starts a thread, if there can be more. It helps first."""
        if self.threads >= self.most:
            return
        try:
            self.start_thread(Seat())
            self.has_complained = False
        except RuntimeError as error:
            if not self.has_complained:
                self.has_complained = True
                log("mlcli: cannot start a thread (%s), so /ping might have to wait for a prediction" % error)

    def start_thread(self, seat: Seat) -> None:
        seat.called.set()
        threading.Thread(target=inheriting(self.work), args=(seat,), daemon=True).start()
        self.threads += 1

    # The threads.

    def call_helper(self) -> bool:
        """Has a thread help that waits aside. Returns whether there was one."""
        with self.lock:
            if len(self.aside) < 2:
                return False
            seat = self.aside.pop()
        seat.called.set()
        return True

    def work(self, seat: Seat) -> None:
        """What a thread does: leads or helps when called, else waits aside."""
        while True:
            seat.called.wait()
            seat.called.clear()
            if self.leader is seat:
                self.lead(seat)
            self.attempt(self.help)
            with self.lock:
                self.aside.append(seat)

    def lead(self, seat: Seat) -> None:
        """Does what there is to do until another thread leads."""
        while True:
            task = self.attempt(self.next_task)
            if task is None:
                continue
            seat.busy_since = time.monotonic()
            self.attempt(self.perform, *task)
            with self.lock:
                seat.busy_since = None
                if self.leader is not seat:
                    return

    def attempt(self, step: Callable[..., Any], *arguments: Any) -> Any:
        """Any exception: the server must not lose a thread."""
        try:
            return step(*arguments)
        except BaseException as error:
            try:
                log(describe(error))
            except Exception:
                # There is nobody to tell.
                pass
            if step == self.next_task:
                time.sleep(PAUSE)
            return None
