"""MEASURES: what can be computed for a unit, and for which units."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import TableDataset, UnitOfAnalysis, Variable
from corpusgraph.tasks.dataset import counts, network
from corpusgraph.tasks.dataset.attributes import attribute
from corpusgraph.tasks.dataset.measured import Measured
from corpusgraph.tasks.dataset.reading import Reading
from corpusgraph.tasks.dataset.units import Unit

Function = Callable[[Reading, TableDataset, Sequence[Unit], Variable], Measured]

ALL: tuple[UnitOfAnalysis, ...] = (
    "entity",
    "document",
    "chunk",
    "event",
    "community",
    "pair",
    "entity_period",
)


@dataclass(frozen=True)
class Measure:
    """A measure, the units it fits, and what `of` names (None: it takes no `of`)."""

    function: Function
    units: tuple[UnitOfAnalysis, ...] = ALL
    of: str | None = None
    needs_of: bool = False


MEASURES: Mapping[str, Measure] = {
    "attribute": Measure(attribute, of="a field (default: the variable's name)"),
    "mentions": Measure(counts.mentions, of="entities, or type:<entity type>"),
    "relations": Measure(counts.relations, of="relationship types"),
    "causal_relations": Measure(counts.causal_relations, of="relationship types"),
    "claims": Measure(counts.claims),
    "events": Measure(counts.events, of="activities"),
    "words": Measure(counts.words, of="words or phrases to count instead of all"),
    "sentences": Measure(counts.sentences),
    "entities": Measure(counts.entities, of="entity types"),
    "quantities": Measure(counts.quantities, of="units of measurement"),
    "share": Measure(counts.share, of="words or phrases", needs_of=True),
    "co_occurrence": Measure(counts.co_occurrence, of="entities, all of which a sentence names"),
    "first_date": Measure(counts.first_date),
    "last_date": Measure(counts.last_date),
    "degree": Measure(network.degree, ("entity",), "relationship types"),
    "pagerank": Measure(network.pagerank, ("entity",), "relationship types"),
    "betweenness": Measure(network.betweenness, ("entity",), "relationship types"),
    "clustering": Measure(network.clustering, ("entity",), "relationship types"),
    "community": Measure(network.community, ("entity",), "a level (default: the deepest)"),
    "distance": Measure(network.distance, ("entity", "pair"), "one entity"),
}


def measure(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Compute a variable for every unit, in their order.

    Raises InvalidInputError where the measure does not fit the unit or its `of`, and names what would.
    """
    known = MEASURES[variable.measure]
    what = f"Variable {variable.name!r}: measure {variable.measure!r}"
    if dataset.unit not in known.units:
        raise InvalidInputError(
            f"{what} does not fit the unit {dataset.unit!r}.", hint=f"It fits {', '.join(known.units)}."
        )
    if variable.of and known.of is None:
        raise InvalidInputError(f"{what} takes no 'of'.")
    if known.needs_of and not variable.of:
        raise InvalidInputError(f"{what} needs 'of': {known.of}.")
    return known.function(reading, dataset, units, variable)
