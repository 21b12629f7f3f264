import io
import json
import threading
import unittest
from contextlib import redirect_stderr
from types import SimpleNamespace
from unittest import mock

import support  # noqa: F401
from mlcli_harness.serving import application
from mlcli_harness.serving.application import Application
from mlcli_harness.serving.model import Model


class Server:
    """An application that is called as the worker does."""

    def __init__(self, predict=lambda data, model: data, input_fn=None, output_fn=None, **options):
        self.app = Application(Model("model", predict, input_fn, output_fn), **options)
        self.log = ""

    def ask(self, body=b"", path="/invocations", method="POST", **headers):
        """(status, headers in a dict, body) of the answer; `log` is kept."""
        environ = {
            "PATH_INFO": path,
            "REQUEST_METHOD": method,
            "RAW_URI": path,
            "wsgi.input": io.BytesIO(body),
            "CONTENT_LENGTH": str(len(body)),
            **headers,
        }
        answer = []
        with redirect_stderr(io.StringIO()) as said:
            [content] = self.app(environ, lambda *start: answer.extend(start))
        self.log = said.getvalue()
        status, fields = answer
        return status, dict(fields), content

    def error(self, *arguments, **keywords):
        """(status, message) of an answer that is an error."""
        status, headers, body = self.ask(*arguments, **keywords)
        assert headers["Content-Type"] == "application/json", headers
        assert headers["Content-Length"] == str(len(body)), headers
        return status, json.loads(body)["error"]


class Paths(unittest.TestCase):
    def test_answers_ping_with_nothing(self):
        for method in ("GET", "HEAD"):
            self.assertEqual(
                Server().ask(path="/ping", method=method), ("200 OK", {"Content-Length": "0"}, b"")
            )

    def test_knows_no_other_path_and_no_other_method(self):
        for path, method, status, message, allow in [
            ("/", "GET", "404 Not Found", "Not found: /", None),
            ("/ping/", "GET", "404 Not Found", "Not found: /ping/", None),
            ("/models", "POST", "404 Not Found", "Not found: /models", None),
            ("/ping", "POST", "405 Method Not Allowed", "Method not allowed: POST /ping", "GET, HEAD"),
            (
                "/invocations",
                "GET",
                "405 Method Not Allowed",
                "Method not allowed: GET /invocations",
                "POST",
            ),
        ]:
            with self.subTest(path=path, method=method):
                server = Server()
                self.assertEqual(server.error(b"12345", path, method), (status, message))
                self.assertEqual(server.ask(path=path, method=method)[1].get("Allow"), allow)

    def test_sends_no_body_for_head_but_its_length(self):
        status, headers, body = Server().ask(path="/x", method="HEAD")
        self.assertEqual((status, body), ("404 Not Found", b""))
        self.assertEqual(headers["Content-Length"], str(len('{"error": "Not found: /x"}')))


