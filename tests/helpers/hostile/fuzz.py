"""Sends a server the requests of `cases`, and judges what it does. Prints what is wrong; else nothing.

    python3 -B fuzz.py ADDRESS PORT COUNT SEED

The sending side is closed after each case, or the connection reset, so that the server has nothing
to wait for: it answers and closes, without a time that would have to be waited for.
"""

import random
import re
import socket
import struct
import sys
import time

import cases

# Longest time for a case, or for /ping, in seconds: what takes longer hangs.
TIMEOUT = 10
# Longest time for which a connection is kept without a request, in seconds: the server closes it
# after 65 s.
KEPT = 30
# Wrong cases that are shown; so many that hang end it.
SHOWN = 20
HANGING = 3

PING = b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"
HEAD = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d) [\x20-\x7e]+\r\n((?:[A-Za-z-]+: [^\r\n\0]*\r\n)*)\r\n")
LENGTH = re.compile(rb"(?:^|\n)Content-Length: (\d+)\r\n", re.IGNORECASE)
# What a server that does not support a request may say, beside what is the client's fault.
REFUSALS = (501, 505)


class Wrong(Exception):
    pass


def connect(address):
    connection = socket.create_connection(address, TIMEOUT)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def exchange(address, data, chance):
    """All that the server answers to a case; None where the case ended with a reset."""
    with connect(address) as connection:
        try:
            size = 7 if len(data) < 2000 and chance.random() < 0.1 else len(data) + 1
            for start in range(0, len(data), size):
                connection.sendall(data[start : start + size])
            if chance.random() < 0.05:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return None
            connection.shutdown(socket.SHUT_WR)
        except socket.timeout:
            raise
        except OSError as error:
            raise Wrong("closed before it was sent, and the answer lost") from error
        return receive(connection)


def receive(connection):
    received = []
    deadline = time.monotonic() + TIMEOUT
    try:
        while time.monotonic() < deadline:
            part = connection.recv(65536)
            if not part:
                return b"".join(received)
            received.append(part)
    except ConnectionResetError as error:
        raise Wrong("reset after %r" % b"".join(received)[-200:]) from error
    raise socket.timeout


def statuses_of(answers, may_lack_bodies):
    """The statuses of answers behind each other; fails where one is not well-formed, or not whole."""
    found = []
    while answers:
        head = HEAD.match(answers)
        if not head:
            raise Wrong("no answer of HTTP: %r" % answers[:200])
        found.append(int(head.group(1)))
        answers = answers[head.end() :]
        if found[-1] == 100:
            continue
        length = LENGTH.search(head.group(2))
        if not length:
            raise Wrong("an answer without a length: %r" % head.group())
        size = int(length.group(1))
        if may_lack_bodies and not answers.startswith(b"{"):
            continue
        if len(answers) < size:
            raise Wrong("%d bytes of a body of %d" % (len(answers), size))
        answers = answers[size:]
    return found


def judge(request, expected, answers):
    """Fails where the answers to a case cannot be right."""
    found = statuses_of(answers, b"HEAD " in request)
    if b"Traceback" in answers or b"mlcli_harness" in answers:
        raise Wrong("a traceback for the client")
    if b"Not found: /smuggled" in answers:
        raise Wrong("smuggled: %s" % found)
    if any(status >= 500 and status not in REFUSALS for status in found):
        raise Wrong("%s: %r" % (found, answers[-300:]))
    if not found and b"\r\n\r\n" in request.lstrip(b"\r\n"):
        raise Wrong("closed without an answer")
    final = [status for status in found if status != 100]
    if expected is not None and final != expected:
        raise Wrong("%s, not %s" % (final, expected))


def ping(connection):
    """Returns whether the server closes the connection, which it does if a worker starts late."""
    connection.sendall(PING)
    answer = connection.recv(65536)
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise Wrong("then /ping: %r" % answer)
    return b"\r\nConnection: close\r\n" in answer


def main():
    address = (sys.argv[1], int(sys.argv[2]))
    count, seed = int(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(seed)
    shown = hanging = 0
    kept, used, is_over = connect(address), time.monotonic(), False
    for number, (name, request, expected) in enumerate(cases.cases(count, seed)):
        wrong = None
        try:
            answers = exchange(address, request, chance)
            if answers is not None:
                judge(request, expected, answers)
            # A new connection can reach another worker.
            if is_over or number % 20 == 0 or time.monotonic() - used > KEPT:
                kept.close()
                kept = connect(address)
            is_over = ping(kept)
            used = time.monotonic()
        except Wrong as error:
            wrong = str(error)
        except socket.timeout:
            wrong = "hangs"
            hanging += 1
        except OSError as error:
            wrong = "then /ping: %s" % error
            kept = connect(address)
        if wrong:
            shown += 1
            print("case %d (%s): %s\n    %r" % (number, name, wrong, request[:400]))
        if shown == SHOWN or hanging == HANGING:
            raise SystemExit("and perhaps more")
    raise SystemExit(1 if shown else 0)


main()
