"""The WSGI application: GET /ping, POST /invocations and GET /execution-parameters."""

from __future__ import annotations

import json
import time
from threading import BoundedSemaphore

from mlcli_harness.failure import describe, log
from mlcli_harness.serving.bodies import Stream, to_body
from mlcli_harness.serving.codecs import GZIP, GZIP_PROBLEM, NoForm, UnsupportedType
from mlcli_harness.serving.context import Context
from mlcli_harness.serving.errors import (
    HttpError,
    bad_request,
    failed,
    is_of_toolkit,
    unsupported_accept_type,
    unsupported_content_type,
)
from mlcli_harness.serving.media_types import CSV, JSON, candidates, parse_content_type
from mlcli_harness.serving.threads import affinity_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mlcli_harness.serving.callers import Callers
    from mlcli_harness.serving.model import Model

# SageMaker's limits for an answer: its time, that of a stream (guide, "Model Hosting FAQs") and, in
# bytes, its body (InvokeEndpoint, BodyBlob). Not enforced: a warning says what would happen there.
PLATFORM_SECONDS = 60
PLATFORM_STREAM_SECONDS = 8 * 60
PLATFORM_BYTES = 6 * 1024 * 1024

METHODS = {"/invocations": "POST", "/ping": "GET, HEAD", "/execution-parameters": "GET, HEAD"}


class Application:
    """Serves a Model. Answers requests side by side, `concurrent_predictions` of them at most, or
    without a limit where that is 0. `callers` decides who may call; without it, everybody may.
    `warns`: whether the log tells of answers that would be too late or too large for an endpoint.
    `execution_parameters` is what a transform job asks for.

    The worker has read a request's whole body before it calls, and refused one that is too large."""

    def __init__(
        self,
        model: Model,
        concurrent_predictions: int = 0,
        callers: Callers | None = None,
        warns: bool = True,
        execution_parameters: Mapping[str, str | int] | None = None,
    ) -> None:
        self.model = model
        self.callers = callers
        self.warns = warns
        self.execution_parameters = json.dumps(execution_parameters or {}).encode()
        # The worker makes all predictions in its main thread then (worker.py).
        self.in_one_thread = concurrent_predictions == 1
        self.turn: BoundedSemaphore | NoLimit = NoLimit()
        if concurrent_predictions:
            self.turn = BoundedSemaphore(concurrent_predictions)

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., object]
    ) -> list[bytes] | Stream:
        try:
            status, headers, body = self.respond(environ)
        except HttpError as error:
            status, headers = error.status, [("Content-Type", JSON), *error.headers]
            body = json.dumps({"error": error.message}).encode()
        if isinstance(body, Stream):
            return begin(body, status, headers, start_response)
        headers.append(("Content-Length", str(len(body))))
        start_response(status, headers)
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]

    def respond(self, environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes | Stream]:
        """The answer as (status, headers, bytes or Stream). Raises HttpError for every status but 200."""
        objection = self.callers and self.callers.objection(environ)
        if objection:
            raise HttpError("403 Forbidden", objection)
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        if path == "/invocations" and method == "POST":
            return self.invoke(environ)
        if path == "/ping" and method in ("GET", "HEAD"):
            return "200 OK", [], b""
        if path == "/execution-parameters" and method in ("GET", "HEAD"):
            return "200 OK", [("Content-Type", JSON)], self.execution_parameters
        allowed = METHODS.get(path)
        if allowed is None:
            raise HttpError("404 Not Found", "Not found: %s" % path)
        message = "Method not allowed: %s %s" % (method, path)
        raise HttpError("405 Method Not Allowed", message, [("Allow", allowed)])

    def invoke(self, environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes | Stream]:
        header = environ.get("CONTENT_TYPE", "")
        content_type, charset = parse_content_type(header)
        request_body = decode(environ["wsgi.input"].read(), content_type, charset, header)
        # What each function gets beside its two arguments.
        more = [Context(environ)] if self.model.takes_context else []
        began = time.monotonic()
        body = None
        self.turn.acquire()
        try:
            data = self.parse(request_body, content_type, header, more)
            prediction = self.model.predict_fn(data, self.model.model, *more)
            body, response_type = self.format(prediction, environ.get("HTTP_ACCEPT", ""), more)
        except HttpError:
            raise
        except BaseException as error:
            # BaseException, since a panic of a library in Rust is not an Exception.
            described = describe(error)
            log(described + affinity_hint(described, self.in_one_thread))
            raise failed(error) from error
        finally:
            # Here, and not in `with`: what makes the parts of a stream is the app's code, too.
            if not isinstance(body, Stream):
                self.turn.release()
        if isinstance(body, Stream):
            body.at_end = lambda: self.end_stream(began)
        elif self.warns:
            self.warn(time.monotonic() - began, len(body))
        headers = more[0].take_headers(response_type) if more else [("Content-Type", response_type)]
        return "200 OK", headers, body

    def end_stream(self, began: float) -> None:
        self.turn.release()
        seconds = time.monotonic() - began
        if self.warns and seconds > PLATFORM_STREAM_SECONDS:
            log(
                "mlcli: this stream took %.0f s, but SageMaker times out after %d s"
                % (seconds, PLATFORM_STREAM_SECONDS)
            )

    def warn(self, seconds: float, size: int) -> None:
        if seconds > PLATFORM_SECONDS:
            log(
                "mlcli: this response took %.0f s, but SageMaker times out after %d s"
                % (seconds, PLATFORM_SECONDS)
            )
        if size > PLATFORM_BYTES:
            log(
                "mlcli: this response has %d bytes, but a SageMaker endpoint returns at most %d bytes"
                " (25 MB, according to AWS's newer guide)" % (size, PLATFORM_BYTES)
            )

    def parse(
        self, request_body: bytes | str, content_type: str, header: str, more: list[Context]
    ) -> Any:
        """The app's input_fn. What it cannot parse is the client's fault: 415 or 400."""
        try:
            return self.model.input_fn(request_body, content_type, *more)
        except UnsupportedType as error:
            raise unsupported_content_type(content_type) from error
        except Exception as error:
            if is_unsupported(error, "unsupported content type"):
                raise unsupported_content_type(content_type + assumption(header)) from error
            if isinstance(error, ValueError):
                if self.model.has_own_input_fn:
                    # It may be meant for the client, but also be a mistake of the code.
                    log(describe(error))
                raise bad_request(str(error) + (assumption(header) if is_not_json(error) else "")) from error
            raise

    def format(self, prediction: Any, accept: str, more: list[Context]) -> tuple[bytes | Stream, str]:
        """What the app's output_fn makes of it with the best of the accepted types that it supports,
        as `to_body` has it."""
        reason = ""
        for candidate in candidates(accept):
            try:
                return to_body(self.model.output_fn(prediction, candidate, *more), candidate)
            except NoForm as error:
                reason = " (%s)" % error
            except UnsupportedType:
                continue
            except Exception as error:
                if is_unsupported(error, "unsupported accept", "unsupported content type"):
                    continue
                raise
        raise unsupported_accept_type(accept + reason)


