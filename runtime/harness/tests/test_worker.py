import json
import os
import select
import signal
import socket
import sys
import threading
import time
import unittest
import warnings
from types import SimpleNamespace
from unittest import mock

import support  # noqa: F401, puts the harness on the path
from mlcli_harness.serving import accepting, clients, leaders, worker as module
from mlcli_harness.serving.balance import Balance
from mlcli_harness.serving.worker import PredictionWorker

PING = b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\n"
# More than a socket takes at once.
LARGE = 16 * 1024 * 1024


def post(body=b"", path=b"/invocations"):
    return b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (path, len(body), body)


class Application:
    """Answers with what came; what comes first in the body says how."""

    def __init__(self):
        self.under_way = threading.Semaphore(0)
        self.may_end = threading.Event()
        self.threads = []

    def __call__(self, environ, start_response):
        body = environ["wsgi.input"].read()
        self.threads.append(threading.current_thread())
        if body.startswith(b"slow"):
            self.under_way.release()
            self.may_end.wait(60)
        if body.startswith(b"error"):
            raise ValueError("a header")
        if body.startswith(b"fork"):
            self.child = os.fork()
            if not self.child and body == b"fork stays":
                time.sleep(20)
        if body.startswith(b"stream"):
            start_response("200 OK", [])
            return self.stream(body)
        if body.startswith(b"large"):
            body = b"x" * LARGE
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    def stream(self, kind):
        self.threads.append(threading.current_thread())
        yield b"first"
        if kind == b"stream large":
            for _ in range(3):
                yield b"x" * LARGE
        if kind == b"stream error":
            raise ValueError("broken off")
        yield b"last"


class TestedWorker(PredictionWorker):
    """Ends its leader with the test: the thread stays, and does nothing more."""

    is_over = False

    def prepare(self):
        super().prepare()
        self.is_prepared.set()

    def next_task(self):
        task = super().next_task()
        if self.is_over:
            self.has_ended.set()
            threading.Event().wait()
        return task


class WorkerTest(unittest.TestCase):
    max_body = 1024 * 1024
    concurrent_predictions = 0

    def setUp(self):
        self.log = []
        for part in (module, leaders, accepting, clients):
            patch = mock.patch.object(part, "log", self.log.append)
            patch.start()
            self.addCleanup(patch.stop)
        warnings.simplefilter("ignore", ResourceWarning)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.application = Application()
        self.addCleanup(self.application.may_end.set)
        self.worker = worker = TestedWorker.__new__(TestedWorker)
        worker.is_prepared, worker.has_ended = threading.Event(), threading.Event()
        worker.alive = True
        worker.age = 1
        worker.ppid = os.getppid()
        worker.sockets = [self.listener]
        worker.app = SimpleNamespace(
            settings=SimpleNamespace(
                max_body_bytes=self.max_body,
                unfinished_bytes=self.max_body + 1024**2,
                workers=1,
                concurrent_predictions=self.concurrent_predictions,
            ),
            balance=Balance(),
        )
        worker.cfg = SimpleNamespace(accesslog=None, graceful_timeout=25)
        worker.wsgi = self.application
        worker.notify = lambda: None
        worker.PIPE = os.pipe()
        for descriptor in worker.PIPE:
            self.addCleanup(os.close, descriptor)
        self.main = None

    def start(self):
        self.main = threading.Thread(target=self.worker.run, daemon=True)
        self.main.start()
        self.addCleanup(self.end)
        self.assertTrue(self.worker.is_prepared.wait(60))

    def stop(self):
        """As the signal does."""
        self.worker.alive = False
        os.write(self.worker.PIPE[1], b"x")

    def end(self):
        self.application.may_end.set()
        self.stop()
        self.main.join(60)
        self.assertFalse(self.main.is_alive())
        waker, woken = socket.socketpair()
        self.worker.is_over = True
        self.worker.poller.register(woken.fileno(), clients.IN)
        waker.send(b"x")
        self.assertTrue(self.worker.has_ended.wait(60))
        self.worker.poller.close()
        waker.close()
        woken.close()

    def client(self, data=b"", **options):
        client = socket.socket()
        for option, value in options.items():
            client.setsockopt(socket.SOL_SOCKET, getattr(socket, option), value)
        client.settimeout(60)
        self.addCleanup(client.close)
        client.connect(self.address)
        client.sendall(data)
        return client

    def answer(self, client):
        """The next answer with a length: (status line, body)."""
        with client.makefile("rb") as file:
            return self.read_answer(file)

    def read_answer(self, file):
        status, length = file.readline(), 0
        while True:
            line = file.readline()
            if line in (b"\r\n", b""):
                return status, file.read(length)
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])

    def rest(self, client):
        """What comes until the connection is closed."""
        parts = []
        while True:
            part = client.recv(1024 * 1024)
            if not part:
                return b"".join(parts)
            parts.append(part)

    def wait_until(self, condition):
        ends = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), ends)
            time.sleep(0.001)

    def assert_pings(self):
        client = self.client(PING)
        self.assertEqual(self.answer(client), (OK, b""))
        client.close()

    def assert_nothing_left(self):
        worker = self.worker
        # A client may have gone before the thread that answered it is done.
        self.wait_until(lambda: not worker.clients.open and not worker.predictions)
        self.assertEqual((worker.clients.idle, worker.streaming, worker.clients.unfinished), ({}, {}, 0))
        self.assertEqual(len(worker.waiting), 0)