class Invocations(unittest.TestCase):
    def test_asks_the_functions_one_after_the_other(self):
        calls = []

        def input_fn(body, content_type):
            calls.append((body, content_type))
            return "data"

        def predict(data, model):
            calls.append((data, model))
            return "prediction"

        def output_fn(prediction, accept):
            calls.append((prediction, accept))
            return "t\u00ebxt"

        server = Server(predict, input_fn, output_fn)
        status, headers, body = server.ask(
            b"\xe9", CONTENT_TYPE="Text/CSV; charset=latin1", HTTP_ACCEPT="text/plain;q=0.5"
        )
        self.assertEqual(calls, [("\u00e9", "text/csv"), ("data", "model"), ("prediction", "text/plain")])
        self.assertEqual((status, body), ("200 OK", "t\u00ebxt".encode()))
        self.assertEqual(headers, {"Content-Type": "text/plain; charset=utf-8", "Content-Length": "5"})

    def test_gives_input_fn_text_for_json_and_csv_and_bytes_else(self):
        seen = []
        server = Server(input_fn=lambda body, content_type: seen.append(body))
        for content_type, body, given in [
            ("", b"1", "1"),
            ("application/json", b"\xef\xbb\xbf1", "1"),
            ("text/csv", "\u00e9".encode(), "\u00e9"),
            ("text/csv; charset=UTF-8", b"\xef\xbb\xbf1", "1"),
            ("text/csv; charset=utf-16", "1".encode("utf-16"), "1"),
            ("application/x-npy", b"\x93NUMPY", b"\x93NUMPY"),
            ("text/plain; charset=latin1", b"\xe9", b"\xe9"),
        ]:
            with self.subTest(content_type):
                self.assertEqual(server.ask(body, CONTENT_TYPE=content_type)[0], "200 OK")
                self.assertEqual(seen.pop(), given)

    def test_sends_text_bytes_and_pairs_with_a_type(self):
        for result, accept, content_type, body in [
            ("a", "text/csv", "text/csv; charset=utf-8", b"a"),
            ("a", "text/x; charset=latin1", "text/x; charset=utf-8", b"a"),
            ("a", "application/json", "application/json", b"a"),
            (b"\xff", "text/csv", "text/csv", b"\xff"),
            (bytearray(b"a"), "image/png", "image/png", b"a"),
            (memoryview(b"a"), "image/png", "image/png", b"a"),
            (("a", "text/html"), "*/*", "text/html; charset=utf-8", b"a"),
            (("a", "text/html; charset=ascii"), "*/*", "text/html; charset=ascii", b"a"),
            ((b"a", "image/png"), "*/*", "image/png", b"a"),
        ]:
            with self.subTest(result=result, accept=accept):
                server = Server(output_fn=lambda prediction, accept: result)
                status, headers, content = server.ask(b"1", HTTP_ACCEPT=accept)
                self.assertEqual((status, headers["Content-Type"], content), ("200 OK", content_type, body))

    def test_says_what_output_fn_must_return(self):
        for result, kind in [(5, "int"), (None, "NoneType"), (("a",), "tuple"), (("a", 5), "tuple")]:
            with self.subTest(result):
                server = Server(output_fn=lambda prediction, accept: result)
                status, message = server.error(b"1")
                self.assertEqual(status, "500 Internal Server Error")
                self.assertEqual(
                    message,
                    "TypeError: output_fn returned %s; it must return str, bytes, or (body, content type)"
                    % kind,
                )


class Refusals(unittest.TestCase):
    def test_of_a_content_type_are_415(self):
        status = "415 Unsupported Media Type"
        for content_type in ("application/x-npy", "image/png", "text/csv; charset=klingon"):
            with self.subTest(content_type):
                self.assertEqual(
                    Server().error(b"1", CONTENT_TYPE=content_type),
                    (status, "Unsupported content type: " + content_type),
                )

        def input_fn(body, content_type):
            raise Exception("UNSUPPORTED Content Type, whatever it is")

        self.assertEqual(
            Server(input_fn=input_fn).error(b"1", CONTENT_TYPE="Image/PNG; x=y"),
            (status, "Unsupported content type: image/png"),
        )

    def test_of_an_accept_are_406(self):
        def output_fn(prediction, accept):
            raise ValueError("Unsupported accept: " + accept)

        for server in (Server(), Server(output_fn=output_fn)):
            for accept in ("image/png, text/html;q=0.5", "application/x-npy", "*/*;q=0"):
                with self.subTest(accept):
                    self.assertEqual(
                        server.error(b"1", HTTP_ACCEPT=accept),
                        ("406 Not Acceptable", "Unsupported accept type: " + accept),
                    )

    def test_of_one_accepted_type_leave_the_next(self):
        def output_fn(prediction, accept):
            if accept != "text/b":
                raise ValueError("Unsupported content type: " + accept)
            return accept

        self.assertEqual(
            Server(output_fn=output_fn).ask(b"1", HTTP_ACCEPT="text/a, text/b;q=0.5")[2], b"text/b"
        )

    def test_of_a_body_are_400(self):
        for content_type, body, message in [
            ("application/json", b"{", "The body is not valid JSON: "),
            ("text/csv", b"1\n2,3", "The body is not valid CSV: row 2 has 2 fields, row 1 has 1"),
            ("application/json", b"", "The body is empty"),
            ("text/csv", b"\xff", "The body is not valid utf-8: "),
            ("text/csv; charset=ascii", b"\xff", "The body is not valid ascii: "),
        ]:
            with self.subTest(message):
                server = Server()
                status, said = server.error(body, CONTENT_TYPE=content_type)
                self.assertEqual((status, said[: len(message)]), ("400 Bad Request", message))
                # What the client did wrong is no entry of the log.
                self.assertEqual(server.log, "")

    def test_by_a_value_error_of_input_fn_are_400_and_in_the_log(self):
        def input_fn(body, content_type):
            raise ValueError("expected numbers")

        server = Server(input_fn=input_fn)
        self.assertEqual(server.error(b"1"), ("400 Bad Request", "expected numbers"))
        self.assertIn("\nValueError: expected numbers\n", server.log)

    def test_of_whoever_may_not_call_are_403_whatever_they_want(self):
        callers = SimpleNamespace(objection=lambda environ: "no: " + environ["PATH_INFO"])
        for path in ("/ping", "/invocations", "/x"):
            server = Server(callers=callers)
            self.assertEqual(server.error(b"12", path), ("403 Forbidden", "no: " + path))
        nobody = SimpleNamespace(objection=lambda environ: None)
        self.assertEqual(Server(callers=nobody).ask(path="/ping", method="GET")[0], "200 OK")


