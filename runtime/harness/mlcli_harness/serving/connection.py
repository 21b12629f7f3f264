"""A client's connection, from its first request to the last byte that the client sends.

Nothing here waits for the client: what has come is taken, what cannot be sent yet is kept. So the
client holds no thread, however slow it is.
"""

from __future__ import annotations

import io
import re
import socket
import struct
import time

from mlcli_harness.serving.http import (
    HEAD_BYTES,
    Refusal,
    Request,
    bad_request,
    is_malformed,
    malformed,
    parse_head,
)
from mlcli_harness.serving.request_bodies import ChunkedBody, LongBody
from mlcli_harness.serving.sender import Sender

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A request has to be here this long after its first byte, and an answer has to be taken this long
# after it was made: SageMaker itself waits 60 s for an answer. Longer ones have more time, as long as
# they come at this rate, in bytes a second: 1 GB has 18 minutes.
REQUEST_SECONDS = 60
LEAST_RATE = 1024 * 1024
# Longer than the 60 s after which load balancers close an idle connection: if the server closed it
# first, a request that is on its way would fail.
KEEP_ALIVE_SECONDS = 65
# A client that is still sending when it gets its answer (a refusal) may go on for this long in all,
# and pause for this long: if a connection is closed while something is unread, the answer is lost.
LINGER_SECONDS = 60
LINGER_PAUSE = 5

# Bytes that are read at a time: what most requests fit in, and more of a body in chunks, or of what is
# thrown away.
READ_BYTES = 16 * 1024
MORE_READ_BYTES = 256 * 1024
# A body of which more than so many bytes are to come is long.
SHORT_BYTES = 16 * 1024
# After so many bytes of one client, it is another one's turn.
TURN_BYTES = 4 * 1024 * 1024

# May come before a request (RFC 9112, 2.2).
EMPTY_LINES = re.compile(rb"(?:\r\n)+")

