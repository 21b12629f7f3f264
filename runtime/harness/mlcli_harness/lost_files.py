"""Reports to `mlcli local` the files that a processing job left where SageMaker drops them.

When the process ends, its report (`report.py`) gets a line for each of the first ten:

    ["lost", "/opt/ml/processing/other/x.csv"]
"""

from __future__ import annotations

import atexit
import os

from mlcli_harness import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Examples are enough.
MOST_LINES = 10
# Files that are listed before and after the user's code. With more, nothing is reported.
MOST_FILES = 10_000


def report_lost_files_at_end(directory: str, kept: Sequence[str]) -> None:
    """Reports at exit which files below the directory are new or changed, if mlcli wants a report.

    SageMaker keeps only the subdirectories `kept`.
    """
    if not report.is_wanted():
        return
    before = files_below(directory, kept)
    process = os.getpid()

    def write() -> None:
        # Forked children run the handler, but must not report.
        if os.getpid() != process or len(before) == MOST_FILES:
            return
        after = files_below(directory, kept)
        lost = sorted(path for path in after if after[path] != before.get(path))
        report.add([["lost", path] for path in lost[:MOST_LINES]])

    # Registered first, so that it runs after everything that the user's code registers.
    atexit.register(write)


def files_below(directory: str, kept: Sequence[str]) -> dict[str, int]:
    """Returns the files below it, outside its subdirectories `kept`: path to time of modification."""
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
