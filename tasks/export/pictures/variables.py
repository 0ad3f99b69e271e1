"""The variables of an analysis that a picture shows, by the names they were given, and their values.

A table is prepared once for each program, with names and cuts that fit it. A picture uses what all of them
share, so that it is the same picture.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpusgraph.tasks.export.pictures.nodes import spoken
from corpusgraph.tasks.statistics.analysis import CodebookEntry, StatisticalAnalysis
from corpusgraph.tasks.statistics.kept import CODE_ROLE
from corpusgraph.tasks.table.series import series

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

MOST = 12
_SHARED = 60
"""Characters of a label that every program keeps: Stata takes 80 characters, SPSS 256 bytes."""
_NUMBERS = ("numeric", "integer")
_CLASSES = ("nominal", "ordinal", "boolean")
_ROLES = ("outcome", "predictor", "control", "weight", "cluster", "group", "sem", "time")


@dataclass(frozen=True)
class Shown:
    """A variable: its entry in the codebook, its name for people, and how it is drawn."""

    entry: CodebookEntry
    label: str
    kind: str

    @property
    def is_number(self) -> bool:
        """Whether a correlation can be taken of it."""
        return self.kind == "number"


def label_of(entry: CodebookEntry) -> str:
    """Return the label, else the name as it was given."""
    return (entry.label or spoken(entry.given_name))[:_SHARED]


def described(result: StatisticalAnalysis) -> list[CodebookEntry]:
    """Return the variables that every program has; codes that mean missing are columns in some of them."""
    return [entry for entry in result.codebook if entry.role != CODE_ROLE]


def chosen(result: StatisticalAnalysis) -> list[Shown]:
    """Return up to twelve variables: those of the model in its order of roles, then the first others.

    Identifiers, text and what has no value are left out, unless there is nothing else.
    """
    rank = {name: at for at, name in enumerate(_ROLES)}
    part = set(result.model.variables())
    entries = sorted(
        (entry for entry in described(result) if entry.role != "id"),
        key=lambda entry: (entry.name not in part, rank.get(entry.role or "", len(rank))),
    )
    found: list[Shown] = []
    plain: list[Shown] = []
    for entry in entries:
        one = Shown(entry, label_of(entry), _kind(result, entry))
        (plain if one.kind in {"text", "nothing"} and entry.name not in part else found).append(one)
        if len(found) == MOST:
            break
    return found or plain[:MOST]


def _kind(result: StatisticalAnalysis, entry: CodebookEntry) -> str:
    if not entry.n:
        return "nothing"
    if entry.type in _NUMBERS:
        return "number"
    if entry.type in _CLASSES:
        return "class"
    return "date" if instants(result, entry.name) is not None else "text"


def numbers(result: StatisticalAnalysis, name: str) -> "NDArray[np.float64]":
    """Return a column of numbers as floats (n,), NaN for missing."""
    import numpy as np
    import polars as pl

    found = series(result.table, name).cast(pl.Float64).fill_null(float("nan"))
    return np.asarray(found.to_numpy(), dtype=np.float64)


def instants(result: StatisticalAnalysis, name: str) -> "NDArray[np.int64] | None":
    """Return the dates of a column as microseconds from 1970; None where some value is no ISO date.

    Text is read as well: SPSS holds no date before 1582, and the column is text there.
    """
    import numpy as np
    import polars as pl

    found: pl.Series = series(result.table, name).drop_nulls().cast(pl.String)
    if not len(found) or not _dates(found.head(100)):
        return None
    clock = found.str.strip_suffix("Z").str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us")
    days = found.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us"))
    both = clock.fill_null(days) if clock.null_count() else clock
    return None if both.null_count() else np.asarray(both.to_physical().to_numpy(), dtype=np.int64)


def _dates(found: "pl.Series") -> bool:
    return bool(found.str.contains(r"^\d{4}-\d\d-\d\d(T|$)").all())


def counts(entry: CodebookEntry) -> list[tuple[str, int]]:
    """Return the classes of a variable with their numbers, in their order."""
    names = {**(entry.value_labels or {})}
    if entry.type == "boolean":
        names = {"false": "no", "true": "yes", **names}
    return [(str(names.get(code, code)), n) for code, n in entry.frequencies.items()]


def given(result: StatisticalAnalysis) -> dict[str, str]:
    """Return the names as they were given, by the names of the program."""
    before: dict[str, Any] = {new: old for old, new in result.name_map.items()}
    return {name: str(old) for name, old in before.items()}
