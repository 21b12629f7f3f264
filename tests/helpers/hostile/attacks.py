"""Clients that mean harm, or are broken: many, slow, endless, or gone. Prints what a server does not
stand; else nothing.

    python3 -B attacks.py ADDRESS PORT [ATTACK...]

While an attack goes on, another process asks for /ping and for predictions, as SageMaker does.
"""

import multiprocessing
import re
import resource
import select
import socket
import struct
import sys
import threading
import time

# SageMaker waits this long for /ping, in seconds.
PING_SECONDS = 2
# Longest time for anything else.
TIMEOUT = 10
# How many pings and predictions an attack has to last for.
ROUNDS = 15

LENGTH = re.compile(rb"\nContent-Length: (\d+)\r\n", re.IGNORECASE)
PING = b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
PREDICT = POST % 3 + b"[1]"
# 64 KB.
CHUNK = b"10000\r\n" + bytes(65536) + b"\r\n"


def connect(address):
    connection = socket.create_connection(address, TIMEOUT)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def ask(connection, request):
    """The status of the answer."""
    connection.sendall(request)
    return receive(connection)[9:12].decode()


def receive(connection):
    """An answer, which must come whole and before the time is over."""
    deadline = time.monotonic() + TIMEOUT
    answer = b""
    while time.monotonic() < deadline:
        head, end, body = answer.partition(b"\r\n\r\n")
        length = LENGTH.search(head + b"\r\n")
        if end and len(body) == int(length.group(1)):
            return answer
        part = connection.recv(65536)
        if not part:
            break
        answer += part
    raise OSError("no whole answer: %r" % answer)


# The attacks. Each takes the server's address and a function that waits until the server has been
# asked for a while, and returns what is wrong, if anything.


def slow_clients(address, watch):
    """2,000 whose heads or bodies come byte by byte. They are answered in the end."""
    requests = [PREDICT, POST % 30 + b"[" + b" " * 28 + b"]"] * 1000
    starts = [1, requests[1].index(b"[")] * 1000
    clients = [connect(address) for _ in requests]
    for client, request, start in zip(clients, requests, starts):
        client.sendall(request[:start])
    for step in range(5):
        for client, request, start in zip(clients, requests, starts):
            client.sendall(request[start + step : start + step + 1])
    watch()
    for client, request, start in zip(clients, requests, starts):
        client.sendall(request[start + 5 :])
    return wrong_ones([receive(client)[9:12].decode() for client in clients])


def idle_clients(address, watch):
    """10,000 that are connected, of which some have asked for something once."""
    clients = [connect(address) for _ in range(10_000)]
    asked = [ask(client, PING) for client in clients[::50]]
    watch()
    return wrong_ones(asked + [ask(client, PREDICT) for client in clients[::49]])


