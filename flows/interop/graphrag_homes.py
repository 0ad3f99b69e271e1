"""Where the tables of a Microsoft GraphRAG index are: in which folder, and in which files.

A project has them in `output`, an old one in `output/TIME/artifacts`; a table may be a folder of parts.
Version 3 writes parquet or CSV, 0.5 JSON lines, too, where its settings ask for them.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from corpusgraph.schemas.errors import InvalidInputError, shown

OLD = "create_final_"
PARQUET, CSV = "parquet", "csv"
ENDINGS = (PARQUET, CSV, "json", "jsonl")
_DEEPEST = 4
"""Levels below the folder given at which tables are looked for."""
_NAMED = 5
"""Folders that a hint names."""


def home_of(folder: Path) -> Path:
    """Return the folder that holds the tables: the one given, that of its newest run, or the only one below.

    Raises InvalidInputError where there is none, or several that nobody can choose between.
    """
    if not folder.is_dir():
        hint = "Give the folder with the tables, or that of the project above it."
        raise InvalidInputError(f"No folder at {shown(folder)}.", hint=hint, code="not_an_index")
    runs = sorted(folder.glob("output/*/artifacts"), reverse=True)
    for home in (folder, folder / "output", folder / "artifacts", *runs):
        if ending_of(home):
            return home
    below = sorted(_below(folder))
    if len(below) == 1:
        return below[0]
    hint = "Give the folder with the tables (parquet, CSV or JSON lines), or that of the project above it."
    told = f"there is no entities.parquet or {OLD}entities.parquet"
    if below:
        names = ", ".join(str(one.relative_to(folder)) for one in below[:_NAMED])
        told = f"{len(below)} folders below it do"
        hint = f"Give one of them: {names}. (delta is what an update added, previous what was there before.)"
    raise InvalidInputError(
        f"{shown(folder)} itself holds no GraphRAG index: {told}.", hint=hint, code="not_an_index"
    )


def _below(folder: Path) -> Iterator[Path]:
    """Yield folders below that hold entities."""
    for at, names, _ in os.walk(folder):
        here = Path(at)
        if here != folder and ending_of(here):
            yield here
        deep = len(here.relative_to(folder).parts) >= _DEEPEST
        names[:] = [] if deep else sorted(name for name in names if not name.startswith("."))


def ending_of(home: Path) -> str | None:
    """Return what the files of the tables end in; None where there are none.

    Other kinds count where there is no parquet: beside it, they are what was indexed.
    """
    found = (ending for ending in ENDINGS if path_of(home, "entities", ending))
    # Without entities, a folder of parquet is one that lacks them.
    return next(found, None) or (PARQUET if path_of(home, "relationships", PARQUET) else None)


def path_of(home: Path, name: str, ending: str) -> Path | None:
    """Return the file of a table, or the folder of its parts; that of the newer name where both are there."""
    paths = (home / f"{name}.{ending}", home / f"{OLD}{name}.{ending}")
    return next((path for path in paths if path.is_file() or parts_of(path)), None)


def parts_of(path: Path) -> list[Path]:
    """Return the parts of a table that is a folder, in order, as Spark, Dask or Polars write it."""
    found = path.rglob(f"*{path.suffix}") if path.is_dir() else ()
    return sorted(part for part in found if part.is_file() and not part.name.startswith((".", "_")))
