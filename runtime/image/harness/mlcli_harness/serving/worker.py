"""The worker process: many connections, one thread that serves them, more when a request is slow.

gunicorn's own threaded worker passes each request from its main thread to a pool: that, and threads
that compete for the interpreter, take twice the time of a small prediction. And a thread waits for
each client that is slow: some that send half a request hold them all, and /ping goes unanswered.

Here one thread, the leader, waits for what arrives on any connection, takes it without waiting for
more (connection.py), and answers a request once all of it is here. Where that takes longer than
PATIENCE, the main thread makes another thread leader, and the slow one waits aside when it is done.
So quick predictions run at full speed in one thread, slow ones side by side, and there is always a
thread that answers /ping.
"""

import os
import select
import threading
import time
from collections import deque
from datetime import timedelta

from mlcli_harness.failure import describe, log, summary
from mlcli_harness.serving.answer import Answer, send_refusal
from mlcli_harness.serving.booting import BootingWorker
from mlcli_harness.serving.connection import REQUEST_SECONDS, Connection
from mlcli_harness.serving.http import Refusal
from mlcli_harness.serving.sender import ClientGone

# Seconds that the leader may spend on a request before another thread takes over. The interpreter
# switches threads every 5 ms, so a shorter time would gain nothing.
PATIENCE = 0.005
# How often the main thread looks when nothing is going on: a first slow request holds up /ping
# this long at most, and an idle server uses no measurable CPU.
IDLE_LOOK = 0.02
# A worker that has more than its share of the connections leaves the next one to the others for so
# long, in seconds.
BREATH = 0.001
# Predictions that one worker makes side by side; more wait. Threads are one more, for /ping.
MAX_PREDICTIONS = 64
# What the poller reports at a time.
MOST_EVENTS = 64
# Bytes of requests that are not complete, of all clients of a worker together, beyond the largest
# request that it takes.
UNFINISHED_BYTES = 256 * 1024 * 1024
# How long clients have, once the server is to stop, to send the rest of a request and to take their
# answers, in seconds.
STOP_CLIENTS_SECONDS = 5
# How long the server waits then for requests that are on their way on connections that are idle.
STOP_IDLE_SECONDS = 0.1

TOO_MUCH = ("503 Service Unavailable", "Too many bytes of requests are on their way at once")

IN = select.EPOLLIN | select.EPOLLONESHOT
OUT = select.EPOLLOUT | select.EPOLLONESHOT


class Seat:
    """A thread's place: leading, or waiting aside until it is called."""

    def __init__(self):
        self.called = threading.Event()
        # When the event being attended to came, on the monotonic clock; None between events.
        self.busy_since = None


