"""MEASURES: what can be computed for a unit, and for which units."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import TableDataset, UnitOfAnalysis, Variable
from corpusgraph.tasks.dataset.measures import dates, network, pairs, text
from corpusgraph.tasks.dataset.measures.attributes import attribute
from corpusgraph.tasks.dataset.measures.dates import check_steps, over_time
from corpusgraph.tasks.dataset.measures.measured import Function, Measured, Request
from corpusgraph.tasks.dataset.measures.network import PLACES
from corpusgraph.tasks.dataset.measures.units import Reading, Unit

ALL: tuple[UnitOfAnalysis, ...] = get_args(UnitOfAnalysis)
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
    """A measure, the units it fits, and what `of` names (None: it takes no `of`).

    Attributes
    ----------
    function : Function
        Computes it.
    units : tuple of UnitOfAnalysis, optional
        Units of analysis that it fits.
    of : str, optional
        What `of` names.
    needs_of : bool, default False
        Whether `of` must be there.
    said : str, default ""
        Its summary, where the docstring of the function is none.

    """

    function: Function
    units: tuple[UnitOfAnalysis, ...] = ALL
    of: str | None = None
    needs_of: bool = False
    said: str = ""

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        return self.said or (self.function.__doc__ or "").partition("\n")[0]


def _family(
    formulas: Mapping[str, Any], function: Callable[[str], Function], units: tuple[UnitOfAnalysis, ...]
) -> dict[str, Measure]:
    """Return the measures of a table, each summed up by its formula."""
    texts = {name: how.formula for name, how in formulas.items()}
    return {
        name: Measure(function(name), units, _TYPES, said=f"{text[0].upper()}{text[1:]}.")
        for name, text in texts.items()
    }


MEASURES: Mapping[str, Measure] = {
    "attribute": Measure(attribute, of="a field (default: the variable's name)"),
    "mentions": Measure(text.mentions, of="entities, or type:<entity type>"),
    "relations": Measure(text.relations, of=_TYPES),
    "causal_relations": Measure(text.causal_relations, of=_TYPES),
    "claims": Measure(text.claims),
    "events": Measure(text.events, of="activities"),
    "entities": Measure(text.entities, of="entity types"),
    "quantities": Measure(text.quantities, of="units of measurement"),
    "documents": Measure(text.documents, _SPREAD),
    "chunks": Measure(text.chunks, ("document", *_SPREAD)),
    "first_date": Measure(dates.first_date),
    "last_date": Measure(dates.last_date),
    "dates": Measure(dates.dates),
    "duration": Measure(dates.duration),
    "words": Measure(text.words, of="words or phrases to count instead of all"),
    "sentences": Measure(text.sentences),
    "characters": Measure(text.characters),
    "numbers": Measure(text.numbers),
    "questions": Measure(text.questions),
    "quotations": Measure(text.quotations),
    "share": Measure(text.share, of="words or phrases", needs_of=True),
    "word_share": Measure(text.word_share, of="words or phrases", needs_of=True),
    "sentence_length": Measure(text.sentence_length),
    "type_token_ratio": Measure(text.type_token_ratio),
    "mtld": Measure(text.mtld),
    "mattr": Measure(text.mattr, of="words in a window (default: 50)"),
    "reading_ease": Measure(text.reading_ease),
    **_family(PLACES, network.placed, _NODES),
    "community": Measure(network.community, _NODES, _LEVEL),
    "size": Measure(pairs.size, ("community",)),
    "density": Measure(pairs.density, _GROUPS, _TYPES),
    "transitivity": Measure(pairs.transitivity, _GROUPS, _TYPES),
    "components": Measure(pairs.components, _GROUPS, _TYPES),
    "conductance": Measure(pairs.conductance, ("community",), _TYPES),
    "modularity": Measure(pairs.modularity, ("community",), _TYPES),
    "co_occurrence": Measure(text.co_occurrence, of="entities, all of which a sentence names"),
    "distance": Measure(pairs.distance, ("entity", "pair"), "one entity"),
    "weighted_distance": Measure(pairs.weighted_distance, ("entity", "pair"), "one entity"),
    "pmi": Measure(pairs.pmi, _PAIR),
    "npmi": Measure(pairs.npmi, _PAIR),
    **_family(pairs.SHARED, pairs.shared, _PAIR),
    "same_community": Measure(pairs.same_community, _PAIR, _LEVEL),
    "same_document": Measure(pairs.same_document, _PAIR),
    "period_index": Measure(dates.period_index, ("entity_period",)),
}


def measure(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Compute a variable for every unit, in their order.

    Parameters
    ----------
    reading : Reading
        The corpus.
    dataset : TableDataset
        What the study asks for.
    units : sequence of Unit
        The rows.
    variable : Variable
        The variable.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    InvalidInputError
        Where the measure does not fit the unit or its `of`.

    """
    check_variable(dataset, variable)
    measured = MEASURES[variable.measure].function(Request(reading, dataset, units, variable))
    return over_time(_present(measured, dataset, units, variable), dataset, units, variable)


def check_variable(dataset: TableDataset, variable: Variable) -> None:
    """Raise InvalidInputError where a variable fits neither the unit nor its measure, whatever the corpus.

    Parameters
    ----------
    dataset : TableDataset
        What the study asks for.
    variable : Variable
        Of the dataset.

    Raises
    ------
    InvalidInputError
        Where it does not fit; the hint names what would.

    """
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
