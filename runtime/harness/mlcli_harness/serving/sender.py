"""The way to the client: what the system takes goes at once, the rest is kept until there is room."""

from __future__ import annotations

import time
from collections import deque
from threading import Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

# Bytes of a stream that are kept for a client that does not take them as fast as they are made.
# Then the function that makes them waits.
STREAM_BYTES = 16 * 1024 * 1024


class ClientGone(Exception):
    """The client has closed the connection, or takes nothing."""


class Sender:
    """Sends on a socket that does not block. A stream's thread may add while another one flushes."""

    __slots__ = ("socket", "backlog", "size", "waits_since", "changed", "is_broken")

    def __init__(self, client_socket: socket.socket) -> None:
        self.socket = client_socket
        self.backlog: deque[bytes | memoryview] = deque()
        # Of the backlog, in bytes.
        self.size = 0
        # Since when there has been a backlog, on the monotonic clock; None: there is none.
        self.waits_since: float | None = None
        self.changed = Condition()
        self.is_broken = False

    def send(self, data: bytes) -> None:
        """Sends the bytes, or keeps what is not taken. Raises ClientGone."""
        with self.changed:
            if self.is_broken:
                raise ClientGone()
            self.backlog.append(data)
            self.size += len(data)
            self.flush()

    def flush(self) -> None:
        """Sends what is kept, as far as there is room. Raises ClientGone."""
        with self.changed:
            while self.backlog:
                first = self.backlog[0]
                try:
                    sent = self.socket.send(first)
                except (BlockingIOError, InterruptedError):
                    self.waits_since = self.waits_since or time.monotonic()
                    return
                except OSError as error:
                    self.give_up()
                    raise ClientGone() from error
                self.size -= sent
                if sent == len(first):
                    self.backlog.popleft()
                else:
                    self.backlog[0] = memoryview(first)[sent:]
                self.changed.notify_all()
            self.waits_since = None

    def wait_for_room(self, seconds: float) -> None:
        """Waits until a stream may go on. Raises ClientGone where the client has been behind for so
        long."""
        with self.changed:
            while self.size > STREAM_BYTES:
                left = (self.waits_since or 0) + seconds - time.monotonic()
                if left > 0:
                    self.changed.wait(left)
                else:
                    self.give_up()
            if self.is_broken:
                raise ClientGone()

    def give_up(self) -> None:
        """Notes that nothing can be sent any more."""
        with self.changed:
            self.is_broken = True
            self.backlog.clear()
            self.size = 0
            self.waits_since = None
            self.changed.notify_all()
