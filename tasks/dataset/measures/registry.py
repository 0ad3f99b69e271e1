"""MEASURES: what can be computed for a unit, and for which units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import TableDataset, UnitOfAnalysis, Variable
from corpusgraph.tasks.dataset.measures import dates as dated
from corpusgraph.tasks.dataset.measures import network
from corpusgraph.tasks.dataset.measures import pairs as dyads
from corpusgraph.tasks.dataset.measures import pairs as groups
from corpusgraph.tasks.dataset.measures import text as counts
from corpusgraph.tasks.dataset.measures import text as wording
from corpusgraph.tasks.dataset.measures.attributes import attribute
from corpusgraph.tasks.dataset.measures.dates import check_steps, over_time
from corpusgraph.tasks.dataset.measures.measured import Function, Measured
from corpusgraph.tasks.dataset.measures.network import PLACES
from corpusgraph.tasks.dataset.measures.units import Reading, Unit

ALL: tuple[UnitOfAnalysis, ...] = (
    "entity",
    "document",
    "chunk",
    "event",
    "community",
    "pair",
    "entity_period",
)
_NODES: tuple[UnitOfAnalysis, ...] = ("entity", "entity_period")
_GROUPS: tuple[UnitOfAnalysis, ...] = ("document", "chunk", "event", "community")
_SPREAD: tuple[UnitOfAnalysis, ...] = ("entity", "community", "pair", "entity_period")
_PAIR: tuple[UnitOfAnalysis, ...] = ("pair",)
_TYPES = "relationship types"
_LEVEL = "a level (default: the deepest)"
_STANDING = {"attribute", "community", "period_index"}
"""What an entity has in a period without a sentence on it as well."""


@dataclass(frozen=True)
class Measure:
    """A measure, the units it fits, and what `of` names (None: it takes no `of`)."""

    function: Function
    units: tuple[UnitOfAnalysis, ...] = ALL
    of: str | None = None
    needs_of: bool = False
    said: str = ""

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        return self.said or (self.function.__doc__ or "").partition("\n")[0]


def _place(name: str) -> Measure:
    found = PLACES[name]
    said = found.formula[0].upper() + found.formula[1:] + "."
    return Measure(network.placed(name), _NODES, _TYPES, said=said)


def _dyad(name: str) -> Measure:
    formula = dyads.SHARED[name][-1]
    return Measure(dyads.shared(name), _PAIR, _TYPES, said=formula[0].upper() + formula[1:] + ".")


MEASURES: Mapping[str, Measure] = {
    "attribute": Measure(attribute, of="a field (default: the variable's name)"),
    "mentions": Measure(counts.mentions, of="entities, or type:<entity type>"),
    "relations": Measure(counts.relations, of=_TYPES),
    "causal_relations": Measure(counts.causal_relations, of=_TYPES),
    "claims": Measure(counts.claims),
    "events": Measure(counts.events, of="activities"),
    "entities": Measure(counts.entities, of="entity types"),
    "quantities": Measure(counts.quantities, of="units of measurement"),
    "documents": Measure(counts.documents, _SPREAD),
    "chunks": Measure(counts.chunks, ("document", *_SPREAD)),
    "first_date": Measure(dated.first_date),
    "last_date": Measure(dated.last_date),
    "dates": Measure(dated.dates),
    "duration": Measure(dated.duration),
    "words": Measure(wording.words, of="words or phrases to count instead of all"),
    "sentences": Measure(wording.sentences),
    "characters": Measure(wording.characters),
    "numbers": Measure(wording.numbers),
    "questions": Measure(wording.questions),
    "quotations": Measure(wording.quotations),
    "share": Measure(wording.share, of="words or phrases", needs_of=True),
    "word_share": Measure(wording.word_share, of="words or phrases", needs_of=True),
    "sentence_length": Measure(wording.sentence_length),
    "type_token_ratio": Measure(wording.type_token_ratio),
    "mtld": Measure(wording.mtld),
    "mattr": Measure(wording.mattr, of="words in a window (default: 50)"),
    "reading_ease": Measure(wording.reading_ease),
    **{name: _place(name) for name in PLACES},
    "community": Measure(network.community, _NODES, _LEVEL),
    "size": Measure(groups.size, ("community",)),
    "density": Measure(groups.density, _GROUPS, _TYPES),
    "transitivity": Measure(groups.transitivity, _GROUPS, _TYPES),
    "components": Measure(groups.components, _GROUPS, _TYPES),
    "conductance": Measure(groups.conductance, ("community",), _TYPES),
    "modularity": Measure(groups.modularity, ("community",), _TYPES),
    "co_occurrence": Measure(counts.co_occurrence, of="entities, all of which a sentence names"),
    "distance": Measure(dyads.distance, ("entity", "pair"), "one entity"),
    "weighted_distance": Measure(dyads.weighted_distance, ("entity", "pair"), "one entity"),
    "pmi": Measure(dyads.pmi, _PAIR),
    "npmi": Measure(dyads.npmi, _PAIR),
    **{name: _dyad(name) for name in dyads.SHARED},
    "same_community": Measure(dyads.same_community, _PAIR, _LEVEL),
    "same_document": Measure(dyads.same_document, _PAIR),
    "period_index": Measure(dated.period_index, ("entity_period",)),
}


def measure(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Compute a variable for every unit, in their order.

    Raises InvalidInputError where the measure does not fit the unit or its `of`, and names what would.
    """
    check_variable(dataset, variable)
    measured = MEASURES[variable.measure].function(reading, dataset, units, variable)
    return over_time(_present(measured, dataset, units, variable), dataset, units, variable)


def check_variable(dataset: TableDataset, variable: Variable) -> None:
    """Raise InvalidInputError where a variable fits neither the unit nor its measure, whatever the corpus."""
    known = MEASURES[variable.measure]
    what = f"Variable {variable.name!r}: measure {variable.measure!r}"
    if dataset.unit not in known.units:
        fits = ", ".join(name for name, one in MEASURES.items() if dataset.unit in one.units)
        raise InvalidInputError(
            f"{what} does not fit the unit {dataset.unit!r}.",
            hint=f"It fits {', '.join(known.units)}. What fits {dataset.unit}: {fits}.",
        )
    if variable.of and known.of is None:
        raise InvalidInputError(f"{what} takes no 'of'.")
    if known.needs_of and not variable.of:
        raise InvalidInputError(f"{what} needs 'of': {known.of}.")
    check_steps(dataset, variable)


def _present(
    measured: Measured, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Make missing what is counted of an entity in a period without a sentence on it, where so asked."""
    if dataset.unit != "entity_period" or dataset.absent == "zero" or variable.measure in _STANDING:
        return measured
    cells = zip(measured.values, units, strict=True)
    values = [value if unit.sentences else None for value, unit in cells]
    formula = f"{measured.formula}; missing in a period without a sentence on the entity"
    return replace(measured, values=values, formula=formula)
