import json
import select
import socket
import threading
import unittest
from types import SimpleNamespace
from unittest import mock

from support import ParseException
from mlcli_harness.serving import worker as module
from mlcli_harness.serving.application import CLOSE_CONNECTION
from mlcli_harness.serving.worker import PredictionWorker, Seat


class Response:
    """As gunicorn's: writes to the socket, and closes unless the request wants to go on."""

    def __init__(self, request, connected):
        self.request = request
        self.connected = connected
        self.closing = request.get("close", False)

    def start_response(self, status, headers):
        self.connected.sendall(status.encode())

    def write(self, part):
        self.connected.sendall(part)

    def close(self):
        self.connected.sendall(b"\n")

    def force_close(self):
        self.closing = True

    def should_close(self):
        return self.closing


def create(request, connected, address, server_name, config):
    if "broken" in request:
        raise request["broken"]
    return Response(request, connected), dict(request.get("environ", {}))


class FakeConnection:
    """A connection to a client of the test's, without TCP's options."""

    def __init__(self, requests):
        self.socket, self.client = socket.socketpair()
        self.client.settimeout(20)
        self.address = ("127.0.0.1", 1)
        self.requests = list(requests)
        self.parser = self
        self.events = []

    def __next__(self):
        if not self.requests:
            raise StopIteration
        request = self.requests.pop(0)
        if isinstance(request, BaseException):
            raise request
        return request

    def has_buffered_request(self):
        return bool(self.requests)

    def is_lingering(self):
        return "linger" in self.events

    def rest(self):
        self.events.append("rest")

    def linger(self):
        self.events.append("linger")
        return True

    def discard(self):
        self.events.append("discard")
        return False

    def close(self):
        self.socket.close()


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.log = []
        for target, name, value in [
            (module, "log", self.log.append),
            (module, "wsgi", SimpleNamespace(create=create)),
        ]:
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.worker = PredictionWorker()
        self.worker.alive = True
        self.worker.cfg = SimpleNamespace(workers=2, accesslog=None, keepalive=65, graceful_timeout=25)
        self.worker.server_name = ("127.0.0.1", 8080)
        self.worker.open_connections = set()
        self.worker.idle = {}
        self.worker.listeners = {}
        self.worker.wsgi = self.application
        self.worker.poller = select.epoll()
        self.addCleanup(self.worker.poller.close)
        self.seen = []

    def application(self, environ, start_response):
        self.seen.append(environ)
        error = environ.get("raise")
        if error:
            raise error
        start_response("200 OK", [])
        if environ.get("unread"):
            environ[CLOSE_CONNECTION] = True
        return [b" body"]

    def connection(self, *requests):
        connection = FakeConnection(requests)
        self.addCleanup(connection.socket.close)
        self.addCleanup(connection.client.close)
        return connection

    def said(self, connection):
        """What the client gets until the connection is closed."""
        connection.socket.close()
        with connection.client.makefile("rb") as file:
            return file.read()


class Converse(WorkerTest):
    def test_answers_a_request_and_keeps_the_connection(self):
        connection = self.connection({"environ": {"a": 1}})
        self.assertTrue(self.worker.converse(connection))
        self.assertEqual(connection.events, ["rest"])
        self.assertEqual(self.said(connection), b"200 OK body\n")
        self.assertEqual(self.seen, [{"a": 1, "wsgi.multithread": True}])

    def test_answers_all_that_was_sent_at_once(self):
        connection = self.connection({"environ": {}}, {"environ": {}})
        self.assertTrue(self.worker.converse(connection))
        self.assertEqual(self.said(connection), b"200 OK body\n" * 2)

    def test_closes_where_the_request_says_so_whatever_follows(self):
        connection = self.connection({"close": True}, {"environ": {}})
        self.assertFalse(self.worker.converse(connection))
        self.assertEqual(self.said(connection), b"200 OK body\n")

    def test_closes_when_the_server_is_stopping(self):
        self.worker.alive = False
        connection = self.connection({"environ": {}})
        self.assertFalse(self.worker.converse(connection))
        self.assertEqual(self.said(connection), b"200 OK body\n")

    def test_lingers_where_the_body_was_left_unread(self):
        connection = self.connection({"environ": {"unread": True}})
        self.assertTrue(self.worker.converse(connection))
        self.assertEqual(connection.events, ["linger"])
        self.assertEqual(self.said(connection), b"200 OK body\n")

    def test_refuses_what_is_no_http(self):
        connection = self.connection(ParseException("nonsense"))
        self.assertTrue(self.worker.converse(connection))
        self.assertEqual(connection.events, ["linger"])
        head, body = self.said(connection).split(b"\r\n\r\n")
        self.assertEqual(json.loads(body), {"error": "Bad request: nonsense"})
        self.assertEqual(
            head.split(b"\r\n"),
            [
                b"HTTP/1.1 400 Bad Request",
                b"Content-Type: application/json",
                b"Content-Length: %d" % len(body),
                b"Connection: close",
            ],
        )

    def test_answers_500_to_what_cannot_be_made_an_answer(self):
        for request in [{"broken": ValueError("header")}, {"environ": {"raise": ValueError("header")}}]:
            connection = self.connection(request)
            self.assertTrue(self.worker.converse(connection))
            self.assertEqual(connection.events, ["linger"])
            answer = self.said(connection)
            self.assertTrue(answer.startswith(b"HTTP/1.1 500 Internal Server Error\r\n"), answer)
            self.assertTrue(answer.endswith(b'{"error": "ValueError: header"}'), answer)
            self.assertIn("ValueError: header", self.log.pop())

    def test_says_nothing_to_a_client_that_is_gone(self):
        for request in [
            None,
            StopIteration(),
            ConnectionResetError(),
            BlockingIOError(),
            {"environ": {"raise": BrokenPipeError()}},
        ]:
            with self.subTest(request):
                connection = self.connection(request)
                self.assertFalse(self.worker.converse(connection))
                self.assertEqual(self.said(connection), b"")
        self.assertEqual(self.log, [])

    def test_writes_the_access_log_where_that_is_wanted(self):
        for wanted, lines in [(None, 0), ("-", 1)]:
            self.worker.cfg.accesslog = wanted
            access = mock.Mock()
            self.worker.log = SimpleNamespace(access=access)
            self.worker.converse(self.connection({"environ": {}}))
            self.assertEqual(access.call_count, lines)


