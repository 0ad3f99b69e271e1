"""Measures of an entity's place in the graph of the corpus, or of each period."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures import centralities as place
from corpusgraph.tasks.dataset.measures.links import Network, corpus_network, period_networks
from corpusgraph.tasks.dataset.measures.measured import Function, Measured, known_types, named
from corpusgraph.tasks.dataset.measures.places import PLACES, Place, cells
from corpusgraph.tasks.dataset.reading import Reading
from corpusgraph.tasks.dataset.units import Unit


def placed(name: str) -> Function:
    """Return the measure of that name, for entities and for panels."""

    def measure(
        reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
    ) -> Measured:
        types = named(variable)
        warnings = known_types(reading, variable, types)
        found = PLACES[name]
        if dataset.unit == "entity_period":
            networks = period_networks(reading, dataset, types)
            values = _of_periods(found, networks, units)
            where = f", in what is asserted in the {dataset.period}"
        else:
            networks = {"": corpus_network(reading, types)}
            scores = cells(found, networks[""])
            values, where = [scores[networks[""].place[unit.id]] for unit in units], ""
        only = f"; only {', '.join(types)}" if types else ""
        formula = f"{found.formula}{where}{only}{how_estimated(found, networks.values())}"
        source = "graph" if dataset.unit == "entity" else "evidence"
        return Measured(values, found.dtype, formula, found.label, found.unit, source, warnings)

    return measure


def _of_periods(found: Place, networks: Mapping[str, Network], units: Sequence[Unit]) -> list[Any]:
    scores = {period: cells(found, network) for period, network in networks.items()}
    values = []
    for unit in units:
        period, entity = unit.attributes["period"], unit.entities[0]
        at = networks[period].place.get(entity) if period in networks else None
        values.append(found.absent if at is None else scores[period][at])
    return values


def how_estimated(found: Place, networks: Iterable[Network]) -> str:
    """Return how a measure of all shortest paths was estimated, or nothing where it was not."""
    if not found.by_paths or not any(place.estimated(network) for network in networks):
        return ""
    return (
        f"; in a component of more than {place.EXACT} entities estimated from {place.PIVOTS} of them, chosen"
        f" with seed 0 ({found.by_paths})"
    )


def community(reading: Reading, _: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return the id of the entity's community: of the level in `of`, else the deepest it belongs to."""
    found, which = memberships(reading, variable)
    values = [found.get(unit.entities[0]) for unit in units]
    formula = f"{which} the entity belongs to; missing where in none"
    return Measured(values, "nominal", formula, "Community", "community", "graph")


def memberships(reading: Reading, variable: Variable) -> tuple[dict[str, str], str]:
    """Return entity id -> community id at the level in `of`, else the deepest, and how that is called."""
    levels = sorted({one.level for one in reading.corpus.graph.communities})
    given = (named(variable) or (None,))[0]
    if given is not None and not given.isdecimal():
        raise InvalidInputError(
            f"Variable {variable.name!r}: level {given!r} is no number.", hint="Level 0 is the coarsest."
        )
    if given is not None and levels and int(given) not in levels:
        raise InvalidInputError(
            f"Variable {variable.name!r}: there is no community of level {given}.",
            hint=f"There are levels {levels[0]} to {levels[-1]}.",
        )
    found: dict[str, str] = {}
    for one in sorted(reading.corpus.graph.communities, key=lambda c: (c.level, c.id)):
        if given is None or one.level == int(given):
            found |= dict.fromkeys(one.entity_ids, one.id)
    return found, "deepest community" if given is None else f"community of level {given}"
