import gzip
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


class UnsupportedFormatError(Exception):
    """Of AWS's toolkit."""


class BaseInferenceToolkitError(Exception):
    """Of AWS's toolkit."""

    def __init__(self, status_code, message, phrase):
        super().__init__(status_code, message, phrase)
        self.status_code = status_code
        self.message = message
        self.phrase = phrase


def prediction(body=b"1", **more):
    """The environ of a request for a prediction."""
    return {
        "PATH_INFO": "/invocations",
        "REQUEST_METHOD": "POST",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        **more,
    }


class Server:
    """An application that is called as the worker does."""

    def __init__(self, predict=lambda data, model: data, input_fn=None, output_fn=None, **options):
        self.app = Application(Model("model", predict, input_fn, output_fn), **options)
        self.log = ""

    def ask(self, body=b"", path="/invocations", method="POST", **headers):
        """(status, headers in a dict, body) of the answer; `log` is kept."""
        where = {"PATH_INFO": path, "REQUEST_METHOD": method, "RAW_URI": path}
        environ = prediction(body, **where, **headers)
        answer = []
        with redirect_stderr(io.StringIO()) as said:
            parts = self.app(environ, lambda *start: answer.extend(start))
            try:
                content = b"".join(parts)
            finally:
                if hasattr(parts, "close"):
                    parts.close()
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

    def test_answers_what_a_transform_job_asks_for(self):
        parameters = {"MaxConcurrentTransforms": 2, "MaxPayloadInMB": 6}
        server = Server(execution_parameters=parameters)
        status, headers, body = server.ask(path="/execution-parameters", method="GET")
        self.assertEqual((status, json.loads(body)), ("200 OK", parameters))
        self.assertEqual(headers, {"Content-Type": "application/json", "Content-Length": str(len(body))})
        self.assertEqual(server.ask(path="/execution-parameters", method="HEAD"), (status, headers, b""))

    def test_knows_no_other_path_and_no_other_method(self):
        for path, method, status, message, allow in [
            ("/", "GET", "404 Not Found", "Not found: /", None),
            ("/ping/", "GET", "404 Not Found", "Not found: /ping/", None),
            ("/models", "POST", "404 Not Found", "Not found: /models", None),
            ("/ping", "POST", "405 Method Not Allowed", "Method not allowed: POST /ping", "GET, HEAD"),
            (
                "/execution-parameters",
                "POST",
                "405 Method Not Allowed",
                "Method not allowed: POST /execution-parameters",
                "GET, HEAD",
            ),
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
        server = Server(lambda data, model: [], input_fn=lambda body, content_type: seen.append(body))
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
            # Half a surrogate pair.
            ("\ud800", "text/csv", "text/csv; charset=utf-8", b"\\ud800"),
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
                    "TypeError: output_fn returned %s, but must return str, bytes, a generator of them,"
                    " or (body, content type)" % kind,
                )

    def test_of_nothing_is_an_error_of_predict_fn(self):
        server = Server(predict=lambda data, model: None)
        words = (
            "TypeError: predict_fn returned None: add a return statement, or define an output_fn that"
            " accepts None"
        )
        for accept in ("application/json", "text/csv", "application/x-npy", "image/png"):
            with self.subTest(accept):
                error = ("500 Internal Server Error", words)
                self.assertEqual(server.error(b"1", HTTP_ACCEPT=accept), error)
                self.assertEqual(server.log, words + "\n")

    def test_of_nothing_is_left_to_an_own_output_fn(self):
        server = Server(lambda data, model: None, output_fn=lambda prediction, accept: repr(prediction))
        self.assertEqual(server.ask(b"1")[2], b"None")


