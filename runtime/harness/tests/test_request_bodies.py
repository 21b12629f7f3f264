import socket
import unittest
from unittest import mock

from support import arrivals
from mlcli_harness.serving import request_bodies as module
from mlcli_harness.serving.http import Refusal
from mlcli_harness.serving.request_bodies import (
    CHUNK_LINE_BYTES,
    TRAILER_BYTES,
    ChunkedBody,
    LongBody,
)

BAD = "400 Bad Request"


def taken(parts):
    """What comes of a body that arrives in these parts: (it, what is left), None where more is to
    come, or the refusal's message."""
    body, buffer = ChunkedBody(), bytearray()
    is_complete = False
    for part in parts:
        buffer += part
        if not is_complete:
            try:
                is_complete = body.take(buffer)
            except Refusal as refusal:
                return refusal.status, refusal.message
    return (bytes(body.body), bytes(buffer)) if is_complete else None


class Chunks(unittest.TestCase):
    def test_make_a_body_however_they_arrive(self):
        for data, body, rest in [
            (b"0\r\n\r\n", b"", b""),
            (b"5\r\nhello\r\n0\r\n\r\n", b"hello", b""),
            (b"1\r\na\r\nb\r\n01234567890\r\n00\r\n\r\nGET / HTTP", b"a01234567890", b"GET / HTTP"),
            (
                b"00A \t;\tx=\"y;\xe4\"\r\n\r\n0\r\n\r\n\r\n\n\r\n0;a\r\n\r\n\r\n",
                b"\r\n0\r\n\r\n\r\n\n",
                b"\r\n",
            ),
            (b"F\r\n0123456789abcde\r\nf\r\n0123456789abcde\r\n0\r\n\r\n", b"0123456789abcde" * 2, b""),
            (b"000000000000001\r\na\r\n0\r\nA: b\r\n!:\t\xe4\r\nC:\r\n\r\n0\r\n", b"a", b"0\r\n"),
        ]:
            for parts in arrivals(data):
                with self.subTest(parts):
                    self.assertEqual(taken(parts), (body, rest))
            # And not before all of it is here.
            end = len(data) - len(rest)
            for place in range(end):
                self.assertIsNone(taken([data[:place]]))

    def test_that_are_none_are_refused_however_they_arrive(self):
        for data in [
            b"\r\n",
            b";a\r\n",
            b" 1\r\na\r\n",
            b"+1\r\na\r\n",
            b"-1\r\na\r\n",
            b"0x1\r\na\r\n",
            b"1_0\r\na\r\n",
            b"g\r\n",
            b"\xb2\r\n",
            b"1 1\r\na\r\n",
            b"1 a\r\n",
            b"1,2\r\n",
            b"1;a\x0bb\r\n",
            b"1;a\0\r\n",
            b"1;a\x7f\r\n",
            b"1;a\nb\r\n",
            b"1;a\rb\r\n",
            b"1\na\n0\n\n",
            b"1\r\r\na",
            b"1\n\r\na",
            b"0000000000000001\r\na\r\n",
            b"1\r\nab\r\n",
            b"1\r\na\n0\r\n\r\n",
            b"1\r\na\r0\r\n\r\n",
            b"1\r\na0\r\n\r\n",
            b"2\r\na\r\n0\r\n\r\n",
            b"0\r\n \r\n\r\n",
            b"0\r\nab\r\n\r\n",
            b"0\r\na b: c\r\n\r\n",
            b"0\r\n: c\r\n\r\n",
            b"0\r\na: b\r\n c\r\n\r\n",
            b"0\r\na: b\nc: d\r\n\r\n",
            b"0\r\na: \0\r\n\r\n",
            b"0\r\n\n\r\n",
            b"0\r\n\r\r\n",
            b"0\r\nGET / HTTP/1.1\r\n",
        ]:
            for parts in arrivals(data):
                with self.subTest(parts):
                    status, message = taken(parts)
                    self.assertEqual(status, BAD)
                    words = ("Bad request: a chunk ", "Bad request: invalid ")
                    self.assertTrue(message.startswith(words), message)

    def test_that_are_none_are_refused_with_words(self):
        for data, message in [
            (b"x\xe4\r\n", r"invalid beginning of a chunk: 'x\xe4'"),
            (b"x" * 101 + b"\r\n", "invalid beginning of a chunk: %r" % ("x" * 100)),
            (b"1\na", "invalid line around a chunk"),
            (b"1\r\nab", "a chunk is longer than its size"),
            (b"0\r\na b: c\r\n", "invalid line after the last chunk"),
        ]:
            expected = message.encode("ascii").decode("unicode_escape")
            self.assertEqual(taken([data]), (BAD, "Bad request: " + expected))

    def test_say_how_long_the_body_is_at_least(self):
        body, buffer = ChunkedBody(), bytearray()
        announced = []
        for byte in b"3\r\nabc\r\n0c\r\n":
            buffer.append(byte)
            body.take(buffer)
            announced.append(body.announced())
        self.assertEqual(announced, [0, 0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 15])

    def test_may_be_announced_as_large_as_can_be(self):
        body = ChunkedBody()
        self.assertFalse(body.take(bytearray(b"f" * 15 + b"\r\nabc")))
        self.assertEqual(body.announced(), 16**15 - 1)
        self.assertEqual(body.body, b"abc")

    def test_have_short_lines(self):
        longest = b"1;" + b"a" * (CHUNK_LINE_BYTES - 2)
        data = longest + b"\r\na\r\n0\r\nb:" + longest[2:] + b"\r\n\r\n"
        for parts in ([data], [data[: CHUNK_LINE_BYTES + 1], data[CHUNK_LINE_BYTES + 1 :]]):
            self.assertEqual(taken(parts), (b"a", b""))
        message = (BAD, "Bad request: a line of more than 4096 bytes around a chunk")
        for data in (b"a" + longest, b"0\r\nb" + longest):
            self.assertEqual(taken([data + b"\r\n"]), message)
            # The last byte may be the beginning of its end.
            self.assertIsNone(taken([data]))
            self.assertEqual(taken([data + b"a"]), message)

    def test_have_few_lines_behind_them(self):
        line = b"a:" + b"b" * 1020 + b"\r\n"
        self.assertEqual(TRAILER_BYTES, 16 * len(line))
        self.assertEqual(taken([b"0\r\n" + line * 16 + b"\r\n"]), (b"", b""))
        message = (BAD, "Bad request: more than 16384 bytes after the last chunk")
        for data in (line * 16 + b"a:\r\n", line * 17):
            self.assertEqual(taken([b"0\r\n" + data]), message)

    def test_leave_what_is_behind_them_as_it_is(self):
        # A large remainder that is moved with each small chunk takes seconds.
        rest = b"x" * 1024 * 1024
        self.assertEqual(taken([b"1\r\na\r\n" * 10000 + b"0\r\n\r\n" + rest]), (b"a" * 10000, rest))