class NoLimit:
    """A turn without a limit: any number of requests have it at once."""

    def acquire(self) -> None:
        pass

    def release(self) -> None:
        pass


def begin(
    stream: Stream, status: str, headers: list[tuple[str, str]], start_response: Callable[..., object]
) -> Stream:
    """Sends the head of a stream, and returns the stream for the server to send and close."""
    try:
        start_response(status, headers)
    except BaseException:
        # Nobody else can close it, nor give its turn back.
        stream.close()
        raise
    return stream


def decode(body: bytes, content_type: str, charset: str | None, header: str) -> bytes | str:
    """JSON and CSV as str, other types as the bytes they are, as on SageMaker."""
    if content_type not in (JSON, CSV):
        return body
    if body[:3] == GZIP:
        raise bad_request(GZIP_PROBLEM)
    try:
        # utf-8-sig drops the byte order mark that spreadsheets write, and is UTF-8 otherwise.
        encoding = charset if charset and charset.lower() not in ("utf-8", "utf8") else "utf-8-sig"
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        problem = "The body is not valid %s: %s" % (charset or "utf-8", error)
        raise bad_request(problem + assumption(header)) from error
    except (LookupError, ValueError) as error:
        # There is no such charset, or the name is not valid.
        raise unsupported_content_type(header) from error


def assumption(header: str) -> str:
    """Returns what to add to an error of a request that names no content type."""
    return "" if header.strip() else " (the request has no Content-Type, so %s is assumed)" % JSON


def is_not_json(error: ValueError) -> bool:
    """Whether the json module could not read the body."""
    return any(isinstance(one, json.JSONDecodeError) for one in (error, error.__cause__))


def is_unsupported(error: Exception, *beginnings: str) -> bool:
    """Whether the app's code, which cannot raise our types, says so: by how its message begins, or by
    the type that AWS's toolkit raises."""
    return str(error).lower().startswith(beginnings) or is_of_toolkit(error, "UnsupportedFormatError")
