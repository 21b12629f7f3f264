"""The worker process: many connections, one thread that serves them, more when a request is slow.

gunicorn's own threaded worker passes each request from its main thread to a pool: that, and threads
that compete for the interpreter, take twice the time of a small prediction. And a thread waits for
each client that is slow: some that send half a request hold them all, and /ping goes unanswered.

Here one thread, the leader (leaders.py), waits for what arrives on any connection, takes it without
waiting for more (connection.py), and answers a request once all of it is here. Where that takes long,
another thread leads, so that there is always one that answers /ping. Once some predictions are slow,
the leader makes no more itself: those that come wait for threads that help.

A connection is at any time with one thread, which owns it, or among the `waiting`, or `idle`: then the
poller reports it once, and whoever takes it out of `idle` owns it.
"""

import os
import select
import sys
import threading
import time
from collections import deque
from datetime import timedelta

from mlcli_harness.failure import describe, log, summary
from mlcli_harness.serving.accepting import Acceptor
from mlcli_harness.serving.answer import Answer, send_refusal
from mlcli_harness.serving.booting import BootingWorker
from mlcli_harness.serving.connection import LEAST_RATE, REQUEST_SECONDS, Connection
from mlcli_harness.serving.http import Refusal
from mlcli_harness.serving.leaders import PATIENCE, Leaders
from mlcli_harness.serving.sender import ClientGone

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
# Connections that are closed at a time where too many are open.
MOST_CLOSED = 16
# How long clients have, once the server is to stop, to send the rest of a request and to take their
# answers, in seconds: with what else a stop takes, it ends within 6. One that still takes its answer
# at LEAST_RATE may go on.
STOP_CLIENTS_SECONDS = 4
# How long the server waits then for requests that are on their way on connections that are idle, and
# for clients to close after their last answer.
STOP_IDLE_SECONDS = 0.1
STOP_LINGER_SECONDS = 1

TOO_MUCH = ("503 Service Unavailable", "Too many bytes of requests are on their way at once")

IN = select.EPOLLIN | select.EPOLLONESHOT
OUT = select.EPOLLOUT | select.EPOLLONESHOT


