"""Requests as bytes: a client's library would not leave one half-sent."""

import socket
import time

# Who waits longer than this for an answer has none, in seconds.
PATIENCE = 5

NO_ANSWER = "no answer"

PING = b"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n"

# What a client sends that is slow, or gone: a part of a head, or a head and a part of its body.
HALF_A_HEAD = b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Le"
HALF_A_BODY = (
    b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
    b"Content-Length: 1000\r\n\r\n72,3"
)


def computing(seconds):
    """A request whose prediction computes for so long."""
    body = b"%g" % seconds
    return (
        b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-seconds\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    )


def send(port, request):
    """Sends a request, or a part of one, on a connection of its own. Returns that."""
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    connection.sendall(request)
    return connection


def is_answered(connection):
    """Whether 200 comes in time."""
    try:
        return connection.recv(65536).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def ping(port):
    """How long a /ping takes on a connection of its own, in ms, or NO_ANSWER."""
    began = time.monotonic()
    try:
        with send(port, PING) as connection:
            answered = is_answered(connection)
    except OSError:
        return NO_ANSWER
    return 1000 * (time.monotonic() - began) if answered else NO_ANSWER
