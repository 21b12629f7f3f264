"""The worker process: many connections, one thread that serves them, more when a request is slow.

gunicorn's own threaded worker passes each request from its main thread to a pool: that, and threads
that compete for the interpreter, take twice the time of a small prediction. And a thread waits for
each client that is slow: some that send half a request hold them all, and /ping goes unanswered.

Here one thread, the leader (leaders.py), waits for what arrives on any connection, takes it without
waiting for more (connection.py), and answers a request once all of it is here. Where that takes long,
another thread leads, so that there is always one that answers /ping. Once some predictions are slow,
the leader makes no more itself: those that come wait for threads that help.

With MLCLI_CONCURRENT_PREDICTIONS=1, the main thread, which has called model_fn, makes all predictions.
What it does otherwise is done by another thread.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections import deque
from datetime import timedelta

from mlcli_harness.failure import describe, log, summary
from mlcli_harness.serving.accepting import Acceptor
from mlcli_harness.serving.answer import Answer
from mlcli_harness.serving.booting import BootingWorker
from mlcli_harness.serving.clients import IN, OUT, TOO_MUCH, Clients
from mlcli_harness.serving.connection import LEAST_RATE, REQUEST_SECONDS
from mlcli_harness.serving.http import Refusal
from mlcli_harness.serving.leaders import PATIENCE, Leaders
from mlcli_harness.serving.sender import ClientGone
from mlcli_harness.serving.threads import affinity_hint
from mlcli_harness.stopping import leave_children_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from mlcli_harness.serving.connection import Connection

# How often the main thread looks when nothing is going on: a first slow request holds up /ping
# this long at most, and an idle server uses no measurable CPU.
IDLE_LOOK = 0.02
# Predictions that one worker makes side by side; more wait. Those that compute in Python take turns
# anyway: of them, fewer are begun, since each turn that /ping waits for is one of all.
MAX_PREDICTIONS = 64
MAX_COMPUTING = 8
# They compute where the main thread, on the average, gets the interpreter so many seconds late.
LATE = 0.003
# While as many are under way, the leader begins none: each that turns out to be slow holds up /ping
# until another thread leads.
MOST_BESIDE_LEADER = 4
# How long a thread that computes keeps the interpreter from others, in seconds; Python's own 5 ms
# make seconds for /ping.
SWITCH_SECONDS = 0.0005
# Threads beyond those that predict: one for /ping, some that take large bodies.
SPARE_THREADS = 8
# What the poller reports at a time.
MOST_EVENTS = 64
# The signals by which gunicorn stops a worker.
STOPPING = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT}
# After a stop, seconds that the main thread has to leave a prediction before the process ends.
LEAVE_SECONDS = 1


class PredictionWorker(BootingWorker):
    """A gunicorn worker; see the module's description."""

    def run(self) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        self.prepare()
        self.leaders.start()
        if self.predicts_in_main:
            threading.Thread(target=self.watch_beside, daemon=True).start()
            self.predict_in_main()
        else:
            self.watch()
            self.finish()

    def prepare(self) -> None:
        # sqlite3, asyncio, greenlets and others bind what model_fn makes to its thread.
        self.predicts_in_main = self.app.settings.concurrent_predictions == 1
        self.poller = select.epoll()
        self.clients = Clients(
            self.poller, self.app.settings, lambda count: self.app.balance.tell(self.age, count)
        )
        self.clients.tell(0)
        # By descriptor: the connections whose answer is being made, part by part.
        self.streaming: dict[int, Connection] = {}
        # What the poller has reported, for the leader.
        self.reported: deque[tuple[int, int]] = deque()
        # Requests that wait for a thread, with their connections.
        self.waiting: deque[tuple[Connection, dict[str, Any]]] = deque()
        # For the main thread, where it predicts: a request waits, or the worker has stopped.
        self.main_is_called = threading.Event()
        self.has_stopped = False
        self.main_has_left = threading.Event()
        # Predictions that are under way, counted under the lock.
        self.predictions = 0
        self.lock = threading.Lock()
        # How late the main thread gets the interpreter, on the average.
        self.lateness = 0.0
        # Whether connections came before all workers were ready.
        self.shares_anew = True
        self.acceptor = Acceptor(
            self.sockets, self.poller, self.room, self.clients.admit, self.clients.free_descriptors
        )
        helping = (lambda: None) if self.predicts_in_main else self.predict_waiting
        self.leaders = Leaders(self.next_task, self.predict, helping, MAX_PREDICTIONS + SPARE_THREADS)
        # A child that could not be terminated would hold up pools of the app, and a stop.
        leave_children_alone(signal.getsignal(signal.SIGTERM))
        os.register_at_fork(after_in_child=self.leave_clients)

    def leave_clients(self) -> None:
        """Closes the copies that a forked process has of the clients' connections, which would else
        stay open until that process ends. Its signals must not reach the worker's pipe, where SIGTERM
        means that the worker has to stop."""
        signal.set_wakeup_fd(-1)
        self.poller.close()
        for connection in self.clients.open:
            connection.socket.close()

    def room(self) -> int | None:
        """How many connections this worker may take, so as to leave the other workers their share;
        None: as many as come."""
        share = self.app.balance.share(self.age)
        return None if share is None else share - len(self.clients.open)

    def has_too_many(self) -> bool:
        """Whether it has more connections than its share, from a time when others were not ready."""
        if not self.shares_anew or not self.are_all_ready():
            return False
        room = self.room()
        self.shares_anew = room is not None and room < 0
        return self.shares_anew

    def are_all_ready(self) -> bool:
        return self.app.balance.ready() >= self.app.settings.workers

    # The main thread, or the one beside it.

    def watch(self) -> None:
        """Watches over the leader, the clients and the parent until told to stop."""
        next_housekeeping = 0.0
        while self.alive:
            now = time.monotonic()
            if now >= next_housekeeping:
                next_housekeeping = now + 1
                self.shares_anew = self.shares_anew or not self.are_all_ready()
                self.notify()
                self.clients.end_overdue()
                if self.ppid != os.getppid():
                    return
            self.sleep(PATIENCE if self.look_after_threads() else IDLE_LOOK)

    def look_after_threads(self) -> bool:
        """Has another thread lead or help where that is needed. Returns whether there is much to do."""
        is_busy = self.leaders.look_after()
        if not self.waiting or self.predicts_in_main:
            return is_busy
        if self.predictions < self.places():
            self.leaders.add_helper()
        return True

    def sleep(self, seconds: float) -> None:
        """Sleeps until a signal arrives, at most this long. Notes how late it wakes for the work that
        this process does, as opposed to that of others."""
        began, used = time.monotonic(), time.process_time()
        if select.select([self.PIPE[0]], [], [], seconds)[0]:
            # The signals' numbers (signal.set_wakeup_fd). Python calls their handlers in the main
            # thread, which may be within a prediction that is not Python.
            if STOPPING.intersection(os.read(self.PIPE[0], 4096)):
                self.alive = False
        late = min(time.monotonic() - began - seconds, time.process_time() - used)
        self.lateness += (max(0, late) - self.lateness) / 8

    def finish(self) -> None:
        """Stops accepting, and lets the requests that are under way finish."""
        # Answers say so from now on; it may be the parent that has gone.
        self.alive = False
        self.acceptor.stop()
        began = now = time.monotonic()
        while self.clients.open and now - began < self.cfg.graceful_timeout:
            self.clients.end_stopping(now - began)
            self.look_after_threads()
            self.notify()
            self.sleep(PATIENCE)
            now = time.monotonic()

    # Where the main thread predicts.

    def predict_in_main(self) -> None:
        """Answers the requests that wait, one after the other, until the worker has stopped."""
        while not self.has_stopped:
            self.main_is_called.wait()
            self.main_is_called.clear()
            self.leaders.attempt(self.predict_waiting)
        self.main_has_left.set()

    def watch_beside(self) -> None:
        """Watches, and stops the worker, in a thread beside the main thread."""
        try:
            self.watch()
            self.finish()
        finally:
            self.has_stopped = True
            self.main_is_called.set()
            # A prediction may keep it.
            if not self.main_has_left.wait(LEAVE_SECONDS):
                os._exit(0)

    # The serving threads.

    def next_task(self) -> tuple[Connection, dict[str, Any]] | None:
        """What the leader does: attends to what the poller reports. Returns a connection and its
        environ where a prediction is to be made; else None."""
        patience = self.acceptor.patience()
        if not self.reported:
            self.reported.extend(self.poller.poll(patience, MOST_EVENTS))
            if not self.reported:
                return None
        descriptor, _ = self.reported.popleft()
        return None if self.acceptor.take(descriptor) else self.attend(descriptor)

    def attend(self, descriptor: int) -> tuple[Connection, dict[str, Any]] | None:
        """Does what an event calls for: a client has sent something, or can take more. Returns a
        task, or None."""
        connection = self.clients.take(descriptor)
        if connection is None:
            self.flush_stream(descriptor)
            return None
        environ = self.clients.attempt(connection, self.serve)
        if self.clients.hold_too_much():
            self.clients.give_up_oldest()
        return environ and (connection, environ)

    def serve(self, connection: Connection) -> dict[str, Any] | None:
        """Goes on with a connection that this thread owns. Returns the environ of a request for which
        a prediction is to be made, in a place that it has; else None."""
        if connection.lingers_until is not None:
            self.clients.discard(connection)
            return None
        if connection.sender.backlog:
            self.flush(connection)
            return None
        environ = self.receive(connection)
        if environ is None:
            return None
        if environ["PATH_INFO"] != "/invocations":
            self.answer(connection, environ)
        elif not self.predicts_in_main and self.may_predict(MOST_BESIDE_LEADER):
            return environ
        else:
            self.queue(connection, environ)
        return None

    def flush(self, connection: Connection) -> None:
        """Sends more of an answer that its client did not take at once."""
        connection.sender.flush()
        if connection.sender.backlog:
            # Its deadline is still the one from when the answer was made.
            self.clients.wait(connection, OUT)
        elif connection.is_last:
            self.clients.linger(connection)
        else:
            self.clients.conclude(connection, is_stopping=not self.alive)

    def receive(self, connection: Connection) -> dict[str, Any] | None:
        """The next request of a connection, once all of it is here; else None: it waits, or has been
        closed."""
        try:
            environ = connection.receive()
        except Refusal as refusal:
            self.clients.refuse(connection, refusal)
            return None
        except EOFError:
            self.clients.close(connection)
            return None
        self.clients.account(connection, connection.held())
        if environ is None:
            self.clients.wait(connection, IN)
        return environ

    # Predictions.

    def places(self) -> int:
        """How many predictions may be made side by side."""
        if self.predicts_in_main:
            return 1
        return MAX_COMPUTING if self.lateness > LATE else MAX_PREDICTIONS

    def may_predict(self, most: int) -> bool:
        """Takes a place for a prediction, if fewer are under way."""
        with self.lock:
            if self.predictions >= most:
                return False
            self.predictions += 1
            return True

    def predict(self, connection: Connection, environ: dict[str, Any]) -> None:
        """Answers a request that has its place."""
        try:
            self.clients.attempt(connection, self.answer, environ)
        finally:
            with self.lock:
                self.predictions -= 1

    def queue(self, connection: Connection, environ: dict[str, Any]) -> None:
        """Has a request wait for a thread, and for a place for its prediction."""
        self.clients.account(connection, connection.held() + environ["wsgi.input"].getbuffer().nbytes)
        if self.clients.hold_too_much():
            self.clients.refuse(connection, Refusal(*TOO_MUCH))
        else:
            self.waiting.append((connection, environ))
            if self.predicts_in_main:
                self.main_is_called.set()
            else:
                self.leaders.call_helper()

    def predict_waiting(self) -> None:
        """Answers requests that wait, while there is a place."""
        while self.waiting and self.may_predict(self.places()):
            try:
                connection, environ = self.waiting.popleft()
            except IndexError:
                # Another thread was faster.
                with self.lock:
                    self.predictions -= 1
                return
            self.clients.account(connection, connection.held())
            self.predict(connection, environ)

    def answer(self, connection: Connection, environ: dict[str, Any]) -> None:
        """Has the application answer, and sends what it says."""
        began = time.monotonic()
        request = environ["mlcli.request"]
        answer = Answer(request, connection)
        try:
            body = self.wsgi(environ, answer.start_response)
            if self.poller.closed:
                # User code has forked this process, and not ended it. It must not serve.
                os._exit(1)
            self.send(answer, body)
        except ClientGone:
            raise
        except BaseException as error:
            # Before the head is sent, mostly because of a header that breaks HTTP's rules; after it,
            # because a stream broke off, and its client has to see that.
            described = describe(error)
            log(described + affinity_hint(described, in_one_thread=self.predicts_in_main))
            if answer.is_begun:
                if request.is_old:
                    connection.abort()
                raise ClientGone() from error
            self.clients.refuse(connection, Refusal("500 Internal Server Error", summary(error)))
            return
        if self.cfg.accesslog:
            duration = timedelta(seconds=time.monotonic() - began)
            self.log.access(answer, answer, environ, duration)
        self.clients.conclude(connection, is_stopping=not self.alive)

    def send(self, answer: Answer, body: Iterable[bytes]) -> None:
        """Sends an answer: in one piece where the application says how long it is, else part by
        part."""
        try:
            if not self.alive or self.has_too_many():
                # It may have taken long to make; or the client's next connection is another worker's.
                answer.connection.is_last = True
            if answer.has_length:
                answer.send_whole(b"".join(body))
            else:
                self.send_stream(answer, body)
        finally:
            close = getattr(body, "close", None)
            if close:
                close()

    def send_stream(self, answer: Answer, body: Iterable[bytes]) -> None:
        connection = answer.connection
        descriptor = connection.descriptor
        self.streaming[descriptor] = connection
        try:
            for part in body:
                answer.send_part(part)
                if connection.sender.backlog:
                    # The leader sends the rest when there is room.
                    self.poller.modify(descriptor, OUT)
                    connection.sender.wait_for_room(REQUEST_SECONDS + answer.sent / LEAST_RATE)
            answer.send_end()
        finally:
            del self.streaming[descriptor]

    def flush_stream(self, descriptor: int) -> None:
        """Sends more of a stream that is made faster than its client takes it."""
        connection = self.streaming.get(descriptor)
        if connection is None:
            return
        try:
            connection.sender.flush()
            if connection.sender.backlog:
                self.poller.modify(descriptor, OUT)
        except (ClientGone, OSError):
            # The thread that makes the stream hears of it.
            pass