class Long(unittest.TestCase):
    def setUp(self):
        self.client, self.server = socket.socketpair()
        self.addCleanup(self.client.close)
        self.addCleanup(self.server.close)

    def received(self, length, parts, begun=b""):
        """The body, given what came with its head and what comes afterwards; None while some of it
        is missing."""
        body, buffer = LongBody(length), bytearray(begun)
        is_complete = body.take(buffer)
        for part in parts:
            self.client.sendall(part)
            while body.size() < length and body.size() < len(begun) + len(part):
                self.assertGreater(body.receive(self.server), 0)
                is_complete = body.take(buffer)
        self.assertEqual(body.size(), min(length, len(begun) + sum(map(len, parts))))
        return body.file().read() if is_complete else None

    def test_is_what_came_with_the_head_and_afterwards(self):
        data = bytes(range(256)) * 40
        for first in (1, 100, len(data), 2 * len(data)):
            with mock.patch.object(module, "FIRST_BYTES", first):
                self.assertEqual(self.received(len(data), [data]), data)
                self.assertEqual(self.received(len(data), [data[5:]], begun=data[:5]), data)
                self.assertIsNone(self.received(len(data) + 1, [data]))

    def test_leaves_what_follows_it(self):
        body, buffer = LongBody(3), bytearray(b"abcdef")
        self.assertTrue(body.take(buffer))
        self.assertEqual((body.file().read(), buffer), (b"abc", b"def"))
        body = LongBody(3)
        self.client.sendall(b"abcdef")
        self.assertEqual(body.receive(self.server), 3)
        self.assertEqual((body.take(bytearray()), self.server.recv(10)), (True, b"def"))

    def test_has_memory_for_what_comes_and_not_for_what_is_announced(self):
        body = LongBody(1024**4)
        self.client.sendall(b"a")
        self.assertEqual(body.receive(self.server), 1)
        self.assertEqual(len(body.memory.getbuffer()), module.FIRST_BYTES)
        # As much again each time.
        body.filled = body.room
        self.client.sendall(b"a")
        body.receive(self.server)
        self.assertEqual(len(body.memory.getbuffer()), 2 * module.FIRST_BYTES)

    def test_is_read_without_a_copy(self):
        body = LongBody(100)
        body.take(bytearray(b"a" * 100))
        file = body.file()
        self.assertIs(file.getvalue(), file.read())

    def test_that_ends_early_is_not_complete(self):
        body = LongBody(3)
        self.client.close()
        self.assertEqual(body.receive(self.server), 0)
        self.assertFalse(body.take(bytearray()))
