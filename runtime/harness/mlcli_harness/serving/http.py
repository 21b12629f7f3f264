"""HTTP/1.1 as far as a server needs it (RFC 9112): heads of requests, and of answers.

Bytes in, values out: nothing here reads or waits. What RFC 9112 leaves to the server is refused
wherever two readers could take it in two ways: proxies in front of the server must see the same
requests as it does.
"""

from __future__ import annotations

import re
import sys
import time
from email.utils import formatdate
from urllib.parse import unquote_to_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A head that is larger is refused; so are more fields. gunicorn and nginx take up to 8 KB a field.
HEAD_BYTES = 64 * 1024
MAX_FIELDS = 100

TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
REQUEST_LINE = re.compile(r"(%s) ([\x21-\x7e]+) HTTP/1\.([01])" % TOKEN, re.ASCII)
FIELD_NAME = re.compile(TOKEN, re.ASCII)
# 19 digits fit any length, and int() takes no time with them.
LENGTH = re.compile(r"[0-9]{1,19}", re.ASCII)
# Scheme, host and port, as proxies are asked (RFC 9112, 3.2.2).
ORIGIN = re.compile(r"https?://(?:\[[\w:.%]+\]|[\w.~%-]+)(?::[0-9]*)?(?=/|$)", re.ASCII | re.IGNORECASE)

# Control characters that no head may have; the ends of its lines are counted.
CONTROL = bytes(set(range(0x20)) - set(b"\t\r\n")) + b"\x7f"

# The names under which WSGI has the fields that came first; no client can make this grow for long.
MOST_NAMES = 256
LONGEST_NAME = 100
NAMES: dict[str, str] = {}

# What is the same in every environ (PEP 3333).
CONSTANTS = {
    "wsgi.version": (1, 0),
    "wsgi.url_scheme": "http",
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "SCRIPT_NAME": "",
}


class Refusal(Exception):
    """A request that is not answered by the application, with the status and the words for it."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def bad_request(message: str) -> Refusal:
    return Refusal("400 Bad Request", "Bad request: %s" % message)


class Request:
    """The head of a request. `length` is its body's in bytes; None: the body comes in chunks."""

    __slots__ = ("environ", "length", "keep_alive", "expects_continue", "is_old")

    def __init__(
        self,
        environ: dict[str, Any],
        length: int | None,
        keep_alive: bool,
        expects_continue: bool,
        is_old: bool,
    ) -> None:
        self.environ = environ
        self.length = length
        self.keep_alive = keep_alive
        # Whether the client waits for a word before it sends the body.
        self.expects_continue = expects_continue
        # HTTP/1.0, which knows no chunks.
        self.is_old = is_old


def is_malformed(head: bytes | bytearray) -> bool:
    """Whether these bytes, the beginning of a head or all of it, cannot become one: a line that does
    not end with CR LF, or a control character."""
    ends = head.count(b"\r\n")
    carriage_returns = head.count(b"\r") - head.endswith(b"\r")
    return (
        head.count(b"\n") != ends
        or carriage_returns != ends
        or len(head.translate(None, CONTROL)) != len(head)
    )


def malformed() -> Refusal:
    return bad_request("the header has a control character, or a line that does not end with CR LF")


def parse_head(head: bytes) -> Request:
    """The head's Request. `head` ends before the empty line. Raises Refusal."""
    if is_malformed(head) or head.endswith(b"\r"):
        raise malformed()
    request_line, *lines = head.decode("latin-1").split("\r\n")
    match = REQUEST_LINE.fullmatch(request_line)
    if not match:
        raise bad_request("invalid request line for HTTP/1.0 or 1.1: %r" % request_line[:100])
    method, target, minor = match.groups()
    if len(lines) > MAX_FIELDS:
        raise Refusal("431 Request Header Fields Too Large", "More than %d header fields" % MAX_FIELDS)
    environ = CONSTANTS.copy()
    environ["wsgi.errors"] = sys.stderr
    environ["REQUEST_METHOD"] = method
    environ["RAW_URI"] = target
    environ["SERVER_PROTOCOL"] = "HTTP/1." + minor
    path, _, environ["QUERY_STRING"] = target.partition("?")
    if path[:1] != "/":
        path = path_of(target, path)
    environ["PATH_INFO"] = unquote_to_bytes(path).decode("latin-1") if "%" in path else path
    for line in lines:
        add_field(environ, line)
    is_old = minor == "0"
    return Request(
        environ,
        body_length(environ, is_old),
        keeps_alive(environ.get("HTTP_CONNECTION"), is_old),
        expects_continue(environ, is_old),
        is_old,
    )


