"""What the data allow: missing values, constant and collinear variables, too few rows, identification."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corpusgraph.tasks.digits import settled
from corpusgraph.tasks.statistics import notes as told
from corpusgraph.tasks.statistics.analysis import AnalysisType, Diagnostics, MissingPattern, Model
from corpusgraph.tasks.statistics.collinear import (
    Design,
    Vector,
    conditioning,
    design,
    inflation,
    leverage,
    redundant,
)
from corpusgraph.tasks.statistics.doubts import doubts
from corpusgraph.tasks.statistics.frame import Frame, Mask, tally
from corpusgraph.tasks.statistics.identify import degrees_of_freedom, free_parameters
from corpusgraph.tasks.statistics.kept import CODE_ROLE
from corpusgraph.tasks.statistics.lavaan import Sem
from corpusgraph.tasks.statistics.sem_rules import identification
from corpusgraph.tasks.statistics.separation import separated

if TYPE_CHECKING:
    import polars as pl

    from corpusgraph.schemas.results import ToolWarning

MOST_PATTERNS = 20
_SAMPLE = 1_000
_DIGITS = ((1e6, 2), (100.0, 6), (0.0, 8))
"""From a condition number on, so many digits of what is published of the design: those that every processor
gives, for a factorisation loses about as many digits as the number has."""
_NEAR_RATIO, _NEAR_DISTINCT = 19, 0.1
"""Kuhn (2008), J. Stat. Softw. 28(5): the commonest value 95/5 times the next, and few distinct values."""


def diagnose(
    analysis: AnalysisType, data: Frame, model: Model, sem: Sem, *, weights_assumed: bool = False
) -> tuple[Diagnostics, tuple["ToolWarning", ...]]:
    """Look at the data before anything is estimated.

    For a SEM, whatever makes estimation impossible is an error; otherwise it is a warning. The meaning of
    weights is `weights_assumed` where the caller did not give it. Raises PreparationError
    `no_data_in_variable` for a variable of the model, and the codes of `check_numbers`.
    """
    used = model.variables()
    notes = told.on_variables(analysis, data, used)
    told.check_numbers(data, model)
    watched = used or tuple(name for name, column in data.columns.items() if column.role != CODE_ROLE)
    complete = data.complete(watched)
    n_complete = int(complete.sum())
    found = Diagnostics(
        n_rows=data.n_rows,
        n_complete=data.n_rows if model.fiml else n_complete,
        share_complete=n_complete / data.n_rows,
        missing={name: n for name in data.columns if (n := data.series(name).null_count())},
        missing_patterns=patterns(data, watched),
        constant=tuple(name for name in watched if _is_constant(data.series(name))),
        near_constant=tuple(name for name in used if _is_nearly_constant(data.series(name))),
        **_clusters(data, model, complete),
    )
    made = design(data, model, complete)
    if analysis == "regression":
        found = found.model_copy(update=_of_design(data, model, complete, made))
    elif analysis == "sem":
        found = found.model_copy(update={**_of_sem(data, model, complete, sem), "collinear": redundant(made)})
    notes += [
        *told.on_model(found, data, model),
        *doubts(found, data, model, weights_assumed=weights_assumed),
    ]
    if analysis == "sem":
        told.raise_impossible(notes)
    return found, tuple(notes)


def patterns(data: Frame, names: Sequence[str]) -> tuple[MissingPattern, ...]:
    """Count the rows by which of the variables they lack; commonest first, ties by order of variables."""
    holes = [name for name in names if data.series(name).null_count()]
    if not holes:
        return (MissingPattern(variables=(), rows=data.n_rows),)
    packed = np.packbits(np.column_stack([data.missing(name) for name in holes]), axis=1)
    kinds, counts = _distinct(packed)
    order = np.lexsort((np.arange(len(kinds)), -counts))[:MOST_PATTERNS]
    lacking = np.unpackbits(kinds[order], axis=1, count=len(holes)).astype(bool)
    return tuple(
        MissingPattern(variables=tuple(np.array(holes)[row].tolist()), rows=int(n))
        for row, n in zip(lacking, counts[order], strict=True)
    )


def _distinct(packed: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the distinct rows in order and how often each is there; eight bytes are sorted as one number."""
    n, width = packed.shape
    if width > 8:
        return np.unique(packed, axis=0, return_counts=True)
    whole = np.zeros((n, 8), dtype=np.uint8)
    whole[:, :width] = packed
    found, counts = np.unique(whole.view(">u8").ravel().astype(np.uint64), return_counts=True)
    return found.astype(">u8").view(np.uint8).reshape(-1, 8)[:, :width], counts


