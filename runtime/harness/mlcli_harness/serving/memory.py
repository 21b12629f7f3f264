"""How much memory the container may have, how much the machine has left, and what a process takes.

What counts is memory that cannot be had back: not the page cache, and so not the files that a model
is mapped from, which processes share.
"""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from mlcli_harness import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CGROUPS = "/sys/fs/cgroup"
OWN_CGROUPS = "/proc/self/cgroup"
STATUS = "/proc/self/status"
MACHINE = "/proc/meminfo"

# Parts of a control group's use that the kernel takes back when memory gets scarce (memory.stat).
RECLAIMABLE = ("active_file", "inactive_file", "slab_reclaimable")

# A worker is assumed to need less than this, in bytes, plus a multiple of the model's files. How much
# a model really needs is known only after it has loaded. Compressed weights rarely grow by more than
# this factor, and the base covers the libraries, and a model that is not in the model directory.
ASSUMED_BASE = 2 * 1024**3
ASSUMED_GROWTH = 4


def megabytes(size: float) -> str:
    return "%d MB" % round(size / 1024**2)


class Limit:
    """A limit of memory in bytes, and the files that tell how much of it is in use."""

    # Words for the log: the owner of the memory, and how to get more of it.
    owner = "container"
    remedy = "more memory (`mlcli local deploy --memory`, a larger instance)"

    def __init__(self, size: int, usage: str, stat: str, prefix: str) -> None:
        self.size = size
        self.usage = usage
        self.stat = stat
        self.prefix = prefix

    def room(self) -> int:
        """What is left of it, in bytes. Raises OSError, ValueError where that cannot be read."""
        with open(self.stat, encoding="ascii") as file:
            stat = dict(line.split() for line in file)
        reclaimable = sum(int(stat.get(self.prefix + name, 0)) for name in RECLAIMABLE)
        return self.size - (read_number(self.usage) - reclaimable)


class Machine(Limit):
    """The memory of the machine, or of the virtual machine in which Docker Desktop runs. The
    programs outside the container use it too."""

    owner = "machine"
    remedy = "a machine with more free memory (a larger instance, Docker Desktop's settings)"

    def __init__(self) -> None:
        """Raises OSError, ValueError if the kernel does not tell its memory."""
        super().__init__(self.read("MemTotal"), "", "", "")
        self.room()

    def room(self) -> int:
        # The kernel's estimate: free memory, plus the caches that it can take back.
        return self.read("MemAvailable")

    @staticmethod
    def read(name: str) -> int:
        with open(MACHINE, encoding="ascii") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return 1024 * int(line.split()[1])
        raise ValueError("no %s in %s" % (name, MACHINE))


def bounds(workers: int) -> list[Limit]:
    """The limits to check before several workers load the model side by side: the container's and
    the machine's. Empty if all workers surely have room."""
    limits = memory_limits()
    try:
        machine = Machine()
    except (OSError, ValueError):
        return limits
    if limits or not fits_surely(workers, machine.room()):
        limits.append(machine)
    return limits


def fits_surely(workers: int, room: int) -> bool:
    """Whether the room is enough for so many workers, even if the model grows when it loads."""
    share = room // workers - ASSUMED_BASE
    if share < 0:
        return False
    for directory, _, names in os.walk(paths.MODEL):
        for name in names:
            try:
                share -= ASSUMED_GROWTH * os.path.getsize(os.path.join(directory, name))
            except OSError:
                # A link that leads nowhere.
                continue
            if share < 0:
                return False
    return True


def memory_limits() -> list[Limit]:
    """The limits under which this process is: its control group's, and those of the groups around
    it as far as they can be seen. One that the machine cannot reach anyway is none."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limits = []
    for directory, limit, usage, prefix in control_groups():
        try:
            size = read_number(os.path.join(directory, limit))
        except (OSError, ValueError):
            # Not there, or `max`.
            continue
        if size < machine:
            used, stat = (os.path.join(directory, name) for name in (usage, "memory.stat"))
            limits.append(Limit(size, used, stat, prefix))
    return limits


def smallest(limits: list[Limit]) -> int | None:
    """The smallest of the limits in bytes; None where there is none."""
    return min((limit.size for limit in limits), default=None)


def control_groups() -> Iterator[tuple[str, str, str, str]]:
    """Directories that may hold a limit, with the names of the files that do, for both versions."""
    try:
        with open(OWN_CGROUPS, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            root, names = CGROUPS, ("memory.max", "memory.current", "")
        elif "memory" in controllers.split(","):
            root = os.path.join(CGROUPS, "memory")
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
        else:
            continue
        # In a container the path may be the one outside, where inside only `/` is to be seen.
        group = PurePosixPath(path)
        for place in (group, *group.parents):
            yield (root + str(place).rstrip("/"), *names)


def read_number(path: str) -> int:
    with open(path, encoding="ascii") as file:
        return int(file.read())


def room(limits: list[Limit]) -> tuple[Limit, int] | None:
    """The limit of which the least is left, and what that is; None where it cannot be known."""
    try:
        rooms = [(limit, limit.room()) for limit in limits]
    except (OSError, ValueError):
        return None
    return min(rooms, key=lambda pair: pair[1]) if rooms else None


class Footprint:
    """What this process takes now, in bytes; 0 where the kernel does not say."""

    def __init__(self) -> None:
        sizes = {}
        try:
            with open(STATUS, encoding="utf-8", errors="replace") as file:
                for line in file:
                    name, _, value = line.partition(":")
                    if value.endswith(" kB\n"):
                        sizes[name] = 1024 * int(value.split()[0])
        except (OSError, ValueError):
            pass
        # Its own, without files.
        self.own = sum(sizes.get(name, 0) for name in ("RssAnon", "RssShmem", "VmSwap"))
        # All that is in memory, now and at most so far, files included.
        self.all = sizes.get("VmRSS", 0)
        self.peak = sizes.get("VmHWM", 0)
