"""The codebook: every variable described, with its statistics."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.dataset.analysis import CodebookEntry, Measure
from corpusgraph.tasks.dataset.diagnose import Frame
from corpusgraph.tasks.dataset.model import measure_of

_COUNTED = {"nominal", "ordinal", "boolean"}


def codebook(
    table: Table, data: Frame, given: Mapping[str, str], measures: Mapping[str, Measure]
) -> tuple[CodebookEntry, ...]:
    """Describe the variables in column order; `given` maps a name to the one it had before."""
    return tuple(
        _entry(column, data.cells[column.name], given[column.name], measures.get(given[column.name]))
        for column in table.columns
    )


def _entry(column: Column, values: Sequence[Any], given: str, measure: Measure | None) -> CodebookEntry:
    present = [value for value in values if value is not None]
    numbers = column.dtype in {"numeric", "integer"}
    counts = Counter(_code(value) for value in present) if column.dtype in _COUNTED else {}
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
        statistics=_statistics(present) if numbers and present else {},
        frequencies={level: counts[level] for level in order if level in counts},
    )


def _code(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _statistics(values: Sequence[float]) -> dict[str, float]:
    """Return mean, sample standard deviation, and quantiles of type 7 (Hyndman & Fan 1996).

    What overflows a double is left out.
    """
    import numpy as np

    x = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        q25, median, q75 = (float(q) for q in np.quantile(x, [0.25, 0.5, 0.75]))
        found = {"mean": float(x.mean()), "sd": float(x.std(ddof=1)) if len(x) > 1 else math.nan}
    found |= {"min": float(x.min()), "q25": q25, "median": median, "q75": q75, "max": float(x.max())}
    return {name: value for name, value in found.items() if math.isfinite(value)}
