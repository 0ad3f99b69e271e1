"""The way back: nodes and edges read from tables."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, TypeVar

from pydantic import Field, PositiveInt, ValidationError

from corpusgraph.schemas.base import Described, JsonDict, stable_id
from corpusgraph.schemas.errors import InvalidInputError, PreparationError, did_you_mean
from corpusgraph.schemas.evidence import ENTITY_TYPES
from corpusgraph.schemas.graph import Entity, Graph, Relationship
from corpusgraph.schemas.results import Column, Table, ToolWarning
from corpusgraph.tasks.dataset.reshape.graph_tables import (
    ATTRIBUTES,
    EXTRA,
    Key,
    checked,
    is_id_column,
    parallel_id,
)
from corpusgraph.tasks.table.frames import table_of_rows
from corpusgraph.tasks.table.values import MOST_RECORDS, is_missing, number, warning

T = TypeVar("T", Entity, Relationship)
Home = tuple[Literal["field", "attribute", "attributes", "extra", "neighbours"], str]
_TEXTS = ("id", "source_id", "target_id", "type", "name")


def is_edge_table(table: Table) -> bool:
    """Return whether the table has the columns `source_id` and `target_id`.

    Parameters
    ----------
    table : Table
        Any table.

    Returns
    -------
    bool
        Other columns do not matter.

    """
    return {"source_id", "target_id"} <= {column.name for column in table.columns}


def read_nodes(table: Table) -> tuple[Entity, ...]:
    """Make a node of each row: known columns are fields, the others attributes.

    Parameters
    ----------
    table : Table
        In wide shape, with a column `id`.

    Returns
    -------
    tuple of Entity
        One a row.

    Raises
    ------
    PreparationError
        `empty_id`.
    InvalidInputError
        For a row of another width, and a field that cannot be what it should.

    """
    items = _items(table, Entity, ("id",))
    return tuple(_made(Entity, item, table, at) for at, item in enumerate(items, 1))


def read_edges(table: Table) -> tuple[Relationship, ...]:
    """Make an edge of each row; one without an id gets that of its ends and type, parallel ones a number.

    Parameters
    ----------
    table : Table
        In wide shape, with columns `source_id` and `target_id`.

    Returns
    -------
    tuple of Relationship
        One a row.

    Raises
    ------
    PreparationError
        `empty_id`, `weight_not_positive`, `weight_not_finite`.
    InvalidInputError
        For a row of another width, and a field that cannot be what it should.

    """
    made, usual, count = [], Relationship.model_fields["type"].default, Counter[Key]()
    for at, item in enumerate(_items(table, Relationship, ("source_id", "target_id")), 1):
        if "id" not in item:
            item["id"] = parallel_id((item["source_id"], item.get("type", usual), item["target_id"]), count)
        made.append(_made(Relationship, item, table, at))
    return tuple(made)


def read_neighbours(table: Table) -> tuple[Relationship, ...]:
    """Make the edges that columns of neighbours tell of, in order of rows and columns.

    Parameters
    ----------
    table : Table
        Of nodes, with a column `id`.

    Returns
    -------
    tuple of Relationship
        An edge for each key in a cell.

    """
    at = {column.name: place for place, column in enumerate(table.columns)}
    homes = [_home(column, Entity) for column in table.columns]
    places = [(place, name) for place, (kind, name) in enumerate(homes) if kind == "neighbours"]
    keys = (
        (str(row[at["id"]]), kind, str(target))
        for row in table.rows
        for place, kind in places
        for target in row[place] or ()
    )
    count = Counter[Key]()
    return tuple(
        Relationship(id=parallel_id(key, count), source_id=key[0], type=key[1], target_id=key[2])
        for key in keys
    )


def _items(table: Table, kind: type[T], needed: tuple[str, ...]) -> Iterator[JsonDict]:
    homes = [_home(column, kind) for column in table.columns]
    for at, row in enumerate(table.rows, 1):
        if len(row) != len(homes):
            message = f"Row {at} of {table.name!r} has {len(row)} cells for {len(homes)} columns."
            raise InvalidInputError(message, hint="Give every row a cell for each column.")
        item = _item(row, homes)
        for name in needed:
            if not str(item.get(name, "")).strip():
                message = f"Row {at} of {table.name!r} has no {name}."
                raise PreparationError(message, code="empty_id", hint="Fill it in, or leave the row out.")
        yield item


def _item(row: tuple[Any, ...], homes: list[Home]) -> JsonDict:
    fields: JsonDict = {}
    attributes: JsonDict = {}
    has_attributes = False
    for (home, name), value in zip(homes, row, strict=True):
        if value is None or home == "neighbours":
            continue
        if home == "field":
            fields[name] = str(value) if name in _TEXTS else value
        elif home == "extra" and isinstance(value, Mapping):
            fields |= value
        else:
            has_attributes = True
            whole = home != "attribute" and isinstance(value, Mapping)
            attributes |= value if whole else {name: value}
    return {**fields, ATTRIBUTES: attributes} if has_attributes else fields


def _home(column: Column, kind: type[Entity] | type[Relationship]) -> Home:
    """Return where the cells of a column belong.

    A column's source says it; without one, a column named like a field is that field, and objects in a
    column named `attributes` are attributes.
    """
    own, source = kind.__name__, column.source
    if kind is Entity and source.startswith("Relationship."):
        return "neighbours", source.removeprefix("Relationship.")
    if source in (f"{own}.{ATTRIBUTES}", f"{own}.{EXTRA}"):
        return ("attributes" if source.endswith(ATTRIBUTES) else "extra"), column.name
    for part, home in ((ATTRIBUTES, "attribute"), (EXTRA, "field")):
        if source.startswith(f"{own}.{part}."):
            return home, source.removeprefix(f"{own}.{part}.")  # type: ignore[return-value]
    if source.startswith(f"{own}."):
        return "field", source.removeprefix(f"{own}.")
    if column.name == ATTRIBUTES and column.dtype == "json":
        return "attributes", column.name
    return ("field" if column.name in kind.model_fields else "attribute"), column.name


def _made(kind: type[T], item: JsonDict, table: Table, at: int) -> T:
    try:
        return kind.model_validate(item)
    except ValidationError as error:
        problem = error.errors()[0]
    where = f"Row {at} of {table.name!r}"
    name = str(problem["loc"][0]) if problem["loc"] else "row"
    value = item.get(name)
    if name == "weight":
        is_number = isinstance(value, (int, float)) and not is_missing(value)
        code = "weight_not_positive" if is_number else "weight_not_finite"
        message = f"{where}: weight {value!r} is no positive number."
        raise PreparationError(message, code=code, hint="Give a number above 0, or leave the row out.")
    raise InvalidInputError(f"{where}: {name} {value!r}: {problem['msg']}.")


Nodes = dict[str, Entity]
Row = Mapping[str, Any]


def node_of(value: str, column: str, type_: str | None = None) -> Entity:
    """Make the entity a cell names; a column called like an entity type gives its cells that type.

    Parameters
    ----------
    value : str
        The cell.
    column : str
        Its column.
    type_ : str, optional
        Type of the entity, where it is known.

    Returns
    -------
    Entity
        With an id of its name and type, or, in a column of ids, with that id and no name.

    """
    if is_id_column(column):
        return Entity(id=value, type=type_)
    type_ = type_ or (column.casefold() if column.casefold() in ENTITY_TYPES else None)
    return Entity(id=Entity.make_id(value, type_ or ""), name=value, type=type_)


def names_in(value: Any, separator: str | None = None) -> list[str]:
    """Return the names in a cell: none, one, those of a list, or those between separators.

    Parameters
    ----------
    value : Any
        The cell.
    separator : str, optional
        Stands between names; None where a cell has one.

    Returns
    -------
    list of str
        Without blank ones.

    Raises
    ------
    PreparationError
        `mixed_types` for an object or a list of lists.

    """
    several = value if isinstance(value, (list, tuple)) else [value]
    if separator is not None:
        several = [
            part for one in several for part in (one.split(separator) if isinstance(one, str) else [one])
        ]
    return [text for one in several if (text := _text(one))]


def _text(one: Any) -> str:
    if isinstance(one, (dict, list, tuple)):
        raise PreparationError(f"{one!r} is no name.", code="mixed_types", hint="Flatten the column first.")
    if is_missing(one):
        return ""
    whole = isinstance(one, float) and one.is_integer()  # a key beside missing cells became a decimal
    return str(int(one) if whole else one).strip()


@dataclass
class Naming:
    """Reads cells as entities and keeps those it has met, with how each was written.

    Attributes
    ----------
    types : mapping of str to str, optional
        Column -> type of its entities.
    separators : mapping of str to str, optional
        Column -> what stands between names in a cell.
    homes : dict of str to str, optional
    keys : mapping of str to str, optional
    nodes : dict of str to Entity, optional
        Id -> entity met.

    """

    types: Mapping[str, str] = field(default_factory=dict)
    separators: Mapping[str, str] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    """A column of keys -> the column, here or in a table of nodes, whose cells they are."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """What a key says -> the id of the node that a table of nodes describes."""
    nodes: Nodes = field(default_factory=dict)
    _met: dict[tuple[str, str], str] = field(default_factory=dict)
    _spellings: dict[str, dict[str, None]] = field(default_factory=dict)

    def names(self, row: Row, column: str) -> list[str]:
        """Return the names in a cell of a column.

        Parameters
        ----------
        row : mapping of str to Any
            Column -> cell.
        column : str
            Its name.

        Returns
        -------
        list of str
            Empty for a missing cell.

        Raises
        ------
        PreparationError
            `mixed_types`.

        """
        return names_in(row[column], self.separators.get(column))

    def ids(self, row: Row, column: str) -> list[str]:
        """Return the ids of the entities that a cell names.

        Parameters
        ----------
        row : mapping of str to Any
            Column -> cell.
        column : str
            Its name.

        Returns
        -------
        list of str
            In the order of the names.

        Raises
        ------
        PreparationError
            `mixed_types`.

        """
        return [self.id_of(name, column) for name in self.names(row, column)]

    def id_of(self, name: str, column: str) -> str:
        """Return the id of the entity a cell of that column names; a new one is kept.

        Parameters
        ----------
        name : str
            The name in the cell.
        column : str
            Its column.

        Returns
        -------
        str
            In a column of `homes`, the id of the node whose key the name is.

        """
        if column in self.homes:
            if name in self.keys:
                return self.keys[name]
            column = self.homes[column]
        if (name, column) not in self._met:
            made = node_of(name, column, self.types.get(column))
            self.nodes.setdefault(made.id, made)
            self._met[name, column] = made.id
            self._spellings.setdefault(made.id, {})[made.name] = None
        return self._met[name, column]

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Name the entities that cells write in several ways.

        Returns
        -------
        tuple of ToolWarning
            `names_mapped`, or nothing.

        """
        several = {id_: list(names) for id_, names in self._spellings.items() if len(names) > 1}
        spellings = [f"{names[0]} = {', '.join(names[1:])}" for _, names in sorted(several.items())]
        message = f"{len(several)} entities are written in several ways and have their first name."
        return tuple(warning("names_mapped", message, spellings))