class PredictingInMain(WorkerTest):
    """https://github.com/holoviz/holonote/issues/10: sqlite3 in a server with threads;
    https://github.com/keras-team/keras/issues/2397: a graph of TensorFlow."""

    concurrent_predictions = 1

    def setUp(self):
        super().setUp()
        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, lambda *_: None))
        self.start()

    def test_makes_all_predictions_and_parts_of_streams_in_the_main_thread(self):
        for body in (b"a", b"slow", b"stream", b"error", b"b"):
            self.application.may_end.set()
            client = self.client(post(body))
            client.recv(10)
            client.close()
        # The parts of the stream are made in a function of their own.
        self.assertEqual(self.application.threads, [self.main] * 6)
        self.assert_nothing_left()

    def test_answers_pings_during_a_prediction_and_makes_others_wait(self):
        slow = self.client(post(b"slow"))
        self.assertTrue(self.application.under_way.acquire(timeout=60))
        next_one = self.client(post(b"next"))
        self.assert_pings()
        self.wait_until(lambda: self.worker.waiting)
        self.application.may_end.set()
        self.assertEqual(self.answer(slow), (OK, b"slow"))
        self.assertEqual(self.answer(next_one), (OK, b"next"))

    def test_stops_during_a_prediction_that_keeps_pythons_signal_handler_waiting(self):
        slow = self.client(post(b"slow"))
        self.assertTrue(self.application.under_way.acquire(timeout=60))
        # What signal.set_wakeup_fd writes; the handler itself would run in the main thread.
        os.write(self.worker.PIPE[1], bytes([signal.SIGTERM]))
        self.wait_until(lambda: not self.worker.alive)
        self.assertTrue(self.main.is_alive())
        self.application.may_end.set()
        self.assertEqual(self.answer(slow), (OK, b"slow"))
        self.main.join(60)
        self.assertFalse(self.main.is_alive())

    def test_ends_the_process_if_a_prediction_outlasts_the_stop(self):
        ended = threading.Event()
        for target, name, value in [
            (module, "LEAVE_SECONDS", 0),
            (module.os, "_exit", lambda status: ended.set()),
            (self.worker.cfg, "graceful_timeout", 0),
        ]:
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.client(post(b"slow"))
        self.assertTrue(self.application.under_way.acquire(timeout=60))
        os.write(self.worker.PIPE[1], bytes([signal.SIGTERM]))
        self.assertTrue(ended.wait(60))

    def test_keeps_processes_that_a_prediction_forks_from_serving(self):
        client = self.client(post(b"fork"))
        self.assertEqual(self.answer(client), (OK, b"fork"))
        self.assertEqual(os.waitpid(self.application.child, 0)[1], 1 << 8)