class Refusals(unittest.TestCase):
    def test_of_a_content_type_are_415(self):
        status = "415 Unsupported Media Type"
        for content_type in (
            "application/x-npy",
            "image/png",
            "text/csv; charset=klingon",
            # A codec of Python's that always fails.
            "text/csv; charset=undefined",
        ):
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
            for accept in ("image/png, text/html;q=0.5", "application/x-npy", "application/x-npz", "*/*;q=0"):
                with self.subTest(accept):
                    self.assertEqual(
                        server.error(b"1", HTTP_ACCEPT=accept),
                        ("406 Not Acceptable", "Unsupported accept type: " + accept),
                    )

    def test_are_those_of_awss_toolkit_where_the_code_raises_them(self):
        def input_fn(body, content_type):
            if content_type == "image/png":
                raise UnsupportedFormatError("Content type image/png is not supported by this framework.")
            return body

        def output_fn(prediction, accept):
            if accept == "text/a":
                raise UnsupportedFormatError("Content type text/a is not supported by this framework.")
            return accept

        server = Server(input_fn=input_fn, output_fn=output_fn)
        self.assertEqual(
            server.error(b"1", CONTENT_TYPE="image/png"),
            ("415 Unsupported Media Type", "Unsupported content type: image/png"),
        )
        self.assertEqual(
            server.error(b"1", HTTP_ACCEPT="text/a"),
            ("406 Not Acceptable", "Unsupported accept type: text/a"),
        )
        self.assertEqual(server.ask(b"1", HTTP_ACCEPT="text/a, text/b")[2], b"text/b")

    def test_have_the_status_that_an_error_of_awss_toolkit_asks_for(self):
        class TooFewColumns(BaseInferenceToolkitError):
            pass

        class Incomplete(BaseInferenceToolkitError):
            def __init__(self):
                pass

        for error, status, message in [
            (
                BaseInferenceToolkitError(400, "Invalid Request", "text_prompts missing"),
                "400 Bad Request",
                "Invalid Request: text_prompts missing",
            ),
            (TooFewColumns(404, "three", "three"), "404 Not Found", "three"),
            (TooFewColumns(503, "busy", None), "503 Service Unavailable", "busy"),
            # No status of an error, or none at all.
            (TooFewColumns(200, "fine", ""), "500 Internal Server Error", "fine"),
            (TooFewColumns("400\r\nA: b", "x", ""), "500 Internal Server Error", "x"),
            (Incomplete(), "500 Internal Server Error", "Incomplete"),
        ]:
            for role in ("input_fn", "predict", "output_fn"):
                with self.subTest(message, role=role):
                    server = Server(**{role: mock.Mock(side_effect=error)})
                    self.assertEqual(server.error(b"1"), (status, message))
                    self.assertIn(type(error).__name__, server.log)

    def test_of_one_accepted_type_leave_the_next(self):
        def output_fn(prediction, accept):
            if accept != "text/b":
                raise ValueError("Unsupported content type: " + accept)
            return accept

        self.assertEqual(
            Server(output_fn=output_fn).ask(b"1", HTTP_ACCEPT="text/a, text/b;q=0.5")[2], b"text/b"
        )

    def test_of_a_dict_in_a_table_are_406_and_leave_the_next(self):
        server = Server()
        self.assertEqual(
            server.error(b'{"a": 1}', HTTP_ACCEPT="text/csv"),
            (
                "406 Not Acceptable",
                "Unsupported accept type: text/csv (cannot convert a dict without `predictions` to text/csv:"
                " define output_fn)",
            ),
        )
        self.assertEqual(server.log, "")
        for accept in ("text/csv, application/json;q=0.5", "text/csv, */*;q=0.1", "*/*"):
            with self.subTest(accept):
                status, headers, body = server.ask(b'{"a": 1}', HTTP_ACCEPT=accept)
                self.assertEqual(
                    (status, headers["Content-Type"], body), ("200 OK", "application/json", b'{"a": 1}')
                )
        self.assertEqual(server.ask(b'{"predictions": [1]}', HTTP_ACCEPT="text/csv")[2], b"1\n")

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

    def test_a_body_in_gzip_is_400_and_the_message_names_gzip(self):
        # https://github.com/mendhak/docker-http-https-echo/issues/31: "Unexpected token in JSON".
        # https://github.com/SeldonIO/MLServer/pull/931
        for content_type in ("application/json", "text/csv", "text/csv; charset=latin1", ""):
            with self.subTest(content_type):
                self.assertEqual(
                    Server().error(gzip.compress(b"[1]"), CONTENT_TYPE=content_type),
                    (
                        "400 Bad Request",
                        "The body is compressed with gzip: send it without compression",
                    ),
                )
        # A type that input_fn reads by itself can be compressed.
        server = Server(input_fn=lambda body, content_type: len(body))
        self.assertEqual(server.ask(gzip.compress(b"1"), CONTENT_TYPE="image/svg")[0], "200 OK")

    def test_the_message_for_a_body_without_a_content_type_says_so(self):
        # https://github.com/bentoml/BentoML/issues/505, https://github.com/cortexlabs/cortex/issues/1208
        end = " (the request has no Content-Type, so application/json is assumed)"
        loads = Server(input_fn=lambda body, content_type: json.loads(body))
        for server, body, beginning in [
            (Server(), b"1,2", "The body is not valid JSON: "),
            (Server(), b"\x93NUMPY", "The body is not valid utf-8: "),
            (loads, b"1,2", "Extra data: "),
        ]:
            for without in ({}, {"CONTENT_TYPE": ""}):
                with self.subTest(beginning, without=without):
                    status, message = server.error(body, **without)
                    self.assertEqual(status, "400 Bad Request")
                    self.assertEqual((message[: len(beginning)], message[-len(end) :]), (beginning, end))
            self.assertNotIn("Content-Type", server.error(body, CONTENT_TYPE="application/json")[1])

        def input_fn(body, content_type):
            raise ValueError("Unsupported content type: " + content_type)

        self.assertEqual(
            Server(input_fn=input_fn).error(b"1"),
            ("415 Unsupported Media Type", "Unsupported content type: application/json" + end),
        )
        # https://github.com/fastapi/fastapi/pull/3456
        self.assertEqual(Server().ask(b"[1]")[2], b'{"predictions": [1]}')

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


