"""The versions of Python and of the installed packages, for mlcli's record of a run.

The report (`report.py`) gets a line of the version, and one of each package:

    ["python", "3.12.4"]
    ["package", "scikit-learn 1.5.0"]

They are read from the names of directories, which takes a millisecond, and not from the packages.
"""

from __future__ import annotations

import os
import re
import sys

from mlcli_harness import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# `scikit_learn-1.5.0.dist-info`, as the packaging specifications name it; `.egg-info` before that.
NAME = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._]*)-([A-Za-z0-9][A-Za-z0-9._+!]*)(-py[\d.]+)?\.(dist|egg)-info$")

# A limit for the size of the report.
MOST = 2000


def report_packages() -> None:
    """Writes the lines, if mlcli wants a report."""
    if not report.is_wanted():
        return
    rows = [["python", "%d.%d.%d" % sys.version_info[:3]]]
    rows += [["package", "%s %s" % package] for package in sorted(packages(sys.path).items())[:MOST]]
    report.add(rows)


def packages(directories: Iterable[str]) -> dict[str, str]:
    """Name to version. Of two of one name, that of the first directory counts, as in an import."""
    found: dict[str, str] = {}
    for directory in directories:
        try:
            names = os.listdir(directory)
        except OSError:
            continue
        for name in names:
            match = NAME.match(name)
            if match:
                found.setdefault(re.sub(r"[-_.]+", "-", match.group(1)).lower(), match.group(2))
    return found