TOO_LARGE = "413 Content Too Large"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection:
    """A client's connection. One thread at a time takes from it; see `Sender` for the other way."""

    __slots__ = (
        "socket", "address", "max_body", "buffer", "request", "began", "body", "closes_at",
        "lingers_until", "sender", "looked_at", "is_last", "descriptor", "accounted", "rested_at",
    )  # fmt: skip

    def __init__(self, client_socket: socket.socket, address: tuple[str, int], max_body: int) -> None:
        self.socket = client_socket
        self.descriptor = client_socket.fileno()
        self.address = address
        self.max_body = max_body
        # What has come and is not taken yet. A short body stays here until it is complete.
        self.buffer = bytearray()
        # When the first byte of the request came, on the monotonic clock; None between requests.
        self.began: float | None = None
        # The request whose body is coming, and what takes a body that is long or comes in chunks.
        self.request: Request | None = None
        self.body: ChunkedBody | LongBody | None = None
        # How far the buffer was searched for the end of the head.
        self.looked_at = 0
        self.closes_at = time.monotonic() + KEEP_ALIVE_SECONDS
        # When a connection whose client is still sending is closed in any case; else None.
        self.lingers_until: float | None = None
        # Bytes of it that its worker has counted.
        self.accounted = 0
        # When a connection that lingers was told so.
        self.rested_at = self.closes_at
        # Whether nothing is answered on it any more.
        self.is_last = False
        client_socket.setblocking(False)
        client_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sender = Sender(client_socket)

    def receive(self) -> dict[str, Any] | None:
        """Takes what has come. Returns the environ of the next request once all of it is here, else
        None. Raises Refusal where it cannot become a request, EOFError where the client has gone."""
        budget = TURN_BYTES
        while True:
            environ = self.next_request()
            if environ is not None or budget <= 0:
                return environ
            try:
                received = self.receive_some()
            except (BlockingIOError, InterruptedError):
                return None
            if not received:
                raise self.ended()
            if self.began is None:
                self.began = time.monotonic()
            budget -= received

    def receive_some(self) -> int:
        """Takes what has come, some of it at a time. Returns how many bytes; 0 at the end."""
        if isinstance(self.body, LongBody):
            return self.body.receive(self.socket)
        data = self.socket.recv(READ_BYTES if self.body is None else MORE_READ_BYTES)
        self.buffer += data
        return len(data)

    def ended(self) -> Exception:
        """What it means that no more comes."""
        if self.request is not None:
            return bad_request("the body ended early, after %d bytes" % self.held())
        # A client may have begun a head, and gone.
        return EOFError()

    def next_request(self) -> dict[str, Any] | None:
        """The environ of the next request, if all of it is in the buffer."""
        request = self.request
        if request is None:
            request = self.take_head() if self.buffer else None
            if request is None:
                return None
            self.request = request
            self.begin_body(request)
        if self.body is None:
            is_complete = len(self.buffer) >= (request.length or 0)
        else:
            is_complete = self.body.take(self.buffer)
            if self.max_body and self.body.announced() > self.max_body:
                raise self.too_large()
        return self.finished(request) if is_complete else None

    def take_head(self) -> Request | None:
        """The head, taken out of the buffer once all of it is there; else None."""
        buffer = self.buffer
        if buffer.startswith(b"\r\n"):
            empty = EMPTY_LINES.match(buffer)
            del buffer[: empty.end() if empty else 0]
            if not buffer:
                # Of a request, nothing has come.
                self.began = None
                return None
        end = buffer.find(b"\r\n\r\n", self.looked_at)
        # Where it ends, or will end at the earliest.
        if (end if end >= 0 else len(buffer) - 3) > HEAD_BYTES:
            raise Refusal(
                "431 Request Header Fields Too Large",
                "The request header is larger than %d bytes" % HEAD_BYTES,
            )
        if end < 0:
            self.look_at_beginning()
            return None
        self.looked_at = 0
        request = parse_head(bytes(buffer[:end]))
        del buffer[: end + 4]
        return request

    def look_at_beginning(self) -> None:
        """Looks at a head that is not complete: what speaks no HTTP may wait for an answer now."""
        buffer = self.buffer
        if is_malformed(buffer[self.looked_at :]):
            raise malformed()
        self.looked_at = max(0, len(buffer) - 3)
        if buffer.startswith(b"\n", self.looked_at):
            # What is looked at next must not begin within the end of a line.
            self.looked_at -= 1

    def begin_body(self, request: Request) -> None:
        if request.length is None:
            self.body = ChunkedBody()
        elif self.max_body and request.length > self.max_body:
            raise self.too_large()
        elif request.length - len(self.buffer) > SHORT_BYTES:
            self.body = LongBody(request.length)
        if request.expects_continue and not self.buffer:
            self.sender.send(CONTINUE)

    def finished(self, request: Request) -> dict[str, Any]:
        """The environ of the request, which is complete. Makes room for the next one."""
        if self.body is None:
            body = io.BytesIO(memoryview(self.buffer)[: request.length])
            del self.buffer[: request.length]
        else:
            body = self.body.file()
        environ = request.environ
        environ["wsgi.input"] = body
        environ["REMOTE_ADDR"] = self.address[0]
        environ["mlcli.request"] = request
        self.is_last = not request.keep_alive
        self.request = self.body = None
        self.began = time.monotonic() if self.buffer else None
        return environ

    def too_large(self) -> Refusal:
        return Refusal(TOO_LARGE, "The body is larger than %d bytes" % self.max_body)

    def held(self) -> int:
        """How many bytes of requests that are not complete it holds."""
        body = self.body
        return len(self.buffer) + (0 if body is None else body.size())

    def is_idle(self) -> bool:
        """Whether nothing of a next request has come, and nothing of an answer is left."""
        return self.began is None and self.lingers_until is None and not self.sender.backlog

    def deadline(self) -> float:
        """When the client's time is over, on the monotonic clock. Any thread may ask."""
        began = self.began
        if began is None or self.sender.backlog:
            return self.closes_at
        return began + REQUEST_SECONDS + self.held() / LEAST_RATE

    def rest(self) -> None:
        """Notes that it was used just now: it may stay idle for the usual time, and a client that
        has not taken its answer yet has as much for it as for a request."""
        seconds: float = KEEP_ALIVE_SECONDS
        if self.sender.backlog:
            seconds = REQUEST_SECONDS + self.sender.size / LEAST_RATE
        now = time.monotonic()
        self.closes_at = now + seconds
        if self.began is not None:
            # What has come of a next request waited for the answer, not for its client.
            self.began = now

    def linger(self) -> bool:
        """Tells the client that nothing more will come. Returns whether it is still there; what it
        sends goes to `discard` then."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            return False
        self.forget()
        now = self.rested_at = time.monotonic()
        self.lingers_until = now + LINGER_SECONDS
        self.closes_at = now + LINGER_PAUSE
        return True

    def forget(self) -> None:
        """Gives up what has come of a request."""
        self.buffer = bytearray()
        self.request = self.body = self.began = None
        self.looked_at = 0

    def discard(self) -> bool:
        """Throws away what has come. Returns whether more may come."""
        try:
            data = self.socket.recv(MORE_READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        now = time.monotonic()
        end = self.lingers_until or now
        self.closes_at = min(now + LINGER_PAUSE, end)
        return bool(data) and now < end

    def abort(self) -> None:
        """Has the client see that its answer is not whole: the connection is reset when it closes."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def close(self) -> None:
        self.socket.close()
        self.sender.give_up()
