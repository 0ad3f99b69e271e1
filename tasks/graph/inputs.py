"""How tools name entities, relationships and chunks in their input, and what chains hand over.

Wherever ids are expected, the results of another tool (`Scored` items, links, whole nouns) are taken too,
as objects or as their JSON: a step of a chain can be given the step before it as it is.
"""

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from operator import add
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity, EntityRef, Path
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.registry import Reads

K = TypeVar("K")
T = TypeVar("T")


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def reference(value: Any) -> Any:
    """Return the id of a scored item, a link or a noun; anything else as it is.

    Parameters
    ----------
    value : Any
        What a caller names an item by.

    Returns
    -------
    Any
        A string where there was an id.

    """
    if not isinstance(value, Mapping | BaseModel):
        return value
    for inner in ("item", "entity"):
        if (held := _field(value, inner)) is not None:
            return reference(held)
    return _field(value, "id") or value


def references(values: Any) -> Any:
    """Return the ids of a list of anything that has one, and the keys of a mapping.

    Parameters
    ----------
    values : Any
        A list, a tuple or a mapping; anything else is returned as it is.

    Returns
    -------
    Any
        A list of ids, short ids or names; the value itself where it is no list or mapping.

    """
    if isinstance(values, Mapping):
        return list(values)
    return [reference(value) for value in values] if isinstance(values, list | tuple) else values


def weights(values: Any, join: Callable[[float, float], float] = add) -> Any:
    """Return id -> score of a list of scored items; the scores of an item that comes twice are joined.

    Parameters
    ----------
    values : Any
        Scored items; anything else is returned as it is.
    join : callable, default add
        Makes one of two scores.

    Returns
    -------
    Any
        A dict in order of first appearance, or the value itself where an item has no score.

    """
    if not isinstance(values, list | tuple) or not values or any(_field(v, "score") is None for v in values):
        return values
    pairs = [(reference(value), _field(value, "score")) for value in values]
    if not all(isinstance(ref, str | int) and _is_number(score) for ref, score in pairs):
        return values  # what they are instead is told by the type of the field
    total: dict[Any, float] = {}
    for ref, score in pairs:
        total[ref] = join(total[ref], score) if ref in total else score
    return total


