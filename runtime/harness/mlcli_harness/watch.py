"""What `mlcli local` wants to know of a run: whether it opened what the platform does not have, and
whether it left files where the platform loses them.

mlcli names in MLCLI_WATCH the directories to watch, with colons between them. At the end of the process
its report (`report.py`) gets up to 20 lines:

    ["opened", "/opt/ml/model/model.json"]
    ["lost", "/opt/ml/processing/other/x.csv"]

Linux itself takes the notes (inotify): the user's code runs without a hook, a thread or a slower
`open`, and what other programs open is seen, too. Each directory is watched until the first event.
Whatever does not work here goes unreported: it must never be the reason that a run fails.

A directory may be mounted in two places. Linux notes what is opened in it whatever the path, so what
lies where the platform has it, too, is not watched.
"""

from __future__ import annotations

import atexit
import os
import struct

from mlcli_harness import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

DIRECTORIES = "MLCLI_WATCH"

# Of each kind; a user wants an example, and the report stays small.
MOST_LINES = 10
MOST_DIRECTORIES = 1000
# Entries of directories that are looked at in search of others: 10 ms.
MOST_ENTRIES = 20_000
# Files below /opt/ml/processing that are looked at before and after.
MOST_FILES = 10_000

# <sys/inotify.h>. The flags of inotify_init1 are those of open.
IN_OPEN, IN_MOVED_TO, IN_CREATE = 0x20, 0x80, 0x100
IN_ONLYDIR, IN_DONT_FOLLOW, IN_ONESHOT = 0x01000000, 0x02000000, 0x80000000
# struct inotify_event: watch, mask, cookie, length of the name that follows.
EVENT = struct.Struct("iIII")


def report_at_end(allowed: Sequence[str], lost_below: str | None = None, kept: Sequence[str] = ()) -> None:
    """Begins to watch if mlcli wants a report, and writes it when the process ends.

    `allowed` are directories that the platform has; `lost_below` is one of which it keeps only the
    subdirectories `kept`.
    """
    directories = os.environ.pop(DIRECTORIES, "")
    if not report.is_wanted():
        return
    before = files_below(lost_below, kept) if lost_below else {}
    watch = Watch([name for name in directories.split(":") if name], allowed)
    process = os.getpid()

    def write() -> None:
        # A child that was forked runs this, too.
        if os.getpid() != process:
            return
        rows = [["opened", path] for path in watch.opened()[:MOST_LINES]]
        if lost_below and len(before) < MOST_FILES:
            after = files_below(lost_below, kept)
            lost = sorted(path for path in after if after[path] != before.get(path))
            rows += [["lost", path] for path in lost[:MOST_LINES]]
        report.add(rows)

    # Registered before the user's code can: so it runs after all that the code registers.
    atexit.register(write)


def files_below(directory: str, kept: Sequence[str]) -> dict[str, int]:
    """The files below it, outside of its subdirectories `kept`: path to time of modification."""
    found = {}
    for folder, folders, files in os.walk(directory):
        if folder == directory:
            folders[:] = [name for name in folders if name not in kept]
        for name in files:
            path = os.path.join(folder, name)
            try:
                found[path] = os.lstat(path).st_mtime_ns
            except OSError:
                continue
            if len(found) == MOST_FILES:
                return found
    return found


class Watch:
    """Of directories and what is below them, from now on, but for what is `allowed` by another path."""

    def __init__(self, directories: Sequence[str], allowed: Sequence[str] = ()) -> None:
        self.descriptor: int | None = None
        # Watch to path.
        self.watched: dict[int, str] = {}
        self.elsewhere: set[str] = set()
        if not directories:
            return
        try:
            # Only here: it takes some milliseconds, and may be missing.
            import ctypes

            library = ctypes.CDLL(None)
            self.begin(library.inotify_init1, library.inotify_add_watch, directories, allowed)
        except (ImportError, OSError, AttributeError):
            self.descriptor = None

    def begin(
        self,
        init: Callable[[int], int],
        add: Callable[[int, bytes, int], int],
        directories: Sequence[str],
        allowed: Sequence[str],
    ) -> None:
        # First all of them, then the watches: listing a directory is opening it.
        known = set(below(allowed).values())
        found = below(directories, known, self.elsewhere)
        descriptor = init(os.O_NONBLOCK | os.O_CLOEXEC)
        if descriptor < 0:
            return
        for path in found:
            mask = IN_OPEN | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW
            # Opening what is not watched is an event of its parent, which must not be the last.
            if not any(os.path.dirname(other) == path for other in self.elsewhere):
                mask |= IN_ONESHOT
            watch = add(descriptor, os.fsencode(path), mask)
            if watch >= 0:
                # Two paths of one directory have one watch.
                self.watched.setdefault(watch, path)
        self.descriptor = descriptor

    def opened(self) -> list[str]:
        """What has been opened or made since, the first in each directory."""
        if self.descriptor is None or not is_inotify(self.descriptor):
            return []
        found: list[str] = []
        for watch, mask, name in read_events(self.descriptor):
            directory = self.watched.get(watch)
            if directory is None or not mask & (IN_OPEN | IN_CREATE | IN_MOVED_TO):
                continue
            path = os.path.join(directory, name) if name else directory
            if path not in found and path not in self.elsewhere:
                found.append(path)
        return found


def below(
    directories: Iterable[str],
    known: Container[tuple[int, int]] = frozenset(),
    left_out: set[str] | None = None,
) -> dict[str, tuple[int, int]]:
    """The directories that there are, and those below them, breadth first: path to identity. Those
    whose identity is known go into `left_out` instead, with all that is below them."""
    found: dict[str, tuple[int, int]] = {}
    queue, entries = list(directories), 0
    for path in queue:
        try:
            facts = os.stat(path)
            identity = facts.st_dev, facts.st_ino
            if identity in known:
                if left_out is not None:
                    left_out.add(path)
                continue
            with os.scandir(path) as listed:
                found[path] = identity
                for entry in listed:
                    entries += 1
                    if entry.is_dir(follow_symlinks=False):
                        queue.append(entry.path)
                    if entries == MOST_ENTRIES:
                        return found
        except OSError:
            # Not there, no directory, or not for this user to read.
            continue
        if len(found) == MOST_DIRECTORIES:
            return found
    return found


def is_inotify(descriptor: int) -> bool:
    """Whether it is still ours: user code may close what it does not know, and get the number."""
    try:
        return os.readlink("/proc/self/fd/%d" % descriptor) == "anon_inode:inotify"
    except OSError:
        return False


def read_events(descriptor: int) -> Iterator[tuple[int, int, str]]:
    """What has been noted, as (watch, mask, name)."""
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            # Nothing more.
            return
        while data:
            watch, mask, _, length = EVENT.unpack_from(data)
            end = EVENT.size + length
            yield watch, mask, os.fsdecode(data[EVENT.size : end].rstrip(b"\0"))
            data = data[end:]
