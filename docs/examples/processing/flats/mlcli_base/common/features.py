"""Turns raw columns into numbers, for the processing script and for the server."""

import pandas as pd

RAW = ["rooms", "size", "district", "built"]
DISTRICTS = ["centre", "harbour", "park", "station"]


def features_of(raw):
    district = raw["district"].str.strip().str.lower()
    features = pd.DataFrame(
        {
            "rooms": to_number(raw["rooms"]),
            "size": to_number(raw["size"]),
            "built": to_number(raw["built"]),
        }
    )
    features["size_per_room"] = features["size"] / features["rooms"]
    for name in DISTRICTS:
        features[name] = (district == name).astype(int)
    return features


def to_number(column):
    """Numbers of cells such as `72 m²` and `€ 215,000`; NaN for other text."""
    text = column.astype(str).str.replace(r"[€,\s]|m²", "", regex=True)
    return pd.to_numeric(text, errors="coerce")
