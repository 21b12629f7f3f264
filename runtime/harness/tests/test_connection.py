import socket
import struct
import unittest
from types import SimpleNamespace
from unittest import mock

from support import arrivals
from mlcli_harness.serving import connection as module, request_bodies
from mlcli_harness.serving.connection import Connection
from mlcli_harness.serving.http import HEAD_BYTES, Refusal
from mlcli_harness.serving.sender import ClientGone

BAD = "400 Bad Request"
GET = b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"
POST_HEAD = b"POST /invocations HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"
POST = POST_HEAD + b"1,2\r\n"
CHUNKED_HEAD = b"POST /invocations HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = CHUNKED_HEAD + b"3\r\n1,2\r\n2\r\n\r\n\r\n0\r\nA: b\r\n\r\n"


class Stream:
    """In place of a socket: gives parts of the test's, nothing where there are none, the end at an
    empty one."""

    def __init__(self):
        self.parts = []
        self.sent = b""
        self.asked = []

    def fileno(self):
        return 7

    def setblocking(self, flag):
        pass

    def setsockopt(self, *option):
        pass

    def recv(self, size):
        self.asked.append(size)
        if not self.parts:
            raise BlockingIOError
        part = self.parts.pop(0)
        if len(part) > size:
            self.parts.insert(0, part[size:])
        return part[:size]

    def recv_into(self, memory):
        part = self.recv(len(memory))
        memory[: len(part)] = part
        return len(part)

    def send(self, data):
        self.sent += data
        return len(data)


class ConnectionTest(unittest.TestCase):
    """A connection, and a clock that the test sets."""

    def setUp(self):
        self.now = 1000.0
        patch = mock.patch.object(module, "time", SimpleNamespace(monotonic=lambda: self.now))
        patch.start()
        self.addCleanup(patch.stop)

    def connection(self, max_body=0):
        """A connection whose bytes the test gives in its own parts."""
        return Connection(Stream(), ("192.0.2.7", 1), max_body)

    def received(self, connection, *parts):
        """The requests that come of these parts, as (path, body), then (status, message) where
        something is refused."""
        requests = []
        for part in parts:
            connection.socket.parts.append(part)
            try:
                environ = connection.receive()
                while environ is not None:
                    requests.append((environ["PATH_INFO"], environ["wsgi.input"].read()))
                    environ = connection.receive()
            except Refusal as refusal:
                return [*requests, (refusal.status, refusal.message)]
        return requests

    def assert_refused(self, status, message, connection, *parts):
        self.assertEqual(self.received(connection, *parts), [(status, message)])


