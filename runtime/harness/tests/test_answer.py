import json
import unittest
from types import SimpleNamespace
from unittest import mock

import support  # noqa: F401
from mlcli_harness.serving import http
from mlcli_harness.serving.answer import SMALL_BYTES, Answer, send_refusal
from mlcli_harness.serving.http import Refusal

HEAD = b"HTTP/1.1 200 OK\r\nServer: mlcli\r\nDate: Thu, 01 Jan 1970 00:00:01 GMT\r\nConnection: %s\r\n"
GOES_ON, CLOSES = HEAD % b"keep-alive", HEAD % b"close"


class AnswerTest(unittest.TestCase):
    def setUp(self):
        for name, value in [("common_lines", (0, "")), ("time", SimpleNamespace(time=lambda: 1.0))]:
            patch = mock.patch.object(http, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.pieces = []
        self.connection = SimpleNamespace(
            is_last=False, sender=SimpleNamespace(send=self.pieces.append)
        )

    def answer(self, headers=(), is_old=False):
        answer = Answer(SimpleNamespace(is_old=is_old), self.connection)
        answer.start_response("200 OK", list(headers))
        return answer


class Whole(AnswerTest):
    def test_is_head_and_body_in_one_piece(self):
        for body in (b"", b"1,2"):
            for is_old in (False, True):
                del self.pieces[:]
                answer = self.answer([("Content-Length", "%d" % len(body))], is_old)
                self.assertFalse(answer.is_begun)
                answer.send_whole(body)
                head = GOES_ON + b"Content-Length: %d\r\n\r\n" % len(body)
                self.assertEqual(self.pieces, [head + body])
                self.assertEqual((answer.sent, answer.is_begun), (len(body), True))
                self.assertFalse(self.connection.is_last)

    def test_is_not_copied_where_it_is_large(self):
        for size, count in [(SMALL_BYTES, 1), (SMALL_BYTES + 1, 2)]:
            del self.pieces[:]
            body = bytes(size)
            answer = self.answer()
            answer.send_whole(body)
            self.assertEqual((len(self.pieces), answer.sent), (count, size))
            self.assertEqual(b"".join(self.pieces), GOES_ON + b"\r\n" + body)
        self.assertIs(self.pieces[1], body)

    def test_says_that_it_is_the_last(self):
        self.connection.is_last = True
        self.answer().send_whole(b"")
        self.assertEqual(self.pieces, [CLOSES + b"\r\n"])

    def test_is_known_by_its_length(self):
        for headers, has_length in [
            ([], False),
            ([("Content-Type", "content-length")], False),
            ([("A", "b"), ("CONTENT-length", "0")], True),
        ]:
            self.assertEqual(self.answer(headers).has_length, has_length)

    def test_has_not_begun_where_its_head_breaks_the_rules(self):
        for send in (lambda one: one.send_whole(b"a"), lambda one: one.send_part(b"a"), Answer.send_end):
            answer = self.answer([("A", "b\r\nC: d")])
            self.assertRaises(ValueError, send, answer)
            self.assertEqual((answer.is_begun, self.pieces), (False, []))


class Streams(AnswerTest):
    def test_are_chunks(self):
        answer = self.answer([("A", "b")])
        for part in (b"0123456789abcdef", b"", b"\r\n"):
            answer.send_part(part)
        answer.send_end()
        self.assertEqual(
            self.pieces,
            [
                GOES_ON + b"A: b\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n",
                b"2\r\n\r\n\r\n",
                b"0\r\n\r\n",
            ],
        )
        self.assertEqual((answer.sent, answer.is_begun), (18, True))
        self.assertFalse(self.connection.is_last)

    def test_of_nothing_have_a_head_and_an_end(self):
        for parts in ([], [b""]):
            del self.pieces[:]
            answer = self.answer()
            for part in parts:
                answer.send_part(part)
            self.assertEqual((self.pieces, answer.is_begun), ([], False))
            answer.send_end()
            self.assertEqual(
                b"".join(self.pieces), GOES_ON + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            )
            self.assertEqual((answer.sent, answer.is_begun), (0, True))

    def test_end_with_the_connection_where_the_client_knows_no_chunks(self):
        for parts in ([b"one", b"", b"two"], []):
            del self.pieces[:]
            self.connection.is_last = False
            answer = self.answer([("A", "b")], is_old=True)
            for part in parts:
                answer.send_part(part)
            answer.send_end()
            self.assertEqual(b"".join(self.pieces), CLOSES + b"A: b\r\n\r\n" + b"".join(parts))
            self.assertEqual(len(self.pieces), max(1, len(parts) - 1))
            self.assertTrue(self.connection.is_last)

    def test_leave_the_applications_headers_alone(self):
        headers = [("A", "b")]
        answer = Answer(SimpleNamespace(is_old=False), self.connection)
        answer.start_response("200 OK", headers)
        answer.send_end()
        self.assertEqual(headers, [("A", "b")])

    def test_take_a_tuple_of_headers(self):
        answer = Answer(SimpleNamespace(is_old=False), self.connection)
        answer.start_response("200 OK", (("A", "b"),))
        answer.send_part(b"c")
        self.assertIn(b"A: b\r\nTransfer-Encoding: chunked\r\n", self.pieces[0])


class Refusals(AnswerTest):
    def test_are_json_and_close_the_connection(self):
        for message in ("Too much", 'a "quoted" \xe4\u20ac\ud800\r\n'):
            del self.pieces[:]
            send_refusal(self.connection.sender, Refusal("413 Content Too Large", message))
            [answer] = self.pieces
            head, body = answer.split(b"\r\n\r\n")
            self.assertEqual(json.loads(body), {"error": message})
            self.assertEqual(
                head,
                CLOSES.replace(b"200 OK", b"413 Content Too Large")
                + b"Content-Type: application/json\r\nContent-Length: %d" % len(body),
            )
