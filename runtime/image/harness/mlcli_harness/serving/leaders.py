"""Threads that take turns to lead: the leader waits for what happens next, and attends to it.

Where that takes longer than PATIENCE, the main thread makes another thread leader, and the slow one
waits aside when it is done. So quick work runs at full speed in one thread, slow work side by side,
and there is always a thread that waits.
"""

import threading
import time

from mlcli_harness.failure import describe, log

# Seconds that the leader may spend on one event before another thread takes over. The interpreter
# switches threads every 5 ms, so a shorter time would gain nothing.
PATIENCE = 0.005
# Where waiting for events fails, it fails again at once: seconds until the next try.
PAUSE = 0.1


class Seat:
    """A thread's place: leading, or waiting aside until it is called."""

    def __init__(self):
        self.called = threading.Event()
        # When the event being attended to came, on the monotonic clock; None between events.
        self.busy_since = None


class Leaders:
    """The threads, `most` of them at most. `next_event` waits for an event, and is only called by the
    leader; it returns None where there is none after all. `attend` is called with each event."""

    def __init__(self, next_event, attend, most):
        self.next_event = next_event
        self.attend = attend
        self.most = most
        self.lock = threading.Lock()
        self.aside = []
        self.threads = 0
        self.leader = None
        # Whether the log says that no more threads can be had.
        self.has_complained = False

    def start(self):
        """Starts the first leader. Raises RuntimeError where there can be no threads."""
        self.leader = self.new_thread()
        self.leader.called.set()

    # The main thread.

    def look_after(self):
        """Has another thread lead where the leader takes long. Returns whether it is busy."""
        leader = self.leader
        since = leader.busy_since
        if since is None:
            return False
        if time.monotonic() - since >= PATIENCE:
            with self.lock:
                # It may just have become free, or busy with something else.
                if leader.busy_since == since:
                    self.replace_leader()
        return True

    def replace_leader(self):
        """Has another thread lead, if one is to be had: else the leader leads on when it is done."""
        if self.aside:
            seat = self.aside.pop()
        elif self.threads < self.most:
            try:
                seat = self.new_thread()
            except RuntimeError as error:
                if not self.has_complained:
                    self.has_complained = True
                    log("mlcli: %s; /ping waits for a prediction to end" % error)
                return
            self.has_complained = False
        else:
            return
        self.leader = seat
        seat.called.set()

    def new_thread(self):
        seat = Seat()
        threading.Thread(target=self.work, args=(seat,), daemon=True).start()
        self.threads += 1
        return seat

    # The threads.

    def work(self, seat):
        """What a thread does: leads when called, else waits aside."""
        while True:
            seat.called.wait()
            seat.called.clear()
            self.lead(seat)

    def lead(self, seat):
        """Attends to what happens until another thread leads."""
        while True:
            try:
                event = self.next_event()
                if event is None:
                    continue
                seat.busy_since = time.monotonic()
                self.attend(event)
            except BaseException as error:
                # Any exception: the server must not lose a thread.
                complain(error)
                if seat.busy_since is None:
                    time.sleep(PAUSE)
            with self.lock:
                seat.busy_since = None
                if self.leader is not seat:
                    self.aside.append(seat)
                    return


def complain(error):
    """Logs an error, if that is possible."""
    try:
        log(describe(error))
    except Exception:
        pass