class SignalsOfChildren(WorkerTest):
    def test_signals_of_a_child_do_not_stop_the_worker(self):
        self.worker.prepare()
        self.addCleanup(self.worker.poller.close)
        for descriptor in self.worker.PIPE:
            os.set_blocking(descriptor, False)
        self.addCleanup(signal.set_wakeup_fd, signal.set_wakeup_fd(self.worker.PIPE[1]))
        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, signal.SIG_IGN))
        child = os.fork()
        if not child:
            signal.signal(signal.SIGTERM, lambda *_: None)
            os.kill(os.getpid(), signal.SIGTERM)
            os._exit(0)
        os.waitpid(child, 0)
        self.assertRaises(BlockingIOError, os.read, self.worker.PIPE[0], 1)


class Serving(WorkerTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, lambda *_: None))
        self.start()

    def test_answers_one_request_after_the_other_in_one_thread(self):
        client = self.client()
        for number in range(20):
            client.sendall(post(b"%d" % number))
            self.assertEqual(self.answer(client), (OK, b"%d" % number))
        client.close()
        self.assert_nothing_left()

    def test_pipelined_requests_in_their_turn(self):
        client = self.client(b"".join(post(b"%d" % number) for number in range(200)))
        with client.makefile("rb") as file:
            answers = [self.read_answer(file)[1] for _ in range(200)]
        self.assertEqual(answers, [b"%d" % number for number in range(200)])

    def test_pipelined_requests_behind_a_large_answer(self):
        client = self.client(post(b"large") + post(b"a") + PING)
        with client.makefile("rb") as file:
            answers = [self.read_answer(file) for _ in range(3)]
        self.assertEqual([len(body) for _, body in answers], [LARGE, 1, 0])

    def test_a_slow_request_leaves_the_next_to_another_thread(self):
        slow = self.client(post(b"slow"))
        self.assertTrue(self.application.under_way.acquire(timeout=60))
        self.assert_pings()
        self.assertEqual(self.answer(self.client(post(b"quick"))), (OK, b"quick"))
        self.application.may_end.set()
        self.assertEqual(self.answer(slow), (OK, b"slow"))
        self.assertEqual(len(set(self.application.threads)), 2)

    def test_many_slow_requests_leave_ping_and_the_next_waits(self):
        with mock.patch.object(module.PredictionWorker, "places", lambda self: 12):
            clients = [self.client(post(b"slow")) for _ in range(14)]
            for _ in range(12):
                self.assertTrue(self.application.under_way.acquire(timeout=60))
            self.wait_until(lambda: len(self.worker.waiting) == 2)
            self.assert_pings()
            self.assertEqual(self.worker.predictions, 12)
            self.assertEqual(self.worker.clients.unfinished, 2 * len(b"slow"))
            self.application.may_end.set()
            for client in clients:
                self.assertEqual(self.answer(client), (OK, b"slow"))
                client.close()
        self.assert_nothing_left()

    def test_a_client_that_goes_during_its_prediction(self):
        client = self.client(post(b"slow") + post(b"next"))
        self.assertTrue(self.application.under_way.acquire(timeout=60))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
        self.application.may_end.set()
        self.assert_nothing_left()
        self.assert_pings()
        self.assertEqual(self.log, [])

    def test_a_client_that_never_reads_holds_no_thread(self):
        self.client(post(b"large"), SO_RCVBUF=4096)
        self.wait_until(lambda: len(self.application.threads) == 1)
        connections = self.worker.clients.open
        self.wait_until(lambda: any(one.sender.backlog for one in list(connections)))
        self.wait_until(lambda: not self.worker.predictions)
        self.assert_pings()

    def test_a_child_of_the_application_keeps_no_client(self):
        close = post(b"fork stays").replace(b"Host: a", b"Connection: close")
        try:
            self.assertTrue(self.rest(self.client(close)).endswith(b"fork stays"))
            self.assertEqual(os.waitpid(self.application.child, os.WNOHANG), (0, 0))
        finally:
            # Not the worker's own handler, which would only note it.
            os.kill(self.application.child, signal.SIGTERM)
            self.assertEqual(os.waitpid(self.application.child, 0)[1], signal.SIGTERM)

    def test_nor_does_it_serve_where_it_goes_on(self):
        client = self.client(post(b"fork goes on"))
        self.assertEqual(self.answer(client), (OK, b"fork goes on"))
        self.assertEqual(os.waitpid(self.application.child, 0)[1], 1 << 8)
        client.sendall(PING)
        self.assertEqual(self.answer(client), (OK, b""))

    def test_a_failure_of_the_application_is_500(self):
        status, body = self.answer(self.client(post(b"error")))
        self.assertEqual(status, b"HTTP/1.1 500 Internal Server Error\r\n")
        self.assertEqual(json.loads(body), {"error": "ValueError: a header"})
        self.assertIn("ValueError: a header", self.log.pop())

    def test_a_stream_comes_in_chunks(self):
        client = self.client(post(b"stream") + PING)
        with client.makefile("rb") as file:
            head = self.read_answer(file)
            self.assertEqual(head, (OK, b""))
            self.assertEqual(file.read(24), b"5\r\nfirst\r\n4\r\nlast\r\n0\r\n\r\n")
            self.assertEqual(self.read_answer(file), (OK, b""))

    def test_a_stream_waits_for_a_slow_reader_and_ping_does_not(self):
        # What has been made gives it time, too.
        seconds = mock.patch.object(module, "REQUEST_SECONDS", 0)
        seconds.start()
        self.addCleanup(seconds.stop)
        client = self.client(post(b"stream large").replace(b"1.1", b"1.0"), SO_RCVBUF=65536)
        self.wait_until(lambda: len(self.worker.streaming) == 1)
        self.assert_pings()
        body = self.rest(client).split(b"\r\n\r\n", 1)[1]
        self.assertTrue(body == b"first" + b"x" * LARGE * 3 + b"last")
        client.close()
        self.assert_nothing_left()

    def test_a_stream_that_breaks_off_is_seen_to(self):
        answer = self.rest(self.client(post(b"stream error")))
        self.assertTrue(answer.endswith(b"\r\n\r\n5\r\nfirst\r\n"), answer)
        self.assertIn("ValueError: broken off", self.log.pop())
        client = self.client(post(b"stream error").replace(b"1.1", b"1.0"))
        self.assertRaises(ConnectionResetError, self.rest, client)
        self.assert_nothing_left()

    def test_refusals_reach_a_client_that_is_still_sending(self):
        for request, status in [
            (b"nonsense\r\n\r\n", b"400"),
            (b"POST /invocations HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n", b"413"),
        ]:
            client = self.client(request + b"x" * 100)
            for _ in range(8):
                client.sendall(b"x" * 1024 * 1024)
            answer = self.rest(client)
            self.assertEqual(answer.split()[1], status)
            self.assertIn(b"\r\nConnection: close\r\n", answer)
            client.close()
        self.assert_nothing_left()

    def test_what_clients_hold_is_bounded(self):
        half = b"POST /invocations HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 600000
        with mock.patch.object(self.worker.app.settings, "unfinished_bytes", self.max_body):
            first = self.client(half)
            self.wait_until(lambda: self.worker.clients.unfinished >= 600000)
            second = self.client(half)
            self.assertEqual(self.rest(first).split()[1], b"503")
            second.sendall(b"x" * 400000)
            self.assertEqual(len(self.answer(second)[1]), 1000000)

    def test_what_is_thrown_away_is_not_held(self):
        client = self.client(post(b"last").replace(b"Host: a", b"Connection: close") + b"more")
        self.assertTrue(self.rest(client).endswith(b"last"))
        self.wait_until(lambda: self.worker.clients.unfinished == 0)

    def test_so_is_what_waits_for_a_thread(self):
        with mock.patch.object(self.worker.app.settings, "unfinished_bytes", 0):
            with mock.patch.object(module, "MOST_BESIDE_LEADER", 0):
                self.assertEqual(self.answer(self.client(post(b"a")))[0].split()[1], b"503")

    def test_a_stop_answers_what_is_under_way(self):
        slow, half = self.client(post(b"slow")), self.client(post(b"half")[:-2])
        idle = self.client(PING)
        self.assertEqual(self.answer(idle), (OK, b""))
        self.assertTrue(self.application.under_way.acquire(timeout=60))
        self.stop()
        # Idle connections are closed once nothing new is taken.
        self.assertEqual(self.rest(idle), b"")
        half.sendall(b"lf")
        self.application.may_end.set()
        for client, body in [(slow, b"slow"), (half, b"half")]:
            answer = self.rest(client)
            self.assertTrue(answer.endswith(b"\r\n\r\n" + body), answer)
            self.assertIn(b"\r\nConnection: close\r\n", answer)
            client.close()
        self.main.join(60)
        self.assertRaises(OSError, self.client)

    def test_a_stop_answers_those_who_have_just_connected(self):
        # Accepted by the system, but not by the worker, which leaves them to others.
        with mock.patch.object(self.worker.acceptor, "room", lambda: 0):
            with mock.patch.object(accepting, "BREATH", 60):
                clients = [self.client(post(b"%d" % number)) for number in range(5)]
                self.stop()
                for number, client in enumerate(clients):
                    self.assertEqual(self.answer(client), (OK, b"%d" % number))
                    client.close()

    def test_a_stop_takes_what_waits_and_a_stream(self):
        with mock.patch.object(module.PredictionWorker, "places", lambda self: 4):
            clients = [self.client(post(b"slow")) for _ in range(6)]
            stream = self.client(post(b"stream large"))
            self.wait_until(lambda: len(self.worker.waiting) == 3)
            self.stop()
            self.application.may_end.set()
            for client in clients:
                self.assertTrue(self.rest(client).endswith(b"\r\n\r\nslow"))
                client.close()
            self.assertTrue(self.rest(stream).endswith(b"\r\n4\r\nlast\r\n0\r\n\r\n"))

    def test_a_stop_gives_up_those_who_send_or_take_nothing(self):
        head, body = self.client(PING[:-2]), self.client(post(b"body")[:-2])
        self.client(post(b"large"), SO_RCVBUF=4096)
        self.client(post(b"stream large"), SO_RCVBUF=4096)
        connections = self.worker.clients.open
        self.wait_until(lambda: sum(bool(one.sender.backlog) for one in list(connections)) == 2)
        with mock.patch.object(clients, "STOP_CLIENTS_SECONDS", 1):
            self.stop()
            self.assertEqual((self.rest(head), self.rest(body)), (b"", b""))
            self.main.join(60)
        self.assert_nothing_left()


