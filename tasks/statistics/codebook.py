"""The codebook: every variable described, with its statistics."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.statistics.analysis import CodebookEntry, Measure
from corpusgraph.tasks.statistics.frame import Frame
from corpusgraph.tasks.statistics.model import measure_of

if TYPE_CHECKING:
    import polars as pl

_COUNTED = {"nominal", "ordinal", "boolean"}


def codebook(
    table: Table, data: Frame, given: Mapping[str, str], measures: Mapping[str, Measure]
) -> tuple[CodebookEntry, ...]:
    """Describe the variables in column order; `given` maps a name to the one it had before."""
    return tuple(
        _entry(column, data.series(column.name), given[column.name], measures.get(given[column.name]))
        for column in table.columns
    )


def _entry(column: Column, values: "pl.Series", given: str, measure: Measure | None) -> CodebookEntry:
    present = values.drop_nulls()
    numbers = column.dtype in {"numeric", "integer"}
    counts = _counts(present) if column.dtype in _COUNTED else {}
    order = column.levels or ("false", "true")
    return CodebookEntry(
        name=column.name,
        given_name=given,
        label=column.label or (given if given != column.name else ""),
        type=column.dtype,
        measure=measure or measure_of(column.dtype),
        unit=column.unit,
        role=column.role,
        levels=column.levels,
        value_labels=column.value_labels,
        missing_codes=column.missing,
        formula=column.formula,
        source=column.source,
        n=len(present),
        n_missing=len(values) - len(present),
        statistics=_statistics(present) if numbers and len(present) else {},
        frequencies={level: counts[level] for level in order if level in counts},
    )


def _counts(present: "pl.Series") -> dict[str, int]:
    return {str(code).lower() if isinstance(code, bool) else str(code): n for code, n in _counted(present)}


def _counted(present: "pl.Series") -> list[tuple[Any, int]]:
    counts: list[tuple[Any, int]] = present.value_counts().rows()
    return counts


def _statistics(values: "pl.Series") -> dict[str, float]:
    """Return mean, sample standard deviation, and quantiles of type 7 (Hyndman & Fan 1996).

    What overflows a double is left out.
    """
    import numpy as np

    x = np.asarray(values.cast(float).to_numpy(), dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        q25, median, q75 = (float(q) for q in np.quantile(x, [0.25, 0.5, 0.75]))
        found = {"mean": float(x.mean()), "sd": float(x.std(ddof=1)) if len(x) > 1 else math.nan}
    found |= {"min": float(x.min()), "q25": q25, "median": median, "q75": q75, "max": float(x.max())}
    return {name: value for name, value in found.items() if math.isfinite(value)}
