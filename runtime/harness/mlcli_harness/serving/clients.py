"""The connections of a worker: which wait for their clients, and their time limits.

A connection is at any time with one thread, which owns it, or it waits for a thread that predicts
(worker.py), or it is `idle`: then the poller reports it once, and whoever takes it out of `idle` owns
it.
"""

from __future__ import annotations

import select
import time
from threading import Lock

from mlcli_harness.failure import describe, log
from mlcli_harness.serving.answer import send_refusal
from mlcli_harness.serving.connection import Connection
from mlcli_harness.serving.http import Refusal
from mlcli_harness.serving.sender import ClientGone

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import Any

    from mlcli_harness.serving.server import Settings

# Connections that are closed at a time where too many are open.
MOST_CLOSED = 16
# How long clients have, once the server is to stop, to send the rest of a request; and then to take
# an answer of which the system did not take all at once, and to close after their last one. So a stop
# ends within 6 s, whatever they do.
STOP_CLIENTS_SECONDS = 3
STOP_ANSWER_SECONDS = 1
STOP_LINGER_SECONDS = 1
# How long the server waits then for requests that are on their way on connections that are idle.
STOP_IDLE_SECONDS = 0.1

TOO_MUCH = ("503 Service Unavailable", "Too many bytes of unfinished requests")

IN = select.EPOLLIN | select.EPOLLONESHOT
OUT = select.EPOLLOUT | select.EPOLLONESHOT