class Attend(WorkerTest):
    def attended(self, connection):
        """Whether the connection stays open."""
        descriptor = connection.socket.fileno()
        self.worker.open_connections.add(connection)
        self.worker.idle[descriptor] = connection
        self.worker.poller.register(descriptor, select.EPOLLIN | select.EPOLLONESHOT)
        self.worker.attend(descriptor)
        is_open = connection.socket.fileno() >= 0
        self.assertEqual(connection in self.worker.open_connections, is_open)
        self.assertEqual(self.worker.idle, {descriptor: connection} if is_open else {})
        return is_open

    def test_waits_for_the_next_request(self):
        connection = self.connection({"environ": {}})
        self.assertTrue(self.attended(connection))
        connection.client.sendall(b"x")
        self.assertEqual(
            self.worker.poller.poll(20), [(connection.socket.fileno(), select.EPOLLIN)]
        )

    def test_closes_a_connection_that_has_ended(self):
        self.assertFalse(self.attended(self.connection({"close": True})))
        self.assertFalse(self.attended(self.connection()))

    def test_closes_all_when_the_server_is_stopping(self):
        connection = self.connection({"environ": {"unread": True}})
        self.worker.alive = False
        self.assertFalse(self.attended(connection))

    def test_throws_away_what_comes_after_a_refusal(self):
        connection = self.connection({"environ": {}})
        connection.events.append("linger")
        self.assertFalse(self.attended(connection))
        self.assertEqual(connection.events, ["linger", "discard"])
        self.assertEqual(self.seen, [])

    def test_closes_where_an_answer_fails_beyond_all(self):
        connection = self.connection({"environ": {"raise": KeyboardInterrupt()}})
        self.assertRaises(KeyboardInterrupt, self.attended, connection)
        self.assertEqual((self.worker.open_connections, self.worker.idle), (set(), {}))
        self.assertEqual(connection.socket.fileno(), -1)

    def test_leaves_a_connection_to_whoever_was_faster(self):
        self.worker.attend(12345)
        self.assertEqual(self.seen, [])


class ListeningTest(WorkerTest):
    def setUp(self):
        super().setUp()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.listener.setblocking(False)
        self.worker.sockets = [self.listener]
        self.worker.listeners = {self.listener.fileno(): self.listener}
        self.worker.poller.register(self.listener.fileno(), select.EPOLLIN | select.EPOLLONESHOT)
        self.worker.accepting = True

    def connect(self):
        client = socket.create_connection(self.listener.getsockname(), timeout=20)
        self.addCleanup(client.close)
        return client

    def accept(self, clients=1):
        # The poller reports it once.
        self.assertEqual(len(self.worker.poller.poll(20 if clients else 0)), clients)
        self.worker.attend(self.listener.fileno())
        for connection in self.worker.open_connections:
            self.addCleanup(connection.close)


