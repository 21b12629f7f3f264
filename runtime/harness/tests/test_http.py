import json
import sys
import unittest
from unittest import mock

import support  # noqa: F401
from mlcli_harness.serving import http as module
from mlcli_harness.serving.http import (
    HEAD_BYTES,
    Refusal,
    answer_head,
    is_malformed,
    parse_head,
)

BAD = "400 Bad Request"
BROKEN = "Bad request: the header has a control character, or a line that does not end with CR LF"


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
                message = "Bad request: invalid request target: %r" % target
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
                message = "Bad request: invalid request line for HTTP/1.0 or 1.1: %r" % line
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
                        "Bad request: more than one %s" % again,
                        parsed,
                        "%s: %s" % (name, value),
                        "%s: %s" % (again, value),
                    )

    def test_have_names(self):
        self.assertEqual(parsed("a!#$%&'*+.^`|~9: b").environ["HTTP_A!#$%&'*+.^`|~9"], "b")
        for name in ["", "a ", "a\t", " a", "\ta", "a b", "a(", '"a"', "\xe4", "a\x80", "a/b", "a@b"]:
            message = "Bad request: invalid name of a header field: %r" % name
            for line in ("%s: b" % name, "%s:" % name, "%s:%s" % (name, "c: d")):
                with self.subTest(line):
                    self.assert_refused(BAD, message, parsed, line)
                    self.assert_refused(BAD, message, parsed, "Host: a", line)

    def test_have_a_colon(self):
        parsed("Host: a")
        for line in ("Host", "b"):
            message = "Bad request: header field without a colon: %r" % line
            self.assert_refused(BAD, message, parsed, line)
            self.assert_refused(BAD, message, parsed, "Accept: a", line)
        # A field that goes on in the next line.
        message = "Bad request: invalid name of a header field: ' more'"
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
                    BAD, "Bad request: invalid Content-Length: %r" % value, parsed, "Content-Length: " + value
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
                    "Bad request: unsupported Transfer-Encoding: %r" % coding,
                    parsed,
                    "Transfer-Encoding: " + coding,
                )
        # Which knows no chunks: a proxy in front may not, either.
        self.assert_refused(
            BAD,
            "Bad request: unsupported Transfer-Encoding: 'chunked'",
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
                "Unsupported expectation: %r" % expectation,
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
        message = "a response header field contains a line break or a NUL"
        for bad in ("\r", "\n", "\r\n", "\0"):
            for field in [("A", "b%sC: d" % bad), ("A%s" % bad, "b"), ("A", bad)]:
                with self.subTest(field):
                    with self.assertRaises(ValueError) as caught:
                        answer_head("200 OK", [("E", "f"), field], closes=False)
                    self.assertEqual(str(caught.exception), message)
        # Which has no bytes in HTTP.
        self.assertRaises(ValueError, answer_head, "200 OK", [("A", "\u20ac")], False)
