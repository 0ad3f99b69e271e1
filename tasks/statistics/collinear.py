"""The design matrix of a regression, and how far its columns are from being combinations of each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from corpusgraph.tasks.statistics.analysis import Model, Term
from corpusgraph.tasks.statistics.frame import Frame, Mask
from corpusgraph.tasks.statistics.terms import polynomials, whole_categories

Vector = NDArray[np.float64]
TOLERANCE = 1e-9
"""Relative length below which what is left of a column counts as rounding."""
INTERCEPT = "(intercept)"
HIGH_INDEX = 30.0
HIGH_SHARE = 0.5
"""A harmful dependency has an index above 30 and two shares above 0.5 (Belsley, Kuh & Welsch 1980, 3.2)."""
_ROWS_AT_ONCE = 65_536
_SAFE = 1e-6
"""Smallest to largest eigenvalue of cross products from which these lose at most six of sixteen digits."""
_MOST_CELLS = 3_000_000
"""Rows times terms above which leverage is not looked at."""


@dataclass(frozen=True)
class Design:
    """Names and values of the terms, one column a number or level, one row a complete case.

    Columns are divided by their largest value: squares of huge numbers overflow.
    """

    names: tuple[str, ...]
    columns: tuple[Vector, ...]
    n_rows: int

    @cached_property
    def factor(self) -> Vector:
        """R of the QR factorisation of the columns scaled to length 1, (k, k) or (n, k) where n < k.

        Columns that are far from collinear give it by their cross products, which is ten times as quick.
        """
        cross = np.zeros((len(self.names), len(self.names)))
        for part in self.blocks():
            cross += part.T @ part
        values = np.linalg.eigvalsh(cross) if self.names else np.ones(1)
        if values[0] > _SAFE * values[-1]:
            return np.asarray(np.linalg.cholesky(cross).T, dtype=np.float64)
        found = np.empty((0, len(self.names)))
        for part in self.blocks():
            found = _upper(np.vstack([found, part]))
        return found

    def blocks(self) -> Iterator[Vector]:
        """Yield the rows of the columns scaled to length 1, some at a time."""
        for start in range(0, max(self.n_rows, 1), _ROWS_AT_ONCE):
            here = slice(start, start + _ROWS_AT_ONCE)
            yield np.column_stack([c[here] / n for c, n in zip(self.columns, self.lengths, strict=True)])

    @cached_property
    def lengths(self) -> list[float]:
        """Euclidean length of each column."""
        return [max(float(np.linalg.norm(column)), 1e-300) for column in self.columns]

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Places of the columns that earlier ones do not determine (Gram-Schmidt, twice)."""
        basis: list[Vector] = []
        kept = []
        for at in range(len(self.names)):
            rest = self.factor[:, at].copy()
            for _ in range(2):  # the second pass removes the rounding of the first
                for vector in basis:
                    rest -= vector * float(vector @ rest)
            left = float(np.linalg.norm(rest))
            if left > TOLERANCE:
                basis.append(rest / left)
                kept.append(at)
        return tuple(kept)

    def kept_factor(self) -> Vector:
        """R of the independent columns alone; it has as many rows as columns."""
        return _upper(self.factor[:, list(self.independent)])


def _upper(matrix: Vector) -> Vector:
    return np.asarray(np.linalg.qr(matrix, mode="r"), dtype=np.float64)


def design(data: Frame, model: Model, rows: Mask) -> Design:
    """Return intercept, numbers and treatment-coded levels (the reference level is left out).

    Powers of a variable that has all lower ones are powers around its middle, scaled to [-1, 1]: the model
    is the same, and its numbers are those of the scripts. A SEM has its observed variables as columns; a
    descriptive analysis has none.
    """
    terms = model.terms if model.outcome else tuple({name: 1} for name in _numeric(data, model))
    n = int(rows.sum())
    named = [(INTERCEPT, np.ones(n))] if terms and model.intercept else []
    middles = polynomials(terms, intercept=model.intercept)
    categories = {name for name in model.predictors if data.columns[name].dtype in {"nominal", "ordinal"}}
    for term, whole in zip(
        terms, whole_categories(terms, categories, intercept=model.intercept), strict=True
    ):
        # a category in `whole` is compared with no level of it
        reference = {**model.reference, **dict.fromkeys(whole)}
        named += _product(data, term, rows, reference, middles if len(term) == 1 else {})
    return Design(tuple(name for name, _ in named), tuple(column for _, column in named), n)


