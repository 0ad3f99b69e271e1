"""The design matrix of a model and the columns that are exact combinations of others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.dataset.analysis import Model

TOLERANCE = 1e-9
"""Relative length below which what is left of a column counts as rounding."""
INTERCEPT = "(intercept)"


class _Data(Protocol):
    @property
    def columns(self) -> Mapping[str, Column]: ...
    @property
    def cells(self) -> Mapping[str, Sequence[Any]]: ...


@dataclass(frozen=True)
class Design:
    """Names and values of the terms, one column a term, one row a complete case."""

    names: tuple[str, ...]
    matrix: NDArray[np.float64]


def design(data: _Data, model: Model, rows: Sequence[int]) -> Design:
    """Return intercept, numbers and treatment-coded levels (first level is the base).

    A SEM has its observed variables as columns; a descriptive analysis has none.
    """
    terms = model.predictors if model.outcome else _numeric(data, model)
    named: list[tuple[str, list[float]]] = [(INTERCEPT, [1.0] * len(rows))] if terms else []
    for name in terms:
        named += _coded(data.columns[name], [data.cells[name][at] for at in rows])
    matrix = np.array([values for _, values in named], dtype=np.float64).reshape(len(named), len(rows)).T
    return Design(tuple(name for name, _ in named), matrix)


def _numeric(data: _Data, model: Model) -> tuple[str, ...]:
    kinds = {"numeric", "integer", "boolean"}
    return tuple(n for n in model.variables() if n != model.group and data.columns[n].dtype in kinds)


def _coded(column: Column, values: Sequence[Any]) -> list[tuple[str, list[float]]]:
    if column.dtype not in {"nominal", "ordinal"}:
        return [(column.name, [float(value) for value in values])]
    present = {str(value) for value in values}
    levels = [level for level in column.levels or () if level in present]
    return [(f"{column.name}[{level}]", [float(str(v) == level) for v in values]) for level in levels[1:]]


def redundant(made: Design) -> tuple[tuple[str, ...], ...]:
    """Return each term that earlier ones determine, followed by those that do (Gram-Schmidt, twice).

    A constant is left out, and so is everything where there are fewer rows than terms.
    """
    if made.matrix.shape[0] < made.matrix.shape[1]:
        return ()
    basis: list[NDArray[np.float64]] = []
    kept: list[int] = []
    found = []
    for at, name in enumerate(made.names):
        column = _scaled(made.matrix[:, at])
        length = float(np.linalg.norm(column))
        rest = column.copy()
        for _ in range(2):  # the second pass removes the rounding of the first
            for vector in basis:
                rest -= vector * float(vector @ rest)
        left = float(np.linalg.norm(rest))
        if left > TOLERANCE * max(length, 1e-300):
            basis.append(rest / left)
            kept.append(at)
        elif (partners := _partners(made, kept, column)) != [INTERCEPT]:
            found.append((name, *partners))
    return tuple(found)


def _scaled(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide by the largest value: squares of huge numbers overflow."""
    return column / (float(np.abs(column).max(initial=0.0)) or 1.0)


def _partners(made: Design, kept: Sequence[int], column: NDArray[np.float64]) -> list[str]:
    before = np.column_stack([_scaled(made.matrix[:, at]) for at in kept])
    scale = np.linalg.norm(before, axis=0)
    weights = np.linalg.lstsq(before / scale, column, rcond=None)[0]
    large = np.abs(weights) > 1e-6 * max(float(np.abs(weights).max(initial=0.0)), 1e-300)
    names = [made.names[at] for at, is_large in zip(kept, large, strict=True) if is_large]
    return [name for name in names if name != INTERCEPT] or names
