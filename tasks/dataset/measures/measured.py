"""What a measure is, what it is asked, what it returns, and how it reads `of`."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import Any, get_args

from corpusgraph.schemas.errors import UnknownEntityError, did_you_mean
from corpusgraph.schemas.results import ColumnType, ToolWarning
from corpusgraph.schemas.study import TableDataset, UnitOfAnalysis, Variable
from corpusgraph.tasks.dataset.measures.units import SCOPES, Reading, Sentence, Unit
from corpusgraph.tasks.table.values import warning

ALL: tuple[UnitOfAnalysis, ...] = get_args(UnitOfAnalysis)
GRAPH_UNITS = frozenset({"entity", "pair", "community"})
"""Units whose relationships are counted in the graph of the corpus; else in what their sentences assert."""
TYPES = "relationship types"
TYPE_PREFIX = "type:"


class _Listed(list[str]):
    """Names in a template: `{of: in }` is what stands before the list, and nothing where there is none."""

    def __format__(self, before: str) -> str:
        return f"{before}{', '.join(self)}" if self else ""


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
    warnings : list of ToolWarning
        What to know about the variable; gathered while it is measured.
    words : dict of str to str
        Further words of its templates; a measure puts them here, and what ends its formula as `ending`.

    """

    reading: Reading
    dataset: TableDataset
    units: Sequence[Unit]
    variable: Variable
    warnings: list[ToolWarning] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)

    @property
    def of(self) -> tuple[str, ...]:
        """What the variable's `of` lists; one name is a list of one."""
        of = self.variable.of
        return (of,) if isinstance(of, str) else of or ()

    def text(self, template: str) -> str:
        """Fill in a formula or a label.

        Parameters
        ----------
        template : str
            With `{scope}` (the unit's sentences), `{period}`, `{of}`, or `{of: in }` with what stands before,
            and what is in `words`.

        Returns
        -------
        str
            With `{scope}`, `{period}`, `{of}` and the words of this request put in.

        """
        scope, of = SCOPES[self.dataset.unit], _Listed(self.of)
        return template.format(scope=scope, period=self.dataset.period, of=of, **self.words)

    def warn_unknown(self, what: str, known: Collection[str], *, fold: bool = True) -> None:
        """Warn (`unknown_category`) of names in `of` that the corpus has nothing of.

        Parameters
        ----------
        what : str
            What the names are of.
        known : collection of str
            Names of the corpus.
        fold : bool, default True
            Whether case does not matter.

        """
        self.warnings.extend(unknown_categories(self.variable.name, what, self.of, known, fold=fold))

    def entities_named(self) -> list[frozenset[str]]:
        """Return for each name in `of` the entities it means: one, or all of `type:<entity type>`.

        Among several names, those the corpus does not have mean no entity and are named in a warning
        (`unknown_entity`, `unknown_category`).

        Returns
        -------
        list of frozenset of str
            Ids, in the order of `of`.

        Raises
        ------
        UnknownEntityError
            Where the corpus has none of the names.
        AmbiguousEntityError
            Where a name means several entities.

        """
        graph = self.reading.corpus.graph
        meant: list[frozenset[str]] = []
        lost: list[tuple[str, UnknownEntityError]] = []
        kinds = []
        for name in self.of:
            if name.startswith(TYPE_PREFIX):
                kinds.append(name.removeprefix(TYPE_PREFIX).strip())
                folded = kinds[-1].casefold()
                meant.append(frozenset(e.id for e in graph.entities if (e.type or "").casefold() == folded))
                continue
            try:
                meant.append(frozenset({graph.entity(name).id}))
            except UnknownEntityError as error:
                meant.append(frozenset())
                lost.append((name, error))
        if lost and len(lost) == len(meant):
            raise lost[0][1]
        self.warnings.extend(unknown_kinds(self.reading, self.variable.name, kinds))
        names = [name for name, _ in lost]
        hints = " ".join(error.hint for _, error in lost if error.hint)
        listed = ", ".join(map(repr, names))
        message = f"Variable {self.variable.name!r}: the corpus has no entity {listed}. {hints}"
        self.warnings.extend(warning("unknown_entity", message.rstrip(), names))
        return meant


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