class Streams(unittest.TestCase):
    def test_go_out_part_by_part_without_a_length(self):
        def output_fn(prediction, accept):
            yield from prediction

        for own in (output_fn, lambda prediction, accept: iter(prediction)):
            for parts, accept, content_type in [
                (["t\u00eb", "xt"], "text/plain", "text/plain; charset=utf-8"),
                ([b"t\xc3\xab", bytearray(b"x"), memoryview(b"t")], "text/plain", "text/plain"),
                (["", "t\u00ebx", "", b"t", ""], "application/jsonlines", "application/jsonlines"),
            ]:
                with self.subTest(parts=parts):
                    server = Server(lambda data, model: parts, output_fn=own)
                    self.assertEqual(
                        server.ask(b"1", HTTP_ACCEPT=accept),
                        ("200 OK", {"Content-Type": content_type}, "t\u00ebxt".encode()),
                    )

    def test_have_a_type_of_their_own_and_may_be_empty(self):
        server = Server(output_fn=lambda prediction, accept: ((x for x in "ab"), "text/x"))
        self.assertEqual(
            server.ask(b"1"), ("200 OK", {"Content-Type": "text/x; charset=utf-8"}, b"ab")
        )
        server = Server(output_fn=lambda prediction, accept: iter([]))
        self.assertEqual(server.ask(b"1"), ("200 OK", {"Content-Type": "application/json"}, b""))

    def test_of_predict_fn_are_wrapped_by_output_fn_or_become_a_list(self):
        def predict(data, model):
            yield from data

        self.assertEqual(Server(predict).ask(b"[1, 2]")[2], b'{"predictions": [1, 2]}')
        server = Server(predict, output_fn=lambda numbers, accept: ("%d;" % one for one in numbers))
        self.assertEqual(server.ask(b"[1, 2]")[2], b"1;2;")

    def test_that_fail_before_their_first_part_are_answered_as_errors(self):
        def output_fn(prediction, accept):
            if accept != "text/b":
                raise ValueError("Unsupported accept type: " + accept)
            if prediction == 1:
                raise KeyError("x")
            yield accept if prediction == 2 else prediction

        server = Server(output_fn=output_fn)
        self.assertEqual(server.ask(b"2", HTTP_ACCEPT="text/a, text/b;q=0.5")[2], b"text/b")
        self.assertEqual(server.error(b"2", HTTP_ACCEPT="text/a")[0], "406 Not Acceptable")
        self.assertEqual(
            server.error(b"1", HTTP_ACCEPT="text/b"), ("500 Internal Server Error", "KeyError: 'x'")
        )
        self.assertEqual(
            server.error(b"3", HTTP_ACCEPT="text/b"),
            (
                "500 Internal Server Error",
                "TypeError: output_fn returned a stream of int, but its parts must be str or bytes",
            ),
        )

    def test_that_fail_later_raise_what_the_code_raised(self):
        def output_fn(prediction, accept):
            yield "a"
            if prediction:
                raise KeyError("x")
            yield 5

        server = Server(output_fn=output_fn, concurrent_predictions=1)
        for body, error in [(b"1", KeyError), (b"0", TypeError)]:
            self.assertRaises(error, server.ask, body)
            # The turn was given back.
            self.assertTrue(server.app.turn.acquire(blocking=False))
            server.app.turn.release()

    def test_hold_their_turn_until_they_end_or_are_closed(self):
        closed = []

        def output_fn(prediction, accept):
            try:
                yield "a"
                yield "b"
            finally:
                closed.append(True)

        server = Server(output_fn=output_fn, concurrent_predictions=1)

        def start():
            return server.app(prediction(), lambda *start: None)

        def is_free():
            free = server.app.turn.acquire(blocking=False)
            if free:
                server.app.turn.release()
            return free

        for end in (list, lambda parts: parts.close()):
            parts = start()
            self.assertEqual((next(parts), is_free(), closed), (b"a", False, []))
            end(parts)
            self.assertEqual((is_free(), closed), (True, [True]))
            # What was given back once is not given back again.
            parts.close()
            self.assertTrue(server.app.turn.acquire(blocking=False))
            self.assertFalse(server.app.turn.acquire(blocking=False))
            server.app.turn.release()
            closed.clear()

    def test_that_do_not_close_well_are_in_the_log(self):
        def output_fn(prediction, accept):
            try:
                yield "a"
            finally:
                raise KeyError("in finally")

        server = Server(output_fn=output_fn, concurrent_predictions=1)
        with redirect_stderr(io.StringIO()) as said:
            server.app(prediction(), lambda *start: None).close()
        self.assertIn("KeyError: 'in finally'", said.getvalue())
        self.assertTrue(server.app.turn.acquire(blocking=False))

    def test_whose_head_cannot_be_sent_give_their_turn_back(self):
        server = Server(output_fn=lambda prediction, accept: iter("a"), concurrent_predictions=1)

        def start_response(status, headers):
            raise OSError("the client is gone")

        self.assertRaises(OSError, server.app, prediction(), start_response)
        self.assertTrue(server.app.turn.acquire(blocking=False))