class Housekeeping(WorkerTest):
    """Without threads: the steps that they take, one by one."""

    def setUp(self):
        super().setUp()
        self.worker.prepare()
        self.addCleanup(self.worker.poller.close)
        self.addCleanup(self.listener.close)

    def step(self):
        """What the leader does with what happens next."""
        if not self.worker.reported:
            self.worker.reported.extend(self.worker.poller.poll(60))
            self.assertTrue(self.worker.reported)
        task = self.worker.next_task()
        if task:
            self.worker.predict(*task)

    def admitted(self, data=b"", **options):
        before = set(self.worker.clients.open)
        client = self.client(**options)
        self.step()
        [connection] = self.worker.clients.open - before
        if data:
            client.sendall(data)
            self.step()
        return client, connection

    def test_closes_an_idle_connection_and_refuses_a_slow_request(self):
        idle, first = self.admitted()
        slow, second = self.admitted(PING[:-2])
        fresh, third = self.admitted()
        first.closes_at = time.monotonic() - 1
        second.began -= 61
        self.worker.clients.end_overdue()
        self.assertEqual(self.rest(idle), b"")
        self.assertEqual(self.rest(slow).split()[1], b"408")
        self.assertEqual(self.worker.clients.open, {second, third})
        slow.close()
        self.step()
        self.assertEqual(self.worker.clients.open, {third})

    def test_a_slow_reader_has_no_more_time_for_each_byte(self):
        client, connection = self.admitted(post(b"large"), SO_RCVBUF=65536)
        closes_at, size = connection.closes_at, connection.sender.size
        while connection.sender.size == size:
            client.recv(1024 * 1024)
            self.worker.reported.extend(self.worker.poller.poll(0))
            if self.worker.reported:
                self.step()
        self.assertTrue(connection.sender.backlog)
        self.assertEqual(connection.closes_at, closes_at)
        connection.closes_at = time.monotonic() - 1
        self.worker.clients.end_overdue()
        self.assertEqual(self.worker.clients.open, set())

    def test_takes_no_connection_for_one_that_had_its_descriptor(self):
        client, connection = self.admitted()
        gone = SimpleNamespace(descriptor=connection.descriptor)
        self.assertFalse(self.worker.clients.take_where(gone, lambda one: True))
        self.assertTrue(self.worker.clients.take_where(connection, lambda one: True))
        self.assertFalse(self.worker.clients.take_where(connection, lambda one: True))

    def test_an_event_of_no_connection_is_nothing(self):
        self.assertIsNone(self.worker.attend(12345))

    def test_leaves_others_their_share_and_takes_one_all_the_same(self):
        self.worker.app.balance.tell(2, 0)
        self.admitted()
        client = self.client()
        self.step()
        self.assertEqual(len(self.worker.clients.open), 1)
        self.assertIsNotNone(self.worker.acceptor.accepts_at)
        self.wait_until(lambda: self.worker.next_task() or len(self.worker.clients.open) == 2)
        self.assertIsNone(self.worker.acceptor.accepts_at)
        client.sendall(PING)
        self.step()
        self.assertEqual(self.answer(client), (OK, b""))

    def test_gives_up_connections_once_a_worker_is_ready_that_was_not(self):
        self.worker.app.settings.workers = 2
        clients = [self.admitted()[0] for _ in range(3)]
        tell = self.worker.app.balance.tell
        for client, others, ends in [(0, None, False), (0, 0, True), (1, 2, False), (1, 0, False)]:
            if others is not None:
                tell(2, others)
            clients[client].sendall(PING)
            self.step()
            self.assertEqual(b"connection: close" in clients[client].recv(65536).lower(), ends)
        # A worker has ended.
        self.worker.app.balance.leave(2)
        self.assertFalse(self.worker.are_all_ready())

    def test_takes_many_where_its_share_is_large(self):
        self.worker.app.balance.tell(2, 100)
        clients = [self.client() for _ in range(10)]
        self.step()
        self.assertEqual(len(self.worker.clients.open), len(clients))

    def test_closes_an_idle_connection_where_there_are_too_many(self):
        idle, _ = self.admitted()
        full = SimpleNamespace(accept=mock.Mock(side_effect=OSError("Too many open files")))
        for _ in range(2):
            self.assertFalse(self.worker.acceptor.accept(full))
        self.assertEqual(self.rest(idle), b"")
        self.assertEqual(self.log, ["mlcli: cannot accept a connection: Too many open files"])

    def test_listens_again_whatever_happened(self):
        with mock.patch.object(self.worker.acceptor, "admit", side_effect=ValueError):
            self.client()
            self.assertRaises(ValueError, self.step)
        self.admitted()

    def test_answers_those_who_wait_though_one_fails(self):
        first, _ = self.admitted()
        second, _ = self.admitted()
        with mock.patch.object(module, "MOST_BESIDE_LEADER", 0):
            for client in (first, second):
                client.sendall(post(b"a"))
                self.step()
        conclude = mock.Mock(side_effect=[KeyError, None])
        with mock.patch.object(self.worker.clients, "conclude", conclude):
            self.worker.predict_waiting()
        self.assertEqual(conclude.call_count, 2)
        self.assertEqual((len(self.worker.waiting), self.worker.predictions), (0, 0))
        self.assertEqual(len(self.worker.clients.open), 1)

    def test_closes_what_the_system_cannot_watch(self):
        full = SimpleNamespace(register=mock.Mock(side_effect=OSError("No space left on device")))
        with mock.patch.object(self.worker.clients, "poller", full):
            client = self.client()
            self.step()
        self.assertEqual(self.rest(client), b"")
        self.assertEqual(self.log, ["mlcli: cannot accept a connection: No space left on device"])
        self.assert_nothing_left()

    def test_tells_the_other_workers_how_many_connections_it_has(self):
        with mock.patch.object(self.worker.clients, "tell") as tell:
            client, _ = self.admitted()
            client.close()
            self.step()
        self.assertEqual(tell.mock_calls, [mock.call(1), mock.call(0)])

    def test_a_last_answer_is_not_lost_where_the_client_sends_on(self):
        last = PING[:-2] + b"Connection: close\r\n\r\n"
        rows = [(last, False, False), (last + PING, False, True), (last, True, True)]
        for data, is_stopping, waits in rows:
            with self.subTest(data, is_stopping=is_stopping):
                self.worker.alive = not is_stopping
                client, connection = self.admitted(data)
                self.assertEqual(self.answer(client), (OK, b""))
                self.assertEqual(connection in self.worker.clients.open, waits)
                self.assertEqual(connection.lingers_until is not None, waits)

    def test_pauses_where_waiting_fails(self):
        # It would fail again at once.
        fails = mock.Mock(side_effect=OSError("broken"))
        self.worker.leaders.next_task = fails
        with mock.patch.object(leaders.time, "sleep") as sleep:
            self.worker.leaders.attempt(fails)
            self.worker.leaders.attempt(mock.Mock(side_effect=OSError("broken")))
        self.assertEqual(sleep.mock_calls, [mock.call(leaders.PAUSE)])

    def test_a_signal_wakes_the_main_thread_once(self):
        os.write(self.worker.PIPE[1], b"x")
        self.worker.sleep(60)
        self.assertEqual(select.select([self.worker.PIPE[0]], [], [], 0)[0], [])

    def test_notes_how_late_the_main_thread_wakes(self):
        for slept, used, lateness in [
            (0.036, 1, 0.016 / 8),
            # What other processes took is not this one's.
            (1.02, 0.002, 0.002),
            # A signal came.
            (0, 0, 0.002 * 7 / 8),
        ]:
            clocks = SimpleNamespace(
                monotonic=mock.Mock(side_effect=[100, 100 + slept]),
                process_time=mock.Mock(side_effect=[10, 10 + used]),
            )
            os.write(self.worker.PIPE[1], b"x")
            with mock.patch.object(module, "time", clocks):
                self.worker.sleep(0.02)
            self.assertAlmostEqual(self.worker.lateness, lateness)

    def test_fewer_predictions_run_where_they_compute(self):
        self.assertEqual(self.worker.places(), module.MAX_PREDICTIONS)
        self.worker.lateness = 1
        self.assertEqual(self.worker.places(), module.MAX_COMPUTING)
