"""A small corpus, changes of every kind, and what a state comes to without its numbers."""

from typing import Any

from hypothesis import strategies as st

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import (
    Change,
    CreateEntity,
    DeleteEntity,
    Extracted,
    MergeEntities,
    Named,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.memory import ScratchMemory
from corpusgraph.tasks.overlay.state import MemoryState

AT = "2026-01-02T03:04:05+00:00"
CORPUS = ("John Snow", "Cholera", "Tề Thiên", "LONDON")
HAND = ("london", "Broad Street", "Pump", "Snow")
TYPES = ("causes", "part_of", "co_occurs_with")
SENTENCES = ("was a physician", "lived long", "Tề Thiên\u2028said so")


def named(name: str) -> Named:
    """Name an entity; the two Londons are two by their type."""
    type_ = "ship" if name == "london" else "thing"
    return Named(id=Entity.make_id(name, type_), name=name, type=type_)


def making(name: str, **more: Any) -> CreateEntity:
    return CreateEntity(**named(name).model_dump(), **more)


def relating(source: str, target: str, type_: str = "causes", **more: Any) -> Relate:
    return Relate(source=named(source), target=named(target), type=type_, **more)


def edge(source: str, type_: str, target: str, **more: Any) -> Relationship:
    ends = named(source).id, named(target).id
    return Relationship(
        id=Relationship.make_id(ends[0], type_, ends[1]),
        source_id=ends[0],
        target_id=ends[1],
        type=type_,
        **{"weight": 2.0, "confidence": 0.75, "n_evidence": 3, **more},
    )


def corpus() -> MemoryGraph:
    """Return four entities, two of which share another name, and two relationships."""
    other = {"John Snow": "Dr Snow", "Tề Thiên": "Đại Thánh"}
    entities = [
        Entity(
            **named(name).model_dump(),
            short_id=number,
            attributes={"aliases": {other.get(name, "the city"): 2}},
        )
        for number, name in enumerate(CORPUS, start=1)
    ]
    edges = [
        edge("John Snow", "causes", "Cholera", short_id=1),
        edge("Tề Thiên", "part_of", "LONDON", short_id=2),
    ]
    return MemoryGraph(entities, edges)


def keep(memory: Memory, *operations: Operation) -> Change:
    return memory.record(operations, by="test", request_id="req_1", at=AT)


def take_back(memory: Memory, number: int) -> Change:
    return memory.undo(number, by="undo_change", request_id="req_2", at=AT)


def operations(names: tuple[str, ...] = CORPUS + HAND) -> st.SearchStrategy[Operation]:
    """Any operation on entities of a few names."""
    of = st.sampled_from(names).map(named)
    said = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=2).map(tuple)
    ends = {"source": of, "target": of, "type": st.sampled_from(TYPES)}
    sure = st.sampled_from((0.0, 0.25, 0.5, 1.0))
    other = st.sampled_from(names).map(lambda name: f"{name} the Second")
    return st.one_of(
        st.builds(making, st.sampled_from(names), description=st.none() | st.just("made by hand")),
        st.builds(Observe, entity=of, contents=said),
        st.builds(Unobserve, entity=of, contents=said),
        st.builds(Relate, **ends, confidence=sure, is_causal=st.booleans()),
        st.builds(Relate, **ends, confidence=sure, is_causal=st.booleans()),
        st.builds(Unrelate, **ends),
        st.builds(Reweigh, **ends, weight=st.sampled_from((None, 0.5, 3.0)), confidence=st.none() | sure),
        st.builds(Rename, entity=of, name=other, type=st.sampled_from((None, "person"))),
        st.builds(MergeEntities, sources=st.lists(of, min_size=1, max_size=2).map(tuple), into=of),
        st.builds(
            SplitEntity,
            entity=of,
            into=of,
            names=st.lists(st.sampled_from(names), max_size=1).map(tuple),
            observations=said,
            relationships=st.just((edge("Pump", "causes", "Snow").id,)),
        ),
        st.builds(DeleteEntity, entity=of),
        st.builds(Extracted, entity=of, found=st.integers(0, 3)),
    )


Step = tuple[Operation, ...] | int
"""Operations of one change, or which of the changes so far to take back."""


def steps(*, undoing: bool = True, names: tuple[str, ...] = CORPUS + HAND) -> st.SearchStrategy[list[Step]]:
    made: st.SearchStrategy[Step] = st.lists(operations(names), min_size=1, max_size=2).map(tuple)
    return st.lists(made | st.integers(0, 30) if undoing else made, max_size=14)


def play(memory: Memory, wanted: list[Step]) -> None:
    """Make the changes; a number takes back one of the changes in force."""
    for step in wanted:
        if not isinstance(step, int):
            keep(memory, *step)
            continue
        in_force = [change.number for change in memory.changes() if change.number not in memory.undone()]
        if in_force:
            take_back(memory, in_force[step % len(in_force)])


def played(wanted: list[Step]) -> ScratchMemory:
    memory = ScratchMemory(corpus())
    play(memory, wanted)
    return memory


def content(state: MemoryState) -> dict[str, Any]:
    """Return what a state says, without numbers of changes and short ids."""
    return {
        "created": state.created,
        "named": set(state.named),
        "renamed": state.renamed,
        "aliases": {id_: list(names) for id_, names in state.aliases.items() if names},
        "merged": state.merged,
        "deleted": set(state.deleted),
        "unmade": set(state.unmade),
        "observations": {id_: list(said) for id_, said in state.observations.items() if said},
        "unobserved": {id_: set(said) for id_, said in state.unobserved.items() if said},
        "relations": {
            id_: (one.parts, [(e.confidence, e.is_causal, e.context, e.cue) for e in one.said])
            for id_, one in state.edges.items()
        },
        "taken": set(state.taken),
        "reweighed": {
            gid: (link.reweigh.weight, link.reweigh.confidence)
            for gid in state.groups
            if (link := state.weight_of(gid)) and link.reweigh
        },
    }


class Generation:
    """A generation without evidence: what a memory is laid over."""

    def __init__(self, graph: GraphView | None = None) -> None:
        self.below = Base(graph or corpus())
