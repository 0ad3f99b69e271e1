"""Which observed variables identify an effect: adjustment sets and instruments."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from corpusgraph.tasks.prepare.causal.dag import CausalGraph
from corpusgraph.tasks.prepare.causal.separators import minimal_separators

MAX_SETS = 1000
"""Sets listed at most of one kind; a longer list is cut and said to be."""


@dataclass(frozen=True)
class Query:
    """The effect of `exposure` on `outcome`.

    `adjusted` nodes are conditioned on in any case; `selected` nodes decide who is in the sample.
    """

    graph: CausalGraph
    exposure: frozenset[str]
    outcome: frozenset[str]
    adjusted: frozenset[str] = frozenset()
    selected: frozenset[str] = frozenset()

    @property
    def observable(self) -> bool:
        """Whether exposure and outcome are both observed."""
        return self.graph.latent.isdisjoint(self.exposure | self.outcome)

    def on_causal_paths(self) -> set[str]:
        """Return the nodes other than the exposure on proper causal paths to the outcome."""
        away = self.graph.cut(into=self.exposure).descendants(self.exposure) - self.exposure
        return away & self.graph.cut(out_of=self.exposure).ancestors(self.outcome)


@dataclass(frozen=True)
class Listing:
    """Sets in order of size, then of names; `complete` is false when the list was cut."""

    sets: tuple[tuple[str, ...], ...]
    complete: bool = True


def listing(sets: Iterable[frozenset[str]], graph: CausalGraph, complete: bool = True) -> Listing:
    """Order sets by size and their members as the graph has them."""
    place = {node: i for i, node in enumerate(graph.nodes)}
    rows = [tuple(sorted(found, key=place.__getitem__)) for found in sets]
    rows.sort(key=lambda row: (len(row), [place[node] for node in row]))
    return Listing(tuple(rows), complete)


def adjustment_sets(query: Query, limit: int = MAX_SETS) -> Listing:
    """Return all minimal adjustment sets: no set when none exists, the empty set when nothing is needed.

    Generalised adjustment criterion (Shpitser, VanderWeele & Robins 2010; Perkovic et al. 2018), listed
    as minimal separators of the proper back-door graph (van der Zander, Liskiewicz & Textor 2019); with
    selected nodes, criterion of type 1 of Correa, Tian & Bareinboim 2018.
    """
    graph = query.graph.canonical()
    causal = query.on_causal_paths()
    spoilt = graph.descendants(causal)
    fixed = query.adjusted | query.selected
    if not query.observable or spoilt & query.adjusted or not _selection_is_harmless(query):
        return Listing(())
    back_door = graph.without({(a, b) for a, b in graph.arrows if a in query.exposure and b in causal})
    moral = back_door.moral(query.exposure | query.outcome | fixed)
    open_graph = {node: near - fixed for node, near in moral.items() if node not in fixed}
    cuts = minimal_separators(
        open_graph, query.exposure, query.outcome, (graph.latent | spoilt) - query.outcome
    )
    found = list(islice(cuts, limit + 1))
    return listing((cut | query.adjusted for cut in found[:limit]), query.graph, len(found) <= limit)


def _selection_is_harmless(query: Query) -> bool:
    if not query.selected:
        return True
    done = query.graph.cut(into=query.exposure).canonical()
    return done.separated(query.outcome, query.selected, query.exposure)


def instruments(query: Query) -> list[tuple[str, tuple[str, ...]]]:
    """Return (instrument, variables to condition on) for one exposure and one outcome.

    An instrument moves the exposure and reaches the outcome only through it (Brito & Pearl 2002); the
    variables conditioned on are the separator nearest to the outcome (van der Zander, Textor &
    Liskiewicz 2015), and are no descendants of the exposure.
    """
    graph = query.graph.canonical()
    causal = query.on_causal_paths()
    if not query.observable or query.selected or not causal or len(query.exposure | query.outcome) != 2:
        return []
    without_effect = graph.without({(a, b) for a, b in graph.arrows if a in query.exposure and b in causal})
    barred = graph.latent | graph.descendants(query.exposure) | graph.descendants(query.outcome)
    found = []
    for node in query.graph.observed:
        if node in barred | query.adjusted:
            continue
        given = _nearest_cut(without_effect, query, node, barred)
        if given is not None and not graph.separated({node}, query.exposure, given):
            found.append((node, listing([given], query.graph).sets[0]))
    return found


def _nearest_cut(graph: CausalGraph, query: Query, node: str, barred: Iterable[str]) -> frozenset[str] | None:
    """Return what separates a node from the outcome, as near to the outcome as can be."""
    moral = graph.moral({node} | query.outcome | query.adjusted)
    open_graph = {n: near - query.adjusted for n, near in moral.items() if n not in query.adjusted}
    cut = next(minimal_separators(open_graph, query.outcome, {node}, set(barred)), None)
    return None if cut is None else cut | query.adjusted