class RelationshipRule(Described):
    """How rows become edges; weights of the same edge add up.

    `row`: each row joins its source to its target. `cooccurrence`: entities of one row, or of rows less
    than `window` apart, are joined; the weight counts rows, or pairs of rows. `foreign_key`: the target
    cell names the source cell of another row (or several), or a node of the table of nodes. `nary`: each
    row becomes an entity of type `type`, joined to each entity of the row by an edge named after its column
    (W3C 2006, Defining N-ary Relations on the Semantic Web, pattern 1).
    """

    source_col: str | None = None
    """cooccurrence: none means all entity columns; nary: names the row's entity"""
    target_col: str | None = None
    type: str = Field(default="relates_to", min_length=1)
    kind: Literal["row", "cooccurrence", "foreign_key", "nary"] = "row"
    weight_col: str | None = None
    """column of positive weights; they add up"""
    window: PositiveInt = 1
    """cooccurrence: rows that count as together"""
    group_col: str | None = None
    """cooccurrence: no window reaches from one value of this column to another"""

    def columns(self) -> list[str]:
        """Return the columns the rule names.

        Returns
        -------
        list of str
            Source, target, weight, group: those that are named.

        """
        named = (self.source_col, self.target_col, self.weight_col, self.group_col)
        return [name for name in named if name is not None]


