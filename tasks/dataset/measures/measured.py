"""What a measure returns, and how it reads `of`."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.errors import UnknownEntityError, did_you_mean
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.results import ColumnType, ToolWarning
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures.units import SCOPES, Reading, Unit
from corpusgraph.tasks.table.values import warning

TYPE_PREFIX = "type:"


@dataclass(frozen=True)
class Request:
    """A variable to measure: of which units, in which corpus and dataset.

    Attributes
    ----------
    reading : Reading
        The corpus.
    dataset : TableDataset
        The dataset.
    units : sequence of Unit
        The rows.
    variable : Variable
        The variable.

    """

    reading: Reading
    dataset: TableDataset
    units: Sequence[Unit]
    variable: Variable

    @property
    def scope(self) -> str:
        """The sentences that a unit is about, in words."""
        return SCOPES[self.dataset.unit]

    @property
    def of(self) -> tuple[str, ...]:
        """What the variable's `of` lists; one name is a list of one."""
        of = self.variable.of
        return (of,) if isinstance(of, str) else of or ()

    def listed(self, before: str = " of ") -> str:
        """Return what `of` lists after a word, or nothing.

        Parameters
        ----------
        before : str, default " of "
            What stands before the list.

        Returns
        -------
        str

        """
        return f"{before}{', '.join(self.of)}" if self.variable.of else ""

    @property
    def only(self) -> str:
        """The end of a formula that counts relationships of some types alone."""
        return self.listed("; only ")


@dataclass(frozen=True)
class Measured:
    """One cell a unit, with how it was computed and in what unit of measurement.

    Attributes
    ----------
    values : sequence of Any
        A cell a unit; None is missing.
    dtype : ColumnType
        Type of the column.
    formula : str
        How it was computed.
    label : str
        Of the column.
    unit : str
        Unit of measurement.
    source : str, default "evidence"
        What it was computed from.
    warnings : tuple of ToolWarning, optional
        What to know about it.
    levels : tuple of str, optional
        Of a column with levels.

    """

    values: Sequence[Any]
    dtype: ColumnType
    formula: str
    label: str
    unit: str
    source: str = "evidence"
    warnings: tuple[ToolWarning, ...] = ()
    levels: tuple[str, ...] | None = None


Function = Callable[[Request], Measured]


def asserted(relationship: Relationship, types: Collection[str] = ()) -> bool:
    """Return whether a relationship is counted: of the types, if there are any, else not only denied.

    Parameters
    ----------
    relationship : Relationship
        The relationship.
    types : collection of str, optional
        Types that count; empty for all.

    Returns
    -------
    bool

    """
    return relationship.type in types if types else relationship.is_stated


def known_categories(
    variable: str, what: str, given: Iterable[str], known: Collection[str]
) -> tuple[ToolWarning, ...]:
    """Warn of names that the corpus has nothing of, with near ones.

    Parameters
    ----------
    variable : str
        Name of the variable.
    what : str
        What the names are of.
    given : iterable of str
        Names asked for.
    known : collection of str
        Names of the corpus.

    Returns
    -------
    tuple of ToolWarning
        `unknown_category`, or nothing.

    """
    lost = [name for name in dict.fromkeys(given) if name not in known]
    near = (did_you_mean(name, sorted(known)) for name in lost)
    told = " ".join(dict.fromkeys(hint for hint in near if hint))
    message = f"Variable {variable!r}: the corpus has no {what} {', '.join(map(repr, lost))}. {told}".rstrip()
    return tuple(warning("unknown_category", message, lost))


def known_types(ask: Request) -> tuple[ToolWarning, ...]:
    """Warn of types in `of` that no relationship has.

    Parameters
    ----------
    ask : Request
        The variable.

    Returns
    -------
    tuple of ToolWarning
        `unknown_category`, or nothing.

    """
    known = ask.reading.once("types", lambda: {r.type for r in ask.reading.corpus.graph.relationships})
    return known_categories(ask.variable.name, "relationship of type", ask.of, known)


def known_kinds(reading: Reading, name: str, kinds: Iterable[str]) -> tuple[ToolWarning, ...]:
    """Warn of types that no entity has; case does not matter.

    Parameters
    ----------
    reading : Reading
        The corpus.
    name : str
        Name of the variable.
    kinds : iterable of str
        Types of entities.

    Returns
    -------
    tuple of ToolWarning
        `unknown_category`, or nothing.

    """
    known = reading.once("kinds", lambda: {e.type for e in reading.corpus.graph.entities if e.type})
    return known_categories(name, "entity of type", unknown(kinds, known), known)


def unknown(given: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return those that are not known, without regard to case.

    Parameters
    ----------
    given : iterable of str
        Names asked for.
    known : iterable of str
        Names that there are.

    Returns
    -------
    list of str

    """
    folded = {name.casefold() for name in known}
    return [name for name in given if name.casefold() not in folded]


def entities_named(ask: Request) -> tuple[list[frozenset[str]], tuple[ToolWarning, ...]]:
    """Return for each name in `of` the ids of the entities it means: one, or all of `type:<entity type>`.

    Among several names, those the corpus does not have mean no entity and are named in a warning. Raises
    UnknownEntityError where it has none of them, AmbiguousEntityError.

    Parameters
    ----------
    ask : Request
        The variable.

    Returns
    -------
    (list of frozenset of str, tuple of ToolWarning)
        In the order of `of`; warnings `unknown_entity` and `unknown_category`.

    Raises
    ------
    UnknownEntityError
        Where the corpus has none of the names.
    AmbiguousEntityError
        Where a name means several entities.

    """
    graph, name = ask.reading.corpus.graph, ask.variable.name
    meant: list[frozenset[str]] = []
    lost: list[tuple[str, UnknownEntityError]] = []
    kinds = []
    for one in ask.of:
        if one.startswith(TYPE_PREFIX):
            kinds.append(one.removeprefix(TYPE_PREFIX).strip())
            folded = kinds[-1].casefold()
            meant.append(frozenset(e.id for e in graph.entities if (e.type or "").casefold() == folded))
            continue
        try:
            meant.append(frozenset({graph.entity(one).id}))
        except UnknownEntityError as error:
            meant.append(frozenset())
            lost.append((one, error))
    if lost and len(lost) == len(meant):
        raise lost[0][1]
    warnings = known_kinds(ask.reading, name, kinds)
    names = [one for one, _ in lost]
    hints = " ".join(error.hint for _, error in lost if error.hint)
    message = f"Variable {name!r}: the corpus has no entity {', '.join(map(repr, names))}. {hints}"
    return meant, (*warnings, *warning("unknown_entity", message.rstrip(), names))
