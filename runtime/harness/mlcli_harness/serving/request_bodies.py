"""Bodies of requests, as they arrive: in chunks (RFC 9112, 7.1), or long ones of a known length."""

from __future__ import annotations

import io
import re

from mlcli_harness.serving.http import bad_request, is_malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

# The first memory for a long body, and what is read of it at a time.
FIRST_BYTES = 256 * 1024
READ_BYTES = 1024 * 1024
# The line before a chunk, extensions included, and what may follow the last chunk.
CHUNK_LINE_BYTES = 4096
TRAILER_BYTES = 16 * 1024
CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?")
TRAILER = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*")


class LongBody:
    """A body whose length is known. What comes goes straight into the memory in which the
    application finds it, which grows as it is filled: a client pays for what it announces."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.memory = io.BytesIO()
        # How much has come, and how much there is room for.
        self.filled = 0
        self.room = 0

    def size(self) -> int:
        return self.filled

    def announced(self) -> int:
        return self.length

    def take(self, buffer: bytearray) -> bool:
        """Takes what came with the head. Returns whether the body is complete."""
        if buffer and self.filled < self.length:
            first = buffer[: self.length - self.filled]
            del buffer[: len(first)]
            self.grow(len(first))
            self.memory.seek(self.filled)
            self.filled += self.memory.write(first)
        return self.filled == self.length

    def receive(self, client_socket: socket.socket) -> int:
        """Takes what the socket has. Returns how many bytes; 0 at the end."""
        if self.filled == self.room:
            self.grow(max(FIRST_BYTES, self.filled))
        with self.memory.getbuffer() as memory:
            with memory[self.filled : self.filled + READ_BYTES] as free:
                received = client_socket.recv_into(free)
        self.filled += received
        return received

    def grow(self, size: int) -> None:
        """Makes room for so many bytes more, or for the rest."""
        self.room = min(self.length, self.room + size)
        self.memory.seek(self.room - 1)
        self.memory.write(b"\0")

    def file(self) -> io.BytesIO:
        """The body that is complete, as a file."""
        # This gives back what was too much; without it, reading the file would copy it.
        self.memory.getvalue()
        self.memory.seek(0)
        return self.memory


class ChunkedBody:
    """Takes a body in chunks apart, as it arrives."""

    def __init__(self) -> None:
        self.body = bytearray()
        # Bytes of this chunk that are still to come; 0 before the line end behind them, None before
        # a chunk.
        self.left: int | None = None
        # Bytes of the lines behind the last chunk; None before it.
        self.trailer: int | None = None

    def size(self) -> int:
        return len(self.body)

    def announced(self) -> int:
        """How long the body is at least, as far as is known."""
        return len(self.body) + (self.left or 0)

    def take(self, buffer: bytearray) -> bool:
        """Takes what it can from the bytearray. Returns whether the body is complete. Raises
        Refusal."""
        while True:
            if self.left is not None:
                if not self.take_data(buffer, self.left):
                    return False
                continue
            line = self.take_line(buffer)
            if line is None:
                return False
            if self.trailer is None:
                self.begin_chunk(line)
            elif not line:
                return True
            else:
                self.skip_trailer(line, self.trailer)

    def file(self) -> io.BytesIO:
        """The body that is complete, as a file."""
        return io.BytesIO(self.body)

    def take_data(self, buffer: bytearray, left: int) -> bool:
        """Takes what has come of a chunk, of which so many bytes are to come. Returns whether that
        was all."""
        part = buffer[:left]
        del buffer[: len(part)]
        self.body += part
        self.left = left - len(part)
        if self.left:
            return False
        if not b"\r\n".startswith(bytes(buffer[:2])):
            raise bad_request("a chunk is longer than its size")
        if len(buffer) < 2:
            return False
        del buffer[:2]
        self.left = None
        return True

    def take_line(self, buffer: bytearray) -> bytes | None:
        """The next line, without its end; None where it has not come yet."""
        end = buffer.find(b"\r\n")
        # Where it ends, or will end at the earliest.
        if (end if end >= 0 else len(buffer) - 1) > CHUNK_LINE_BYTES:
            raise bad_request("a line of more than %d bytes around a chunk" % CHUNK_LINE_BYTES)
        if end < 0:
            if is_malformed(buffer):
                raise bad_request("invalid line around a chunk")
            return None
        line = bytes(buffer[:end])
        del buffer[: end + 2]
        return line

    def begin_chunk(self, line: bytes) -> None:
        match = CHUNK_LINE.fullmatch(line)
        if not match:
            raise bad_request("invalid beginning of a chunk: %r" % line[:100].decode("latin-1"))
        size = int(match.group(1), 16)
        if size:
            self.left = size
        else:
            self.trailer = 0

    def skip_trailer(self, line: bytes, before: int) -> None:
        """Checks a line behind the last chunk; nobody needs what it says."""
        if not TRAILER.fullmatch(line):
            raise bad_request("invalid line after the last chunk")
        self.trailer = size = before + len(line) + 2
        if size > TRAILER_BYTES:
            raise bad_request("more than %d bytes after the last chunk" % TRAILER_BYTES)
