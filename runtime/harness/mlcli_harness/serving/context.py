"""What the app's functions can read of a request, and add to its answer, besides data and predictions:
the headers of SageMaker's InvokeEndpoint, by a parameter `context`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from mlcli_harness import paths
from mlcli_harness.failure import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CUSTOM_ATTRIBUTES = "X-Amzn-SageMaker-Custom-Attributes"
# InvokeEndpoint, CustomAttributes: at most so many characters of ASCII.
CUSTOM_ATTRIBUTES_LENGTH = 1024

# RFC 9110: what a header's name is made of, and what its value must not have (5.1, 5.5).
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
FORBIDDEN = re.compile(r"[^\t\x20-\x7e\x80-\xff]")

# Headers that the server sets itself: the answer's length, and whether the connection stays open.
OWN = {"connection", "content-length", "date", "keep-alive", "server", "trailer", "transfer-encoding"}
OWN.add("upgrade")


class InvalidHeader(Exception):
    """A header that cannot be sent. No ValueError: one of input_fn is the client's fault."""


class Headers(Mapping):
    """The headers of a request, whatever the case of their names."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self.environ = environ

    def __getitem__(self, name: str) -> str:
        key = name.upper().replace("-", "_")
        return self.environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else "HTTP_" + key]

    def __iter__(self) -> Iterator[str]:
        for key in self.environ:
            # Names with an underscore have two here; applications look for none.
            if key.startswith("HTTP_") and not key.startswith("HTTP__"):
                yield key[5:].replace("_", "-").title()
            elif key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
                yield key.replace("_", "-").title()

    def __len__(self) -> int:
        return sum(1 for _ in self)


def request_header(name: str) -> property:
    """A property: the request's header of that name, or None."""
    return property(lambda context: context.headers.get(name))


class Context:
    """A request's headers, and those of its answer. model_fn gets one without a request.

    Methods that AWS's inference toolkit has, too, take its arguments: first the request's place in a
    batch, which is always 0, or without that.
    """

    custom_attributes = request_header(CUSTOM_ATTRIBUTES)
    inference_id = request_header("X-Amzn-SageMaker-Inference-Id")
    target_model = request_header("X-Amzn-SageMaker-Target-Model")
    session_id = request_header("X-Amzn-SageMaker-Session-Id")

    def __init__(self, environ: dict[str, Any]) -> None:
        self.headers = Headers(environ)
        # By the name in lower case: (name, value). None once they were sent.
        self.response_headers: dict[str, tuple[str, str]] | None = {}

    def set_custom_attributes(self, value: Any) -> None:
        """Answers with this X-Amzn-SageMaker-Custom-Attributes."""
        self.set_response_header(CUSTOM_ATTRIBUTES, value)

    def set_response_header(self, *arguments: Any) -> None:
        """Answers with a header: (name, value), or (0, name, value)."""
        name, value = arguments[-2:]
        if self.response_headers is None:
            raise InvalidHeader("%s was set too late: the response has begun" % name)
        check_header(name, value)
        self.response_headers[name.lower()] = name, value

    def set_response_content_type(self, *arguments: Any) -> None:
        """Answers with this Content-Type, whatever output_fn says: (value), or (0, value)."""
        self.set_response_header("Content-Type", arguments[-1])

    def get_request_header(self, *arguments: Any) -> str | None:
        """A header of the request, or None: (name), or (0, name)."""
        return self.headers.get(arguments[-1])

    def get_all_request_header(self, index: int = 0) -> Headers:
        return self.headers

    @property
    def system_properties(self) -> dict[str, str | int | None]:
        """What AWS's toolkit tells model_fn; of the GPUs the first, if there is one."""
        return {
            "model_dir": paths.MODEL,
            "gpu_id": 0 if os.path.exists("/dev/nvidia0") else None,
            "batch_size": 1,
            "server_name": "mlcli",
        }

    def take_headers(self, content_type: str) -> list[tuple[str, str]]:
        """The headers of the answer, which has this type unless they say otherwise. None can be set
        afterwards."""
        headers, self.response_headers = self.response_headers or {}, None
        _, attributes = headers.get(CUSTOM_ATTRIBUTES.lower(), (None, ""))
        if len(attributes) > CUSTOM_ATTRIBUTES_LENGTH or not attributes.isascii():
            log(
                "mlcli: %s of this response has %d characters, but SageMaker accepts at most %d, all ASCII"
                % (CUSTOM_ATTRIBUTES, len(attributes), CUSTOM_ATTRIBUTES_LENGTH)
            )
        headers.setdefault("content-type", ("Content-Type", content_type))
        return list(headers.values())


def check_header(name: object, value: object) -> None:
    """Raises InvalidHeader where the header would break HTTP, or is the server's own."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InvalidHeader("%r is not a valid header name" % (name,))
    if name.lower() in OWN:
        raise InvalidHeader("%s can only be set by the server" % name)
    if not isinstance(value, str):
        raise InvalidHeader("%s must be str, not %s" % (name, type(value).__name__))
    if FORBIDDEN.search(value):
        raise InvalidHeader("%s has a character that is invalid in a header: %r" % (name, value))
