"""A client's connection, from its first request to the last byte that the client sends."""

import socket
import struct
import time

from gunicorn.http import RequestParser

# SageMaker waits this long for an answer, and the server for a client that stops half-way.
CLIENT_SECONDS = 60
# A client that is still sending when it gets its answer (a refusal) may go on for this long in all,
# and pause for this long: if a connection is closed while something is unread, the answer is lost.
LINGER_SECONDS = 60
LINGER_PAUSE = 5
# Bytes that are thrown away at a time.
LINGER_BYTES = 1024 * 1024


class Connection:
    """A client's connection with gunicorn's parser over it. Reads on its behalf (`recv`)."""

    def __init__(self, config, client_socket, address):
        self.socket = client_socket
        self.address = address
        self.keep_alive = config.keepalive
        self.closes_at = time.monotonic() + self.keep_alive
        # When a connection whose client is still sending is closed in any case; else None.
        self.lingers_until = None
        self.ended = 0
        client_socket.setblocking(True)
        client_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            # The kernel's time-out: Python's own costs one more system call for each read.
            client_socket.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", CLIENT_SECONDS, 0))
        self.parser = RequestParser(config, self, address)

    def recv(self, size):
        data = self.socket.recv(size)
        if not data:
            # gunicorn 20.1 reads on for ever where a chunked body ends too early.
            self.ended += 1
            if self.ended > 100:
                raise ConnectionResetError("the client closed the connection")
        return data

    def has_buffered_request(self):
        """Whether the next request has been read already, together with the last one."""
        return self.parser.unreader.buf.tell() > 0

    def rest(self):
        """Notes that it was used just now: it may stay idle for the usual time."""
        self.closes_at = time.monotonic() + self.keep_alive

    def linger(self):
        """Tells the client that nothing more will come. Returns whether it is still there; what it
        sends goes to `discard` then."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            return False
        now = time.monotonic()
        self.lingers_until = now + LINGER_SECONDS
        self.closes_at = now + LINGER_PAUSE
        return True

    def is_lingering(self):
        return self.lingers_until is not None

    def discard(self):
        """Throws away what has arrived. Returns whether more may come."""
        try:
            data = self.socket.recv(LINGER_BYTES)
        except OSError:
            return False
        now = time.monotonic()
        self.closes_at = now + LINGER_PAUSE
        return bool(data) and now < self.lingers_until

    def close(self):
        self.socket.close()


class StillSending(Exception):
    """The client got its answer while it is still sending, or may be."""