class Requests(ConnectionTest):
    def test_are_the_same_however_they_arrive(self):
        ping, prediction = ("/ping", b""), ("/invocations", b"1,2\r\n")
        for data, requests in [
            (GET, [ping]),
            (POST, [prediction]),
            (CHUNKS, [prediction]),
            (b"\r\n\r\n" + GET + b"\r\n" + POST, [ping, prediction]),
            (POST + CHUNKS + GET, [prediction, prediction, ping]),
            (CHUNKS + b"\r\n" + POST, [prediction, prediction]),
            (POST.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"), [prediction]),
        ]:
            for parts in arrivals(data):
                with self.subTest(parts):
                    connection = self.connection(max_body=5)
                    self.assertEqual(self.received(connection, *parts), requests)
                    self.assertEqual((connection.buffer, connection.held()), (b"", 0))
            for place in range(1, len(data)):
                connection = self.connection()
                got = self.received(connection, data[:place])
                self.assertEqual(got, requests[: len(got)])
                self.assertLess(len(got), len(requests))

    def test_are_the_same_whether_their_bodies_are_short_or_long(self):
        for first in (1, 2, 1000):
            with mock.patch.object(module, "SHORT_BYTES", 0):
                with mock.patch.object(request_bodies, "FIRST_BYTES", first):
                    self.test_are_the_same_however_they_arrive()

    def test_are_refused_however_they_arrive(self):
        for data in [
            b"\n" + GET,
            b"\r\r\n" + GET,
            b"\x16\x03\x01" + GET,
            GET.replace(b"\r\nHost", b"\nHost"),
            GET.replace(b"\r\n\r\n", b"\n\n"),
            GET.replace(b"\r\n\r\n", b"\r\n\n"),
            GET.replace(b"\r\n\r\n", b"\r\r\n\r\n"),
            GET.replace(b"a", b"a\0"),
            b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            b"GET /\r\n\r\n",
            POST.replace(b"5", b"+5"),
            POST.replace(b"5", b"5\r\nTransfer-Encoding: chunked"),
            CHUNKS.replace(b"3", b"4"),
            CHUNKS.replace(b"3", b"2"),
        ]:
            for parts in arrivals(data):
                with self.subTest(parts):
                    [(status, _)] = self.received(self.connection(), *parts)
                    self.assertEqual(status, BAD)

    def test_know_their_client_and_their_head(self):
        connection = self.connection()
        connection.socket.parts.append(POST)
        environ = connection.receive()
        self.assertEqual(environ["REMOTE_ADDR"], "192.0.2.7")
        self.assertEqual(environ["mlcli.request"].length, 5)
        self.assertIs(environ["mlcli.request"].environ, environ)

    def test_say_whether_more_may_follow(self):
        connection = self.connection()
        for field, is_last in [(b"A: b", False), (b"Connection: close", True)]:
            self.assertEqual(len(self.received(connection, GET.replace(b"Host: a", field))), 1)
            self.assertEqual(connection.is_last, is_last)

    def test_are_given_one_by_one(self):
        connection = self.connection()
        connection.socket.parts.append(GET + POST + GET[:4])
        self.assertEqual(connection.receive()["PATH_INFO"], "/ping")
        self.assertEqual(connection.buffer, POST + GET[:4])
        self.assertEqual(connection.receive()["PATH_INFO"], "/invocations")
        self.assertEqual(connection.buffer, GET[:4])
        self.assertEqual(len(connection.socket.asked), 1)
        self.assertIsNone(connection.receive())

    def test_read_more_once_a_large_body_has_begun(self):
        read, more = module.READ_BYTES, module.MORE_READ_BYTES
        for head, asked in [(POST_HEAD, [read] * 2), (CHUNKED_HEAD, [read, more])]:
            connection = self.connection()
            self.assertEqual(self.received(connection, head), [])
            self.assertEqual(connection.socket.asked, asked)
        connection = self.connection()
        head, body = POST_HEAD.replace(b"5", b"300000"), b"x" * 300000
        self.assertEqual(self.received(connection, head, body), [("/invocations", body)])
        more = request_bodies.FIRST_BYTES
        self.assertEqual(connection.socket.asked, [read, more, more, 300000 - more, read])

    def test_leave_others_their_turn(self):
        connection = self.connection()
        size = 3 * module.TURN_BYTES
        connection.socket.parts.append(POST_HEAD.replace(b"5", b"%d" % size) + b"x" * size)
        turns = 0
        while connection.receive() is None:
            turns += 1
        self.assertEqual(turns, 2)

    def test_after_the_end(self):
        for more, held in [([], 0), ([b"\r\n"], 0), ([GET[:-1]], len(GET) - 1)]:
            connection = self.connection()
            self.assertEqual(self.received(connection, GET, *more), [("/ping", b"")])
            self.assertEqual(connection.held(), held)
            connection.socket.parts.append(b"")
            self.assertRaises(EOFError, connection.receive)

    def test_before_the_end_are_answered(self):
        connection = self.connection()
        connection.socket.parts += [POST, b""]
        self.assertIsNotNone(connection.receive())
        self.assertRaises(EOFError, connection.receive)

    def test_that_break_off_are_refused(self):
        for request, came in [
            (POST_HEAD, 0),
            (POST[:-1], 4),
            (CHUNKED_HEAD, 0),
            (CHUNKED_HEAD + b"3\r\n1", 1),
            (CHUNKS[:-2], 5),
        ]:
            with self.subTest(request):
                self.assert_refused(
                    BAD,
                    "Bad request: the body ended early, after %d bytes" % came,
                    self.connection(),
                    request,
                    b"",
                )

    def test_of_a_client_that_is_gone(self):
        for error in (ConnectionResetError, TimeoutError):
            connection = self.connection()
            connection.socket.recv = mock.Mock(side_effect=error)
            self.assertRaises(OSError, connection.receive)
        connection.socket.recv = mock.Mock(side_effect=InterruptedError)
        self.assertIsNone(connection.receive())


class Limits(ConnectionTest):
    def test_of_a_head(self):
        line, end = b"GET / HTTP/1.1\r\n", b"\r\n\r\n"
        message = "The request header is larger than 65536 bytes"
        for size, is_taken in [(HEAD_BYTES, True), (HEAD_BYTES + 1, False)]:
            head = line + b"A:" + b"b" * (size - len(line) - 2)
            for parts in (
                [head + end],
                [head, end],
                *([head[:-1], head[-1:], end[:place], end[place:]] for place in (1, 2, 3)),
            ):
                with self.subTest(size=size, parts=len(parts)):
                    connection = self.connection()
                    if is_taken:
                        self.assertEqual(self.received(connection, *parts), [("/", b"")])
                    else:
                        self.assert_refused(
                            "431 Request Header Fields Too Large", message, connection, *parts
                        )

    def test_of_a_head_that_does_not_end(self):
        for parts in ([b"x" * 70000], [b"x" * 10000] * 7, [b"x" * HEAD_BYTES, b"x" * 4]):
            [(status, _)] = self.received(self.connection(), *parts)
            self.assertEqual(status, "431 Request Header Fields Too Large")

    def test_of_a_head_that_comes_slowly(self):
        looked_at = []

        class Buffer(bytearray):
            def find(self, what, start):
                looked_at.append(len(self) - start)
                return super().find(what, start)

        # Seconds, where each byte has all of it searched again.
        connection = self.connection()
        connection.buffer = Buffer()
        with mock.patch.object(module, "is_malformed", lambda data: looked_at.append(len(data))):
            for _ in range(3000):
                connection.socket.parts.append(b"x" * 20)
                self.assertIsNone(connection.receive())
        self.assertLessEqual(max(looked_at), 23)
        self.assertEqual(connection.held(), 60000)

    def test_of_a_body_whose_length_is_known(self):
        message = "The body is larger than 4 bytes"
        self.assert_refused("413 Content Too Large", message, self.connection(max_body=4), POST_HEAD)
        for max_body in (5, 0):
            self.assertEqual(len(self.received(self.connection(max_body), POST)), 1)
        self.assertEqual(len(self.received(self.connection(1), GET)), 1)

    def test_of_a_body_in_chunks(self):
        message = "The body is larger than 4 bytes"
        for parts in arrivals(CHUNKS):
            with self.subTest(parts):
                self.assert_refused(
                    "413 Content Too Large", message, self.connection(max_body=4), *parts
                )
                self.assertEqual(len(self.received(self.connection(5), *parts)), 1)
        # As soon as it says so.
        place = CHUNKS.index(b"2\r\n\r\n\r\n0") + 3
        for place, refused in [(place - 1, 0), (place, 1)]:
            self.assertEqual(len(self.received(self.connection(4), CHUNKS[:place])), refused)

    def test_of_what_is_held_are_counted(self):
        connection = self.connection()
        for part, held in [
            (b"\r\n", 0),
            (CHUNKS[:10], 10),
            (CHUNKED_HEAD[10:], 0),
            (b"3", 1),
            (b"\r\n1", 1),
            (b",2\r\n2\r\n\r\n\r\n0", 6),
            (b"\r\n\r\n", 0),
            (POST[:10], 10),
            (POST[10:-3], 2),
            (POST[-3:], 0),
        ]:
            self.received(connection, part)
            self.assertEqual(connection.held(), held, part)

    def test_of_a_body_in_small_pieces(self):
        # Each of them kept as it comes would take more memory than there is in it.
        connection = self.connection()
        self.received(connection, POST_HEAD.replace(b"5", b"100000"))
        for _ in range(1000):
            self.assertEqual(self.received(connection, b"xy"), [])
        self.assertEqual(connection.held(), 2000)
        self.assertLessEqual(connection.body.room, request_bodies.FIRST_BYTES)


class Continue(ConnectionTest):
    def sent(self, data, max_body=0):
        connection = self.connection(max_body)
        self.received(connection, data)
        return connection.socket.sent

    def test_is_said_to_a_client_that_waits_for_it(self):
        said = b"HTTP/1.1 100 Continue\r\n\r\n"
        expecting = b"\r\nExpect: 100-continue\r\n\r\n"
        for request in (POST_HEAD, CHUNKED_HEAD):
            self.assertEqual(self.sent(request), b"")
            self.assertEqual(self.sent(request.replace(b"\r\n\r\n", expecting)), said)
            old = request.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"\r\n\r\n", expecting)
            self.assertEqual(self.sent(old), b"")
        # What has come of the body says that it does not wait.
        for request in (POST, POST[:-1], CHUNKS, CHUNKED_HEAD + b"3"):
            self.assertEqual(self.sent(request.replace(b"\r\n\r\n", expecting, 1)), b"")
        # The refusal is its answer.
        self.assertEqual(self.sent(POST_HEAD.replace(b"\r\n\r\n", expecting), max_body=4), b"")

    def test_is_said_once(self):
        connection = self.connection()
        self.received(connection, POST_HEAD.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
        for byte in b"1,2":
            self.received(connection, bytes([byte]))
        self.assertEqual(connection.socket.sent.count(b"HTTP"), 1)

    def test_finds_that_the_client_is_gone(self):
        connection = self.connection()
        connection.socket.send = mock.Mock(side_effect=BrokenPipeError)
        connection.socket.parts.append(
            POST_HEAD.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
        )
        self.assertRaises(ClientGone, connection.receive)


class Deadlines(ConnectionTest):
    def test_of_an_idle_connection(self):
        connection = self.connection()
        self.assertTrue(connection.is_idle())
        self.assertEqual(connection.deadline(), 1065)
        self.now = 1050.0
        # An empty line begins no request.
        self.received(connection, b"\r\n")
        self.assertTrue(connection.is_idle())
        self.assertEqual(connection.deadline(), 1065)
        connection.rest()
        self.assertEqual(connection.deadline(), 1115)

    def test_of_a_request_count_from_its_first_byte(self):
        connection = self.connection()
        self.received(connection, b"G")
        self.assertFalse(connection.is_idle())
        self.assertEqual(int(connection.deadline()), 1060)
        self.now = 1030.0
        self.received(connection, b"E")
        self.assertEqual(int(connection.deadline()), 1060)
        self.received(connection, GET[2:])
        self.assertTrue(connection.is_idle())
        self.assertEqual(connection.deadline(), 1065)

    def test_of_a_long_request_are_later(self):
        for request in (POST_HEAD.replace(b"5", b"3000000"), CHUNKED_HEAD + b"2dc6c0\r\n"):
            connection = self.connection()
            self.received(connection, request, b"x" * 1048576 * 2)
            self.assertEqual(connection.deadline(), 1062)

    def test_of_the_next_request_do_not_count_the_answer(self):
        connection = self.connection()
        self.received(connection, GET + GET[:5])
        self.assertFalse(connection.is_idle())
        self.now = 1200.0
        connection.rest()
        self.assertEqual(int(connection.deadline()), 1260)

    def test_of_an_answer_that_is_not_taken(self):
        connection = self.connection()
        connection.socket.send = mock.Mock(side_effect=BlockingIOError)
        connection.sender.send(b"x" * 1048576 * 3)
        connection.rest()
        self.assertFalse(connection.is_idle())
        for data in (b"\r\n", GET[:5]):
            # A next request does not make them longer.
            self.received(connection, data)
            self.assertEqual(connection.deadline(), 1063)
            self.now += 30

    def test_may_be_asked_for_while_the_request_ends(self):
        class Ending(Connection):
            """Whose request is there when it is looked at, and over right afterwards."""

            __slots__ = ()

            def __getattribute__(self, name):
                value = super().__getattribute__(name)
                if name in ("began", "body") and value is not None:
                    setattr(self, name, None)
                return value

        connection = self.connection()
        self.received(connection, CHUNKED_HEAD + b"3\r\n1,")
        connection.__class__ = Ending
        self.assertEqual(int(connection.deadline()), 1060)

    def test_of_what_is_given_up(self):
        connection = self.connection(max_body=100)
        for part in (GET[:8] + b"x" * 500, POST[:-2], CHUNKS[:-5]):
            self.received(connection, part)
            connection.forget()
            self.assertTrue(connection.is_idle())
            self.assertEqual((connection.held(), connection.deadline()), (0, 1065))
            self.assertEqual(self.received(connection, POST), [("/invocations", b"1,2\r\n")])


class Sockets(ConnectionTest):
    """Over TCP."""

    def setUp(self):
        super().setUp()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.client = socket.create_connection(listener.getsockname(), timeout=20)
            self.served, address = listener.accept()
        self.addCleanup(self.client.close)
        self.addCleanup(self.served.close)
        self.tcp = Connection(self.served, address, 0)
        # Else a test would wait forever.
        self.assertEqual(self.served.gettimeout(), 0)

    def reset(self):
        """The client breaks off."""
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.client.close()

    def test_send_at_once_and_wait_for_nothing(self):
        self.assertIsNone(self.tcp.receive())
        self.assertEqual(self.tcp.descriptor, self.served.fileno())
        self.assertTrue(self.served.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    def test_carry_requests(self):
        self.client.sendall(POST + GET[:7])
        environ = self.tcp.receive()
        self.assertEqual(environ["REMOTE_ADDR"], "127.0.0.1")
        self.assertEqual(environ["wsgi.input"].read(), b"1,2\r\n")
        self.assertIsNone(self.tcp.receive())
        self.client.sendall(GET[7:])
        self.client.shutdown(socket.SHUT_WR)
        self.assertEqual(self.tcp.receive()["PATH_INFO"], "/ping")
        self.assertRaises(EOFError, self.tcp.receive)

    def test_that_are_reset(self):
        self.client.sendall(POST[:-1])
        self.assertIsNone(self.tcp.receive())
        self.reset()
        self.assertRaises(OSError, self.tcp.receive)

    def test_that_linger_tell_the_end_and_take_what_comes(self):
        self.client.sendall(GET[:5])
        self.assertIsNone(self.tcp.receive())
        self.assertTrue(self.tcp.linger())
        self.assertEqual((self.client.recv(1), self.tcp.held()), (b"", 0))
        self.assertFalse(self.tcp.is_idle())
        self.assertTrue(self.tcp.discard())
        self.client.sendall(b"more")
        self.assertTrue(self.tcp.discard())
        self.client.close()
        self.assertFalse(self.tcp.discard())

    def test_that_linger_let_the_client_pause_for_5_seconds(self):
        self.now = 1001.0
        self.tcp.linger()
        self.assertEqual(self.tcp.deadline(), 1006)
        self.now = 1004.0
        self.client.sendall(b"more")
        self.assertTrue(self.tcp.discard())
        self.assertEqual((self.tcp.deadline(), self.tcp.rested_at), (1009, 1001))
        # Nothing has come.
        self.now = 1006.0
        self.assertTrue(self.tcp.discard())
        self.assertEqual(self.tcp.deadline(), 1009)

    def test_that_linger_end_after_60_seconds(self):
        self.tcp.linger()
        for now, goes_on in [(1057.0, True), (1060.0, False)]:
            self.now = now
            self.client.sendall(b"more")
            self.assertEqual(self.tcp.discard(), goes_on)
            self.assertEqual(self.tcp.deadline(), 1060)

    def test_that_linger_end_with_a_client_that_is_gone(self):
        self.tcp.linger()
        self.reset()
        self.assertFalse(self.tcp.discard())
        self.tcp.close()
        self.assertFalse(self.tcp.linger())

    def test_that_are_closed_send_nothing_more(self):
        self.tcp.sender.send(b"all")
        self.tcp.close()
        self.assertEqual((self.client.recv(9), self.client.recv(9)), (b"all", b""))
        # A thread that waits for room hears of it.
        self.assertTrue(self.tcp.sender.is_broken)
        self.assertRaises(ClientGone, self.tcp.sender.send, b"more")

    def test_that_are_broken_off_show_it(self):
        self.tcp.sender.send(b"half")
        self.assertEqual(self.client.recv(9), b"half")
        self.tcp.abort()
        self.tcp.close()
        self.assertRaises(ConnectionResetError, self.client.recv, 9)