def _is_constant(values: "pl.Series") -> bool:
    present = values.drop_nulls()
    return len(values) > 1 and len(present) > 0 and bool((present == present[0]).all())


def _is_nearly_constant(values: "pl.Series") -> bool:
    present = values.drop_nulls()
    sample = present.gather_every(max(len(present) // _SAMPLE, 1))
    if len(present) == 0 or 2 * sample.n_unique() > len(sample) > _SAMPLE // 2:
        return False  # many values differ: the count of all would take long and say the same
    counts = tally(present)["n"].head(2).to_list()
    few = present.n_unique() < _NEAR_DISTINCT * len(present)
    return len(counts) == 2 and few and counts[0] > _NEAR_RATIO * counts[1]


def _clusters(data: Frame, model: Model, complete: Mask) -> dict[str, object]:
    if not model.cluster:
        return {}
    sizes = tally(data.kept(model.cluster, complete))["n"].to_list()
    return {"n_clusters": len(sizes), "cluster_sizes": (min(sizes), max(sizes)) if sizes else None}


def _of_design(data: Frame, model: Model, complete: Mask, made: Design) -> dict[str, object]:
    extra = {"ordered": 0, "negative_binomial": 1}.get(model.kind, 0)
    number, near = conditioning(made)
    digits = next(digits for least, digits in _DIGITS if (number or 0.0) >= least)
    found: dict[str, object] = {
        "n_parameters": _parameters(data, model, complete, made) + extra,
        "collinear": redundant(made),
        "aliased": tuple(at for at in range(len(made.names)) if at not in made.independent),
        "vif": {name: settled(factor, digits) for name, factor in inflation(made).items()},
        "condition_number": None if number is None else settled(number, digits),
        "near_collinear": near,
        "max_leverage": None if (largest := leverage(made)) is None else settled(largest, digits),
    }
    if model.kind == "logistic" and complete.any():
        found["separated"], found["separation_check"] = separated(made, event(data, model, complete))
    return found


def _parameters(data: Frame, model: Model, complete: Mask, made: Design) -> int:
    if model.kind not in {"ordered", "multinomial"}:
        return len(made.names)
    cuts = max(len(data.levels(model.outcome or "", complete)) - 1, 0)
    return len(made.names) - 1 + cuts if model.kind == "ordered" else len(made.names) * cuts


def event(data: Frame, model: Model, rows: Mask) -> Vector:
    """Return 1 for each row whose outcome is not the reference, else 0."""
    outcome = model.outcome or ""
    values = data.kept(outcome, rows)
    if data.columns[outcome].dtype == "boolean":
        return np.asarray(values.cast(float).to_numpy(), dtype=np.float64)
    return np.asarray((values.cast(str) != model.reference.get(outcome, "")).cast(float).to_numpy())


def _of_sem(data: Frame, model: Model, complete: Mask, sem: Sem) -> dict[str, object]:
    """Count free parameters (no means) and degrees of freedom, each group having its own."""
    sizes: dict[str, int] = {}
    if model.group:
        counted = tally(data.kept(model.group, complete))
        sizes = {str(level): int(n) for level, n in sorted(counted.iter_rows(), key=lambda row: str(row[0]))}
    levels = {name: len(data.levels(name, complete)) for name in model.ordered}
    parameters, df = free_parameters(sem, levels), degrees_of_freedom(sem)
    identified, sentences = identification(sem)
    groups = max(len(sizes), 1)
    return {
        "n_parameters": None if parameters is None else parameters * groups,
        "degrees_of_freedom": None if df is None else df * groups,
        "identified": identified,
        "identification": sentences,
        "n_per_group": sizes,
    }