@dataclass
class Tally:
    """Weight, number of rows and passages of one edge.

    Attributes
    ----------
    weight : float, default 0.0
        Sum over the rows.
    n : int, default 0
        Rows.
    chunks : dict of str to None, optional
        Ids of the chunks behind the rows, in order.

    """

    weight: float = 0.0
    n: int = 0
    chunks: dict[str, None] = field(default_factory=dict)

    def add(self, weight: float, n: int, chunks: Iterable[str]) -> None:
        """Count rows for an edge.

        Parameters
        ----------
        weight : float
            Of the rows.
        n : int
            How many.
        chunks : iterable of str
            Ids of the chunks behind them.

        """
        self.weight += weight
        self.n += n
        self.chunks.update(dict.fromkeys(chunks))


def check_columns(table: Table, named: Iterable[str | None]) -> None:
    """Raise PreparationError `unknown_variable` for a column the table does not have.

    Parameters
    ----------
    table : Table
        Any table.
    named : iterable of (str or None)
        Names of columns; None is passed over.

    Raises
    ------
    PreparationError
        `unknown_variable`.

    """
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

    Parameters
    ----------
    rows : sequence of mapping of str to Any
        Column -> cell.
    rules : sequence of RelationshipRule
        How rows become edges.
    entity_columns : sequence of str
        Columns whose cells name entities.
    naming : Naming
        Reads the cells.
    provenance : sequence of sequence of str, optional
        Ids of the chunks behind each row.

    Returns
    -------
    (list of Relationship, tuple of ToolWarning)
        Warning `parallel_edges_merged`.

    Raises
    ------
    PreparationError
        `weight_not_positive`, `weight_not_finite`.
    InvalidInputError
        For a rule that lacks a column.

    """
    found: dict[Key, Tally] = {}
    several: dict[Key, None] = {}
    for rule in rules:
        tallies = _tallies(rows, rule, entity_columns, naming, provenance)
        for key, tally in sorted(tallies.items(), key=lambda item: Relationship.make_id(*item[0])):
            if key in found:
                several[key] = None
            found.setdefault(key, Tally()).add(tally.weight, tally.n, tally.chunks)
    edges = [_edge(key, tally) for key, tally in found.items()]
    message = f"{len(several)} edges are made by several rules and have the weight of all."
    records = [Relationship.make_id(*key) for key in several]
    return edges, tuple(warning("parallel_edges_merged", message, records))


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
        found.setdefault(key, Tally()).add(weight, 1, chunks)
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


Warnings = tuple[ToolWarning, ...]


def infer_graph(
    table: Table, columns: Sequence[str], rules: Sequence[RelationshipRule], naming: Naming
) -> tuple[Graph, Warnings]:
    """Return the graph of a table, nodes in order of id, and what to know about it.

    A key (a cell of a column in `naming.homes`) that names nothing becomes a stub. Raises what
    `infer_edges` raises, and PreparationError `unknown_variable`, `mixed_types`, `duplicate_id`.

    Parameters
    ----------
    table : Table
        Any table.
    columns : sequence of str
        Those whose cells name entities.
    rules : sequence of RelationshipRule
        How rows become edges; without any, what a row names together is joined.
    naming : Naming
        Reads the cells; entities that are met are put into it.

    Returns
    -------
    (Graph, tuple of ToolWarning)
        A warning for each thing that was left out or made up.

    Raises
    ------
    PreparationError
        `unknown_variable`, `mixed_types`, `duplicate_id`, `weight_not_positive`, `weight_not_finite`.
    InvalidInputError
        For a rule that lacks a column.

    """
    rules = rules or (RelationshipRule(kind="cooccurrence", type="co_occurs_with"),)
    used = [name for rule in rules for name in rule.columns()]
    check_columns(table, [*columns, *used, *naming.types, *naming.separators])
    missing = {column.name: column.missing for column in table.columns if column.missing}
    rows = [{k: None if v in missing.get(k, ()) else v for k, v in row.items()} for row in table.records()]
    warnings: Warnings = ()
    described: Nodes = {}
    if len(columns) == 1 and columns[0] not in naming.homes:
        plain = [c.name for c in table.columns if c.name not in {*used, *columns}]
        described, warnings = _described(rows, columns[0], plain, naming)
    else:
        _meet(rows, columns, naming)
    warnings += _without_names(rows, columns, naming)
    edges, told = infer_edges(rows, rules, columns, naming, table.provenance)
    nodes = naming.nodes | described
    stubs = _dangling(rows, columns, rules, naming)
    nodes |= {id_: nodes[id_].model_copy(update={"is_stub": True}) for id_ in stubs}
    warnings += (*told, *naming.warnings(), *stub_warning(stubs))
    return Graph(nodes=tuple(nodes[id_] for id_ in sorted(nodes)), edges=tuple(edges)), warnings


def stub_warning(ids: Sequence[str]) -> Warnings:
    """Name the entities that are named and not described.

    Parameters
    ----------
    ids : sequence of str
        Of entities.

    Returns
    -------
    tuple of ToolWarning
        `stub_entities`, or nothing.

    """
    message = f"{len(ids)} entities are named but not described; they got stubs."
    return tuple(warning("stub_entities", message, ids))


def _meet(rows: Sequence[Row], columns: Sequence[str], naming: Naming) -> set[str]:
    return {id_ for row in rows for column in columns for id_ in naming.ids(row, column)}


def _without_names(rows: Sequence[Row], columns: Sequence[str], naming: Naming) -> Warnings:
    empty = [str(at) for at, row in enumerate(rows, 1) if not any(naming.names(row, c) for c in columns)]
    message = f"{len(empty)} rows name no entity in {', '.join(columns)}."
    return tuple(warning("rows_without_entity", message, empty[:MOST_RECORDS] if columns else ()))


def _dangling(
    rows: Sequence[Row], columns: Sequence[str], rules: Sequence[RelationshipRule], naming: Naming
) -> list[str]:
    """Return the entities that only keys name."""
    keys = {name for name in naming.homes if rows and name in rows[0]}
    if not keys:
        return []
    ends = [end for rule in rules for end in (rule.source_col, rule.target_col) if end]
    others = dict.fromkeys(name for name in (*columns, *ends) if name not in keys)
    known = _meet(rows, list(others), naming) | set(naming.keys.values())
    return sorted(_meet(rows, sorted(keys), naming) - known)


def _described(
    rows: Sequence[Row], column: str, others: Sequence[str], naming: Naming
) -> tuple[Nodes, Warnings]:
    """Make the nodes that rows describe: other cells are fields (name, type, description) or attributes.

    Rows that name one entity and say different things of it leave it without attributes.
    """
    records = []
    for row in rows:
        for name in naming.names(row, column):
            made = naming.nodes[naming.id_of(name, column)]
            own = {"id": made.id} if is_id_column(column) else {"id": made.id, "name": made.name}
            record = {f"attribute_{c}" if c in own else c: row[c] for c in others} | own
            record["type"] = record.get("type") or made.type
            records.append(record)
    nodes = read_nodes(table_of_rows(records, "nodes"))
    if is_id_column(column):
        graph, warnings = checked(Graph(nodes=nodes))
        return {node.id: node for node in graph.nodes}, warnings
    first: Nodes = {}
    several = {node.id for node in nodes if first.setdefault(node.id, node) != node}
    kept = {id_: naming.nodes[id_] if id_ in several else node for id_, node in first.items()}
    message = f"Rows say different things of {len(several)} entities, which have no attributes."
    return kept, tuple(warning("attributes_left_out", message, sorted(several)))