class Failures(unittest.TestCase):
    def test_of_the_functions_are_500_with_a_traceback_in_the_log(self):
        class Panic(BaseException):
            def __str__(self):
                return 1 / 0

        for error, words in [
            (KeyError("column"), "KeyError: 'column'"),
            (ValueError("of predict_fn"), "ValueError: of predict_fn"),
            (SystemExit("enough"), "SystemExit: enough"),
            (Panic(), "Panic"),
        ]:

            def fail(data, model, error=error):
                raise error

            with self.subTest(words):
                server = Server(fail)
                self.assertEqual(server.error(b"1"), ("500 Internal Server Error", words))
                self.assertTrue(server.log.startswith("Traceback "), server.log)
                self.assertIn("in fail", server.log)
                self.assertNotIn("mlcli_harness", server.log)

    def test_of_output_fn_are_500(self):
        def output_fn(prediction, accept):
            raise ValueError("a bug")

        self.assertEqual(
            Server(output_fn=output_fn).error(b"1"), ("500 Internal Server Error", "ValueError: a bug")
        )


class Turns(unittest.TestCase):
    """`concurrent_predictions`: so many requests are in the app's functions at once."""

    def test_are_not_limited_where_there_is_no_number(self):
        # All three meet, or none goes on.
        meeting = threading.Barrier(3)

        def predict(data, model):
            meeting.wait(20)
            return data

        app = Server(predict).app
        statuses = []

        def ask():
            environ = {
                "PATH_INFO": "/invocations",
                "REQUEST_METHOD": "POST",
                "CONTENT_LENGTH": "1",
                "wsgi.input": io.BytesIO(b"1"),
            }
            app(environ, lambda status, headers: statuses.append(status))

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        self.assertEqual(statuses, ["200 OK"] * 3)

    def test_are_taken_by_the_functions_and_given_back_whatever_happens(self):
        taken = []

        def predict(data, model):
            taken.append(server.app.turn.acquire(blocking=False))
            if data == [0]:
                raise KeyError("x")
            return data

        server = Server(predict, concurrent_predictions=1)
        for body, status in [(b"[0]", "500 Internal Server Error"), (b"[1]", "200 OK"), (b"[2]", "200 OK")]:
            self.assertEqual(server.ask(body)[0], status)
        self.assertEqual(taken, [False] * 3)
        self.assertTrue(server.app.turn.acquire(blocking=False))


class Warnings(unittest.TestCase):
    def test_say_that_an_answer_took_too_long_for_the_platform(self):
        for seconds, log in [
            (60, ""),
            (61, "mlcli: this answer took 61 s; the platform gives up after 60 s\n"),
        ]:
            clock = mock.Mock(side_effect=[1000, 1000 + seconds])
            with mock.patch.object(application, "time", SimpleNamespace(monotonic=clock)):
                server = Server()
                self.assertEqual(server.ask(b"1")[0], "200 OK")
            self.assertEqual(server.log, log)

    def test_say_that_an_answer_is_too_large_for_the_platform(self):
        most = 6 * 1024 * 1024
        words = (
            "mlcli: this answer has 6291457 bytes; an endpoint of the platform answers with 6291456 at"
            " most, as AWS's API reference has it (25 MB, as its newer guide has it)\n"
        )
        # A transform job's answers are not an endpoint's.
        for size, warn_large, log in [(most, True, ""), (most + 1, True, words), (most + 1, False, "")]:
            server = Server(output_fn=lambda prediction, accept: b"x" * size, warn_large=warn_large)
            status, _, body = server.ask(b"1")
            self.assertEqual((status, len(body), server.log), ("200 OK", size, log))
