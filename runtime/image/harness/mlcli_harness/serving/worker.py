"""The worker process: many connections, one thread that serves them, more when a request is slow.

gunicorn's own threaded worker passes each request from its main thread to a pool: that, and threads
that compete for the interpreter, take twice the time of a small prediction. It also takes up to
a second to stop (20.1), and with all threads busy, or waiting on clients that send nothing, /ping
goes unanswered.

Here one thread, the leader, waits for the next readable connection and answers it by itself. Where
that takes longer than PATIENCE, the main thread makes another one leader, and the slow one waits
aside when it is done. So quick predictions run at full speed in one thread, slow ones side by side,
and there is always a thread to answer /ping.
"""

import json
import os
import select
import threading
import time
from datetime import timedelta

from gunicorn.http import wsgi
from gunicorn.http.errors import ParseException

from mlcli_harness.failure import describe, log, summary
from mlcli_harness.serving.application import CLOSE_CONNECTION
from mlcli_harness.serving.booting import BootingWorker
from mlcli_harness.serving.connection import Connection, StillSending

# Seconds that the leader may spend on a request before another thread takes over. The interpreter
# switches threads every 5 ms, so a shorter time would gain nothing.
PATIENCE = 0.005
# How often the main thread looks when nothing is going on: a first slow request holds up /ping
# this long at most, and an idle server uses no measurable CPU.
IDLE_LOOK = 0.02
# After accepting a connection, a worker leaves the next one to the others for this long, times the
# connections that it has. Else the first to wake takes all that arrive at once, and serves them with
# one processor while the other workers have nothing to do. Measured with 8 connections and 2
# workers: 8 to 0 without.
BREATH = 0.001
LONGEST_BREATH = 0.002
# Slow requests that one worker answers side by side.
MAX_THREADS = 64


class Seat:
    """A thread's place: leading, or waiting aside until it is called."""

    def __init__(self):
        self.called = threading.Event()
        # When the request being answered began, on the monotonic clock; None between requests.
        self.busy_since = None


