"""Reports to `mlcli local` whether a run opened files that SageMaker does not have, and whether it
left files where SageMaker loses them.

mlcli names in MLCLI_WATCH the directories to watch, with colons between them. At the end of the process
its report (`report.py`) gets up to 20 lines:

    ["opened", "/opt/ml/model/model.json"]
    ["lost", "/opt/ml/processing/other/x.csv"]

Linux does the watching (inotify), without a hook, a thread or a slower `open` in the user's code, and
it sees other programs, too. Each directory is watched until the first event. Errors are ignored: this
must never make a run fail.

A directory may be mounted in two places, and inotify sees a file opened by either path. So directories
that are also mounted where SageMaker has them are not watched.
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

# Of each kind: examples are enough.
MOST_LINES = 10
MOST_DIRECTORIES = 1000
# Entries that are listed in search of directories: 10 ms.
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

    `allowed` are directories that SageMaker has; `lost_below` is one of which it keeps only the
    subdirectories `kept`.
    """
    directories = os.environ.pop(DIRECTORIES, "")
    if not report.is_wanted():
        return
    before = files_below(lost_below, kept) if lost_below else {}
    watch = Watch([name for name in directories.split(":") if name], allowed)
    process = os.getpid()

    def write() -> None:
        # Forked children run this, too.
        if os.getpid() != process:
            return
        rows = [["opened", path] for path in watch.opened()[:MOST_LINES]]
        if lost_below and len(before) < MOST_FILES:
            after = files_below(lost_below, kept)
            lost = sorted(path for path in after if after[path] != before.get(path))
            rows += [["lost", path] for path in lost[:MOST_LINES]]
        report.add(rows)

    # Registered first, so that it runs after everything that the user's code registers.
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
    """Watches directories and all below them, except those that are `allowed` by another path."""

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
        # Lists them all before the first watch: listing a directory opens it.
        known = set(below(allowed).values())
        found = below(directories, known, self.elsewhere)
        descriptor = init(os.O_NONBLOCK | os.O_CLOEXEC)
        if descriptor < 0:
            return
        for path in found:
            mask = IN_OPEN | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW
            # Opening an allowed subdirectory is an event of its parent, and must not end the watch.
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
    """Whether the descriptor is still ours: user code may have closed it, and reused the number."""
    try:
        return os.readlink("/proc/self/fd/%d" % descriptor) == "anon_inode:inotify"
    except OSError:
        return False


def read_events(descriptor: int) -> Iterator[tuple[int, int, str]]:
    """The events so far, as (watch, mask, name)."""
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            # No more events.
            return
        while data:
            watch, mask, _, length = EVENT.unpack_from(data)
            end = EVENT.size + length
            yield watch, mask, os.fsdecode(data[EVENT.size : end].rstrip(b"\0"))
            data = data[end:]
