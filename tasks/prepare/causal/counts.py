"""Conditional probability tables counted from data, with a stated prior."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.tasks.prepare.causal.cpt import configurations_of, said
from corpusgraph.tasks.prepare.causal.nouns import CausalNode, Cpt, CptRow, Prior


@dataclass(frozen=True)
class Pseudo:
    """A symmetric Dirichlet prior: `laplace`, `bdeu` or `none`, and its size."""

    kind: Prior
    size: float = 0.0

    def count(self, states: int, configurations: int) -> float:
        """Return the pseudo-count of one cell of a table.

        BDeu spreads an equivalent sample size evenly over all cells (Buntine 1991; Heckerman, Geiger &
        Chickering 1995); Laplace gives each the same; maximum likelihood gives none.
        """
        if self.kind == "bdeu":
            return self.size / (states * configurations)
        return self.size if self.kind == "laplace" else 0.0


def counted_cpt(
    node: CausalNode,
    parents: Sequence[str],
    states: Mapping[str, tuple[str, ...]],
    columns: Mapping[str, Sequence[str | None]],
    prior: Pseudo,
    weights: Sequence[float] | None = None,
) -> tuple[Cpt, list[str]]:
    """Estimate a table: the posterior mean under a symmetric Dirichlet prior, each row of the data weighted.

    Rows with a missing value in the family are left out. Returns the table and the configurations the
    data never show: these get the prior mean, equal probabilities.
    """
    own = states[node.id]
    family = (*parents, node.id)
    configurations = configurations_of(parents, states)
    counts = _counts([columns[name] for name in family], weights)
    for values in counts:
        _require_states(family, values, states)
    each = prior.count(len(own), len(configurations))
    made, unseen = [], []
    for configuration in configurations:
        n = [counts.get((*configuration, state), 0.0) for state in own]
        given = dict(zip(parents, configuration, strict=True))
        total = math.fsum(n) + each * len(own)
        p = tuple((k + each) / total if total else 1 / len(own) for k in n)
        made.append(CptRow(given=given, p=p, n=math.fsum(n)))
        if not any(n):
            unseen.append(f"{node.label} | {said(given)}")
    rows = tuple(made)
    cpt = Cpt(
        node=node.id, states=own, parents=tuple(parents), rows=rows, prior=prior.kind, prior_weight=each
    )
    return cpt, unseen


def _counts(
    columns: Sequence[Sequence[str | None]], weights: Sequence[float] | None
) -> dict[tuple[str, ...], float]:
    """Return how often, or with what weight, complete combinations occur, in order of first sight."""
    if weights is None:
        seen = Counter(zip(*columns, strict=True))
        return {_whole(key): float(n) for key, n in seen.items() if None not in key}
    parts: dict[tuple[str, ...], list[float]] = {}
    for weight, *key in zip(weights, *columns, strict=True):
        if None not in key:
            parts.setdefault(_whole(key), []).append(weight)
    return {key: math.fsum(some) for key, some in parts.items()}


def _whole(key: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(part for part in key if part is not None)


def _require_states(
    family: Sequence[str], values: Sequence[str], states: Mapping[str, tuple[str, ...]]
) -> None:
    for name, value in zip(family, values, strict=True):
        if value not in states[name]:
            raise PreparationError(
                f"The data have {name!r} = {value!r}, which is no state of it.",
                code="unknown_state",
                hint=did_you_mean(value, states[name]) or f"Its states are {', '.join(states[name])}.",
            )
