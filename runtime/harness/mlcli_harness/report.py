"""The report of a run to `mlcli local`, which names its file in MLCLI_REPORT. (On SageMaker there is
none.) Each line is a JSON array:

    ["python", "3.12.4"]
    ["reason", "ValueError: no age"]
    ["lost", "/opt/ml/processing/other/x.csv"]

Errors are ignored: the report must never make a run fail.
"""

from __future__ import annotations

import json
import os

VARIABLE = "MLCLI_REPORT"

_path = ""


def take() -> None:
    """Remembers the file, and removes the variable, so that no other program writes to it."""
    global _path
    _path = os.environ.pop(VARIABLE, "")


def variables() -> dict[str, str]:
    """What makes another process of this harness report, too."""
    return {VARIABLE: _path} if _path else {}


def worker() -> str | None:
    """The number of this process among those that torchrun started in this container; None without it."""
    return os.environ.get("LOCAL_RANK") if "TORCHELASTIC_RUN_ID" in os.environ else None


def is_wanted() -> bool:
    return bool(_path)


def add(rows: list[list[str]]) -> None:
    if not _path:
        return
    try:
        with open(_path, "a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
    except OSError:
        pass