class PredictionWorker(BootingWorker):
    """A gunicorn worker; see the module's description."""

    def run(self):
        self.poller = select.epoll()
        self.lock = threading.Lock()
        self.max_body = self.app.settings.max_body_bytes
        # By descriptor: those that wait for their client. The thread that takes one out owns it.
        self.idle = {}
        # By descriptor: those whose answer is being made, part by part.
        self.streaming = {}
        self.open_connections = set()
        # Bytes of requests that are not complete.
        self.unfinished = 0
        # Descriptors that the poller has reported, for the leader.
        self.reported = deque()
        # Requests that wait for a thread, with their connections.
        self.waiting = deque()
        self.predictions = 0
        self.aside = []
        self.leader = None
        self.stops_at = None
        self.listeners = {listener.fileno(): listener for listener in self.sockets}
        for listener in self.sockets:
            listener.setblocking(False)
            self.poller.register(listener.fileno(), IN)
        # When new connections are reported again, on the monotonic clock; None: they are.
        self.accepts_at = None
        self.has_left_to_others = False
        self.app.balance.tell(self.age, 0)

        self.appoint_leader()
        self.watch()
        self.finish()

    # The main thread.

    def watch(self):
        """Watches over the leader, the clients and the parent until told to stop."""
        next_housekeeping = 0.0
        while self.alive:
            now = time.monotonic()
            if now >= next_housekeeping:
                next_housekeeping = now + 1
                self.notify()
                self.end_overdue(now)
                if self.ppid != os.getppid():
                    return
            self.sleep(PATIENCE if self.look_after_leader() else IDLE_LOOK)

    def sleep(self, seconds):
        """Sleeps until a signal arrives, at most this long."""
        if select.select([self.PIPE[0]], [], [], seconds)[0]:
            os.read(self.PIPE[0], 4096)

    def look_after_leader(self):
        """Has another thread lead where the leader takes long. Returns whether it is busy."""
        leader = self.leader
        since = leader.busy_since if leader else None
        if since is None:
            return False
        if time.monotonic() - since >= PATIENCE:
            with self.lock:
                # It may just have become free, or busy with something else.
                if leader.busy_since == since:
                    self.appoint_leader()
        return True

    def appoint_leader(self):
        """Has another thread lead from now on."""
        if self.aside:
            self.leader = self.aside.pop()
        else:
            seat = Seat()
            try:
                threading.Thread(target=self.work, args=(seat,), daemon=True).start()
            except RuntimeError as error:
                # The thread that is done first becomes leader.
                log("mlcli: %s; /ping waits for a prediction to end" % error)
                self.leader = None
                return
            self.leader = seat
        self.leader.called.set()

    def end_overdue(self, now):
        """Ends what clients have had their time for."""
        for connection in list(self.open_connections):
            if connection.deadline() < now and self.take_from_idle(connection):
                if connection.began is None or connection.sender.backlog:
                    self.close(connection)
                else:
                    self.refuse(connection, Refusal("408 Request Timeout", "The request took too long"))

    def take_from_idle(self, connection):
        """Makes the connection this thread's, unless another thread has it."""
        return self.idle.pop(connection.descriptor, None) is not None

    def finish(self):
        """Stops accepting, and lets the requests that are under way finish."""
        now = time.monotonic()
        self.stops_at = now + STOP_CLIENTS_SECONDS
        self.accept_rest()
        idle_until = now + STOP_IDLE_SECONDS
        deadline = now + self.cfg.graceful_timeout
        while self.open_connections and now < deadline:
            for connection in list(self.open_connections):
                self.end_stopping(connection, now, idle_until)
            self.look_after_leader()
            self.notify()
            time.sleep(PATIENCE)
            now = time.monotonic()

    def accept_rest(self):
        """Takes the connections that clients have made already, and no more."""
        for listener in self.sockets:
            self.poller.unregister(listener.fileno())
            while self.accept(listener):
                pass
            listener.close()

    def end_stopping(self, connection, now, idle_until):
        """Closes a connection where there is nothing to wait for, or its client is too slow."""
        if connection.is_idle() or connection.lingers_until is not None:
            over = now >= idle_until
        else:
            over = now >= self.stops_at
        if not over:
            return
        if self.take_from_idle(connection):
            self.close(connection)
        elif connection.sender.backlog:
            # A stream, whose thread hears of it.
            connection.sender.give_up()

    # The serving threads.

    def work(self, seat):
        """What a thread does: leads when called, else waits aside."""
        while True:
            seat.called.wait()
            seat.called.clear()
            self.lead(seat)

    def lead(self, seat):
        """Serves what arrives until another thread leads."""
        while True:
            descriptor = self.next_report()
            if descriptor is None:
                continue
            seat.busy_since = time.monotonic()
            try:
                self.attend(descriptor)
                self.predict_waiting()
            except BaseException as error:
                # Any exception: the server must not lose a thread.
                log(describe(error))
            with self.lock:
                seat.busy_since = None
                if self.leader is None:
                    self.leader = seat
                elif self.leader is not seat:
                    self.aside.append(seat)
                    return

    def next_report(self):
        """The next descriptor on which something has happened; None where nothing has, for a while."""
        if self.accepts_at is not None and time.monotonic() >= self.accepts_at:
            self.accept_again()
        if not self.reported:
            timeout = -1 if self.accepts_at is None else BREATH
            for descriptor, _ in self.poller.poll(timeout, MOST_EVENTS):
                self.reported.append(descriptor)
        return self.reported.popleft() if self.reported else None

    def attend(self, descriptor):
        """Does what an event calls for: a client has come, has sent something, or can take more."""
        listener = self.listeners.get(descriptor)
        if listener is not None:
            self.accept_share(listener)
            return
        connection = self.idle.pop(descriptor, None)
        if connection is None:
            self.flush_stream(descriptor)
            return
        try:
            self.serve(connection)
        except (ClientGone, OSError):
            self.close(connection)
        except BaseException:
            self.close(connection)
            raise

    def serve(self, connection):
        """Goes on with a connection that this thread owns."""
        if connection.lingers_until is not None:
            if connection.discard():
                self.wait(connection, IN)
            else:
                self.close(connection)
            return
        if connection.sender.backlog:
            connection.sender.flush()
            if connection.sender.backlog or connection.is_last:
                self.conclude(connection)
                return
        environ = self.receive(connection)
        if environ is None:
            return
        if environ["PATH_INFO"] == "/ping":
            self.answer(connection, environ)
        elif self.may_predict():
            self.predict(connection, environ)
        else:
            self.waiting.append((connection, environ))

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
            self.make_room()
        return environ

    def account(self, connection, held):
        """Notes how many bytes a connection holds of a request that is not complete."""
        if held != connection.accounted:
            with self.lock:
                self.unfinished += held - connection.accounted
            connection.accounted = held

    def make_room(self):
        """Gives up the request that has been coming for the longest time, where clients have sent
        more than the worker holds."""
        if not self.max_body or self.unfinished <= UNFINISHED_BYTES + self.max_body:
            return
        unfinished = [one for one in list(self.idle.values()) if one.accounted]
        for connection in sorted(unfinished, key=lambda one: one.began or 0):
            if self.take_from_idle(connection):
                self.refuse(connection, Refusal(*TOO_MUCH))
                return

    def refuse(self, connection, refusal):
        """Answers where the application is not asked, and nothing more on this connection."""
        connection.forget()
        self.account(connection, 0)
        connection.is_last = True
        try:
            send_refusal(connection.sender, refusal)
            if connection.sender.backlog or connection.linger():
                self.wait(connection, OUT if connection.sender.backlog else IN)
                return
        except ClientGone:
            pass
        self.close(connection)

    # Predictions.

    def may_predict(self):
        """Takes a place for a prediction, if there is one."""
        with self.lock:
            if self.predictions >= MAX_PREDICTIONS:
                return False
            self.predictions += 1
            return True

    def predict(self, connection, environ):
        """Answers a request that has its place."""
        try:
            self.answer(connection, environ)
        finally:
            with self.lock:
                self.predictions -= 1

    def predict_waiting(self):
        """Answers requests that had no place, now that there is one."""
        while self.waiting and self.may_predict():
            try:
                connection, environ = self.waiting.popleft()
            except IndexError:
                # Another thread was faster.
                with self.lock:
                    self.predictions -= 1
                return
            try:
                self.predict(connection, environ)
            except (ClientGone, OSError):
                self.close(connection)

    def answer(self, connection, environ):
        """Has the application answer, and sends what it says."""
        began = time.monotonic()
        request = environ["mlcli.request"]
        if not self.alive:
            connection.is_last = True
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
        elif connection.buffer and connection.linger():
            self.wait(connection, IN)
        else:
            self.close(connection)

    # Connections.

    def accept_share(self, listener):
        """Takes new connections, as many as leave the other workers their share."""
        share = self.app.balance.share(self.age)
        room = MOST_EVENTS if share is None else share - len(self.open_connections)
        if room <= 0 and not self.has_left_to_others:
            self.has_left_to_others = True
            self.accepts_at = time.monotonic() + BREATH
            return
        self.has_left_to_others = False
        for _ in range(max(1, min(room, MOST_EVENTS))):
            if not self.accept(listener):
                break
        self.accept_again()

    def accept_again(self):
        """Has the poller report new connections again."""
        self.accepts_at = None
        try:
            for descriptor in self.listeners:
                self.poller.modify(descriptor, IN)
        except OSError:
            # Closed meanwhile: the server is being stopped.
            if self.alive:
                raise

    def accept(self, listener):
        """Takes a new connection. Returns whether there was one."""
        try:
            client_socket, address = listener.accept()
        except BlockingIOError:
            # Another worker was faster.
            return False
        except ConnectionAbortedError:
            return True
        except OSError as error:
            self.make_room_for_clients(error)
            return False
        connection = Connection(client_socket, address, self.max_body)
        self.open_connections.add(connection)
        self.app.balance.tell(self.age, len(self.open_connections))
        self.idle[connection.descriptor] = connection
        self.poller.register(connection.descriptor, IN)
        return True

    def make_room_for_clients(self, error):
        """Closes the connection that has been idle for the longest time: too many are open."""
        log("mlcli: cannot accept a connection: %s" % error)
        idle = [one for one in list(self.idle.values()) if one.is_idle()]
        for connection in sorted(idle, key=lambda one: one.closes_at)[:MOST_EVENTS]:
            if self.take_from_idle(connection):
                self.close(connection)
        if not idle:
            # It would be tried again at once.
            time.sleep(0.05)

    def wait(self, connection, interest):
        """Has the poller report the connection, once."""
        self.idle[connection.descriptor] = connection
        self.poller.modify(connection.descriptor, interest)

    def close(self, connection):
        # Closing takes it out of the poller, too.
        self.account(connection, 0)
        connection.close()
        self.open_connections.discard(connection)
        self.app.balance.tell(self.age, len(self.open_connections))
