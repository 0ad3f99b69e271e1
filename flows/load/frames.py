"""Tables of the user's own, read for a tool: delimited text, JSON Lines, parquet, SPSS and Stata files."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.load.decoding import UnusableError
from corpusgraph.flows.load.rows import rows_of
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, did_you_mean, shown

if TYPE_CHECKING:
    import polars as pl


def read_frame(path: Path) -> "pl.DataFrame | JsonDict":
    """Return a file as a frame, or as `{columns, rows}` where the file says more of its variables.

    Parameters
    ----------
    path : Path
        Its ending says what it is.

    Returns
    -------
    DataFrame or JsonDict
        Cells of delimited text stay text: what is a number is found later, and `007` is none.

    Raises
    ------
    InvalidInputError
        For a file that is not there, of another kind, or damaged.

    """
    kind = path.suffix.casefold().lstrip(".")
    if kind not in _READERS:
        known = ", ".join(_READERS)
        hint = did_you_mean(kind, list(_READERS)) or f"It ends in one of {known}."
        raise InvalidInputError(f"{shown(path)} is no table that can be read.", hint=hint)
    if not path.is_file():
        raise InvalidInputError(f"No table at {shown(path)}.")
    table: pl.DataFrame | JsonDict = _READERS[kind](path)
    return table


def _frame(path: Path) -> "pl.DataFrame":
    import polars as pl

    try:
        if path.suffix.casefold() == ".parquet":
            return pl.read_parquet(path)
        separator = "," if path.suffix.casefold() == ".csv" else "\t"
        return pl.read_csv(path, separator=separator, infer_schema=False, encoding="utf8")
    except (pl.exceptions.PolarsError, UnicodeDecodeError, OSError) as error:
        raise _damaged(path, error) from None


def _json_lines(path: Path) -> JsonDict:
    """Read objects: cells keep their JSON types, and a key that a line lacks is a missing cell."""
    rows = []
    try:
        for _, row in rows_of(path, None, ()):
            if isinstance(row, UnusableError):
                raise row
            rows.append(row)
    except (UnusableError, OSError) as error:
        raise _damaged(path, error) from None
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {"name": path.stem, "columns": names, "rows": [[row.get(name) for name in names] for row in rows]}


def _statistical(path: Path) -> JsonDict:
    """Read an SPSS or Stata file with labels, value labels and missing codes."""
    import pyreadstat

    read = pyreadstat.read_sav if path.suffix.casefold() == ".sav" else pyreadstat.read_dta
    try:
        frame, meta = read(str(path), user_missing=True)
    except (pyreadstat.ReadstatError, ValueError) as error:
        raise _damaged(path, error) from None
    columns, cells = [], []
    for name in frame.columns:
        values = [_plain(value) for value in frame[name].tolist()]
        column: JsonDict = {"name": name, "label": meta.column_names_to_labels.get(name) or ""}
        if labels := meta.variable_value_labels.get(name):
            column["value_labels"] = {str(_plain(code)): text for code, text in labels.items()}
            measure = meta.variable_measure.get(name)
            column |= {"dtype": measure} if measure in {"nominal", "ordinal"} else {}
        if codes := _missing(meta, name, values):
            column["missing"] = codes
        columns.append(column)
        cells.append(values)
    rows = [list(row) for row in zip(*cells, strict=True)]
    return {"name": path.stem, "columns": columns, "rows": rows}


def _missing(meta: Any, name: str, values: list[Any]) -> list[Any]:
    """Return the codes that mean missing; of a range, those that the data hold."""
    codes: list[Any] = []
    for limits in meta.missing_ranges.get(name, ()):
        low, high = limits["lo"], limits["hi"]
        codes += [_plain(low)] if low == high else []
        codes += [value for value in values if isinstance(value, (int, float)) and low <= value <= high]
    codes += [code for code in meta.missing_user_values.get(name, ()) if code in set(values)]
    return list(dict.fromkeys(codes))


def _plain(value: Any) -> Any:
    """Return a whole float as an integer, a pandas gap as None, an instant as Python's."""
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value  # noqa: PLR0124 (NaN)
    if type(value).__name__ == "NaTType":
        return None
    return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value


def _damaged(path: Path, why: object) -> InvalidInputError:
    told = str(why).splitlines()[0] if str(why) else "it cannot be read"
    return InvalidInputError(f"{shown(path)} cannot be read: {told}.")


_READERS: Mapping[str, Callable[[Path], Any]] = {
    **dict.fromkeys(("csv", "tsv", "parquet"), _frame),
    **dict.fromkeys(("jsonl", "ndjson"), _json_lines),
    **dict.fromkeys(("sav", "dta"), _statistical),
}
