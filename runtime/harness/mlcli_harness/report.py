"""The file in which `mlcli local` wants to hear of a run: it names one in MLCLI_REPORT, which no other
run has. (On SageMaker there is none.) Each line is a JSON array:

    ["python", "3.12.4"]
    ["reason", "ValueError: no age"]
    ["opened", "/opt/ml/model/model.json"]

Whatever does not work here goes unreported: it must never be the reason that a run fails.
"""

from __future__ import annotations

import json
import os

VARIABLE = "MLCLI_REPORT"

_path = ""


def take() -> None:
    """Remembers the file, and takes its name from the environment: no other program is to write to it."""
    global _path
    _path = os.environ.pop(VARIABLE, "")


def is_wanted() -> bool:
    return bool(_path)


def add(rows: list[list[str]]) -> None:
    """Writes a line for each."""
    if not _path:
        return
    try:
        with open(_path, "a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
    except OSError:
        pass