class PredictionWorker(BootingWorker):
    """A gunicorn worker; see the module's description."""

    def run(self):
        self.poller = select.epoll()
        self.lock = threading.Lock()
        self.idle = {}
        self.open_connections = set()
        self.aside = []
        self.threads = 0
        self.leader = None
        self.listeners = {listener.fileno(): listener for listener in self.sockets}
        self.server_name = self.sockets[0].getsockname()
        for listener in self.sockets:
            listener.setblocking(False)
            self.poller.register(listener.fileno(), select.EPOLLIN | select.EPOLLONESHOT)
        self.accepting = True

        self.appoint_leader()
        self.watch()
        self.finish()

    # The main thread.

    def watch(self):
        """Watches over the leader, the idle connections and the parent until told to stop."""
        next_housekeeping = 0.0
        while self.alive:
            now = time.monotonic()
            if now >= next_housekeeping:
                next_housekeeping = now + 1
                self.notify()
                self.close_idle(now)
                if self.ppid != os.getppid():
                    return
            leader = self.leader
            since = leader.busy_since if leader else None
            if since is not None and now - since >= PATIENCE:
                self.appoint_leader()
            self.sleep(IDLE_LOOK if since is None else PATIENCE)

    def sleep(self, seconds):
        """Sleeps until a signal arrives, at most this long."""
        if select.select([self.PIPE[0]], [], [], seconds)[0]:
            os.read(self.PIPE[0], 4096)

    def appoint_leader(self):
        """Has another thread lead from now on, if there may be one more."""
        with self.lock:
            if self.aside:
                self.leader = self.aside.pop()
                self.leader.called.set()
            elif self.threads < MAX_THREADS:
                self.threads += 1
                self.leader = Seat()
                self.leader.called.set()
                threading.Thread(target=self.work, args=(self.leader,), daemon=True).start()
            else:
                # The thread that is done first becomes leader.
                self.leader = None

    def close_idle(self, now):
        """Closes connections whose time is over."""
        for descriptor, connection in list(self.idle.items()):
            # The thread that takes a connection out of `idle` owns it: a request may arrive
            # meanwhile.
            if connection.closes_at < now and self.idle.pop(descriptor, None):
                self.close(connection)

    def finish(self):
        """Stops accepting, and lets the requests that are under way finish."""
        for listener in self.sockets:
            self.poller.unregister(listener.fileno())
            listener.close()
        self.close_idle(float("inf"))
        deadline = time.monotonic() + self.cfg.graceful_timeout
        while self.open_connections and time.monotonic() < deadline:
            self.notify()
            time.sleep(0.01)

    # The serving threads.

    def work(self, seat):
        """What a thread does: leads when called, else waits aside."""
        while True:
            seat.called.wait()
            seat.called.clear()
            while self.leader is seat:
                if not self.accepting and self.is_rested():
                    self.accept_again()
                for descriptor, _ in self.poller.poll(-1 if self.accepting else BREATH, 1):
                    seat.busy_since = time.monotonic()
                    try:
                        self.attend(descriptor)
                    except BaseException as error:
                        # Any exception: the server must not lose a thread.
                        log(describe(error))
                    seat.busy_since = None
            if not self.accepting:
                # The new leader may be waiting already, for connections as well as requests.
                self.accept_again()
            with self.lock:
                if self.leader is None:
                    self.leader = seat
                    seat.called.set()
                else:
                    self.aside.append(seat)

    def attend(self, descriptor):
        """Serves a descriptor on which something has arrived: a connection, or a request on one."""
        listener = self.listeners.get(descriptor)
        if listener is not None:
            self.accept(listener)
            return
        connection = self.idle.pop(descriptor, None)
        if connection is None:
            return
        keep = False
        try:
            keep = connection.discard() if connection.is_lingering() else self.converse(connection)
        finally:
            if keep and self.alive:
                self.wait_for_client(connection, self.poller.modify)
            else:
                self.close(connection)

    def is_rested(self):
        """Whether the other workers, if there are any, have had their chance."""
        breath = min(BREATH * len(self.open_connections), LONGEST_BREATH)
        return self.cfg.workers == 1 or time.monotonic() - self.last_accepted >= breath

    def accept_again(self):
        """Has the poller report new connections again."""
        self.accepting = True
        try:
            for descriptor in self.listeners:
                self.poller.modify(descriptor, select.EPOLLIN | select.EPOLLONESHOT)
        except OSError:
            # Closed meanwhile: the server is being stopped.
            if self.alive:
                raise

    def accept(self, listener):
        self.accepting = False
        self.last_accepted = time.monotonic()
        try:
            client_socket, address = listener.accept()
        except BlockingIOError:
            # Another worker was faster.
            return
        except OSError as error:
            log("mlcli: cannot accept a connection: %s" % error)
            # Out of descriptors, most likely: it would be tried again at once.
            time.sleep(0.05)
            return
        connection = Connection(self.cfg, client_socket, address)
        self.open_connections.add(connection)
        self.wait_for_client(connection, self.poller.register)

    def wait_for_client(self, connection, arm):
        """Has the poller report the connection, once, when there is something to read."""
        descriptor = connection.socket.fileno()
        self.idle[descriptor] = connection
        arm(descriptor, select.EPOLLIN | select.EPOLLONESHOT)

    def close(self, connection):
        # Closing takes it out of the poller, too.
        connection.close()
        self.open_connections.discard(connection)

    def converse(self, connection):
        """Answers what has arrived. Returns whether the connection stays open."""
        try:
            while True:
                keep = self.answer(connection)
                connection.rest()
                if not keep or not connection.has_buffered_request():
                    return keep
        except StillSending:
            return connection.linger()
        except (StopIteration, OSError):
            # The client is gone, or fell silent.
            return False

    def answer(self, connection):
        """Answers the next request. Returns whether there may be another one."""
        try:
            request = next(connection.parser)
        except ParseException as error:
            send_error(connection, "400 Bad Request", "Bad request: %s" % error)
            raise StillSending from error
        return bool(request) and self.run_application(connection, request)

    def run_application(self, connection, request):
        began = time.monotonic()
        try:
            response, environ = wsgi.create(
                request, connection.socket, connection.address, self.server_name, self.cfg
            )
            environ["wsgi.multithread"] = True
            body = self.wsgi(environ, response.start_response)
        except OSError:
            # The client is gone.
            raise
        except Exception as error:
            # It cannot become an answer, mostly because of a header that breaks HTTP's rules.
            log(describe(error))
            send_error(connection, "500 Internal Server Error", summary(error))
            raise StillSending from error
        if CLOSE_CONNECTION in environ or not self.alive:
            response.force_close()
        for part in body:
            response.write(part)
        response.close()
        if self.cfg.accesslog:
            duration = timedelta(seconds=time.monotonic() - began)
            self.log.access(response, request, environ, duration)
        if CLOSE_CONNECTION in environ:
            raise StillSending
        return not response.should_close()


def send_error(connection, status, message):
    """Answers where the application could not."""
    body = json.dumps({"error": message}).encode()
    head = (
        "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
        "Content-Length: %d\r\nConnection: close\r\n\r\n" % (status, len(body))
    )
    connection.socket.sendall(head.encode() + body)