Compute = Callable[[Request], Sequence[Any] | Measured]


@dataclass(frozen=True)
class Measure:
    """A measure: what computes it, how its column is described, and which units it fits.

    Attributes
    ----------
    compute : callable
        Takes a request; returns a cell a unit, or all of `Measured` where the rest depends on the corpus.
    dtype : ColumnType
        Type of the column.
    label, unit, formula : str
        Templates (`Request.text`) of the column's label, unit of measurement and formula.
    of_event : str, default ""
        The formula for events, where it is another.
    units : sequence of UnitOfAnalysis, optional
        Units of analysis that it fits.
    of : str, optional
        What `of` names; None: it takes no `of`.
    needs_of : bool, default False
        Whether `of` must be there.
    source : str, default "evidence"
        What it is computed from. Of relationship types it is the graph, or what sentences assert.
    rests_on : str, default "relation"
        What must have been read rightly for it; `text` where nothing but the words counts.

    """

    compute: Compute
    dtype: ColumnType = "integer"
    label: str = ""
    unit: str = ""
    formula: str = ""
    of_event: str = ""
    units: Sequence[UnitOfAnalysis] = ALL
    of: str | None = None
    needs_of: bool = False
    source: str = "evidence"
    rests_on: str = "relation"

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        return (self.compute.__doc__ or f"{self.formula[0].upper()}{self.formula[1:]}.").partition("\n")[0]

    def __call__(self, ask: Request) -> Measured:
        """Return the variable, a cell a unit.

        Parameters
        ----------
        ask : Request
            The variable, and of which units.

        Returns
        -------
        Measured

        """
        source = self.source
        if self.of == TYPES:
            known = ask.reading.once(
                "types", lambda: {r.type for r in ask.reading.corpus.graph.relationships}
            )
            ask.warn_unknown("relationship of type", known, fold=False)
            source = "graph" if ask.dataset.unit in GRAPH_UNITS else "evidence"
        values = self.compute(ask)
        if isinstance(values, Measured):
            return values
        formula = self.of_event if ask.dataset.unit == "event" and self.of_event else self.formula
        ending = ask.words.get("ending", "")
        texts = (ask.text(formula) + ending, ask.text(self.label), ask.text(self.unit))
        return Measured(values, self.dtype, *texts, source, tuple(ask.warnings))


def counted(counter: Callable[[Request], Callable[[Sentence], int]]) -> Compute:
    """Return the measure that sums what a function returns, a count of one sentence, over each unit's.

    Parameters
    ----------
    counter : callable
        Takes a request; its docstring is that of the measure.

    Returns
    -------
    callable
        One number for each unit, 0 or more; a sentence that several units share is counted once and added to
        each.

    """

    @wraps(counter)
    def compute(ask: Request) -> list[int]:
        once = cache(counter(ask))  # units share sentences
        return [sum(map(once, unit.sentences)) for unit in ask.units]

    return compute


def unknown_categories(
    variable: str, what: str, given: Iterable[str], known: Collection[str], *, fold: bool = True
) -> list[ToolWarning]:
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
    fold : bool, default True
        Whether case does not matter.

    Returns
    -------
    list of ToolWarning
        `unknown_category`, or nothing.

    """
    key = str.casefold if fold else str
    held = {key(name) for name in known}
    lost = [name for name in dict.fromkeys(given) if key(name) not in held]
    near = (did_you_mean(name, sorted(known)) for name in lost)
    told = " ".join(dict.fromkeys(hint for hint in near if hint))
    message = f"Variable {variable!r}: the corpus has no {what} {', '.join(map(repr, lost))}. {told}".rstrip()
    return warning("unknown_category", message, lost)


def unknown_kinds(reading: Reading, name: str, kinds: Iterable[str]) -> list[ToolWarning]:
    """Warn of types that no entity has.

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
    list of ToolWarning
        `unknown_category`, or nothing.

    """
    known = reading.once("kinds", lambda: {e.type for e in reading.corpus.graph.entities if e.type})
    return unknown_categories(name, "entity of type", kinds, known)
