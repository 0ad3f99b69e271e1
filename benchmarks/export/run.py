"""Bundles of a large frame beside what plain pandas and pyreadstat take to write it.

Each measurement is a process of its own that reads the frame, then works; its time is from there on, its peak
is the kernel's count of the whole process.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.export.data import LABELS, MAPPING, made

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ("r", "python", "stata", "spss")


def ours(frame: pd.DataFrame, target: str, folder: Path) -> int:
    """Prepare and write the whole bundle; return the bytes of the data files."""
    from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
    from corpusgraph.tasks.tools.prepare import (
        PrepareStatisticalAnalysis,
        prepare_statistical_analysis,
    )

    told = {"data": frame, "output_format": target, "variable_mapping": {**MAPPING, "unit": "id"}}
    result = prepare_statistical_analysis(PrepareStatisticalAnalysis.model_validate(told)).data
    for name, content in statistical_bundle(result, result.output_format).items():
        (folder / name).write_bytes(content)
    return _size(folder)


def plain(frame: pd.DataFrame, target: str, folder: Path) -> int:
    """Write the data alone, as a person would who knows the libraries; return the bytes."""
    if target == "r":
        frame.to_csv(folder / "data.csv", index=False, na_rep="NA")
    elif target == "python":
        frame.to_parquet(folder / "data.parquet", compression="zstd")
    elif target == "stata":
        latin = frame.copy()
        for name in map(str, frame.select_dtypes("str").columns):
            frame[name] = frame[name].fillna("")
            latin[name] = frame[name].str.encode("latin-1", "backslashreplace").str.decode("latin-1")
        for name in map(str, frame.select_dtypes("category").columns):
            words = [str(word) for word in frame[name].cat.categories]
            frame[name] = frame[name].cat.rename_categories(words)
            plain_words = [word.encode("latin-1", "backslashreplace").decode("latin-1") for word in words]
            latin[name] = latin[name].cat.rename_categories(plain_words)
        frame.to_stata(folder / "data.dta", write_index=False, version=118)
        latin.to_stata(folder / "data_stata13.dta", write_index=False, version=117)
    else:
        _plain_sav(frame, folder / "data.sav")
    return _size(folder)


def _plain_sav(frame: pd.DataFrame, path: Path) -> None:
    import pyreadstat

    labels: dict[str, Any] = {"level_3": {float(code): text for code, text in LABELS.items()}}
    for name in ("level_0", "level_1", "level_2"):
        words = dict(enumerate(frame[name].cat.categories, 1))
        labels[name] = {float(code): word for code, word in words.items()}
        codes = frame[name].cat.codes
        frame[name] = (codes + 1.0).where(codes >= 0)
    for name in frame.columns[10:23]:
        frame[name] = frame[name].astype("float64")
    for name in ("born", "asked"):
        frame[name] = frame[name].dt.date.astype(object).where(frame[name].notna(), None)
    pyreadstat.write_sav(frame, path, variable_value_labels=labels, missing_ranges={"int_0": [-8, -9]})


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("data*"))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(way: str, target: str, path: Path) -> None:
    """Measure one way of writing one format."""
    import polars as pl  # noqa: F401 (loaded before the clock starts)
    import pyarrow.parquet
    import pyreadstat  # noqa: F401

    frame = pyarrow.parquet.read_table(path).to_pandas()
    before = _peak()
    with tempfile.TemporaryDirectory() as folder:
        began, used = time.perf_counter(), time.process_time()
        size = {"ours": ours, "plain": plain}[way](frame, target, Path(folder))
        took, used = time.perf_counter() - began, time.process_time() - used
    told = {"seconds": took, "cpu": used, "before": before, "peak": _peak(), "bytes": size}
    print(json.dumps(told))


def measured(way: str, target: str, path: Path) -> dict[str, float]:
    """Run one measurement in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.export.run", "--child", way, target, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(target: str, path: Path, repeat: int) -> str:
    """Measure a format both ways, in turn; of several times the least stands."""
    runs = [{way: measured(way, target, path) for way in ("plain", "ours")} for _ in range(repeat)]
    best = {way: min((run[way] for run in runs), key=lambda one: one["cpu"]) for way in ("plain", "ours")}
    return line(target, best)


def line(target: str, best: Mapping[str, Mapping[str, float]]) -> str:
    """Return a row of the table."""
    shown = [target]
    for what, digits in (("seconds", 1), ("cpu", 1), ("peak", 0)):
        shown += [f"{best[way][what]:,.{digits}f}" for way in ("plain", "ours")]
        shown.append(f"{best['ours'][what] / best['plain'][what]:.2f}")
    shown += [f"{best[way]['bytes'] / 1e6:,.0f}" for way in ("plain", "ours")]
    return f"| {' | '.join(shown)} |"


_KINDS = ("s", "CPU s", "peak MB")
_NAMES = [name for kind in _KINDS for name in (f"plain {kind}", f"ours {kind}", "ratio")]
HEAD = f"| format | {' | '.join([*_NAMES, 'plain MB', 'ours MB'])} |\n|{'---|' * 12}"


def main() -> None:
    """Print the table, and keep it where asked."""
    told = argparse.ArgumentParser(description=__doc__)
    told.add_argument("--rows", type=int, default=1_000_000)
    told.add_argument("--formats", nargs="+", default=list(FORMATS), choices=FORMATS)
    told.add_argument("--repeat", type=int, default=1)
    told.add_argument("--child", nargs=3, metavar=("WAY", "FORMAT", "FRAME"), help=argparse.SUPPRESS)
    asked = told.parse_args()
    if asked.child:
        child(asked.child[0], asked.child[1], Path(asked.child[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frame.parquet"
        made(asked.rows).to_parquet(path)
        print(f"{asked.rows:,} rows\n\n{HEAD}", flush=True)
        for target in asked.formats:
            print(row(target, path, asked.repeat), flush=True)


if __name__ == "__main__":
    main()