def endless_bodies(address, watch):
    """Bodies far larger than allowed, or without an end, at full speed."""
    attacked = threading.Event()

    def send(head, part):
        with connect(address) as client:
            try:
                client.sendall(head)
                while not attacked.is_set():
                    client.sendall(part)
            except OSError:
                # Not everything is read from a client that does not listen.
                pass

    lengthy = (POST % 2**30, bytes(65536))
    endless = (POST.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked"), CHUNK)
    threads = [threading.Thread(target=send, args=args) for args in [lengthy, endless] * 12]
    for thread in threads:
        thread.start()
    watch()
    attacked.set()
    for thread in threads:
        thread.join()


def pipelining(address, watch):
    """Thousands of requests behind each other, from clients that do not read the answers."""
    clients = [connect(address) for _ in range(10)]
    batch = (PING * 9 + PREDICT) * 10
    sent = [0] * len(clients)
    for client in clients:
        client.settimeout(0)
    # Until the buffers of both sides are full: the server must stop reading.
    for _ in range(2000):
        writable = select.select([], clients, [], 0.2)[1]
        for client in writable:
            number = clients.index(client)
            try:
                # What is left of a batch goes out first: requests stay whole.
                sent[number] += client.send(batch[sent[number] % len(batch) :])
            except BlockingIOError:
                pass
        if not writable:
            break
    watch()
    # One reads them all after all.
    client = clients[0]
    client.settimeout(TIMEOUT)
    wanted = sent[0] // len(batch) * 100
    found = 0
    end = b""
    while found < wanted:
        part = client.recv(1 << 20)
        if not part:
            return "closed after %d answers of %d" % (found, wanted)
        data = end + part
        found += data.count(b"HTTP/1.1 200 OK\r\n")
        end = data[-16:]


def large_answers_unread(address, watch):
    """More large answers than a worker has threads, to clients that do not read them."""
    request = b'{"bytes": 1000000}'
    clients = [connect(address) for _ in range(150)]
    for client in clients:
        client.sendall(POST % len(request) + request)
    watch()
    size = 0
    while size < 1_000_000:
        part = clients[-1].recv(65536)
        if not part:
            return "an answer breaks off after %d bytes" % size
        size += len(part)


def resets(address, watch):
    """Connections that are reset at any moment of a request or of its answer."""
    slow = b'{"seconds": 0.02}'
    large = b'{"bytes": 3000000}'
    starts = [b"", PING[:10], PING, PING * 50, PREDICT[:-1], POST % len(slow) + slow, POST % len(large) + large]
    for _ in range(30):
        clients = [connect(address) for _ in starts * 4]
        for client, start in zip(clients, starts * 4):
            client.sendall(start)
        for number, client in enumerate(clients):
            # Half of the large answers are being read.
            if len(starts) * 2 < number and number % len(starts) == len(starts) - 1:
                client.recv(65536)
            reset(client)
    watch()


def endless_requests(address, watch):
    """Heads and bodies that come byte by byte without an end: the server gives them up."""
    starts = [
        POST[:-4] % 3 + b"\r\nX: ",
        POST % 10**6,
        POST.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked") + b"fffff\r\n",
    ]
    clients = [connect(address) for _ in starts]
    for client, start in zip(clients, starts):
        client.sendall(start)
    deadline = time.monotonic() + TIMEOUT
    while clients and time.monotonic() < deadline:
        for client in clients[:]:
            if select.select([client], [], [], 0.05)[0]:
                answer = client.recv(65536)
                if answer and not answer.startswith(b"HTTP/1.1 408 "):
                    return repr(answer)
                clients.remove(client)
            else:
                client.send(b"x")
    return "%d go on" % len(clients) if clients else None


ATTACKS = (
    slow_clients,
    idle_clients,
    endless_bodies,
    pipelining,
    large_answers_unread,
    resets,
)


def wrong_ones(statuses):
    wrong = [status for status in statuses if status != "200"]
    return "%d of %d: %s" % (len(wrong), len(statuses), wrong[0]) if wrong else None


# What goes on beside an attack.


def observe(address, ended, rounds, report):
    """Asks until the attack has ended, and counts; reports the first thing that is wrong."""
    kept = connect(address)
    reported = False
    while not ended.is_set():
        wrong = None
        try:
            for connection in (kept, None):
                began = time.monotonic()
                status = ask(connection or connect(address), PING)
                seconds = time.monotonic() - began
                if status != "200" or seconds > PING_SECONDS:
                    wrong = "/ping: %s after %.1f s" % (status, seconds)
            status = ask(kept, PREDICT)
            if status != "200":
                wrong = "a prediction: %s" % status
        except OSError as error:
            wrong = "/ping, or a prediction: %r" % error
            kept = connect(address)
        if wrong and not reported:
            reported = True
            report.send(wrong)
        rounds.release()


def wrong_of(attack, address):
    """What a server does wrong under an attack; None where it stands it."""
    ended = multiprocessing.Event()
    rounds = multiprocessing.Semaphore(0)
    reports, report = multiprocessing.Pipe(duplex=False)
    args = (address, ended, rounds, report)
    observer = multiprocessing.Process(target=observe, args=args, daemon=True)
    observer.start()

    def watch():
        # Those before do not count.
        while rounds.acquire(block=False):
            pass
        for _ in range(ROUNDS):
            if not rounds.acquire(timeout=4 * TIMEOUT) or reports.poll():
                raise OSError("it was not stood")

    wrong = None
    try:
        # The attack begins when the server is being asked.
        rounds.acquire(timeout=TIMEOUT)
        wrong = attack(address, watch)
    except OSError as error:
        wrong = "the attack: %r" % error
    ended.set()
    observer.join(4 * TIMEOUT)
    return reports.recv() if reports.poll() else wrong


def main():
    address = (sys.argv[1], int(sys.argv[2]))
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    failed = False
    for attack in [globals()[name] for name in sys.argv[3:]] or ATTACKS:
        began = time.monotonic()
        wrong = wrong_of(attack, address)
        if wrong:
            failed = True
            print("%s, after %.1f s: %s" % (attack.__name__, time.monotonic() - began, wrong), flush=True)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
