"""A frame like a survey's, made from a seed: every type, holes, codes, text of several scripts."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MISSING = 0.02
WORDS = [
    "cholera",
    "Huế",
    "水很脏",
    "pump",
    "écoute",
    "мост",
    "العربية",
    "Soho",
    "water",
    "company",
    "Nguyễn",
    "board",
    "health",
    "1854",
]
LABELS = {"1": "never", "2": "rarely", "3": "sometimes", "4": "often", "-9": "refused", "-8": "unknown"}
MAPPING: dict[str, Any] = {
    "types": {"born": "date", "asked": "date", "note": "text", "place": "text", "word": "text"},
    "missing": {"int_0": [-8, -9]},
    "value_labels": {"level_3": LABELS},
    "labels": {"float_0": "Đo lường", "level_0": "Kind of place"},
}


def made(rows: int) -> pd.DataFrame:
    """Return 10 float, 6 int, 5 nominal, 2 boolean, 3 short text, 2 date, 1 datetime, 1 long text."""
    draw = np.random.default_rng(7)
    columns: dict[str, Any] = {}
    for at in range(10):
        columns[f"float_{at}"] = pd.Series(np.where(_holes(draw, rows), np.nan, draw.normal(at, 3, rows)))
    codes = np.array([-8, -9])
    asked = np.where(_holes(draw, rows), codes[draw.integers(0, 2, rows)], draw.integers(0, 90, rows))
    columns["int_0"] = pd.Series(asked)
    for at in range(1, 6):
        columns[f"int_{at}"] = _holed(
            draw, pd.Series(draw.integers(-(10**at), 10 ** (at + 2), rows), dtype="Int64")
        )
    for at in range(3):
        words = np.array([f"{word} {at}" for word in WORDS[: 4 + 3 * at]], dtype=object)
        columns[f"level_{at}"] = _holed(
            draw, pd.Series(words[draw.integers(0, len(words), rows)], dtype="category")
        )
    columns["level_3"] = _holed(draw, pd.Series(draw.integers(1, 5, rows), dtype="category"))
    columns["level_4"] = _holed(draw, pd.Series(draw.integers(1, 20, rows), dtype="category"))
    for at in range(2):
        columns[f"yes_{at}"] = _holed(draw, pd.Series(draw.random(rows) < 0.4, dtype="boolean"))
    columns["id"] = pd.Series([f"u{at:08d}" for at in range(rows)], dtype="str")
    columns["word"] = _holed(draw, _texts(draw, rows, 2))
    columns["place"] = _holed(draw, _texts(draw, rows, 3))
    for at, name in enumerate(("born", "asked")):
        days = np.datetime64("1900-01-01") + draw.integers(0, 40_000, rows) * (at + 1) // 2
        columns[name] = _holed(draw, pd.Series(days.astype("datetime64[us]")))
    seconds = draw.integers(0, 2_000_000_000_000_000, rows).astype("datetime64[us]")
    columns["at"] = _holed(draw, pd.Series(seconds))
    columns["note"] = _holed(draw, _texts(draw, rows, 24))
    return pd.DataFrame(columns)


def _holes(draw: np.random.Generator, rows: int) -> np.ndarray[Any, Any]:
    return draw.random(rows) < MISSING


def _holed(draw: np.random.Generator, values: Any) -> Any:
    return values.mask(_holes(draw, rows=len(values)))


def _texts(draw: np.random.Generator, rows: int, words: int) -> Any:
    known = np.array(WORDS, dtype=object)
    picked = known[draw.integers(0, len(known), (rows, words))]
    return pd.Series([" ".join(row) for row in picked], dtype="str")


def main() -> None:
    """Write the frame to a parquet file."""
    told = argparse.ArgumentParser()
    told.add_argument("--rows", type=int, required=True)
    told.add_argument("--to", type=Path, required=True)
    asked = told.parse_args()
    made(asked.rows).to_parquet(asked.to)


if __name__ == "__main__":
    main()
