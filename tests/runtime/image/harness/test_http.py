import json
import sys
import unittest
from unittest import mock

import support  # noqa: F401
from mlcli_harness.serving import http as module
from mlcli_harness.serving.http import (
    CHUNK_LINE_BYTES,
    HEAD_BYTES,
    TRAILER_BYTES,
    ChunkedBody,
    Refusal,
    answer_head,
    is_malformed,
    parse_head,
)

BAD = "400 Bad Request"
BROKEN = "Bad request: a control character, or a line that does not end with CR LF, in the head"


def parsed(*fields, line="POST /invocations HTTP/1.1"):
    """The request that a head with these fields makes, without the fields of every head."""
    return parse_head("\r\n".join((line, *fields)).encode("latin-1"))


class HttpTest(unittest.TestCase):
    def assert_refused(self, status, message, call, *arguments, **options):
        with self.assertRaises(Refusal) as caught:
            call(*arguments, **options)
        refusal = caught.exception
        self.assertEqual((refusal.status, refusal.message), (status, message))
        self.assertEqual(str(refusal), message)
        # It is said as JSON.
        json.dumps(message).encode()


class Heads(HttpTest):
    def test_become_an_environ_of_wsgi(self):
        self.assertEqual(
            parsed(
                "Host: localhost:8080",
                "Content-Type: text/csv",
                "Content-Length: 3",
                "X-Amzn-Trace-Id:  \t a: b \t ",
                "Empty:",
                line="POST /in%76ocations?a=%20b?c HTTP/1.1",
            ).environ,
            {
                "REQUEST_METHOD": "POST",
                "RAW_URI": "/in%76ocations?a=%20b?c",
                "SCRIPT_NAME": "",
                "PATH_INFO": "/invocations",
                "QUERY_STRING": "a=%20b?c",
                "SERVER_PROTOCOL": "HTTP/1.1",
                "CONTENT_TYPE": "text/csv",
                "CONTENT_LENGTH": "3",
                "HTTP_HOST": "localhost:8080",
                "HTTP_X_AMZN_TRACE_ID": "a: b",
                "HTTP_EMPTY": "",
                "wsgi.version": (1, 0),
                "wsgi.url_scheme": "http",
                "wsgi.errors": sys.stderr,
                "wsgi.multithread": True,
                "wsgi.multiprocess": True,
                "wsgi.run_once": False,
            },
        )

    def test_have_an_environ_each(self):
        parsed().environ["wsgi.url_scheme"] = "changed"
        self.assertEqual(parsed().environ["wsgi.url_scheme"], "http")

    def test_have_a_path_however_it_is_asked_for(self):
        for target, path, query in [
            ("/", "/", ""),
            ("/ping?", "/ping", ""),
            ("//ping", "//ping", ""),
            ("/%70ing", "/ping", ""),
            ("/%E4%zz%", "/\xe4%zz%", ""),
            ("/%00%0d%0a%2f", "/\0\r\n/", ""),
            ("/a?b#c", "/a", "b#c"),
            ("*", "*", ""),
            ("http://localhost:80/ping?a", "/ping", "a"),
            ("HTTPS://localhost", "/", ""),
            ("http://localhost?http://a/b", "/", "http://a/b"),
            ("http://[::1]:80/ping", "/ping", ""),
            ("/http://a/ping", "/http://a/ping", ""),
        ]:
            with self.subTest(target):
                environ = parsed(line="GET %s HTTP/1.1" % target).environ
                self.assertEqual(environ["RAW_URI"], target)
                self.assertEqual((environ["PATH_INFO"], environ["QUERY_STRING"]), (path, query))

    def test_have_no_target_but_a_path_and_what_a_proxy_is_asked(self):
        for target in [
            "ping",
            "?a",
            "*a",
            "#/ping",
            "localhost:80",
            "http:/ping",
            "http:///ping",
            "http://[/ping",
            "http://a:b/ping",
            "http://a@b/ping",
            "*http://a/ping",
        ]:
            with self.subTest(target):
                message = "Bad request: not the target of a request: %r" % target
                self.assert_refused(BAD, message, parsed, line="GET %s HTTP/1.1" % target)

    def test_begin_with_a_request_line(self):
        for line in ["GET / HTTP/1.0", "GET / HTTP/1.1", "a!#$%&'*+-.^_`|~Z9 /~! HTTP/1.1"]:
            with self.subTest(line):
                environ = parsed(line=line).environ
                method, _, protocol = line.split()
                self.assertEqual(environ["REQUEST_METHOD"], method)
                self.assertEqual(environ["SERVER_PROTOCOL"], protocol)
        for line in [
            "",
            "GET /",
            "GET / HTTP/2.0",
            "GET / HTTP/1.2",
            "GET / HTTP/1.10",
            "GET / HTTP/1.\xb9",
            "GET / http/1.1",
            "GET / HTTP/1.1 ",
            " GET / HTTP/1.1",
            "GET  / HTTP/1.1",
            "GET\t/ HTTP/1.1",
            "GET /a b HTTP/1.1",
            "GET /\xe4 HTTP/1.1",
            "GET /\x80 HTTP/1.1",
            "GET  HTTP/1.1",
            "G(T / HTTP/1.1",
            "G\xcbT / HTTP/1.1",
        ]:
            with self.subTest(line):
                message = "Bad request: not a request line of HTTP/1.0 or 1.1: %r" % line
                self.assert_refused(BAD, message, parsed, line=line)
                self.assert_refused(BAD, message, parsed, "Host: a", line=line)

    def test_quote_the_beginning_alone_of_what_is_wrong(self):
        end = ": %r" % ("a" * 100)
        for call in [
            lambda: parsed(line="a" * 1000),
            lambda: parsed("a" * 100 + "\xe4" * 900 + ": b"),
            lambda: parsed("a" * 1000),
            lambda: parsed("Content-Length: " + "a" * 1000),
            lambda: parsed("Transfer-Encoding: " + "a" * 1000),
            lambda: parsed("Expect: " + "a" * 1000),
        ]:
            with self.assertRaises(Refusal) as caught:
                call()
            self.assertTrue(caught.exception.message.endswith(end), caught.exception.message)

    def test_have_no_control_characters_and_no_other_line_ends(self):
        head = b"GET / HTTP/1.1\r\nHost: a\r\nB: c"
        parse_head(head.replace(b"a", b"\t\x80\xff~"))
        for bad in [bytes([code]) for code in range(0x20) if code != 9] + [b"\x7f"]:
            for place in (0, 5, 14, 15, 16, 20, 22, 25, len(head)):
                with self.subTest(bad=bad, place=place):
                    broken = head[:place] + bad + head[place:]
                    self.assert_refused(BAD, BROKEN, parse_head, broken)

    def test_of_no_size_take_long(self):
        # Each of these took seconds where something looked at it again from each character on.
        for line, field in [
            ("GET http://%s/ HTTP/1.1" % ("a" * HEAD_BYTES), "A: b"),
            ("GET / HTTP/1.1", "%s: b" % ("a" * HEAD_BYTES)),
            ("GET / HTTP/1.1", "A:%sb" % (" " * HEAD_BYTES)),
            ("GET / HTTP/1.1", "Connection: %s" % (" ," * (HEAD_BYTES // 2))),
            ("GET /%s HTTP/1.1" % ("%" * HEAD_BYTES), "A: b"),
        ]:
            with mock.patch.dict(module.NAMES):
                parsed(field, line=line)


class Fields(HttpTest):
    def test_that_come_again_are_joined(self):
        self.assertEqual(parsed("Accept: a", "accept:b ,c", "ACCEPT:").environ["HTTP_ACCEPT"], "a,b ,c,")
        self.assertEqual(parsed("Content-Type: a", "content-type: b").environ["CONTENT_TYPE"], "a,b")

    def test_of_which_there_is_one_may_not_come_again(self):
        for name, value in [
            ("Host", "a"),
            ("Content-Length", "1"),
            ("Transfer-Encoding", "chunked"),
        ]:
            for again in (name, name.lower(), name.upper()):
                with self.subTest(again):
                    self.assert_refused(
                        BAD,
                        "Bad request: %s twice" % again,
                        parsed,
                        "%s: %s" % (name, value),
                        "%s: %s" % (again, value),
                    )

    def test_have_names(self):
        self.assertEqual(parsed("a!#$%&'*+.^`|~9: b").environ["HTTP_A!#$%&'*+.^`|~9"], "b")
        for name in ["", "a ", "a\t", " a", "\ta", "a b", "a(", '"a"', "\xe4", "a\x80", "a/b", "a@b"]:
            message = "Bad request: not the name of a header field: %r" % name
            for line in ("%s: b" % name, "%s:" % name, "%s:%s" % (name, "c: d")):
                with self.subTest(line):
                    self.assert_refused(BAD, message, parsed, line)
                    self.assert_refused(BAD, message, parsed, "Host: a", line)

    def test_have_a_colon(self):
        parsed("Host: a")
        for line in ("Host", "b"):
            message = "Bad request: a header field without a colon: %r" % line
            self.assert_refused(BAD, message, parsed, line)
            self.assert_refused(BAD, message, parsed, "Accept: a", line)
        # A field that goes on in the next line.
        message = "Bad request: not the name of a header field: ' more'"
        self.assert_refused(BAD, message, parsed, "Accept: a", " more")

    def test_with_an_underscore_pass_for_no_other(self):
        request = parsed(
            "Content_Length: 5", "Transfer_Encoding: chunked", "X_A: b", "Content_Type: c"
        )
        self.assertEqual(request.length, 0)
        for name in ("HTTP_X_A", "HTTP_TRANSFER_ENCODING", "CONTENT_LENGTH", "CONTENT_TYPE"):
            self.assertNotIn(name, request.environ)
        self.assertEqual(request.environ["HTTP__X_A"], "b")

    def test_are_100_at_most(self):
        fields = ["a%d: b" % number for number in range(100)]
        parsed(*fields)
        self.assert_refused(
            "431 Request Header Fields Too Large",
            "More than 100 header fields",
            parsed,
            *fields,
            "one: more"
        )

    def test_names_are_remembered_up_to_a_limit(self):
        with mock.patch.dict(module.NAMES, clear=True):
            parsed("X-A: b", "%s: b" % ("a" * 101))
            self.assertEqual(module.NAMES, {"X-A": "HTTP_X_A"})
            self.assertEqual(parsed("X-A: b").environ["HTTP_X_A"], "b")
            for number in range(300):
                environ = parsed("n%d: b" % number).environ
                self.assertEqual(environ["HTTP_N%d" % number], "b")
            self.assertEqual(len(module.NAMES), 256)

    def test_that_are_refused_are_not_remembered(self):
        with mock.patch.dict(module.NAMES, clear=True):
            self.assertRaises(Refusal, parsed, "a b: c")
            self.assertEqual(module.NAMES, {})


class Lengths(HttpTest):
    def test_are_those_that_are_said(self):
        for fields, length in [
            ([], 0),
            (["Content-Length: 0"], 0),
            (["Content-Length:\t12 "], 12),
            (["Content-Length: 007"], 7),
            (["Content-Length: " + "9" * 19], 10**19 - 1),
            (["Transfer-Encoding: chunked"], None),
            (["transfer-encoding:CHUNKED"], None),
        ]:
            with self.subTest(fields):
                self.assertEqual(parsed(*fields).length, length)

    def test_are_digits_alone(self):
        for value in (
            ["", "-1", "+1", "1,1", "1, 1", "1 1", "0x1", "1.0", "1_0", "\xb2", "a", "1" * 20, "0" * 20]
        ):
            with self.subTest(value):
                self.assert_refused(
                    BAD, "Bad request: not a Content-Length: %r" % value, parsed, "Content-Length: " + value
                )

    def test_are_said_in_one_way(self):
        for fields in [
            ["Content-Length: 1", "Transfer-Encoding: chunked"],
            ["Transfer-Encoding: chunked", "Content-Length: 1"],
            ["Transfer-Encoding: identity", "Content-Length: 1"],
            ["Transfer-Encoding:", "Content-Length: 1"],
        ]:
            for version in "01":
                with self.subTest(fields):
                    self.assert_refused(
                        BAD,
                        "Bad request: both Content-Length and Transfer-Encoding",
                        parsed,
                        *fields,
                        line="POST / HTTP/1." + version
                    )

    def test_are_of_no_other_coding(self):
        for coding in (
            ["", "gzip", "identity", "chunked, gzip", "gzip, chunked", "chunked,chunked", "xchunked"]
            + ["chunked;a=b", '"chunked"', "chunked,", "chunked\xa0"]
        ):
            with self.subTest(coding):
                self.assert_refused(
                    BAD,
                    "Bad request: a Transfer-Encoding that is not supported: %r" % coding,
                    parsed,
                    "Transfer-Encoding: " + coding,
                )
        # Which knows no chunks: a proxy in front may not, either.
        self.assert_refused(
            BAD,
            "Bad request: a Transfer-Encoding that is not supported: 'chunked'",
            parsed,
            "Transfer-Encoding: chunked",
            line="POST / HTTP/1.0",
        )


class Wishes(HttpTest):
    def test_to_go_on(self):
        for version, connection, keep_alive in [
            ("1", None, True),
            ("1", "", True),
            ("1", "keep-alive", True),
            ("1", "Close", False),
            ("1", "upgrade , CLOSE", False),
            ("1", "keep-alive,close", False),
            ("1", "closed", True),
            ("0", None, False),
            ("0", "", False),
            ("0", "Keep-Alive", True),
            ("0", "te,\tkeep-alive", True),
            ("0", "keep-alive, close", False),
        ]:
            with self.subTest(version=version, connection=connection):
                fields = [] if connection is None else ["Connection: " + connection]
                request = parsed(*fields, line="GET / HTTP/1." + version)
                self.assertEqual(request.keep_alive, keep_alive)
                self.assertEqual(request.is_old, version == "0")
        self.assertFalse(parsed("Connection: a", "Connection: close").keep_alive)

    def test_to_be_told_to_go_on(self):
        for version, expectation, expects in [
            ("1", None, False),
            ("1", "100-continue", True),
            ("1", "100-Continue", True),
            ("0", "100-continue", False),
            ("0", "anything", False),
        ]:
            with self.subTest(version=version, expectation=expectation):
                fields = [] if expectation is None else ["Expect: " + expectation]
                request = parsed(*fields, line="POST / HTTP/1." + version)
                self.assertIs(request.expects_continue, expects)
        for expectation in ("", "anything", "100-continue, more"):
            self.assert_refused(
                "417 Expectation Failed",
                "An expectation that is not supported: %r" % expectation,
                parsed,
                "Expect: " + expectation,
            )


class Malformed(unittest.TestCase):
    def test_is_what_can_become_no_head(self):
        for head in [b"", b"G", b"a\r", b"a\r\n", b"a\r\nb", b"\r", b"\r\n\r\n", b"\t\x80\xff"]:
            for kind in (bytes, bytearray):
                self.assertFalse(is_malformed(kind(head)), head)
        for head in [b"\n", b"a\nb", b"a\rb", b"\r\r", b"a\r\r\n", b"\n\r", b"\0", b"\x16\x03\x01", b"\x7f"]:
            self.assertTrue(is_malformed(head), head)


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


def arrivals(data):
    """The ways in which a few bytes may arrive: whole, one by one, and cut in two anywhere."""
    yield [data]
    yield [data[place : place + 1] for place in range(len(data))]
    for place in range(1, len(data)):
        yield [data[:place], data[place:]]


class Chunks(HttpTest):
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
                    self.assertTrue(message.startswith("Bad request: a "), message)

    def test_that_are_none_are_refused_with_words(self):
        for data, message in [
            (b"x\xe4\r\n", r"a chunk that does not begin as one: 'x\xe4'"),
            (b"x" * 101 + b"\r\n", "a chunk that does not begin as one: %r" % ("x" * 100)),
            (b"1\na", "a broken line around a chunk"),
            (b"1\r\nab", "a chunk that is longer than it says"),
            (b"0\r\na b: c\r\n", "a broken line behind the last chunk"),
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
        message = (BAD, "Bad request: more than 16384 bytes behind the last chunk")
        for data in (line * 16 + b"a:\r\n", line * 17):
            self.assertEqual(taken([b"0\r\n" + data]), message)

    def test_leave_what_is_behind_them_as_it_is(self):
        # A large remainder that is moved with each small chunk takes seconds.
        rest = b"x" * 1024 * 1024
        self.assertEqual(taken([b"1\r\na\r\n" * 10000 + b"0\r\n\r\n" + rest]), (b"a" * 10000, rest))


class AnswerHeads(unittest.TestCase):
    def setUp(self):
        for name, value in [("common_lines", (0, "")), ("time", mock.Mock())]:
            patch = mock.patch.object(module, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.at(784111777.9)

    def at(self, seconds):
        module.time.time.return_value = seconds

    def test_have_the_servers_lines_and_the_applications(self):
        fields = [("Content-Type", "text/\xe4"), ("Content-Length", "3")]
        self.assertEqual(
            answer_head("200 OK", fields, closes=False),
            b"HTTP/1.1 200 OK\r\n"
            b"Server: mlcli\r\n"
            b"Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            b"Connection: keep-alive\r\n"
            b"Content-Type: text/\xe4\r\n"
            b"Content-Length: 3\r\n"
            b"\r\n",
        )
        self.assertIn(b"\r\nConnection: close\r\n\r\n", answer_head("200 OK", [], closes=True))

    def test_have_the_time_of_each_second(self):
        for seconds, second in [(1, 1), (1.9, 1), (2, 2), (1, 1)]:
            self.at(seconds)
            self.assertIn(
                b"\r\nDate: Thu, 01 Jan 1970 00:00:%02d GMT\r\n" % second, answer_head("200 OK", [], False)
            )

    def test_make_the_lines_of_a_second_once(self):
        with mock.patch.object(module, "formatdate", wraps=module.formatdate) as formatdate:
            for seconds in (1, 1.5, 1.9, 2):
                self.at(seconds)
                answer_head("200 OK", [], closes=False)
        self.assertEqual(formatdate.call_count, 2)

    def test_have_no_field_with_a_line_of_its_own(self):
        message = "a header field of the answer has a line break or a NUL in it"
        for bad in ("\r", "\n", "\r\n", "\0"):
            for field in [("A", "b%sC: d" % bad), ("A%s" % bad, "b"), ("A", bad)]:
                with self.subTest(field):
                    with self.assertRaises(ValueError) as caught:
                        answer_head("200 OK", [("E", "f"), field], closes=False)
                    self.assertEqual(str(caught.exception), message)
        # Which has no bytes in HTTP.
        self.assertRaises(ValueError, answer_head, "200 OK", [("A", "\u20ac")], False)
