"""Writes the channels training and test from a raw table."""

from pathlib import Path

import pandas as pd

from features import features_of, to_number  # common/features.py

INPUT = Path("/opt/ml/processing/input")
OUTPUT = Path("/opt/ml/processing/output")


def process():
    raw = pd.read_csv(INPUT / "flats_raw.csv").drop_duplicates()
    table = features_of(raw).assign(price=to_number(raw["price"])).dropna()
    print(f"kept {len(table)} of {len(raw)} rows")

    test = table.sample(frac=0.2, random_state=0)
    write(table.drop(test.index), "training")
    write(test, "test")


def write(table, channel):
    directory = OUTPUT / channel
    directory.mkdir(parents=True, exist_ok=True)
    table.to_csv(directory / "flats.csv", index=False)


if __name__ == "__main__":
    process()
