"""Items of a graph with a memory by what they are referred to as, ids from before a change included."""

from typing import TYPE_CHECKING

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import UnknownItemError, quoted
from corpusgraph.schemas.graph import EntityRef, Relationship
from corpusgraph.tasks.graph.names import short_id_of

if TYPE_CHECKING:
    from corpusgraph.tasks.remember.view import RememberedGraph

_OUT = "It was taken out by hand."


def relationship_in(view: "RememberedGraph", ref: EntityRef) -> Relationship:
    """Find by id or short id; an id from before a merge leads to what the relationship now is."""
    ids = view.arrays.relationship_ids
    at = ids.find(ref) if isinstance(ref, str) else None
    if at is None:
        number = short_id_of(ref)
        by_hand = None if number is None else view.state.relation_numbers.id_of(number)
        at = ids.find(view.patch.by_hand.get(by_hand, by_hand)) if by_hand else None
    if at is None:
        now = view.edge_now(view.base.graph.relationship(ref).id)
        at = None if now is None else ids.find(now)
    if at is None:
        raise UnknownItemError(f"Unknown relationship {quoted(ref)}.", hint=_OUT)
    return view.relationships[at]


def chunk_in(view: "RememberedGraph", ref: EntityRef) -> Chunk:
    """Find by id or short id; one that is left out is unknown."""
    id_ = ref if isinstance(ref, str) else None
    at = view.arrays.chunk_ids.find(id_) if id_ is not None else None
    if at is None:
        at = view.arrays.chunk_ids.find(view.base.graph.chunk(ref).id)
    if at is None:
        raise UnknownItemError(f"Unknown chunk {quoted(ref)}.", hint=_OUT)
    return view.chunks[at]
