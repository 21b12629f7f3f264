import io
import unittest
from contextlib import redirect_stderr

import support  # noqa: F401
from mlcli_harness.serving.context import Context, InvalidHeader

ENVIRON = {
    "REQUEST_METHOD": "POST",
    "CONTENT_TYPE": "text/csv",
    "CONTENT_LENGTH": "3",
    "HTTP_X_AMZN_SAGEMAKER_CUSTOM_ATTRIBUTES": "trace=1",
    "HTTP_X_AMZN_SAGEMAKER_INFERENCE_ID": "i-1",
    "HTTP_X_AMZN_SAGEMAKER_TARGET_MODEL": "a.tar.gz",
    "HTTP_X_AMZN_SAGEMAKER_SESSION_ID": "s-1",
    # Sent with underscores: it could pass for the one with hyphens.
    "HTTP__X_AMZN_SAGEMAKER_SESSION_ID": "s-2",
    "wsgi.input": None,
}


class Request(unittest.TestCase):
    def test_has_the_headers_of_invoke_endpoint(self):
        context = Context(ENVIRON)
        self.assertEqual(
            [context.custom_attributes, context.inference_id, context.target_model, context.session_id],
            ["trace=1", "i-1", "a.tar.gz", "s-1"],
        )
        nothing = Context({})
        self.assertEqual(
            [nothing.custom_attributes, nothing.inference_id, nothing.target_model, nothing.session_id],
            [None] * 4,
        )

    def test_has_all_headers_whatever_the_case(self):
        headers = Context(ENVIRON).headers
        for name in ("x-amzn-sagemaker-inference-id", "X-Amzn-SageMaker-Inference-Id"):
            self.assertEqual((headers[name], name in headers), ("i-1", True))
        self.assertEqual(headers["content-type"], "text/csv")
        self.assertEqual(headers.get("X-None", "else"), "else")
        # Of the environ, headers alone.
        self.assertNotIn("wsgi.input", headers)
        self.assertNotIn("Request-Method", headers)
        self.assertEqual(len(headers), 6)
        self.assertEqual(dict(headers)["X-Amzn-Sagemaker-Session-Id"], "s-1")

    def test_is_asked_as_with_awss_toolkit(self):
        context = Context(ENVIRON)
        for arguments in [("Content-Type",), (0, "Content-Type")]:
            self.assertEqual(context.get_request_header(*arguments), "text/csv")
        self.assertIsNone(context.get_request_header(0, "X-None"))
        self.assertEqual(context.get_all_request_header(0)["x-amzn-sagemaker-session-id"], "s-1")


class Response(unittest.TestCase):
    def test_has_the_headers_that_were_set_the_last_of_each(self):
        context = Context(ENVIRON)
        context.set_response_header("X-A", "1")
        context.set_response_header(0, "x-a", "2")
        context.set_response_content_type("text/x")
        context.set_response_content_type(0, "text/y")
        context.set_custom_attributes("back")
        self.assertEqual(
            context.take_headers("text/z"),
            [
                ("x-a", "2"),
                ("Content-Type", "text/y"),
                ("X-Amzn-SageMaker-Custom-Attributes", "back"),
            ],
        )
        with self.assertRaisesRegex(InvalidHeader, "^X-A was set too late: the response has begun$"):
            context.set_response_header("X-A", "3")

    def test_takes_nothing_that_breaks_http(self):
        for name, value, problem in [
            ("X-A", "a\r\nX-B: b", "X-A has a character that is invalid in a header: 'a\\r\\nX-B: b'"),
            ("X-A", "a\nb", "X-A has a character that is invalid in a header: 'a\\nb'"),
            ("X-A", "a\rb", "X-A has a character that is invalid in a header: 'a\\rb'"),
            ("X-A", "a\0", "X-A has a character that is invalid in a header: 'a\\x00'"),
            ("X-A", "\u20ac", "X-A has a character that is invalid in a header: '\u20ac'"),
            ("X-A", 5, "X-A must be str, not int"),
            ("X-A", b"a", "X-A must be str, not bytes"),
            ("X-A\n", "a", "'X-A\\n' is not a valid header name"),
            ("X A", "a", "'X A' is not a valid header name"),
            ("X-A:", "a", "'X-A:' is not a valid header name"),
            ("", "a", "'' is not a valid header name"),
            ("\u00e9", "a", "'\u00e9' is not a valid header name"),
            ("content-LENGTH", "1", "content-LENGTH can only be set by the server"),
            ("Transfer-Encoding", "chunked", "Transfer-Encoding can only be set by the server"),
            ("Connection", "close", "Connection can only be set by the server"),
        ]:
            context = Context({})
            with self.subTest(problem), self.assertRaises(InvalidHeader) as caught:
                context.set_response_header(name, value)
            self.assertEqual(str(caught.exception), problem)
            self.assertEqual(context.take_headers("text/z"), [("Content-Type", "text/z")])
        for value in ("", "a\tb", "\u00e9", "a b;c=\"d\""):
            Context({}).set_response_header("X-A", value)

    def test_says_what_the_platform_would_not_take(self):
        words = (
            "mlcli: X-Amzn-SageMaker-Custom-Attributes of this response has %d characters, but SageMaker"
            " accepts at most 1024, all ASCII\n"
        )
        for value, log in [
            ("a" * 1024, ""),
            ("a" * 1025, words % 1025),
            ("\u00e9", words % 1),
        ]:
            context = Context({})
            context.set_custom_attributes(value)
            with redirect_stderr(io.StringIO()) as said:
                context.take_headers("text/z")
            self.assertEqual(said.getvalue(), log)