def path_of(target: str, path: str) -> str:
    """The path of a target that does not begin with one. Raises Refusal."""
    if target == "*":
        return path
    origin = ORIGIN.match(path)
    if not origin:
        raise bad_request("invalid request target: %r" % target[:100])
    return path[origin.end() :] or "/"


def add_field(environ: dict[str, Any], line: str) -> None:
    """Adds a field of the head, under WSGI's name for it."""
    name, colon, value = line.partition(":")
    key = NAMES.get(name)
    if key is None:
        key = wsgi_name(name)
    if not colon:
        raise bad_request("header field without a colon: %r" % line[:100])
    value = value.strip(" \t")
    if key not in environ:
        environ[key] = value
    elif key in ("HTTP_HOST", "CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"):
        raise bad_request("more than one %s" % name)
    else:
        environ[key] += "," + value


def wsgi_name(name: str) -> str:
    """WSGI's name for a field. Raises Refusal where it is none: it may have no blanks, say."""
    if not FIELD_NAME.fullmatch(name):
        raise bad_request("invalid name of a header field: %r" % name[:100])
    key = name.upper().replace("-", "_")
    if "_" in name:
        # Else it would pass for the field with a hyphen, which proxies may filter. Applications
        # look for no such name.
        key = "HTTP__" + key
    elif key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        key = "HTTP_" + key
    if len(NAMES) < MOST_NAMES and len(name) <= LONGEST_NAME:
        NAMES[name] = key
    return key


def body_length(environ: dict[str, Any], is_old: bool) -> int | None:
    """How long the body is, in bytes; None where it comes in chunks. Raises Refusal."""
    length, coding = environ.get("CONTENT_LENGTH"), environ.get("HTTP_TRANSFER_ENCODING")
    if coding is None:
        if length is None:
            return 0
        if not LENGTH.fullmatch(length):
            raise bad_request("invalid Content-Length: %r" % length[:100])
        return int(length)
    if length is not None:
        raise bad_request("both Content-Length and Transfer-Encoding")
    if is_old or coding.lower() != "chunked":
        raise bad_request("unsupported Transfer-Encoding: %r" % coding[:100])
    return None


def keeps_alive(connection: Any, is_old: bool) -> bool:
    """Whether the client wants to ask more on this connection."""
    if connection is None:
        return not is_old
    options = [option.strip() for option in connection.lower().split(",")]
    return "close" not in options and (not is_old or "keep-alive" in options)


def expects_continue(environ: dict[str, Any], is_old: bool) -> bool:
    expectation = environ.get("HTTP_EXPECT")
    if expectation is None or is_old:
        return False
    if expectation.lower() != "100-continue":
        message = "Unsupported expectation: %r" % expectation[:100]
        raise Refusal("417 Expectation Failed", message)
    return True


# The time that the last answer was sent at, in seconds, and its lines in the answer's head.
common_lines = (0, "")


def answer_head(status: str, headers: list[tuple[str, str]], closes: bool) -> bytes:
    """The head of an answer, as bytes. Raises ValueError for a field that would break HTTP's rules."""
    global common_lines
    now = int(time.time())
    second, common = common_lines
    if second != now:
        common = "Server: mlcli\r\nDate: %s\r\n" % formatdate(now, usegmt=True)
        common_lines = (now, common)
    fields = "".join(["%s: %s\r\n" % field for field in headers])
    if fields.count("\n") != len(headers) or fields.count("\r") != len(headers) or "\0" in fields:
        raise ValueError("a response header field contains a line break or a NUL")
    return "".join(
        (
            "HTTP/1.1 ",
            status,
            "\r\n",
            common,
            "Connection: close\r\n" if closes else "Connection: keep-alive\r\n",
            fields,
            "\r\n",
        )
    ).encode("latin-1")
