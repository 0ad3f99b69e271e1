"""The tables of a Microsoft GraphRAG index, of any version from 0.5 on, under the names of version 3.

Until 1.2 files are called `create_final_*`, and `create_final_nodes` says which entity is in which community
on which level; from 2.0 on names are bare. Before 0.5 an entity's `title` was `name`, a relationship's
`combined_degree` was `rank`; until 2 a text unit had `document_ids`, a report a `rank_explanation`.
"""

import ast
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from corpusgraph.flows.interop.parcel import Notes, is_too_deep
from corpusgraph.flows.load.rows import json_value
from corpusgraph.flows.store.graphrag_tables import SHAPES
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.memory import SHORT_IDS

OLD = "create_final_"
PARQUET, CSV = "parquet", "csv"
ENDINGS = (PARQUET, CSV, "json", "jsonl")
_DEEPEST = 4
"""Levels below the folder given at which tables are looked for."""
_NAMED = 5
"""Folders that a hint names."""


def home_of(folder: Path) -> Path:
    """Return the folder that holds the tables: the one given, that of its newest run, or the only one below.

    Parameters
    ----------
    folder : Path
        Of the tables, or of a project above them.

    Returns
    -------
    Path
        With a table of entities or of relationships.

    Raises
    ------
    InvalidInputError
        `not_an_index`, where there is none, or several that nobody can choose between.

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

    Parameters
    ----------
    home : Path
        Folder of the tables.

    Returns
    -------
    str or None
        Without its dot.

    """
    found = (ending for ending in ENDINGS if path_of(home, "entities", ending))
    # Without entities, a folder of parquet is one that lacks them.
    return next(found, None) or (PARQUET if path_of(home, "relationships", PARQUET) else None)


def path_of(home: Path, name: str, ending: str) -> Path | None:
    """Return the file of a table, or the folder of its parts; that of the newer name where both are there.

    Parameters
    ----------
    home : Path
        Folder of the tables.
    name : str
        Of the table, as version 3 calls it.
    ending : str
        Without its dot.

    Returns
    -------
    Path or None
        None where there is none.

    """
    paths = (home / f"{name}.{ending}", home / f"{OLD}{name}.{ending}")
    return next((path for path in paths if path.is_file() or parts_of(path)), None)


def parts_of(path: Path) -> list[Path]:
    """Return the parts of a table that is a folder, in order, as Spark, Dask or Polars write it.

    Parameters
    ----------
    path : Path
        A file or folder; it need not be there.

    Returns
    -------
    list of Path
        Empty for what is no folder.

    """
    found = path.rglob(f"*{path.suffix}") if path.is_dir() else ()
    return sorted(part for part in found if part.is_file() and not part.name.startswith((".", "_")))


def read_json(path: Path) -> tuple[list[str], list[JsonDict]]:
    """Return the names of the columns and the rows, gaps as None.

    Parameters
    ----------
    path : Path
        JSON lines, or one list of objects.

    Returns
    -------
    tuple of list of str and list of JsonDict
        Names in order of first sight, over all rows.

    Raises
    ------
    ValueError
        For a file that is no such table.
    OSError
        For a file that cannot be read.

    """
    text = path.read_text(encoding="utf-8-sig")
    try:
        # Not splitlines: pandas leaves line separators of Unicode inside texts as they are.
        lines = [line for line in text.split("\n") if line.strip()]
        found = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in lines]
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    for place, row in enumerate(found):
        if not isinstance(row, dict) or is_too_deep(row):
            raise ValueError(f"row {place + 1} is no object, or nested too deep")
    names = list(dict.fromkeys(name for row in found for name in row))
    return names, [{name: row.get(name) for name in names} for row in found]


_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_BETWEEN = re.compile(r"}\s+{")


def read_csv(path: Path) -> tuple[list[str], list[JsonDict]]:
    """Return the names of the columns and the rows, all cells as text.

    Parameters
    ----------
    path : Path
        In UTF-8.

    Returns
    -------
    tuple of list of str and list of JsonDict
        An empty cell is empty text.

    Raises
    ------
    ValueError
        For a file that is no such table.
    OSError
        For a file that cannot be read.

    """
    import pandas as pd

    frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    rows: list[Any] = frame.to_dict("records")
    return list(frame.columns), rows


