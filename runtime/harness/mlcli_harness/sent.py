"""Code that comes in an input, as AWS's SDKs send it: one archive."""

from __future__ import annotations

import os
import tarfile

from mlcli_harness import paths
from mlcli_harness.failure import HarnessError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Of a training, in the channel `code`.
ARCHIVE = os.path.join(paths.INPUT_DATA, "code", "sourcedir.tar.gz")
PROCESSING_ARCHIVE = os.path.join(paths.PROCESSING_CODE, "sourcedir.tar.gz")

# Nothing outside of the directory, and no owners: Pythons of 2023 and later can.
FILTER: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


def is_there() -> bool:
    return os.path.isfile(ARCHIVE)


def unpack(path: str, target: str) -> None:
    """Unpacks the archive into the directory, which is made. Raises HarnessError where that fails."""
    try:
        os.makedirs(target, exist_ok=True)
        with tarfile.open(path) as archive:
            # Not over itself.
            members = [one for one in archive if os.path.normpath(os.path.join(target, one.name)) != path]
            archive.extractall(target, members, **FILTER)
    except (OSError, tarfile.TarError) as error:
        raise HarnessError("Cannot unpack %s: %s" % (path, error)) from error
