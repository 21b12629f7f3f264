"""What wrk cannot measure of the server in this container: prints a number, or why there is none.

    python3 load.py new-connections | slow-predictions | half-sent | large-bodies
"""

import http.client
import os
import selectors
import socket
import sys
import time

from client import (
    HALF_A_BODY,
    HALF_A_HEAD,
    NO_ANSWER,
    PATIENCE,
    PING,
    computing,
    is_answered,
    ping,
    send,
)

PORT = 8080

NEW_CONNECTIONS = 1000
SLOW_PREDICTIONS = 8
SLOW_SECONDS = 3
# 64 for each of the two workers.
HALF_SENT = 128
LARGE_BODY = 5 * 1024 * 1024
LARGE_BODIES = 40

# Until a server has what was just sent to it.
SETTLE_SECONDS = 0.5


def new_connections():
    """1,000 clients connect and ask /ping at once: the longest time until an answer, in ms."""
    selector = selectors.DefaultSelector()
    began = time.monotonic()
    for _ in range(NEW_CONNECTIONS):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", PORT))
        selector.register(connection, selectors.EVENT_WRITE)
    while selector.get_map():
        if time.monotonic() - began > PATIENCE:
            return NO_ANSWER
        for key, _ in selector.select(PATIENCE):
            connection = key.fileobj
            if key.events == selectors.EVENT_WRITE:
                try:
                    connection.send(PING)
                except OSError:
                    return NO_ANSWER
                selector.modify(connection, selectors.EVENT_READ)
                continue
            if not is_answered(connection):
                return NO_ANSWER
            selector.unregister(connection)
            connection.close()
    return 1000 * (time.monotonic() - began)


def slow_predictions():
    """The slowest /ping while predictions compute, in ms."""
    connections = [send(PORT, computing(SLOW_SECONDS)) for _ in range(SLOW_PREDICTIONS)]
    end = time.monotonic() + SLOW_SECONDS - SETTLE_SECONDS
    time.sleep(SETTLE_SECONDS)
    times = []
    while time.monotonic() < end:
        times.append(ping(PORT))
        time.sleep(0.02)
    for connection in connections:
        connection.settimeout(SLOW_PREDICTIONS * SLOW_SECONDS)
        if not is_answered(connection):
            return "a prediction without an answer"
    return worst(times)


def half_sent():
    """The slowest of ten /ping while many clients have sent a part of a request, in ms."""
    parts = (HALF_A_HEAD, HALF_A_BODY)
    connections = [send(PORT, parts[number % 2]) for number in range(HALF_SENT)]
    time.sleep(SETTLE_SECONDS)
    times = []
    while len(times) < 10 and NO_ANSWER not in times:
        times.append(ping(PORT))
    for connection in connections:
        connection.close()
    return worst(times)


def worst(times):
    return NO_ANSWER if NO_ANSWER in times else max(times)


def large_bodies():
    """The processor time of the server's processes for each request, in ms."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=PATIENCE)
    body = os.urandom(LARGE_BODY)
    before = processor_seconds()
    for _ in range(LARGE_BODIES):
        connection.request("POST", "/invocations", body, {"Content-Type": "application/octet-stream"})
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            return "status %d" % response.status
    return 1000 * (processor_seconds() - before) / LARGE_BODIES


def processor_seconds():
    """What the container's first process and those that it started have used (proc(5), stat)."""
    parents, ticks = {}, {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as stat:
                # The name of the program comes before, in brackets, and may hold spaces.
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
        ticks[int(name)] = int(fields[11]) + int(fields[12])

    def is_of_server(process):
        while process > 1:
            process = parents.get(process, 0)
        return process == 1

    used = sum(ticks[process] for process in ticks if is_of_server(process))
    return used / os.sysconf("SC_CLK_TCK")


MEASUREMENTS = {
    "new-connections": new_connections,
    "slow-predictions": slow_predictions,
    "half-sent": half_sent,
    "large-bodies": large_bodies,
}

if __name__ == "__main__":
    print(MEASUREMENTS[sys.argv[1]]())