class Contexts(unittest.TestCase):
    def test_carry_headers_in_and_out(self):
        def input_fn(body, content_type, context):
            context.set_response_header("X-Seen", context.headers["X-Seen"])
            return body

        def output_fn(prediction, accept, *, context):
            context.set_custom_attributes("%s, back" % context.custom_attributes)
            return "a"

        server = Server(input_fn=input_fn, output_fn=output_fn)
        status, headers, _ = server.ask(
            b"1", HTTP_X_SEEN="yes", HTTP_X_AMZN_SAGEMAKER_CUSTOM_ATTRIBUTES="trace=1"
        )
        self.assertEqual(status, "200 OK")
        self.assertEqual(
            headers,
            {
                "Content-Type": "application/json",
                "Content-Length": "1",
                "X-Seen": "yes",
                "X-Amzn-SageMaker-Custom-Attributes": "trace=1, back",
            },
        )
        # Each request has its own.
        self.assertEqual(
            server.ask(b"1", HTTP_X_SEEN="again")[1]["X-Amzn-SageMaker-Custom-Attributes"], "None, back"
        )

    def test_set_the_answers_type(self):
        def predict(data, model, context):
            context.set_response_content_type(0, "text/x")
            return data

        self.assertEqual(Server(predict).ask(b"1")[1]["Content-Type"], "text/x")

    def test_refuse_in_any_function_what_would_break_http(self):
        def refuse(one, other, context):
            context.set_response_header("X-A", "a\r\nX-B: b")

        words = "InvalidHeader: X-A has a character that is invalid in a header: 'a\\r\\nX-B: b'"
        for functions in ({"input_fn": refuse}, {"predict": refuse}, {"output_fn": refuse}):
            with self.subTest(functions):
                server = Server(**functions)
                self.assertEqual(server.error(b"1"), ("500 Internal Server Error", words))
                self.assertIn("in refuse", server.log)
        server = Server(output_fn=lambda prediction, accept: ("a", "text/x\nX-B: b"))
        self.assertEqual(
            server.error(b"1"),
            (
                "500 Internal Server Error",
                "InvalidHeader: Content-Type has a character that is invalid in a header: 'text/x\\nX-B: b'",
            ),
        )

    def test_set_headers_before_a_streams_first_part_only(self):
        def output_fn(prediction, accept, context):
            context.set_response_header("X-A", "1")
            yield "a"
            context.set_response_header("X-B", "2")

        server = Server(output_fn=output_fn)
        with self.assertRaisesRegex(Exception, "^X-B was set too late: the response has begun$"):
            server.ask(b"1")
        server = Server(output_fn=lambda prediction, accept, context: iter("ab"))
        self.assertEqual(server.ask(b"1")[2], b"ab")


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
            app(prediction(), lambda status, headers: statuses.append(status))

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
    def test_say_what_took_too_long_for_the_platform(self):
        for kind, output_fn, limit in [("response", None, 60), ("stream", lambda _, accept: iter("1"), 480)]:
            took = (kind, limit + 1, limit)
            words = "mlcli: this %s took %d s, but SageMaker times out after %d s\n" % took
            # A transform job waits longer.
            for seconds, warns, log in [(limit, True, ""), (limit + 1, True, words), (limit + 1, False, "")]:
                clock = mock.Mock(side_effect=[1000, 1000 + seconds])
                with mock.patch.object(application, "time", SimpleNamespace(monotonic=clock)):
                    server = Server(output_fn=output_fn, warns=warns)
                    self.assertEqual(server.ask(b"1")[0], "200 OK")
                self.assertEqual(server.log, log)

    def test_say_that_an_answer_is_too_large_for_the_platform(self):
        most = 6 * 1024 * 1024
        words = (
            "mlcli: this response has 6291457 bytes, but a SageMaker endpoint returns at most 6291456"
            " bytes (25 MB, according to AWS's newer guide)\n"
        )
        # A transform job's answers are not an endpoint's.
        for size, warns, log in [(most, True, ""), (most + 1, True, words), (most + 1, False, "")]:
            server = Server(output_fn=lambda prediction, accept: b"x" * size, warns=warns)
            status, _, body = server.ask(b"1")
            self.assertEqual((status, len(body), server.log), ("200 OK", size, log))