class Accept(ListeningTest):
    def test_takes_a_connection_and_a_breath(self):
        client = self.connect()
        self.accept()
        [connection] = self.worker.open_connections
        self.assertEqual(self.worker.idle, {connection.socket.fileno(): connection})
        self.assertFalse(self.worker.accepting)
        client.sendall(b"x")
        self.assertEqual(self.worker.poller.poll(20), [(connection.socket.fileno(), select.EPOLLIN)])
        # Only once it accepts again, it hears of the next client.
        self.connect()
        self.assertEqual(self.worker.poller.poll(0), [])
        self.worker.accept_again()
        self.assertTrue(self.worker.accepting)
        self.assertEqual(self.worker.poller.poll(20), [(self.listener.fileno(), select.EPOLLIN)])

    def test_leaves_a_connection_to_a_faster_worker(self):
        self.accept(clients=0)
        self.assertEqual((self.worker.open_connections, self.log), (set(), []))

    def test_says_why_it_cannot(self):
        failing = SimpleNamespace(accept=mock.Mock(side_effect=OSError("Too many open files")))
        with mock.patch.object(module.time, "sleep") as sleep:
            self.worker.accept(failing)
        self.assertEqual(self.log, ["mlcli: cannot accept a connection: Too many open files"])
        sleep.assert_called_once()

    def test_gives_the_other_workers_their_chance(self):
        for workers, connections, waited, rested in [
            (1, 100, 0, True),
            (2, 0, 0, True),
            (2, 1, 0.0005, False),
            (2, 1, 0.001, True),
            (2, 100, 0.0015, False),
            (2, 100, 0.002, True),
        ]:
            with self.subTest(workers=workers, connections=connections, waited=waited):
                self.worker.cfg.workers = workers
                self.worker.last_accepted = 0.0
                self.worker.open_connections = set(range(connections))
                with mock.patch.object(module.time, "monotonic", return_value=waited):
                    self.assertEqual(self.worker.is_rested(), rested)

    def test_again_fails_only_where_the_server_goes_on(self):
        self.worker.poller.close()
        self.worker.poller = SimpleNamespace(modify=mock.Mock(side_effect=OSError))
        self.addCleanup(setattr, self.worker, "poller", select.epoll())
        self.assertRaises(OSError, self.worker.accept_again)
        self.worker.alive = False
        self.worker.accept_again()


class Finish(ListeningTest):
    def test_closes_the_listener_and_what_is_idle_and_waits_for_the_rest(self):
        idle, busy = self.connection(), self.connection()
        for connection in (idle, busy):
            connection.closes_at = 1e9
            self.worker.open_connections.add(connection)
        self.worker.idle = {idle.socket.fileno(): idle}
        self.worker.notify = lambda: self.worker.close(busy)
        self.worker.finish()
        self.assertEqual(self.listener.fileno(), -1)
        self.assertEqual((idle.socket.fileno(), self.worker.open_connections), (-1, set()))

    def test_waits_no_longer_than_the_grace(self):
        busy = self.connection()
        self.worker.open_connections.add(busy)
        self.worker.notify = lambda: None
        clock = SimpleNamespace(now=0.0)
        with mock.patch.object(module.time, "monotonic", lambda: clock.now):
            with mock.patch.object(module.time, "sleep", lambda s: setattr(clock, "now", clock.now + 1)):
                self.worker.finish()
        self.assertEqual(clock.now, 25)
        self.assertIn(busy, self.worker.open_connections)


class CloseIdle(WorkerTest):
    def test_closes_what_has_had_its_time_alone(self):
        connections = [self.connection() for _ in range(2)]
        for connection, closes_at in zip(connections, (9.9, 10)):
            connection.closes_at = closes_at
            self.worker.idle[connection.socket.fileno()] = connection
            self.worker.open_connections.add(connection)
        self.worker.close_idle(10)
        self.assertEqual(list(self.worker.idle.values()), connections[1:])
        self.assertEqual(self.worker.open_connections, set(connections[1:]))


class Leaders(WorkerTest):
    def setUp(self):
        super().setUp()
        self.worker.lock = threading.Lock()
        self.worker.aside = []
        self.worker.leader = None
        self.worker.threads = 0
        self.started = []
        self.worker.work = self.started.append

    def appoint(self):
        with mock.patch.object(module.threading, "Thread") as thread:
            thread.side_effect = lambda target, args, daemon: SimpleNamespace(
                start=lambda: target(*args)
            )
            self.worker.appoint_leader()
        return self.worker.leader

    def test_are_new_threads_until_there_are_64(self):
        leaders = [self.appoint() for _ in range(64)]
        self.assertEqual(leaders, self.started)
        self.assertTrue(all(seat.called.is_set() for seat in leaders))
        self.assertIsNone(self.appoint())
        self.assertEqual(self.worker.threads, 64)

    def test_are_those_who_wait_aside_first(self):
        seat = Seat()
        self.worker.aside.append(seat)
        self.assertIs(self.appoint(), seat)
        self.assertTrue(seat.called.is_set())
        self.assertEqual((self.started, self.worker.aside), ([], []))
