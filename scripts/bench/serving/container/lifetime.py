"""How long a server takes to start, or to end: prints the ms, or why there is no number.

    python3 lifetime.py start | end PORT COMMAND [ARGUMENT...]
"""

import os
import signal
import subprocess
import sys
import time

from client import HALF_A_BODY, HALF_A_HEAD, NO_ANSWER, computing, is_answered, ping, send

START_SECONDS = 30
# Twice what mlcli's server may take.
END_SECONDS = 12
# Until a server has what was just sent to it.
SETTLE_SECONDS = 0.5


def main(measured, port, *command):
    server = subprocess.Popen(command, start_new_session=True)
    try:
        started = until_ready(int(port))
        print(started if measured == "start" else until_ended(int(port), server))
    finally:
        # The whole of it: workers may outlive a server that is killed.
        try:
            os.killpg(server.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        server.wait()


def until_ready(port):
    """The time from now until /ping is answered, in ms."""
    began = time.monotonic()
    while ping(port) == NO_ANSWER:
        if time.monotonic() - began > START_SECONDS:
            raise SystemExit("The server does not start")
        time.sleep(0.005)
    return 1000 * (time.monotonic() - began)


def until_ended(port, server):
    """The time from SIGTERM until the server's end, in ms: of its clients one waits for a prediction
    that takes a second, and three have sent a part of a request."""
    waiting = send(port, computing(1))
    slow = [send(port, part) for part in (HALF_A_HEAD, HALF_A_BODY, HALF_A_BODY)]
    time.sleep(SETTLE_SECONDS)
    began = time.monotonic()
    server.terminate()
    if not is_answered(waiting):
        return NO_ANSWER
    try:
        server.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        return "over %d s" % END_SECONDS
    finally:
        for connection in slow:
            connection.close()
    return 1000 * (time.monotonic() - began)


if __name__ == "__main__":
    main(*sys.argv[1:])
