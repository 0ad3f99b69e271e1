"""What the port finds one at a time is what a graph with the memory laid over it shows to reading tools."""

from hypothesis import given, settings

from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.overlay.memory import ScratchMemory
from corpusgraph.tasks.overlay.view import RememberedGraph
from tests.examples import tried
from tests.journal.making import Step, played, steps
from tests.journal.test_naming import REFS, found


def laid_over(memory: ScratchMemory) -> RememberedGraph:
    return RememberedGraph(memory.state.frozen())


def told(entity: object) -> object:
    """Return what both must say of an entity; counts of names are the graph's alone."""
    if not isinstance(entity, Entity):
        return entity
    attributes = entity.attributes or {}
    names = set(attributes.get("aliases", ())) - {entity.name}
    said = attributes.get("observations"), attributes.get("origin")
    return entity.id, entity.name, entity.type, entity.short_id, names, said


@settings(max_examples=tried(25), deadline=None)
@given(steps())
def test_entities(wanted: list[Step]) -> None:
    memory = played(wanted)
    graph = laid_over(memory)
    for ref in REFS:
        by_port, by_graph = found(memory.find, ref), found(graph.entity, ref)
        assert (by_port[0], told(by_port[1])) == (by_graph[0], told(by_graph[1]))


@settings(max_examples=tried(25), deadline=None)
@given(steps())
def test_relationships(wanted: list[Step]) -> None:
    memory = played(wanted)
    graph = laid_over(memory)
    assert {one.id for one in graph.relationships} >= {e.id for e in memory.state.edges.values()}
    for shown in graph.relationships:
        by_port = memory.relationship(shown.id)
        for name in ("id", "source_id", "target_id", "type", "short_id", "weight", "n_evidence", "is_causal"):
            assert getattr(by_port, name) == getattr(shown, name)
        assert abs(by_port.confidence - shown.confidence) < 2e-6  # each rounds to six places
