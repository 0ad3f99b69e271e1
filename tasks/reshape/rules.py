"""Relationships inferred from the rows of a table by rules."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

from pydantic import Field, PositiveInt

from corpusgraph.schemas.base import Noun, stable_id
from corpusgraph.schemas.errors import InvalidInputError, PreparationError, did_you_mean
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.results import Table, ToolWarning
from corpusgraph.tasks.reshape.naming import Naming, Row
from corpusgraph.tasks.table.values import number

Key = tuple[str, str, str]
"""Source, type and target of an edge."""


class RelationshipRule(Noun):
    """How rows become edges; weights of the same edge add up.

    `row`: each row joins its source to its target. `cooccurrence`: entities of one row, or of rows less
    than `window` apart, are joined; the weight counts rows, or pairs of rows. `foreign_key`: the target
    cell names the source cell of another row (or several), or a node of the table of nodes. `nary`: each
    row becomes an entity of type `type`, joined to each entity of the row by an edge named after its column
    (W3C 2006, Defining N-ary Relations on the Semantic Web, pattern 1).
    """

    source_col: str | None = Field(
        default=None, description="cooccurrence: none means all entity columns; nary: names the row's entity"
    )
    target_col: str | None = None
    type: str = Field(default="relates_to", min_length=1)
    kind: Literal["row", "cooccurrence", "foreign_key", "nary"] = "row"
    weight_col: str | None = Field(default=None, description="column of positive weights; they add up")
    window: PositiveInt = Field(default=1, description="cooccurrence: rows that count as together")
    group_col: str | None = Field(
        default=None, description="cooccurrence: no window reaches from one value of this column to another"
    )

    def columns(self) -> list[str]:
        """Return the columns the rule names."""
        named = (self.source_col, self.target_col, self.weight_col, self.group_col)
        return [name for name in named if name is not None]


@dataclass
class Tally:
    """Weight, number of rows and passages of one edge."""

    weight: float = 0.0
    n: int = 0
    chunks: dict[str, None] = field(default_factory=dict)

    def add(self, weight: float, chunks: Iterable[str] = ()) -> None:
        """Count a row."""
        self.weight += weight
        self.n += 1
        self.chunks.update(dict.fromkeys(chunks))


def check_columns(table: Table, named: Iterable[str | None]) -> None:
    """Raise PreparationError `unknown_variable` for a column the table does not have."""
    known = [column.name for column in table.columns]
    for name in named:
        if name is not None and name not in known:
            raise PreparationError(
                f"No column is named {name!r}.",
                code="unknown_variable",
                hint=did_you_mean(name, known) or f"There are {', '.join(known)}.",
            )


def infer_edges(
    rows: Sequence[Row],
    rules: Sequence[RelationshipRule],
    entity_columns: Sequence[str],
    naming: Naming,
    provenance: Sequence[Sequence[str]] | None = None,
) -> tuple[list[Relationship], tuple[ToolWarning, ...]]:
    """Return the edges of the rules, each rule's in order of id, and what to know about them.

    New entities are put into `naming`. An edge that several rules make is one, with all their weight.
    Raises PreparationError `weight_not_positive`, `weight_not_finite`; InvalidInputError for a rule that
    lacks a column.
    """
    found: dict[Key, Tally] = {}
    several: dict[Key, None] = {}
    for rule in rules:
        tallies = _tallies(rows, rule, entity_columns, naming, provenance)
        for key in sorted(tallies, key=lambda key: Relationship.make_id(*key)):
            if key in found:
                several[key] = None
                found[key].weight += tallies[key].weight
                found[key].n += tallies[key].n
                found[key].chunks.update(tallies[key].chunks)
            else:
                found[key] = tallies[key]
    edges = [_edge(key, tally) for key, tally in found.items()]
    if not several:
        return edges, ()
    message = f"{len(several)} edges are made by several rules and have the weight of all."
    records = tuple(Relationship.make_id(*key) for key in several)
    return edges, (ToolWarning(code="parallel_edges_merged", message=message, records=records),)


def _edge(key: Key, tally: Tally) -> Relationship:
    source, kind, target = key
    if not math.isfinite(tally.weight):
        raise PreparationError(
            f"The weights from {source!r} to {target!r} add up to infinity.",
            code="weight_not_finite",
            hint="Divide all weights by the largest.",
        )
    return Relationship(
        id=Relationship.make_id(source, kind, target),
        source_id=source,
        target_id=target,
        type=kind,
        weight=tally.weight,
        n_evidence=tally.n,
        chunk_ids=tuple(tally.chunks) or None,
    )


def _tallies(
    rows: Sequence[Row],
    rule: RelationshipRule,
    columns: Sequence[str],
    naming: Naming,
    provenance: Sequence[Sequence[str]] | None,
) -> dict[Key, Tally]:
    found: dict[Key, Tally] = {}
    if rule.kind == "cooccurrence" and rule.window > 1:
        pairs = _windowed(rows, rule, columns, naming)
    else:
        pairs = ((key, (at,)) for at, row in enumerate(rows) for key in _keys(at, row, rule, columns, naming))
    for key, places in pairs:
        weight = _weight(rows[places[-1]], rule, places[-1] + 1)
        chunks = [chunk for at in places for chunk in provenance[at]] if provenance else ()
        found.setdefault(key, Tally()).add(weight, chunks)
    return found


def _keys(at: int, row: Row, rule: RelationshipRule, columns: Sequence[str], naming: Naming) -> Iterator[Key]:
    if rule.kind == "cooccurrence":
        together = sorted(_together(row, rule, columns, naming))
        yield from ((a, rule.type, b) for a, b in combinations(together, 2))
    elif rule.kind == "nary":
        yield from _nary(at, row, rule, columns, naming)
    else:
        if rule.source_col is None or rule.target_col is None:
            raise InvalidInputError(f"A rule of kind {rule.kind!r} needs source_col and target_col.")
        targets = naming.ids(row, rule.target_col)
        yield from ((a, rule.type, b) for a in naming.ids(row, rule.source_col) for b in targets)


def _together(row: Row, rule: RelationshipRule, columns: Sequence[str], naming: Naming) -> set[str]:
    named = [name for name in (rule.source_col, rule.target_col) if name] or columns
    return {id_ for column in named for id_ in naming.ids(row, column)}


def _nary(at: int, row: Row, rule: RelationshipRule, columns: Sequence[str], naming: Naming) -> Iterator[Key]:
    own = naming.ids(row, rule.source_col)[:1] if rule.source_col else []
    if not own:
        id_ = stable_id("ent", rule.type, "row", at + 1)
        naming.nodes.setdefault(id_, Entity(id=id_, name=f"{rule.type} {at + 1}", type=rule.type))
        own = [id_]
    for column in columns:
        if column != rule.source_col:
            yield from ((own[0], column, id_) for id_ in naming.ids(row, column))


def _windowed(
    rows: Sequence[Row], rule: RelationshipRule, columns: Sequence[str], naming: Naming
) -> Iterator[tuple[Key, tuple[int, ...]]]:
    """Yield each pair of entities once for each pair of rows, less than a window apart, that names both."""
    if rule.weight_col is not None:
        raise InvalidInputError("A window of several rows has no weight_col.", hint="Leave one of them out.")
    groups: dict[str, list[tuple[int, set[str]]]] = {}
    for at, row in enumerate(rows):
        group = repr(row[rule.group_col]) if rule.group_col else ""
        groups.setdefault(group, []).append((at, _together(row, rule, columns, naming)))
    for members in groups.values():
        for place, (at, here) in enumerate(members):
            yield from (((a, rule.type, b), (at,)) for a, b in combinations(sorted(here), 2))
            for before, there in members[max(0, place - rule.window + 1) : place]:
                pairs = {(min(a, b), max(a, b)) for a in there for b in here if a != b}
                yield from (((a, rule.type, b), (before, at)) for a, b in sorted(pairs))


def _weight(row: Row, rule: RelationshipRule, at: int) -> float:
    if rule.weight_col is None:
        return 1.0
    given: Any = row[rule.weight_col]
    value = number(given)
    if value is None or not math.isfinite(value):
        message = f"Row {at}: weight {given!r} is no finite number."
        raise PreparationError(message, code="weight_not_finite", hint="Give a number, or leave out the row.")
    if value <= 0:
        message = f"Row {at}: weight {given!r} is not above 0."
        raise PreparationError(message, code="weight_not_positive", hint="Leave out what weighs nothing.")
    return float(value)