def printed_list(text: str) -> list[Any]:
    """Return the items of a list as JSON, Python or numpy write it, or with commas between.

    Parameters
    ----------
    text : str
        Of one cell.

    Returns
    -------
    list of Any
        Text or numbers; empty for an empty list.

    """
    if text.startswith("["):
        try:
            return list(json.loads(text))
        except (ValueError, RecursionError):
            inner = text.strip("[]")
        if quoted := _QUOTED.findall(inner):
            return [single or double for single, double in quoted if single or double]
        if all(part.lstrip("-").isdigit() for part in inner.split()):
            return inner.split()
        text = inner.replace("\n", ",")
    return [part.strip() for part in text.split(",") if part.strip()]


def printed(text: str) -> Any:
    """Return what a text says as JSON, Python or numpy print it; None where it is neither or too deep.

    Parameters
    ----------
    text : str
        Of one cell.

    Returns
    -------
    Any
        Lists, mappings, text and numbers.

    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(_BETWEEN.sub("}, {", text.strip()))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return None if is_too_deep(found) else found


NEEDED: Mapping[str, tuple[str, ...]] = {
    "entities": ("title",),
    "relationships": ("source", "target"),
    "text_units": ("id", "text"),
    "documents": ("id", "text"),
    "communities": ("level",),
    "community_reports": ("community", "summary"),
    "covariates": ("id", "text_unit_id"),
    "nodes": ("title", "level", "community"),
}
"""The tables that are read, and the columns without which one says nothing. Nodes are there before 2."""
ALIASES: Mapping[str, Mapping[str, str]] = {
    "entities": {"name": "title"},
    "relationships": {"rank": "combined_degree"},
    "text_units": {"chunk": "text"},
    "documents": {"raw_content": "text", "text_units": "text_unit_ids", "attributes": "metadata"},
    "community_reports": {"rank_explanation": "rating_explanation"},
    "nodes": {"name": "title", "label": "title"},
}
"""What columns were called in other versions -> what they are called now."""
_TEXT, _IDS, _ANY = pa.string(), pa.list_(pa.string()), pa.null()
_OTHERWISE: Mapping[str, Mapping[str, pa.DataType]] = {
    "relationships": {"type": _TEXT},
    "text_units": {"document_ids": _IDS},
    "documents": {"metadata": _ANY, "raw_data": _ANY, "creation_date": _ANY},
    "community_reports": {"findings": _ANY},
    "nodes": {"title": _TEXT},
}
"""Columns that version 3 lacks, or that hold other things in other versions."""
TYPES: Mapping[str, Mapping[str, pa.DataType]] = {
    name: {field.name: field.type for field in SHAPES.get(name, ())} | dict(_OTHERWISE.get(name, {}))
    for name in NEEDED
}
"""The columns that GraphRAG has, and as what they are read: ids, text, or as they are."""
_NAMED_BY_ID = SHAPES.keys() - {"community_reports", "covariates"}
"""Tables whose rows others name."""


@dataclass
class Tables:
    """The rows and columns of each table that is there."""

    folder: Path
    rows: dict[str, list[JsonDict]] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)

    def of(self, table: str) -> list[JsonDict]:
        """Return the rows of a table, none where it is missing.

        Parameters
        ----------
        table : str
            As version 3 calls it.

        Returns
        -------
        list of JsonDict
            Column -> cell.

        """
        return self.rows.get(table, [])

    def has(self, table: str) -> bool:
        """Tell whether a table is there.

        Parameters
        ----------
        table : str
            As version 3 calls it.

        Returns
        -------
        bool
            True also for a table without rows.

        """
        return table in self.rows

    @property
    def version(self) -> str:
        """0.5, 1, 2 or 3, as far as can be told."""
        units, reports = self.columns.get("text_units", ()), self.columns.get("community_reports", ())
        if self.has("nodes") or (self.folder / f"{OLD}entities.parquet").is_file():
            return "1" if "parent" in self.columns.get("communities", ()) else "0.5"
        if "document_id" in units or "raw_data" in self.columns.get("documents", ()):
            return "3"
        return "2" if units or reports else "3"


def read_tables(folder: Path) -> Tables:
    """Read the tables of a folder, of its `output`, of the newest run below that, or of the only one below.

    Parameters
    ----------
    folder : Path
        Of the tables, or of a project above them.

    Returns
    -------
    Tables
        With notes of what is missing or twice.

    Raises
    ------
    InvalidInputError
        Where entities or relationships are missing, or a column without which a table says nothing; the
        message names it.

    """
    home = home_of(folder)
    tables = Tables(home)
    ending = ending_of(home) or PARQUET
    entities = path_of(home, "entities", ending)
    for name in NEEDED:
        path = path_of(home, name, ending)
        older = home / f"{OLD}{name}.{ending}"
        # nodes that an upgraded project has left: who is in a community is no longer said there
        is_stale = name == "nodes" and entities is not None and not entities.name.startswith(OLD)
        if older.exists() and (path != older or is_stale):
            tables.notes.add("older_table", older.name)
            path = None if path == older else path
        if path is not None:
            tables.rows[name] = _distinct(_read(path, name, tables), name, tables.notes)
        elif name != "nodes":
            tables.notes.add("missing_table", name)
    missing = [name for name in ("entities", "relationships") if not tables.has(name)]
    if missing:
        there = ", ".join(sorted(path.name for path in home.glob(f"*.{ending}")))
        message = f"{shown(home)} has no table {missing[0]!r} ({missing[0]}.{ending} or {OLD}…)."
        raise InvalidInputError(message, hint=f"It has: {there}.", code="table_missing")
    return tables


def _distinct(rows: list[JsonDict], table: str, notes: Notes) -> list[JsonDict]:
    """Leave out rows that occur again, and tell rows apart that share an id: it means the first of them."""
    if table not in _NAMED_BY_ID:
        return rows
    first: dict[str, JsonDict] = {}
    distinct = []
    for place, row in enumerate(rows):
        id_ = row.get("id")
        if id_ is not None and first.setdefault(id_, row) is not row:
            is_again = row == first[id_]
            notes.add("duplicate_row" if is_again else "duplicate_id", f"{table}, row {place + 1}: {id_}")
            distinct += [] if is_again else [{**row, "id": f"{id_}#{place + 1}"}]
        else:
            distinct.append(row)
    return distinct


def _read(path: Path, table: str, tables: Tables) -> list[JsonDict]:
    try:
        columns, rows = _rows_of(path)
    except (pa.ArrowException, ValueError, OverflowError, OSError) as error:
        told = (str(error).splitlines() or [type(error).__name__])[0]
        message = f"{shown(path)} cannot be read: {told.rstrip('.')}."
        hint = "It is damaged, or no table: write it again, or take it away if it is an optional one."
        raise InvalidInputError(message, hint=hint, code="table_unreadable") from None
    for name in columns:
        if name.endswith("embedding"):
            tables.notes.add("embeddings_left_out", f"{table}.{name}")
    kept = [name for name in columns if not name.endswith("embedding")]
    aliases = {old: new for old, new in ALIASES.get(table, {}).items() if new not in kept}
    names = {name: aliases.get(name, name) for name in kept}
    for needed in NEEDED[table]:
        if needed not in names.values():
            hint = f"It has: {', '.join(columns)}."
            raise InvalidInputError(
                f"{shown(path)} has no column {needed!r}.", hint=hint, code="column_missing"
            )
    tables.columns[table] = list(names.values())
    types = {new: TYPES[table].get(new, _ANY) for new in names.values()}
    return [{new: _cell(types[new], row[old]) for old, new in names.items()} for row in rows]


def _rows_of(path: Path) -> tuple[list[str], list[JsonDict]]:
    """Return the columns and rows of a file, or of the parts of a table one after the other."""
    if not (parts := parts_of(path)):
        return _READERS.get(path.suffix[1:], read_json)(path)
    columns: dict[str, None] = {}
    rows: list[JsonDict] = []
    for part in parts:
        names, more = _rows_of(part)
        columns |= dict.fromkeys(names)
        rows += more
    if any(len(row) < len(columns) for row in rows):
        rows = [{name: row.get(name) for name in columns} for row in rows]
    return list(columns), rows


def _parquet(path: Path) -> tuple[list[str], list[JsonDict]]:
    # ParquetFile, not read_table: a folder's name such as `index=a` is no column.
    with pq.ParquetFile(path) as file:
        read = file.read([name for name in file.schema_arrow.names if not name.endswith("embedding")])
        names: list[str] = file.schema_arrow.names
    return names, read.to_pylist()


_READERS = {PARQUET: _parquet, CSV: read_csv}


def _cell(kind: pa.DataType, value: Any) -> Any:
    """Return ids as a list, text as text, and a gap, which pandas has as a float, as None."""
    if pa.types.is_list(kind):
        return listed(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    if not pa.types.is_string(kind) or value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def listed(value: Any) -> list[Any]:
    """Return a list of ids, however a version wrote it: a list, JSON, or text with commas between.

    Parameters
    ----------
    value : Any
        A cell.

    Returns
    -------
    list of Any
        Ids as text, numbers as integers; empty for a gap.

    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return []
    if isinstance(value, str):
        return printed_list(value.strip())
    items = value if isinstance(value, list | tuple) else [value]
    items = [int(one) if isinstance(one, float) and one.is_integer() else one for one in items]
    # 0.5 joins the text units of each member of a community with commas, and lists the members.
    return [
        one for item in items for one in (item.split(",") if isinstance(item, str) else [item]) if one != ""
    ]


