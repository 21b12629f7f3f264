"""Answers, from what the application says to the bytes that the client gets (RFC 9112, 6 and 7)."""

from __future__ import annotations

import json

from mlcli_harness.serving.http import answer_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mlcli_harness.serving.connection import Connection
    from mlcli_harness.serving.http import Request
    from mlcli_harness.serving.http import Refusal
    from mlcli_harness.serving.sender import Sender

# A body that is larger is not copied to stand behind its head.
SMALL_BYTES = 64 * 1024


class Answer:
    """The answer to one request, as a WSGI application makes it (PEP 3333)."""

    def __init__(self, request: Request, connection: Connection) -> None:
        self.request = request
        self.connection = connection
        self.sender = connection.sender
        self.status = ""
        self.headers: list[tuple[str, str]] = []
        self.has_length = False
        # Whether something of it has been sent.
        self.is_begun = False
        # Bytes of the body, for the access log.
        self.sent = 0

    def start_response(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
        self.status = status
        self.headers = headers
        self.has_length = any(name.lower() == "content-length" for name, _ in headers)

    def head(self) -> bytes:
        head = answer_head(self.status, self.headers, self.connection.is_last)
        self.is_begun = True
        return head

    def send_whole(self, body: bytes) -> None:
        """Sends head and body."""
        head = self.head()
        self.sent = len(body)
        if len(body) <= SMALL_BYTES:
            self.sender.send(head + body)
        else:
            self.sender.send(head)
            self.sender.send(body)

    def send_part(self, part: bytes) -> None:
        """Sends a part of a stream, the head first."""
        if not part:
            # An empty chunk would be the last one.
            return
        self.sent += len(part)
        if not self.request.is_old:
            part = b"%x\r\n%s\r\n" % (len(part), part)
        self.sender.send(part if self.is_begun else self.stream_head() + part)

    def send_end(self) -> None:
        """Ends a stream."""
        if not self.is_begun:
            self.sender.send(self.stream_head())
        if not self.request.is_old:
            self.sender.send(b"0\r\n\r\n")

    def stream_head(self) -> bytes:
        if self.request.is_old:
            # HTTP/1.0 has no chunks: the body ends with the connection.
            self.connection.is_last = True
        else:
            self.headers = [*self.headers, ("Transfer-Encoding", "chunked")]
        return self.head()


def send_refusal(sender: Sender, refusal: Refusal) -> None:
    """Answers where the application could not, or must not."""
    body = json.dumps({"error": refusal.message}).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    sender.send(answer_head(refusal.status, headers, closes=True) + body)
