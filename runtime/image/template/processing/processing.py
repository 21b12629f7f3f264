"""Cleans a raw table: drops rows with missing or senseless values, and tells how many.

    mlcli local process --file processing.py
"""

import csv
import json
from pathlib import Path

INPUT = Path("/opt/ml/processing/input")
OUTPUT = Path("/opt/ml/processing/output")


def process():
    """Reads every CSV file of the input, writes it cleaned under the same name, and a summary."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    summary = {}
    for path in sorted(INPUT.glob("*.csv")):
        with path.open(newline="") as file:
            header, *rows = list(csv.reader(file))
        clean = [row for row in rows if is_complete(row, header)]
        with (OUTPUT / path.name).open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *clean])
        summary[path.name] = {"rows": len(rows), "kept": len(clean)}
        print("{}: kept {} of {} rows".format(path.name, len(clean), len(rows)))
    (OUTPUT / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")


def is_complete(row, header):
    """Whether a row has a number, not below zero, in every column."""
    try:
        return len(row) == len(header) and all(float(cell) >= 0 for cell in row)
    except ValueError:
        return False


if __name__ == "__main__":
    process()