OURS = "corpusgraph"
"""Column with what of our nouns GraphRAG's shapes have no place for, as JSON."""
_INDEX = re.compile(r"__index_level_\d+__|Unnamed: \d+")
"""Columns that pandas makes of an index that nobody named."""
_OUR_ID = re.compile(r"(?:doc|chk|ent|rel|com|clm)_[0-9a-f]{16}")


def number(value: Any) -> int | None:
    """Return a whole number, also one that was written as text or as a float; else None.

    Parameters
    ----------
    value : Any
        A cell.

    Returns
    -------
    int or None
        None for a boolean too.

    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    as_real = real(value)
    return int(as_real) if as_real is not None and as_real.is_integer() else None


def real(value: Any) -> float | None:
    """Return a finite number, also one that was written as text or as a decimal; else None.

    Parameters
    ----------
    value : Any
        A cell.

    Returns
    -------
    float or None
        None for a boolean too.

    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def numbers(rows: list[JsonDict], table: str, notes: Notes) -> list[int]:
    """Return `human_readable_id` of each row where all are there and different, else numbers from 1.

    One that is as high as those of memory gets the next that is free: that range is for what is added here.

    Parameters
    ----------
    rows : list of JsonDict
        Of one table.
    table : str
        Its name, for the note.
    notes : Notes
        `numbers_given_anew` is added where they are.

    Returns
    -------
    list of int
        In the order of the rows, all different.

    """
    given = [number(row.get("human_readable_id")) for row in rows]
    if all(one is not None and one >= 0 for one in given) and len(set(given)) == len(given):
        kept = [one for one in given if one is not None]
        free = count(1 + max((one for one in kept if one < SHORT_IDS), default=0))
        return [one if one < SHORT_IDS else next(free) for one in kept]
    if rows:
        notes.add("numbers_given_anew", table)
    return list(range(1, len(rows) + 1))