class PredictionWorker(BootingWorker):
    """A gunicorn worker; see the module's description."""

    def run(self):
        sys.setswitchinterval(SWITCH_SECONDS)
        self.prepare()
        self.leaders.start()
        self.watch()
        self.finish()

    def prepare(self):
        self.poller = select.epoll()
        self.lock = threading.Lock()
        self.max_body = self.app.settings.max_body_bytes
        # By descriptor: those that wait for their client. The thread that takes one out owns it.
        self.idle = {}
        # By descriptor: those whose answer is being made, part by part.
        self.streaming = {}
        self.open_connections = set()
        # Bytes of requests that are not complete, or wait.
        self.unfinished = 0
        # What the poller has reported, for the leader.
        self.reported = deque()
        # Requests that wait for a thread, with their connections.
        self.waiting = deque()
        self.predictions = 0
        # How late the main thread gets the interpreter, on the average.
        self.lateness = 0.0
        self.app.balance.tell(self.age, 0)
        self.acceptor = Acceptor(self.sockets, self.poller, self.room, self.admit, self.make_descriptors)
        self.leaders = Leaders(
            self.next_task, self.predict, self.predict_waiting, MAX_PREDICTIONS + SPARE_THREADS
        )

    # The main thread.

    def watch(self):
        """Watches over the leader, the clients and the parent until told to stop."""
        next_housekeeping = 0.0
        while self.alive:
            now = time.monotonic()
            if now >= next_housekeeping:
                next_housekeeping = now + 1
                self.notify()
                self.end_overdue()
                if self.ppid != os.getppid():
                    return
            self.sleep(PATIENCE if self.look_after_threads() else IDLE_LOOK)

    def look_after_threads(self):
        """Has another thread lead or help where that is needed. Returns whether there is much to do."""
        is_busy = self.leaders.look_after()
        if not self.waiting:
            return is_busy
        if self.predictions < self.places():
            self.leaders.add_helper()
        return True

    def sleep(self, seconds):
        """Sleeps until a signal arrives, at most this long. Notes how late it wakes for the work that
        this process does, as opposed to that of others."""
        began, used = time.monotonic(), time.process_time()
        if select.select([self.PIPE[0]], [], [], seconds)[0]:
            os.read(self.PIPE[0], 4096)
        late = min(time.monotonic() - began - seconds, time.process_time() - used)
        self.lateness += (max(0, late) - self.lateness) / 8

    def end_overdue(self):
        """Ends what clients have had their time for."""
        for connection in list(self.open_connections):
            if self.take_where(connection, is_overdue):
                self.attempt(connection, self.end)

    def end(self, connection):
        """Ends a request that does not come, or whose answer is not taken."""
        if connection.began is None or connection.sender.backlog:
            self.close(connection)
        else:
            self.refuse(connection, Refusal("408 Request Timeout", "The request took too long"))

    def finish(self):
        """Stops accepting, and lets the requests that are under way finish."""
        # Answers say so from now on; it may be the parent that has gone.
        self.alive = False
        self.acceptor.stop()
        began = now = time.monotonic()
        next_look = began
        progress = Progress()
        while self.open_connections and now - began < self.cfg.graceful_timeout:
            if now >= next_look:
                next_look += 1
                progress.look(list(self.open_connections))
            for connection in list(self.open_connections):
                self.end_stopping(connection, now - began, progress)
            self.look_after_threads()
            self.notify()
            self.sleep(PATIENCE)
            now = time.monotonic()

    def end_stopping(self, connection, elapsed, progress):
        """Closes a connection where there is nothing to wait for, or its client is too slow."""

        def is_over(connection):
            if connection.lingers_until is not None:
                return time.monotonic() >= connection.rested_at + STOP_LINGER_SECONDS
            if connection.sender.backlog:
                return elapsed >= STOP_CLIENTS_SECONDS and progress.is_stuck(connection)
            if connection.is_idle():
                return elapsed >= STOP_IDLE_SECONDS
            return elapsed >= STOP_CLIENTS_SECONDS

        if self.take_where(connection, is_over):
            self.close(connection)
        elif elapsed >= STOP_CLIENTS_SECONDS and progress.is_stuck(connection):
            # A stream: the thread that makes it hears of it.
            connection.sender.give_up()

    # The serving threads.

    def next_task(self):
        """What the leader does: attends to what the poller reports. Returns a connection and its
        environ where a prediction is to be made; else None."""
        patience = self.acceptor.patience()
        if not self.reported:
            self.reported.extend(self.poller.poll(patience, MOST_EVENTS))
            if not self.reported:
                return None
        descriptor, _ = self.reported.popleft()
        return None if self.acceptor.take(descriptor) else self.attend(descriptor)

    def attend(self, descriptor):
        """Does what an event calls for: a client has sent something, or can take more. Returns a
        task, or None."""
        with self.lock:
            connection = self.idle.pop(descriptor, None)
        if connection is None:
            self.flush_stream(descriptor)
            return None
        environ = self.attempt(connection, self.serve)
        if self.holds_too_much():
            self.make_room()
        return environ and (connection, environ)

    def attempt(self, connection, step, *arguments):
        """Goes on with a connection that this thread owns, and closes it where that fails."""
        try:
            return step(connection, *arguments)
        except (ClientGone, OSError):
            self.close(connection)
        except BaseException as error:
            # Any exception: others wait for this thread.
            self.close(connection)
            log(describe(error))
        return None

    def serve(self, connection):
        """Goes on with a connection that this thread owns. Returns the environ of a request for which
        a prediction is to be made, in a place that it has; else None."""
        if connection.lingers_until is not None:
            if connection.discard():
                self.wait(connection, IN)
            else:
                self.close(connection)
            return None
        if connection.sender.backlog:
            self.flush(connection)
            return None
        environ = self.receive(connection)
        if environ is None:
            return None
        if environ["PATH_INFO"] == "/ping":
            self.answer(connection, environ)
        elif self.may_predict(MOST_BESIDE_LEADER):
            return environ
        else:
            self.queue(connection, environ)
        return None

    def flush(self, connection):
        """Sends more of an answer that its client did not take at once."""
        connection.sender.flush()
        if connection.sender.backlog:
            # Its deadline is still the one from when the answer was made.
            self.wait(connection, OUT)
        elif connection.is_last:
            self.linger(connection)
        else:
            self.conclude(connection)

    def receive(self, connection):
        """The next request of a connection, once all of it is here; else None: it waits, or has been
        closed."""
        try:
            environ = connection.receive()
        except Refusal as refusal:
            self.refuse(connection, refusal)
            return None
        except EOFError:
            self.close(connection)
            return None
        self.account(connection, connection.held())
        if environ is None:
            self.wait(connection, IN)
        return environ

    def account(self, connection, held):
        """Notes how many bytes a connection holds of a request that is not complete."""
        if held != connection.accounted:
            with self.lock:
                self.unfinished += held - connection.accounted
            connection.accounted = held

    def holds_too_much(self):
        return self.max_body and self.unfinished > self.app.settings.unfinished_bytes

    def make_room(self):
        """Gives up the request that has been coming for the longest time, where clients have sent
        more than the worker holds."""
        unfinished = [one for one in list(self.idle.values()) if one.accounted]
        for connection in sorted(unfinished, key=lambda one: one.began or 0):
            if self.take_where(connection, lambda one: one.accounted):
                self.attempt(connection, self.refuse, Refusal(*TOO_MUCH))
                return

    def refuse(self, connection, refusal):
        """Answers where the application is not asked, and nothing more on this connection."""
        connection.forget()
        self.account(connection, 0)
        connection.is_last = True
        send_refusal(connection.sender, refusal)
        if connection.sender.backlog:
            connection.rest()
            self.wait(connection, OUT)
        else:
            self.linger(connection)

    # Predictions.

    def places(self):
        """How many predictions may be made side by side."""
        return MAX_COMPUTING if self.lateness > LATE else MAX_PREDICTIONS

    def may_predict(self, most):
        """Takes a place for a prediction, if fewer are under way."""
        with self.lock:
            if self.predictions >= most:
                return False
            self.predictions += 1
            return True

    def predict(self, connection, environ):
        """Answers a request that has its place."""
        try:
            self.attempt(connection, self.answer, environ)
        finally:
            with self.lock:
                self.predictions -= 1

    def queue(self, connection, environ):
        """Has a request wait for a thread, and for a place for its prediction."""
        self.account(connection, connection.held() + environ["wsgi.input"].getbuffer().nbytes)
        if self.holds_too_much():
            self.refuse(connection, Refusal(*TOO_MUCH))
        else:
            self.waiting.append((connection, environ))
            self.leaders.call_helper()

    def predict_waiting(self):
        """What threads do that help: answers requests that wait, while there is a place."""
        while self.waiting and self.may_predict(self.places()):
            try:
                connection, environ = self.waiting.popleft()
            except IndexError:
                # Another thread was faster.
                with self.lock:
                    self.predictions -= 1
                return
            self.account(connection, connection.held())
            self.predict(connection, environ)

    def answer(self, connection, environ):
        """Has the application answer, and sends what it says."""
        began = time.monotonic()
        request = environ["mlcli.request"]
        answer = Answer(request, connection)
        try:
            self.send(answer, self.wsgi(environ, answer.start_response))
        except ClientGone:
            raise
        except BaseException as error:
            # Before the head is sent, mostly because of a header that breaks HTTP's rules; after it,
            # because a stream broke off, and its client has to see that.
            log(describe(error))
            if answer.is_begun:
                if request.is_old:
                    connection.abort()
                raise ClientGone() from error
            self.refuse(connection, Refusal("500 Internal Server Error", summary(error)))
            return
        if self.cfg.accesslog:
            duration = timedelta(seconds=time.monotonic() - began)
            self.log.access(answer, answer, environ, duration)
        self.conclude(connection)

    def send(self, answer, body):
        """Sends an answer: in one piece where the application says how long it is, else part by
        part."""
        try:
            if not self.alive:
                # It may have taken long to make.
                answer.connection.is_last = True
            if answer.has_length:
                answer.send_whole(b"".join(body))
            else:
                self.send_stream(answer, body)
        finally:
            close = getattr(body, "close", None)
            if close:
                close()

    def send_stream(self, answer, body):
        connection = answer.connection
        descriptor = connection.descriptor
        self.streaming[descriptor] = connection
        try:
            for part in body:
                answer.send_part(part)
                if connection.sender.backlog:
                    # The leader sends the rest when there is room.
                    self.poller.modify(descriptor, OUT)
                    connection.sender.wait_for_room(REQUEST_SECONDS)
            answer.send_end()
        finally:
            del self.streaming[descriptor]

    def flush_stream(self, descriptor):
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

    def conclude(self, connection):
        """Waits for what comes next on a connection, now that an answer is made."""
        connection.rest()
        if connection.sender.backlog:
            self.wait(connection, OUT)
        elif not connection.is_last:
            # What has come already is read in its turn: there is room to write now, and so an event.
            self.wait(connection, OUT if connection.buffer else IN)
        elif connection.buffer or not self.alive:
            self.linger(connection)
        else:
            self.close(connection)

    def linger(self, connection):
        """Has the client get its last answer: if a connection is closed while something of it is
        unread, what was sent is lost."""
        if connection.linger():
            self.wait(connection, IN)
        else:
            self.close(connection)

    # Connections.

    def room(self):
        """How many connections this worker may take, so as to leave the other workers their share;
        None: as many as come."""
        share = self.app.balance.share(self.age)
        return None if share is None else share - len(self.open_connections)

    def admit(self, client_socket, address):
        """Takes a new client."""
        connection = Connection(client_socket, address, self.max_body)
        self.open_connections.add(connection)
        self.app.balance.tell(self.age, len(self.open_connections))
        try:
            with self.lock:
                self.poller.register(connection.descriptor, IN)
                self.idle[connection.descriptor] = connection
        except OSError as error:
            # The system can watch no more.
            log("mlcli: cannot accept a connection: %s" % error)
            self.close(connection)

    def make_descriptors(self):
        """Closes the connections whose time is over first: too many are open."""
        waiting = sorted(list(self.idle.values()), key=lambda one: (not one.is_idle(), one.deadline()))
        for connection in waiting[:MOST_CLOSED]:
            if self.take_where(connection, lambda one: True):
                self.close(connection)
        if not waiting:
            # It would be tried again at once.
            time.sleep(0.05)

    def wait(self, connection, interest):
        """Has the poller report the connection, once."""
        # Under the lock, so that nobody owns it before the poller knows what it waits for.
        with self.lock:
            self.idle[connection.descriptor] = connection
            self.poller.modify(connection.descriptor, interest)

    def take_where(self, connection, condition):
        """Makes the connection this thread's, if the condition holds and no other thread has it."""
        if not condition(connection):
            return False
        with self.lock:
            # Its descriptor may be another one's by now, and a thread may just have served it.
            is_mine = self.idle.get(connection.descriptor) is connection and condition(connection)
            if is_mine:
                del self.idle[connection.descriptor]
        return is_mine

    def close(self, connection):
        # Closing takes it out of the poller, too.
        self.account(connection, 0)
        connection.close()
        self.open_connections.discard(connection)
        self.app.balance.tell(self.age, len(self.open_connections))


class Progress:
    """Which clients still take their answers, by looks a second apart."""

    def __init__(self):
        # What each should have taken by the next look, in bytes of all that it was sent.
        self.expected = {}
        self.stuck = set()

    def look(self, connections):
        senders = {one: one.sender for one in connections if one.sender.backlog}
        self.stuck = {
            one for one in senders if senders[one].taken < self.expected.get(one, 0)
        }
        self.expected = {
            one: sender.taken + min(sender.size, LEAST_RATE) for one, sender in senders.items()
        }

    def is_stuck(self, connection):
        return connection in self.stuck


def is_overdue(connection):
    return connection.deadline() < time.monotonic()
