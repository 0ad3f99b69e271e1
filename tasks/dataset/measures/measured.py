"""What a measure returns, and how it reads `of`."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.errors import UnknownEntityError, did_you_mean
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.results import ColumnType, ToolWarning
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.units import Reading, Sentence, Unit

TYPE_PREFIX = "type:"


@dataclass(frozen=True)
class Measured:
    """One cell a unit, with how it was computed and in what unit of measurement."""

    values: Sequence[Any]
    dtype: ColumnType
    formula: str
    label: str
    unit: str
    source: str = "evidence"
    warnings: tuple[ToolWarning, ...] = ()
    levels: tuple[str, ...] | None = None


Function = Callable[[Reading, TableDataset, Sequence[Unit], Variable], Measured]


def asserted(relationship: Relationship, types: Collection[str] = ()) -> bool:
    """Return whether a relationship is counted: of the types, if there are any, else not only denied."""
    return relationship.type in types if types else relationship.is_stated


def named(variable: Variable) -> tuple[str, ...]:
    """Return what `of` lists; one name is a list of one."""
    return (variable.of,) if isinstance(variable.of, str) else variable.of or ()


def known_categories(
    variable: str, what: str, given: Iterable[str], known: Collection[str]
) -> tuple[ToolWarning, ...]:
    """Warn of names that the corpus has nothing of, with near ones."""
    lost = tuple(name for name in dict.fromkeys(given) if name not in known)
    if not lost:
        return ()
    near = (did_you_mean(name, sorted(known)) for name in lost)
    told = " ".join(dict.fromkeys(hint for hint in near if hint))
    message = f"Variable {variable!r}: the corpus has no {what} {', '.join(map(repr, lost))}. {told}".rstrip()
    return (ToolWarning(code="unknown_category", message=message, records=lost),)


def known_types(reading: Reading, variable: Variable, types: Iterable[str]) -> tuple[ToolWarning, ...]:
    """Warn of types that no relationship has."""
    known = reading.once("types", lambda: {r.type for r in reading.corpus.graph.relationships})
    lost = (one for one in types if one not in known)
    return known_categories(variable.name, "relationship of type", lost, known)


def known_kinds(reading: Reading, name: str, kinds: Iterable[str]) -> tuple[ToolWarning, ...]:
    """Warn of types that no entity has; case does not matter."""
    known = reading.once("kinds", lambda: {e.type for e in reading.corpus.graph.entities if e.type})
    return known_categories(name, "entity of type", unknown(kinds, known), known)


def unknown(given: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return those that are not known, without regard to case."""
    folded = {name.casefold() for name in known}
    return [name for name in given if name.casefold() not in folded]


def entities_named(
    reading: Reading, variable: Variable
) -> tuple[list[frozenset[str]], tuple[ToolWarning, ...]]:
    """Return for each name in `of` the ids of the entities it means: one, or all of `type:<entity type>`.

    Among several names, those the corpus does not have mean no entity and are named in a warning. Raises
    UnknownEntityError where it has none of them, AmbiguousEntityError.
    """
    found: list[frozenset[str]] = []
    unknown: list[tuple[str, UnknownEntityError]] = []
    for name in named(variable):
        try:
            found.append(_meant(reading, name))
        except UnknownEntityError as error:
            found.append(frozenset())
            unknown.append((name, error))
    if unknown and len(unknown) == len(found):
        raise unknown[0][1]
    kinds = (
        name.removeprefix(TYPE_PREFIX).strip() for name in named(variable) if name.startswith(TYPE_PREFIX)
    )
    warnings = known_kinds(reading, variable.name, kinds)
    if unknown:
        names = tuple(name for name, _ in unknown)
        told = " ".join(error.hint for _, error in unknown if error.hint)
        message = (
            f"Variable {variable.name!r}: the corpus has no entity {', '.join(map(repr, names))}. {told}"
        )
        warnings += (ToolWarning(code="unknown_entity", message=message.rstrip(), records=names),)
    return found, warnings


def _meant(reading: Reading, name: str) -> frozenset[str]:
    if not name.startswith(TYPE_PREFIX):
        return frozenset({reading.corpus.graph.entity(name).id})
    type_ = name.removeprefix(TYPE_PREFIX).strip().casefold()
    return frozenset(e.id for e in reading.corpus.graph.entities if (e.type or "").casefold() == type_)


@dataclass(frozen=True)
class Flat:
    """The sentences of some units, each once, and for every sentence of a unit whose it is and which one."""

    units: Sequence[Unit]  # held, so that their identity stays theirs
    sentences: Sequence[Sentence]
    owner: Ints
    which: Ints


def flat_of(reading: Reading, units: Sequence[Unit]) -> Flat:
    """Return the sentences of units as arrays, made once: every count sums over them."""

    def make() -> Flat:
        import numpy as np

        number: dict[Sentence, int] = {}
        which = [number.setdefault(s, len(number)) for unit in units for s in unit.sentences]
        owner = np.repeat(np.arange(len(units)), [len(unit.sentences) for unit in units])
        return Flat(units, list(number), owner, np.array(which, dtype=np.int64))

    return reading.once(("flat", id(units)), make)