def own_id(given: object, made: str) -> str:
    """Return an id that is ours already, or the one made.

    Parameters
    ----------
    given : object
        Whatever a row has there.
    made : str
        Id to be had else.

    Returns
    -------
    str
        Prefixed as our ids are.

    """
    return str(given) if isinstance(given, str) and _OUR_ID.fullmatch(given) else made


def unread(table: str, row: JsonDict, id_: str) -> JsonDict:
    """Return what nobody knows of a row that became the item `id_`: its own id, and columns of no version.

    Parameters
    ----------
    table : str
        As version 3 calls it.
    row : JsonDict
        Column -> cell.
    id_ : str
        Of the item that it became.

    Returns
    -------
    JsonDict
        To be kept as the item's attributes; cells as JSON has them.

    """
    kept: JsonDict = {}
    if (given := row.get("id")) is not None and given != id_:
        kept["graphrag_id"] = str(given)
    known = {*TYPES[table], "id", "human_readable_id", OURS}
    for key, cell in row.items():
        if key not in known and not _INDEX.match(key) and (value := json_value(cell)) not in (None, "", []):
            kept[key] = value
    return kept


N = TypeVar("N", bound=Noun)


def made(noun: type[N], row: JsonDict, fields: JsonDict) -> N:
    """Return an item of what was read of a row, and of what our own export kept beside GraphRAG's columns.

    Parameters
    ----------
    noun : type of N
        Class of the item.
    row : JsonDict
        Column -> cell; what our own export kept goes before `fields`.
    fields : JsonDict
        Field -> value, as read from GraphRAG's columns.

    Returns
    -------
    N
        Validated.

    Raises
    ------
    ValidationError
        Of pydantic, for what no such item can be.

    """
    own = printed(text) if isinstance(text := row.get(OURS), str) else None
    own = own if isinstance(own, dict) else {}
    if (own.get("short_id") or 0) >= SHORT_IDS:
        own.pop("short_id")
    return noun.model_validate({**fields, **own})
