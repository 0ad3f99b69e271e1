"""What a causal graph predicts and data can refute: conditional independencies, and their tests."""

import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.results import warned
from corpusgraph.tasks.analysis.causal.dag import CausalGraph, reachable
from corpusgraph.tasks.analysis.causal.identification import listing, minimal_separators
from corpusgraph.tasks.analysis.causal.models import Independence, IndependenceTest
from corpusgraph.tasks.analysis.causal.structure import CausalData, Structure
from corpusgraph.tasks.digits import settled
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.table.values import MAX_LEVELS, number, warning

Statement = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A variable, the variables it is independent of together, and what is held fixed."""


def basis(graph: CausalGraph) -> Iterator[Statement]:
    """Yield the ordered local Markov property of the latent projection.

    In a topological order, each variable given its Markov blanket in each ancestral set of those before it;
    without latent causes, each given its parents. Polynomial time between two.

    Parameters
    ----------
    graph : CausalGraph
        With latent nodes and bidirected edges.

    Yields
    ------
    tuple of (str, tuple of str, tuple of str)
        A variable, those it is independent of together, and what is held fixed.

    References
    ----------
    Richardson 2003; Jeong et al. 2024.

    """
    observed = graph.projected()
    before: set[str] = set()
    for node in observed.order():
        before.add(node)
        for group in _groups(observed, node, before):
            yield from _statement(observed, node, before, group)


def _groups(graph: CausalGraph, node: str, before: set[str]) -> Iterator[frozenset[str]]:
    """Yield each confounded group the node has in some ancestral set of those before it."""
    fixed, seen = graph.ancestors([node]), set[frozenset[str]]()
    queue = deque([frozenset(before)])
    while queue:
        inside = queue.popleft()
        group = frozenset(reachable({one: graph.spouses[one] & inside for one in inside}, [node]))
        if group not in seen:
            seen.add(group)
            yield group
            queue += [inside - graph.descendants([gone]) for gone in sorted(group - fixed)]


def _statement(graph: CausalGraph, node: str, before: set[str], group: frozenset[str]) -> Iterator[Statement]:
    """Yield what the node is independent of in the largest ancestral set where this is its group."""
    neighbours = frozenset().union(*(graph.spouses[one] for one in group)) - group
    largest = before - graph.descendants(neighbours & before)
    blanket = group.union(*(graph.parents[one] for one in group)) - {node}
    if others := largest - blanket - {node}:
        yield node, graph.in_order(others), graph.in_order(blanket)


Separated = tuple[str, str, tuple[str, ...]]
"""The first variable is independent of the second, given the others."""

MAX_PAIRWISE = 40
"""Observed nodes up to which every pair is looked at; above, the basis set is listed."""

MAX_LISTED = 1000
"""Independencies listed at most."""

MAX_NAMES = 20_000
"""Names that all statements of the basis set may hold together."""

MAX_PER_PAIR = 10
"""Minimal separating sets listed for one pair of variables."""


def independencies(graph: CausalGraph, selected: frozenset[str] = frozenset()) -> tuple[list[Separated], str]:
    """Return implied conditional independencies in the order of the nodes, and what was left out of them.

    Up to `MAX_PAIRWISE` observed nodes: for each pair without an edge, its minimal separating sets.
    Above: the statements of the basis set, one pair at a time.

    Parameters
    ----------
    graph : CausalGraph
        The causal graph.
    selected : frozenset of str
        Nodes that decide who is in the sample.

    Returns
    -------
    statements : list of (str, str, tuple of str)
        x, y, and what is held fixed.
    left_out : str
        What was left out, or nothing.

    """
    if len(graph.observed) > MAX_PAIRWISE:
        statements = () if selected else basis(graph)
        pairs = ((node, other, given) for node, others, given in statements for other in others)
        found = list(islice(pairs, MAX_LISTED))
        none = ", and none in a selected sample" if selected else ""
        return found, (
            f"Above {MAX_PAIRWISE} observed variables, independencies are those of each variable from earlier"
            f" ones given its Markov blanket, at most {MAX_LISTED}{none}."
        )
    found = list(_pairwise(graph.canonical(), selected, graph))
    per_pair = Counter((x, y) for x, y, _ in found)
    cut = f"At most {MAX_PER_PAIR} separating sets are listed for a pair of variables."
    return found, cut if max(per_pair.values(), default=0) == MAX_PER_PAIR else ""


def _pairwise(graph: CausalGraph, selected: frozenset[str], given: CausalGraph) -> Iterator[Separated]:
    for a, b in counted(combinations(given.observed, 2), "pairs of variables", every=16):
        if {a, b} & selected or (a, b) in graph.arrows or (b, a) in graph.arrows:
            continue
        moral = graph.moral({a, b} | selected, selected)
        cuts = islice(minimal_separators(moral, {a}, {b}, graph.latent), MAX_PER_PAIR)
        for cut in listing(cuts, given).sets:
            yield a, b, cut


def basis_set(graph: CausalGraph, selected: frozenset[str] = frozenset()) -> tuple[list[Statement], str]:
    """Return statements from which every independence among the observed follows, and what is left out.

    There is none for a selected sample: what selection leaves independent is listed pair by pair.

    Parameters
    ----------
    graph : CausalGraph
        The causal graph.
    selected : frozenset of str
        Nodes that decide who is in the sample.

    Returns
    -------
    statements : list of (str, tuple of str, tuple of str)
        x, all others, and what is held fixed.
    left_out : str
        What was left out, or nothing.

    References
    ----------
    Richardson (2003), Scand. J. Stat. 30(1), 145-157.

    """
    found: list[Statement] = []
    names = 0
    for statement in () if selected else basis(graph):
        names += len(statement[1]) + len(statement[2])
        if len(found) == MAX_LISTED or names > MAX_NAMES:
            return found, f"The basis set was cut at {len(found)} statements; there are more."
        found.append(statement)
    return found, ""


Array = NDArray[np.float64]

NOTHING = 1e-10
"""Share of a variance that counts as none left."""
_DIGITS = 8
"""Significant digits of a statistic and its p value, computed from an estimate of as many decimals."""

_DETERMINED = "nothing is left of a variable when the others are held fixed"
_FEW = "too few rows"


def partial_correlation(columns: Sequence[Array]) -> dict[str, Any]:
    """Test x and y, the first two columns, given the others: Fisher's z of the partial correlation.

    A constant column correlates with nothing, itself included.

    Parameters
    ----------
    columns : sequence of (array of float, shape (n,))
        x, y and what is held fixed, without gaps.

    Returns
    -------
    dict
        test, n, estimate (-1 to 1), statistic (z), p (two-sided); or n and why_not.

    References
    ----------
    Fisher (1924), Metron 3, 329-332.

    """
    n = len(columns[0])
    centred = np.hstack([_block(column, category=False) for column in columns]).T
    length = np.sqrt((centred**2).sum(axis=1))
    length[length <= NOTHING * math.sqrt(n)] = np.inf
    unit = centred / length[:, None]
    matrix = unit @ unit.T
    inner, across = matrix[2:, 2:], matrix[:2, 2:]
    rest = matrix[:2, :2] - across @ np.linalg.pinv(inner, rcond=NOTHING, hermitian=True) @ across.T
    size = n - int(np.linalg.matrix_rank(inner, tol=NOTHING, hermitian=True) if inner.size else 0) - 3
    if size <= 0:
        return {"why_not": _FEW}
    if min(rest[0, 0], rest[1, 1]) <= NOTHING:
        return {"why_not": _DETERMINED}
    r = _rounded(float(np.clip(rest[0, 1] / math.sqrt(rest[0, 0] * rest[1, 1]), -1.0, 1.0)))
    z = math.atanh(math.copysign(min(abs(r), 1 - 2**-53), r)) * math.sqrt(size)
    p = math.erfc(abs(z) / math.sqrt(2))
    return {
        "test": "partial_correlation",
        "estimate": r,
        "statistic": settled(z, _DIGITS),
        "p": settled(p, _DIGITS),
    }


def chi_square(columns: Sequence[NDArray[Any]]) -> dict[str, Any]:
    """Test x and y, codes of categories, within the strata of the others: Pearson's statistic, summed.

    Parameters
    ----------
    columns : sequence of (array of int, shape (n,))
        Codes from 0: x, y, then what is held fixed.

    Returns
    -------
    dict
        test, n, estimate (Cramér's V, 0 to 1), statistic, df, p; or n and why_not.

    References
    ----------
    Pearson (1900); Agresti (2002), Categorical Data Analysis, 3.2.

    """
    import polars as pl
    from scipy.stats import chi2

    n = len(columns[0])
    if not n:
        return {"why_not": _FEW}
    given = {f"given {at}": column for at, column in enumerate((np.zeros(n), *columns[2:]))}
    rows = pl.DataFrame({"x": columns[0], "y": columns[1], **given})
    cells = rows.group_by(pl.all(), maintain_order=True).agg(n=pl.len().cast(float))
    in_x, in_y, in_stratum = (pl.sum("n").over([*given, *more]) for more in (["x"], ["y"], []))
    statistic = _rounded(cells.select(pl.col("n") ** 2 * in_stratum / (in_x * in_y)).sum().item() - n)
    levels = cells.group_by(*given).agg(pl.col("x", "y").n_unique().cast(int)).select("x", "y").to_numpy()
    df = int((levels - 1).prod(axis=1).sum())
    if not df:
        return {"why_not": "no stratum has both variables vary"}
    statistic = max(statistic, 0.0)
    smallest = max(1, int(levels.max(axis=0).min()) - 1)
    return {
        "test": "chi_square",
        "estimate": settled(math.sqrt(statistic / (n * smallest)), _DIGITS),
        "statistic": statistic,
        "df": df,
        "p": settled(chi2.sf(statistic, df), _DIGITS),
    }


def pillai(columns: Sequence[tuple[NDArray[Any], bool]]) -> dict[str, Any]:
    """Test x and y given the others, numbers or categories: Pillai's trace with its F approximation.

    x and y (categories as dummies) are regressed on the others; the trace is the sum of the squared canonical
    correlations of the residuals.

    Parameters
    ----------
    columns : sequence of (array, shape (n,); bool)
        Values, and whether they are categories: x, y, then what is held fixed.

    Returns
    -------
    dict
        test, n, estimate (the trace), statistic (F), df, df_error, p; or n and why_not.

    References
    ----------
    Pillai (1955), Ann. Math. Stat. 26(1), 117-121; degrees of freedom: Muller & Peterson (1984), Comput.
    Stat. Data Anal. 2(2).

    """
    from scipy.stats import f

    n = len(columns[0][0])
    x, y = (_block(*column) for column in columns[:2])
    given = np.hstack([np.ones((n, 1)), *(_block(*column) for column in columns[2:])])
    basis = _basis(given, np.linalg.norm(given, axis=0).max(initial=1.0))
    left_x, left_y = (_basis(v - basis @ (basis.T @ v), _length(v)) for v in (x, y))
    p, q = left_x.shape[1], left_y.shape[1]
    if not p or not q:
        return {"why_not": _DETERMINED}
    s = min(p, q)
    error = n - basis.shape[1] - p - q + s
    if error <= 0:
        return {"why_not": _FEW}
    trace = _rounded(float((np.linalg.svd(left_x.T @ left_y, compute_uv=False) ** 2).sum()))
    df, df_error = s * max(p, q), s * error
    statistic = trace / max(s - trace, 2**-53) * df_error / df
    return {
        "test": "pillai",
        "estimate": trace,
        "statistic": settled(statistic, _DIGITS),
        "df": df,
        "df_error": df_error,
        "p": settled(f.sf(statistic, df, df_error), _DIGITS),
    }


def _block(values: NDArray[Any], category: bool) -> Array:
    """Return a number as a column around its mean, a category as dummies of all levels but the first."""
    if category:
        dummies: Array = (values[:, None] == np.unique(values)[None, 1:]).astype(np.float64)
        return dummies
    # Divided by its largest value first, a column of huge numbers has a variance that no float overflows.
    scaled = values / (np.abs(values).max(initial=0.0) or 1.0)
    found: Array = (scaled - scaled.mean() if len(scaled) else scaled)[:, None]
    return found


def _length(values: Array) -> float:
    if not values.size:
        return 1.0
    return float(np.linalg.norm(values - values.mean(axis=0), axis=0).max(initial=0.0)) or 1.0


def _basis(values: Array, scale: float) -> Array:
    """Return orthonormal columns that span the values, leaving out what is nothing beside `scale`."""
    left, sizes, _ = np.linalg.svd(values, full_matrices=False)
    kept: Array = left[:, sizes > 1e-9 * scale]
    return kept


def _rounded(estimate: float) -> float:
    """Round before anything is computed from it: an estimate of 0 is otherwise some 1e-17 of either sign."""
    return round(estimate, _DIGITS) + 0.0


NEITHER = frozenset({"date", "datetime", "json"})
"""Types of columns that are neither numbers nor categories."""
CELL = 5
"""Rows a cell should hold on average for the chi-square distribution to be near (Cochran 1954)."""


@dataclass(frozen=True)
class _Variable:
    """A column as numbers (gaps NaN) or as codes of categories (gaps -1)."""

    values: NDArray[Any]
    category: bool
    present: NDArray[np.bool_]


def tested_independencies(
    made: Structure, data: CausalData, found: Sequence[Independence]
) -> tuple[IndependenceTest, ...]:
    """Test each independence in the rows without a gap in its variables.

    All numbers: partial correlation, Fisher's z. All categories: Pearson's chi-square within strata. Mixed:
    Pillai's trace of canonical correlations. A variable with states, with two different values, or of text is
    a category. P values are adjusted for all tests by Holm's method.

    Parameters
    ----------
    made : Structure
        The checked structure; warnings are added to it: `not_tested`, `sparse_cells`, `weights_unused`.
    data : CausalData
        The rows, columns by id of node.
    found : sequence of Independence
        What the graph implies.

    Returns
    -------
    tuple of IndependenceTest
        In the order given.

    References
    ----------
    Ankan, Wortel & Textor (2021), Curr. Protoc. 1(2), e45; Holm (1979), Scand. J. Stat. 6(2), 65-70.

    """
    variables, reasons = _variables(made, data)
    rows = [_tested(one, variables, reasons) for one in counted(found, "independencies tested", every=8)]
    sure = [row.p for row in rows if row.p is not None]
    adjusted = iter(_holm(sure))
    rows = [row if row.p is None else row.model_copy(update={"p_holm": next(adjusted)}) for row in rows]
    _note(made, data, rows)
    return tuple(rows)


def _holm(p_values: Sequence[float]) -> list[float]:
    """Return adjusted values; statsmodels gives the same but looks through the whole memory at each call."""
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values)[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted.tolist()


def _variables(made: Structure, data: CausalData) -> tuple[dict[str, _Variable], dict[str, str]]:
    """Return the columns that can be tested, and why the others cannot."""
    kinds = {column.name: column.dtype for column in data.table.columns}
    found: dict[str, _Variable] = {}
    reasons: dict[str, str] = {}
    for node in made.nodes:
        cells = data.cells(node.id)
        if all(cell is None for cell in cells):
            reasons[node.id] = f"no data for {node.label}"
        elif kinds[node.id] in NEITHER or any(isinstance(cell, list | dict) for cell in cells):
            reasons[node.id] = f"{node.label} holds neither numbers nor categories"
        elif kinds[node.id] in {"numeric", "integer"} and not node.states and len(set(cells) - {None}) > 2:
            values = np.array([number(cell) for cell in cells], dtype=np.float64)  # None is not-a-number
            found[node.id] = _Variable(values, category=False, present=np.isfinite(values))
        elif kinds[node.id] == "text" and not node.states and len(set(cells) - {None}) > MAX_LEVELS:
            reasons[node.id] = f"{node.label} is text with more than {MAX_LEVELS} values"
        else:
            texts = np.array(["" if cell is None else str(cell) for cell in cells])
            codes, present = np.unique(texts, return_inverse=True)[1], [cell is not None for cell in cells]
            found[node.id] = _Variable(codes, category=True, present=np.array(present))
    return found, reasons


def _tested(
    one: Independence, variables: Mapping[str, _Variable], reasons: Mapping[str, str]
) -> IndependenceTest:
    """Choose the test by the kinds of the variables, and make it in the rows without a gap."""
    names = (one.x, one.y, *one.given)
    bare = IndependenceTest(x=one.x, y=one.y, given=one.given)
    if missing := [reasons[name] for name in names if name in reasons]:
        return bare.model_copy(update={"why_not": "; ".join(missing)})
    used = [variables[name] for name in names]
    complete = np.logical_and.reduce([variable.present for variable in used])
    columns = [variable.values[complete] for variable in used]
    if all(variable.category for variable in used):
        found = chi_square(columns)
    elif not any(variable.category for variable in used):
        found = partial_correlation(columns)
    else:
        found = pillai([(c, v.category) for c, v in zip(columns, used, strict=True)])
    return bare.model_copy(update={"n": int(complete.sum()), **found})


def _note(made: Structure, data: CausalData, rows: Sequence[IndependenceTest]) -> None:
    """Tell what was not tested, what is rough, and that weights were left out."""
    names = made.names()
    untested = tuple(f"{_said(row, names)}: {row.why_not}" for row in rows if row.p is None)
    sparse = tuple(
        _said(row, names) for row in rows if row.test == "chi_square" and row.n < CELL * (row.df or 0)
    )
    message = f"{len(untested)} of {len(rows)} independencies could not be tested."
    made.warnings += warning("not_tested", message, untested)
    message = f"{len(sparse)} chi-square tests have few rows for their cells; their p values are rough."
    made.warnings += warning("sparse_cells", message, sparse)
    message = "The tests of independencies count every row once."
    ignored = data.weights is not None and len(untested) < len(rows)
    made.warnings += warned("weights_unused", message, when=ignored)


def _said(row: IndependenceTest, names: Mapping[str, str]) -> str:
    given = f" | {', '.join(names[node] for node in row.given)}" if row.given else ""
    return f"{names[row.x]} _||_ {names[row.y]}{given}"