class Clients:
    """Made with the worker's poller and settings; `tell` is called with the number of connections
    whenever that changes."""

    def __init__(self, poller: select.epoll, settings: Settings, tell: Callable[[int], None]) -> None:
        self.poller = poller
        self.settings = settings
        self.tell = tell
        self.lock = Lock()
        self.open: set[Connection] = set()
        # By descriptor: those that wait for their client. The thread that takes one out owns it.
        self.idle: dict[int, Connection] = {}
        # Bytes of requests that are not complete, or wait.
        self.unfinished = 0

    def admit(self, client_socket: socket.socket, address: tuple[str, int]) -> None:
        """Takes a new client."""
        connection = Connection(client_socket, address, self.settings.max_body_bytes)
        self.open.add(connection)
        self.tell(len(self.open))
        try:
            with self.lock:
                self.poller.register(connection.descriptor, IN)
                self.idle[connection.descriptor] = connection
        except OSError as error:
            # The system can watch no more.
            log("mlcli: cannot accept a connection: %s" % error)
            self.close(connection)

    # Ownership of connections.

    def wait(self, connection: Connection, interest: int) -> None:
        """Has the poller report the connection, once."""
        # Under the lock, so that nobody owns it before the poller knows what it waits for.
        with self.lock:
            self.idle[connection.descriptor] = connection
            self.poller.modify(connection.descriptor, interest)

    def take(self, descriptor: int) -> Connection | None:
        """Makes a connection that the poller has reported this thread's; None where it is not idle."""
        with self.lock:
            return self.idle.pop(descriptor, None)

    def take_where(self, connection: Connection, condition: Callable[[Connection], object]) -> bool:
        """Makes the connection this thread's, if the condition holds and no other thread has it."""
        if not condition(connection):
            return False
        with self.lock:
            # Its descriptor may be another one's by now, and a thread may just have served it.
            is_mine = self.idle.get(connection.descriptor) is connection and bool(condition(connection))
            if is_mine:
                del self.idle[connection.descriptor]
        return is_mine

    def attempt(self, connection: Connection, step: Callable[..., Any], *arguments: Any) -> Any:
        """Goes on with a connection that this thread owns, and closes it where that fails."""
        try:
            return step(connection, *arguments)
        except (ClientGone, OSError):
            self.close(connection)
        except BaseException as error:
            # Any exception: others wait for this thread.
            self.close(connection)
            log(describe(error))
        return None

    # Limits.

    def account(self, connection: Connection, held: int) -> None:
        """Notes how many bytes a connection holds of a request that is not complete."""
        if held != connection.accounted:
            with self.lock:
                self.unfinished += held - connection.accounted
            connection.accounted = held

    def hold_too_much(self) -> bool:
        limit = self.settings.unfinished_bytes
        return bool(self.settings.max_body_bytes) and self.unfinished > limit

    def give_up_oldest(self) -> None:
        """Gives up the request that has been coming for the longest time, where clients have sent
        more than the worker holds."""
        unfinished = [one for one in list(self.idle.values()) if one.accounted]
        for connection in sorted(unfinished, key=lambda one: one.began or 0):
            if self.take_where(connection, lambda one: one.accounted):
                self.attempt(connection, self.refuse, Refusal(*TOO_MUCH))
                return

    def free_descriptors(self) -> None:
        """Closes the connections whose time is over first: too many are open."""
        waiting = sorted(list(self.idle.values()), key=lambda one: (not one.is_idle(), one.deadline()))
        for connection in waiting[:MOST_CLOSED]:
            if self.take_where(connection, lambda one: True):
                self.close(connection)
        if not waiting:
            # It would be tried again at once.
            time.sleep(0.05)

    # After an answer.

    def conclude(self, connection: Connection, is_stopping: bool) -> None:
        """Waits for what comes next on a connection, now that an answer is made."""
        connection.rest()
        if connection.sender.backlog:
            self.wait(connection, OUT)
        elif not connection.is_last:
            # What has come already is read in its turn: there is room to write now, and so an event.
            self.wait(connection, OUT if connection.buffer else IN)
        elif connection.buffer or is_stopping:
            self.linger(connection)
        else:
            self.close(connection)

    def refuse(self, connection: Connection, refusal: Refusal) -> None:
        """Answers where the application is not asked, and nothing more on this connection."""
        connection.forget()
        self.account(connection, 0)
        connection.is_last = True
        send_refusal(connection.sender, refusal)
        if connection.sender.backlog:
            connection.rest()
            self.wait(connection, OUT)
        else:
            self.linger(connection)

    def linger(self, connection: Connection) -> None:
        """Has the client get its last answer: if a connection is closed while something of it is
        unread, what was sent is lost."""
        self.account(connection, 0)
        if connection.linger():
            self.wait(connection, IN)
        else:
            self.close(connection)

    def discard(self, connection: Connection) -> None:
        """Throws away what a client sends after its last answer."""
        if connection.discard():
            self.wait(connection, IN)
        else:
            self.close(connection)

    def close(self, connection: Connection) -> None:
        # Closing takes it out of the poller, too.
        self.account(connection, 0)
        connection.close()
        self.open.discard(connection)
        self.tell(len(self.open))

    # For the main thread.

    def end_overdue(self) -> None:
        """Ends what clients have had their time for."""
        for connection in list(self.open):
            if self.take_where(connection, is_overdue):
                self.attempt(connection, self.end)

    def end(self, connection: Connection) -> None:
        """Ends a request that does not come, or whose answer is not taken."""
        if connection.began is None or connection.sender.backlog:
            self.close(connection)
        else:
            self.refuse(connection, Refusal("408 Request Timeout", "The request took too long"))

    def end_stopping(self, elapsed: float) -> None:
        """Closes the connections on which there is nothing to wait for, or whose clients are too
        slow, so many seconds after the server was told to stop."""
        for connection in list(self.open):
            if self.take_where(connection, lambda one: is_over(one, elapsed)):
                self.close(connection)
            elif is_stuck(connection, elapsed):
                # A stream: the thread that makes it hears of it.
                connection.sender.give_up()


def is_overdue(connection: Connection) -> bool:
    return connection.deadline() < time.monotonic()


def is_over(connection: Connection, elapsed: float) -> bool:
    """Whether a connection that is idle has nothing more to give, or takes too long for a stop."""
    if connection.lingers_until is not None:
        return time.monotonic() >= connection.rested_at + STOP_LINGER_SECONDS
    if connection.sender.backlog:
        return is_stuck(connection, elapsed)
    if connection.is_idle():
        return elapsed >= STOP_IDLE_SECONDS
    return elapsed >= STOP_CLIENTS_SECONDS


def is_stuck(connection: Connection, elapsed: float) -> bool:
    """Whether a client takes its answer too slowly for a stop."""
    since = connection.sender.waits_since
    return (
        elapsed >= STOP_CLIENTS_SECONDS
        and since is not None
        and time.monotonic() >= since + STOP_ANSWER_SECONDS
    )
