"""The errors of the server that have an HTTP status of their own, and those of AWS's toolkit that have
one here, too."""

from __future__ import annotations

from http import HTTPStatus

from mlcli_harness.failure import summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class HttpError(Exception):
    """An answer other than 200. `message` goes into the JSON body; `headers` are added."""

    def __init__(self, status: str, message: str, headers: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = list(headers)


def unsupported_content_type(content_type: str) -> HttpError:
    return HttpError("415 Unsupported Media Type", "Unsupported content type: %s" % content_type)


def unsupported_accept_type(accept: str) -> HttpError:
    return HttpError("406 Not Acceptable", "Unsupported accept type: %s" % accept)


def bad_request(message: str) -> HttpError:
    return HttpError("400 Bad Request", message)


def failed(error: BaseException) -> HttpError:
    """The answer where the app's code failed: 500, or what an error of AWS's toolkit asks for."""
    if not is_of_toolkit(error, "BaseInferenceToolkitError"):
        return HttpError(status_line(500), summary(error))
    # Two texts: the second is meant for the status line, and often says more.
    texts = [getattr(error, name, None) for name in ("message", "phrase")]
    message = ": ".join(dict.fromkeys(str(text) for text in texts if text))
    return HttpError(status_line(getattr(error, "status_code", 500)), message or summary(error))


def status_line(code: Any) -> str:
    """The status with its usual words. 500 where it is no status of an error."""
    try:
        status = HTTPStatus(code)
    except ValueError:
        status = HTTPStatus(500)
    if status < 400:
        status = HTTPStatus(500)
    return "%d %s" % (status, status.phrase)


def is_of_toolkit(error: BaseException, name: str) -> bool:
    """Whether the error has that type. By name: the toolkit need not be in the image."""
    return any(kind.__name__ == name for kind in type(error).__mro__)
