"""What output_fn returns, as the body of an answer: bytes, or a stream of them."""

from __future__ import annotations

from mlcli_harness.failure import describe, log
from mlcli_harness.serving.context import check_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Stream:
    """The parts of an answer that a generator, or another iterator, makes, as WSGI has it: an
    iterator of bytes with `close`. `at_end` is called once, when it has ended, failed, or was closed.

    The first part has been taken when it is made: what fails before it still becomes an answer.
    """

    def __init__(self, parts: Iterator[Any]) -> None:
        self.parts = parts
        self.at_end = lambda: None
        self.bytes = map(part_to_bytes, parts)
        self.is_text = False
        for part in parts:
            self.is_text = isinstance(part, str)
            self.first = part_to_bytes(part)
            break
        else:
            self.first = b""

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> bytes:
        first, self.first = self.first, b""
        if first:
            return first
        try:
            return next(self.bytes)
        except BaseException:
            # StopIteration among them.
            self.end()
            raise

    def close(self) -> None:
        try:
            if hasattr(self.parts, "close"):
                self.parts.close()
        except BaseException as error:
            log(describe(error))
        finally:
            self.end()

    def end(self) -> None:
        at_end, self.at_end = self.at_end, lambda: None
        at_end()


def part_to_bytes(part: Any) -> bytes:
    if isinstance(part, str):
        return encode(part)
    if isinstance(part, (bytes, bytearray, memoryview)):
        return bytes(part)
    raise TypeError(
        "output_fn returned a stream of %s, but its parts must be str or bytes" % type(part).__name__
    )


def encode(text: str) -> bytes:
    # Half a surrogate pair, which JSON can bring in, has no form in UTF-8: it becomes `\\ud800`.
    return text.encode("utf-8", "backslashreplace")


def to_body(result: Any, accept: str) -> tuple[bytes | Stream, str]:
    """What output_fn returned, as (bytes or Stream, Content-Type): text, bytes, an iterator of those,
    or a pair of one and its type."""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], str):
        result, accept = result
        check_header("Content-Type", accept)
    if isinstance(result, str):
        return encode(result), text_type(accept)
    if isinstance(result, (bytes, bytearray, memoryview)):
        return bytes(result), accept
    if hasattr(result, "__next__"):
        stream = Stream(result)
        return stream, text_type(accept) if stream.is_text else accept
    raise TypeError(
        "output_fn returned %s, but must return str, bytes, a generator of them, or (body, content type)"
        % type(result).__name__
    )


def text_type(content_type: str) -> str:
    """The Content-Type of a str, which is sent as UTF-8."""
    if content_type.startswith("text/") and "charset" not in content_type:
        return content_type + "; charset=utf-8"
    return content_type