def _numeric(data: Frame, model: Model) -> tuple[str, ...]:
    kinds = {"numeric", "integer", "boolean"}
    aside = {model.group, model.cluster, model.weights}
    return tuple(n for n in model.variables() if n not in aside and data.columns[n].dtype in kinds)


def _product(
    data: Frame, term: Term, rows: Mask, reference: Mapping[str, str | None], middles: Mapping[str, int]
) -> list[tuple[str, Vector]]:
    made: list[tuple[str, Vector]] = []
    for name, power in term.items():
        coded = _coded(data, name, power, rows, reference.get(name, ""), around=name in middles)
        made = [(f"{a}:{b}", x * z) for a, x in made for b, z in coded] if made else coded
    return made


def _coded(
    data: Frame, name: str, power: int, rows: Mask, reference: str | None, *, around: bool
) -> list[tuple[str, Vector]]:
    values = data.kept(name, rows)
    if data.columns[name].dtype not in {"nominal", "ordinal"}:
        x = np.asarray(values.cast(float).to_numpy(), dtype=np.float64)
        if not len(x):
            return [(name if power == 1 else f"{name}^{power}", x)]
        low, high = float(x.min()), float(x.max())
        middle = low / 2 + high / 2 if around else 0.0
        x = (x - middle if around else x) / (max(high - middle, middle - low) or 1.0)
        return [(name, x) if power == 1 else (f"{name}^{power}", x**power)]
    text = values.cast(str)
    levels = data.levels(name, rows)
    base = levels[0] if reference == "" and levels else reference
    others = [level for level in levels if level != base]
    return [(f"{name}[{level}]", (text == level).cast(float).to_numpy()) for level in others]


def redundant(made: Design) -> tuple[tuple[str, ...], ...]:
    """Return each term that earlier ones determine, followed by those that do.

    A constant is left out, and so is everything where there are fewer rows than terms.
    """
    if made.n_rows < len(made.names):
        return ()
    found = []
    for at, name in enumerate(made.names):
        before = [place for place in made.independent if place < at]
        if at not in made.independent and (partners := _partners(made, before, at)) != [INTERCEPT]:
            found.append((name, *partners))
    return tuple(found)


def _partners(made: Design, before: Sequence[int], at: int) -> list[str]:
    weights = np.linalg.lstsq(made.factor[:, list(before)], made.factor[:, at], rcond=None)[0]
    large = np.abs(weights) > 1e-6 * max(float(np.abs(weights).max(initial=0.0)), 1e-300)
    names = [made.names[place] for place, is_large in zip(before, large, strict=True) if is_large]
    return [name for name in names if name != INTERCEPT] or names


def inflation(made: Design) -> dict[str, float]:
    """Return 1 / (1 - R^2) of each term on the others, with intercept where the model has one.

    Source: Marquardt (1970). Terms that others determine are left out.
    """
    kept = [made.names[at] for at in made.independent]
    if len(kept) < 2:
        return {}
    factor = made.kept_factor()
    first = int(kept[0] == INTERCEPT)
    centred = factor[first:, first:]  # without the first row and column: what the intercept does not explain
    inverse = np.linalg.inv(centred)
    vif = (centred**2).sum(axis=0) * (inverse**2).sum(axis=1)
    return {name: float(v) for name, v in zip(kept[first:], vif, strict=True)}


def conditioning(made: Design) -> tuple[float | None, tuple[str, ...]]:
    """Return the scaled condition number, and the terms of the dependencies that harm.

    Columns have length 1 and are not centred (Belsley, Kuh & Welsch 1980, chapter 3): a term is named where
    more than half of its variance, and of another's, goes with an index above 30.
    """
    if not made.independent:
        return None, ()
    _, values, rotation = np.linalg.svd(made.kept_factor())
    phi = (rotation.T / values) ** 2
    shares = phi / phi.sum(axis=1, keepdims=True)
    joined = shares[:, values[0] / values > HIGH_INDEX].sum(axis=1)
    kept = [made.names[at] for at in made.independent]
    named = tuple(name for name, share in zip(kept, joined, strict=True) if share > HIGH_SHARE)
    return float(values[0] / values[-1]), named if len(named) > 1 else ()


def leverage(made: Design) -> float | None:
    """Return the largest diagonal element of the hat matrix (Hoaglin & Welsch 1978); None for large data."""
    if not made.independent or not 0 < made.n_rows * len(made.names) <= _MOST_CELLS:
        return None
    inverse, kept = np.linalg.inv(made.kept_factor()), list(made.independent)
    largest = max(float(((part[:, kept] @ inverse) ** 2).sum(axis=1).max()) for part in made.blocks())
    return min(largest, 1.0)