def _is_number(value: Any) -> bool:
    """Tell a number that a float can hold, or is."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) <= sys.float_info.max)


def seeds(values: Any) -> Any:
    """Return scored items as weights and a list of anything else as references.

    Parameters
    ----------
    values : Any
        What a caller gives as seeds.

    Returns
    -------
    Any
        A dict of weights, a list of references, or the value itself.

    """
    return found if isinstance(found := weights(values), Mapping) else references(values)


def summed(pairs: Iterable[tuple[K, float]]) -> dict[K, float]:
    """Add up the values of each key, in order of first appearance.

    Parameters
    ----------
    pairs : iterable of (key, float)
        A key may come several times.

    Returns
    -------
    dict of key to float
        Values are added from 0.0 in the order of the pairs.

    """
    total: dict[K, float] = {}
    for key, value in pairs:
        total[key] = total.get(key, 0.0) + value
    return total


def _not_negative(values: dict[EntityRef, float]) -> dict[EntityRef, float]:
    wrong = [f"{key!r}: {value}" for key, value in values.items() if not 0 <= value < math.inf]
    if wrong:
        raise ValueError(f"scores must be finite and not negative; these are not: {', '.join(wrong)}")
    return values


def _not_empty(values: T) -> T:
    if not values:
        raise ValueError("must name at least one")
    return values


def not_blank(value: Any) -> Any:
    """Refuse a blank text, as a validator.

    Parameters
    ----------
    value : Any
        Anything; what is no text is left as it is.

    Returns
    -------
    Any
        A text in NFC.

    Raises
    ------
    ValueError
        For a blank text.

    """
    if isinstance(value, str) and not value.strip():
        raise ValueError("must not be blank")
    return nfc(value) if isinstance(value, str) else value


Query = Annotated[str, AfterValidator(not_blank), Field(description="question or search text")]
"""What is searched for."""

TopK = Annotated[PositiveInt, Field(description="how many results at most")]


class VectorSearch(ToolInput):
    """What to look for by its vector."""

    query: Query
    top_k: TopK = 10
    threshold: float | None = Field(None, ge=-1, le=1, description="least cosine similarity")


_NAMED = "entities by id, short id or name"
_Refs = Annotated[list[EntityRef], BeforeValidator(references)]

EntityRefs = Annotated[_Refs, Reads("entities"), Field(min_length=1, description=_NAMED)]
RelationshipRefs = Annotated[
    _Refs, Reads("relationships"), Field(min_length=1, description="relationships by id or short id")
]
ChunkRefs = Annotated[_Refs, Reads("chunks"), Field(min_length=1, description="chunks by id or short id")]
_Scores = Annotated[dict[EntityRef, float], BeforeValidator(weights), AfterValidator(_not_negative)]
EntityScores = Annotated[
    _Scores,
    Reads("entities"),
    Field(min_length=1, description="score of each entity, by id, short id or name"),
]
RelationshipScores = Annotated[
    _Scores,
    Reads("relationships"),
    Field(min_length=1, description="score of each relationship, by id or short id"),
]
_RefsOrScores = Annotated[
    list[EntityRef] | dict[EntityRef, float], BeforeValidator(seeds), AfterValidator(_not_empty)
]
Seeds = Annotated[
    _RefsOrScores,
    Reads("entities"),
    Field(description="entities, or entity: weight; by id, short id or name"),
]
RelationshipsOrScores = Annotated[
    _RefsOrScores,
    Reads("relationships"),
    Field(description="relationships, or relationship: score; by id or short id"),
]


def graded(values: Any) -> Any:
    """Return id -> score of scored items, the best score of each; references of a list of anything else.

    Parameters
    ----------
    values : Any
        What a caller gave; what is no list is returned as it is.

    Returns
    -------
    Any
        In order of first appearance.

    """
    return found if isinstance(found := weights(values, max), Mapping) else references(values)


def _finite(values: list[EntityRef] | dict[EntityRef, float]) -> list[EntityRef] | dict[EntityRef, float]:
    wrong = [key for key, value in grades(values).items() if not math.isfinite(value)]
    if wrong:
        raise ValueError(f"scores must be finite; these are not: {', '.join(map(repr, wrong))}")
    return values


Graded = Annotated[list[EntityRef] | dict[EntityRef, float], BeforeValidator(graded), AfterValidator(_finite)]
"""Items by id or short id, or id: score; results of other tools are taken as they are; may be empty."""


def grades(given: list[EntityRef] | dict[EntityRef, float]) -> dict[EntityRef, float]:
    """Return the score of each item, 1 where none was given.

    Parameters
    ----------
    given : list of EntityRef or dict of EntityRef to float
        As `Graded`, `Seeds` and `RelationshipsOrScores` hold it.

    Returns
    -------
    dict of EntityRef to float
        In the same order.

    """
    return dict(given) if isinstance(given, dict) else dict.fromkeys(given, 1.0)


SPELLINGS: dict[str, Literal["in", "out", "both"]] = {
    "inbound": "in",
    "incoming": "in",
    "outbound": "out",
    "outgoing": "out",
    "any": "both",
}
"""Other spellings of a direction."""


def directions(also: Mapping[str, str]) -> Callable[[Any], Any]:
    """Return a validator that accepts other spellings of a direction.

    Parameters
    ----------
    also : mapping of str to str
        Another spelling -> the direction it means.

    Returns
    -------
    callable
        It leaves what it does not know as it is.

    """

    def accepted(value: Any) -> Any:
        return also.get(value, value) if isinstance(value, str) else value

    return accepted


Way = Annotated[Literal["in", "out", "both"], BeforeValidator(directions(SPELLINGS))]
"""Which way relationships are followed."""


def resolved(graph: GraphView, refs: Iterable[EntityRef]) -> list[Entity]:
    """Find entities, each once, in the order given; an unknown one is an error.

    Parameters
    ----------
    graph : GraphView
        The graph.
    refs : iterable of str or int
        Ids, names or short ids.

    Returns
    -------
    list of Entity
        In order of first appearance.

    Raises
    ------
    UnknownEntityError, AmbiguousEntityError
        With the candidates.

    """
    found = (graph.entity(ref) for ref in refs)
    return list({entity.id: entity for entity in found}.values())


def paths_given(values: Any) -> Any:
    """Return scored paths without their scores, and lists of entities as lists of references.

    Parameters
    ----------
    values : Any
        Paths as another tool or a caller gives them; what is no list is returned as it is.

    Returns
    -------
    Any
        A list of paths and of lists of references.

    """
    return [_path(value) for value in values] if isinstance(values, list | tuple) else values


def _path(value: Any) -> Any:
    if (held := _field(value, "item")) is not None:
        return _path(held)
    return references(value) if isinstance(value, list | tuple) else value


def path_of(graph: GraphView, given: Path | list[EntityRef]) -> Path:
    """Return a path whose entities and relationships are in the graph, by their ids.

    Entities alone are joined by the heaviest relationship between each two.

    Parameters
    ----------
    graph : GraphView
        The graph.
    given : Path or list of (str or int)
        A path, or its entities.

    Returns
    -------
    Path
        With ids only, one edge fewer than nodes; its cost and score are those it came with.

    Raises
    ------
    InvalidInputError
        For no entity, for relationships that do not join the entities, and for two entities without one.
    UnknownEntityError, AmbiguousEntityError, UnknownItemError
        For what is not in the graph.

    """
    refs = given if isinstance(given, list) else list(given.node_ids)
    if not refs:
        raise InvalidInputError("A path has at least one entity.", hint="Leave empty paths out.")
    nodes = [graph.entity(ref).id for ref in refs]
    if isinstance(given, list):
        return Path(
            node_ids=tuple(nodes), edge_ids=tuple(_heaviest(graph, *pair) for pair in pairwise(nodes))
        )
    edges = [graph.relationship(ref) for ref in given.edge_ids]
    joined = [{edge.source_id, edge.target_id} for edge in edges]
    if joined != [set(pair) for pair in pairwise(nodes)]:
        raise InvalidInputError(
            f"The relationships {list(given.edge_ids)} do not join the entities {list(given.node_ids)}.",
            hint="A path has one relationship less than entities, each between two that follow each other.",
        )
    return given.model_copy(update={"node_ids": tuple(nodes), "edge_ids": tuple(edge.id for edge in edges)})


def _heaviest(graph: GraphView, here: str, there: str) -> str:
    arrays = compiled(graph)
    near = (graph.relationships[int(at)] for at in arrays.edges_of(arrays.at[here]))
    between = [edge for edge in near if {edge.source_id, edge.target_id} == {here, there}]
    if not between:
        names = f"{graph.entity(here).name!r} and {graph.entity(there).name!r}"
        raise InvalidInputError(
            f"There is no relationship between {names}.", hint="Give paths with their edge_ids."
        )
    return min(between, key=lambda edge: (-edge.weight, edge.id)).id
