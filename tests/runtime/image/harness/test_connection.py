import socket
import struct
import unittest
from types import SimpleNamespace
from unittest import mock

from support import RequestParser
from mlcli_harness.serving import connection as module
from mlcli_harness.serving.connection import Connection

KEEP_ALIVE = 65


class ConnectionTest(unittest.TestCase):
    """A connection over TCP, and a clock that the test sets."""

    def setUp(self):
        self.now = 1000.0
        clock = SimpleNamespace(monotonic=lambda: self.now)
        patch = mock.patch.object(module, "time", clock)
        patch.start()
        self.addCleanup(patch.stop)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.client = socket.create_connection(listener.getsockname(), timeout=20)
            served, address = listener.accept()
        self.addCleanup(self.client.close)
        self.addCleanup(served.close)
        self.connection = Connection(SimpleNamespace(keepalive=KEEP_ALIVE), served, address)

    def reset(self):
        """The client breaks off."""
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.client.close()


class Opened(ConnectionTest):
    def test_waits_for_its_client_as_long_as_the_platform(self):
        served = self.connection.socket
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self.assertEqual(
                struct.unpack("ll", served.getsockopt(socket.SOL_SOCKET, option, 16)), (60, 0)
            )
        self.assertIsNone(served.gettimeout())
        self.assertTrue(served.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    def test_may_be_idle_from_its_last_use_on(self):
        self.assertEqual(self.connection.closes_at, self.now + KEEP_ALIVE)
        self.now += 50
        self.connection.rest()
        self.assertEqual(self.connection.closes_at, self.now + KEEP_ALIVE)
        self.assertFalse(self.connection.is_lingering())

    def test_reads_for_the_parser(self):
        self.assertIsInstance(self.connection.parser, RequestParser)
        self.assertIs(self.connection.parser.source, self.connection)
        self.client.sendall(b"hello")
        self.assertEqual(self.connection.recv(3), b"hel")
        self.assertEqual(self.connection.recv(8192), b"lo")

    def test_knows_whether_the_next_request_is_there(self):
        self.assertFalse(self.connection.has_buffered_request())
        self.connection.parser.unreader.buf.write(b"GET")
        self.assertTrue(self.connection.has_buffered_request())

    def test_gives_up_on_a_parser_that_reads_on_behind_the_end(self):
        self.client.shutdown(socket.SHUT_WR)
        for _ in range(100):
            self.assertEqual(self.connection.recv(10), b"")
        self.assertRaises(ConnectionResetError, self.connection.recv, 10)


class Lingering(ConnectionTest):
    def test_tells_the_client_the_end_and_takes_what_it_sends(self):
        self.assertTrue(self.connection.linger())
        self.assertTrue(self.connection.is_lingering())
        self.assertEqual(self.client.recv(1), b"")
        self.client.sendall(b"more")
        self.assertTrue(self.connection.discard())
        self.client.close()
        self.assertFalse(self.connection.discard())

    def test_lets_the_client_pause_for_5_seconds(self):
        self.connection.linger()
        self.assertEqual(self.connection.closes_at, self.now + 5)
        self.now += 4
        self.client.sendall(b"more")
        self.connection.discard()
        self.assertEqual(self.connection.closes_at, self.now + 5)

    def test_ends_after_60_seconds(self):
        self.connection.linger()
        for seconds, goes_on in [(59, True), (1, False)]:
            self.now += seconds
            self.client.sendall(b"more")
            self.assertEqual(self.connection.discard(), goes_on)

    def test_ends_with_a_client_that_is_gone(self):
        self.connection.linger()
        self.reset()
        self.assertFalse(self.connection.discard())
        self.connection.close()
        self.assertFalse(self.connection.linger())
