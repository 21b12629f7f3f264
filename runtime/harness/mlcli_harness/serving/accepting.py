"""Taking new connections, in balance with the other workers."""

from __future__ import annotations

import select
import time

from mlcli_harness.failure import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

# For how long a worker with more than its share of connections leaves new ones to the others, in
# seconds.
BREATH = 0.001
# How often the log says that there can be no more connections, in seconds.
COMPLAINT_SECONDS = 10
# How many connections are taken before the present ones are served again.
MOST_AT_ONCE = 64
# How many are still taken when the server stops: as many as can wait in the system.
# gunicorn's default for them is 2,048.
MOST_WAITING = 2048

IN = select.EPOLLIN | select.EPOLLONESHOT


class Acceptor:
    """Takes the connections that the poller reports on the listeners. For the leader alone, except
    for `stop`.

    `room` says how many connections this worker may take without taking another one's share; None:
    there is no other. `admit` is called with each socket and its address, `free_descriptors` where the
    system has no more to give."""

    def __init__(
        self,
        listeners: list[socket.socket],
        poller: select.epoll,
        room: Callable[[], int | None],
        admit: Callable[[socket.socket, tuple[str, int]], None],
        free_descriptors: Callable[[], None],
    ) -> None:
        self.poller = poller
        self.room = room
        self.admit = admit
        self.free_descriptors = free_descriptors
        self.listeners = {listener.fileno(): listener for listener in listeners}
        # When new connections are reported again, on the monotonic clock; None: they are.
        self.accepts_at: float | None = None
        self.has_left_to_others = False
        self.complains_at = 0.0
        for listener in listeners:
            listener.setblocking(False)
            poller.register(listener.fileno(), IN)

    def patience(self) -> float:
        """How long the leader may wait for events, in seconds; -1: for ever."""
        if self.accepts_at is None:
            return -1
        if time.monotonic() < self.accepts_at:
            return BREATH
        self.accept_again()
        return -1

    def take(self, descriptor: int) -> bool:
        """Takes new connections, if the descriptor is a listener's. Returns whether it is."""
        listener = self.listeners.get(descriptor)
        if listener is None:
            return False
        room = self.room()
        if room is not None and room <= 0 and not self.has_left_to_others:
            self.has_left_to_others = True
            self.accepts_at = time.monotonic() + BREATH
            return True
        self.has_left_to_others = False
        most = MOST_AT_ONCE if room is None else max(1, min(room, MOST_AT_ONCE))
        try:
            for _ in range(most):
                if not self.accept(listener):
                    break
        finally:
            self.accept_again()
        return True

    def accept_again(self) -> None:
        """Has the poller report new connections again."""
        self.accepts_at = None
        try:
            for descriptor in self.listeners:
                self.poller.modify(descriptor, IN)
        except OSError:
            # Closed meanwhile: the server is being stopped.
            if self.listeners:
                raise

    def accept(self, listener: socket.socket) -> bool:
        """Takes a new connection. Returns whether there was one."""
        try:
            client_socket, address = listener.accept()
        except BlockingIOError:
            # Another worker was faster.
            return False
        except ConnectionAbortedError:
            return True
        except OSError as error:
            # Without listeners, it has been closed meanwhile.
            if self.listeners:
                self.complain(error)
                self.free_descriptors()
            return False
        self.admit(client_socket, address)
        return True

    def complain(self, error: BaseException) -> None:
        """Says in the log, now and then, that clients cannot be taken."""
        now = time.monotonic()
        if now >= self.complains_at:
            self.complains_at = now + COMPLAINT_SECONDS
            log("mlcli: cannot accept a connection: %s" % error)

    def stop(self) -> None:
        """Takes the connections that clients have made already, and no more."""
        listeners, self.listeners = self.listeners, {}
        for descriptor, listener in listeners.items():
            self.poller.unregister(descriptor)
            for _ in range(MOST_WAITING):
                if not self.accept(listener):
                    break
            listener.close()
