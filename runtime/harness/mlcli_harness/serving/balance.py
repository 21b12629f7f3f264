"""Sharing connections among the worker processes: each knows how many the others have.

All wait for connections on one socket, and the first to wake would take all that arrive at once, and
serve them with one processor while the other workers have nothing to do.
"""

from __future__ import annotations

import mmap

# More workers than this, and two could have the same place: they would only share less evenly.
PLACES = 256
# In a place that no worker has: more connections than any worker has.
NOBODY = 2**31 - 1


class Balance:
    """The numbers of connections, in memory that the processes share. Made before they are forked;
    a worker is known by its age, a number that no other one has."""

    def __init__(self) -> None:
        self.counts = memoryview(mmap.mmap(-1, PLACES * 4)).cast("i")
        for place in range(PLACES):
            self.counts[place] = NOBODY

    def tell(self, age: int, connections: int) -> None:
        """Tells the others how many connections a worker has."""
        self.counts[age % PLACES] = connections

    def leave(self, age: int) -> None:
        """Takes a worker that has ended out of the account."""
        self.counts[age % PLACES] = NOBODY

    def ready(self) -> int:
        """How many workers there are that take connections."""
        return sum(count != NOBODY for count in self.counts)

    def share(self, age: int) -> int | None:
        """How many connections a worker may have, so as to leave the others theirs: some more than
        the one with the fewest, since connections come and go faster than counts. None: as many as
        it likes, since there is no other."""
        others = self.counts.tolist()
        del others[age % PLACES]
        least = min(others)
        return None if least == NOBODY else least + 1 + least // 4
