"""Finding by name: what an index of the entities as they are now would find, in time that does not grow."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import AmbiguousEntityError, CorpusgraphError, UnknownItemError
from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import SHORT_IDS, MergeEntities, Named, Relate, Rename, Unrelate
from corpusgraph.schemas.ports import Memory
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.memory import ScratchMemory, described
from tests.contract.graphs import resources, rich
from tests.counted import calls_of
from tests.examples import tried
from tests.journal.making import (
    CORPUS,
    HAND,
    Step,
    corpus,
    edge,
    keep,
    making,
    named,
    played,
    relating,
    steps,
    take_back,
)

REFS: tuple[EntityRef, ...] = (
    *CORPUS,
    *HAND,
    *(named(name).id for name in CORPUS + HAND),
    "the city",
    "DR SNOW",
    " Đại Thánh ",
    "Te\u0302\u0300 Thie\u0302n",
    "Pump the Second",
    "pump the second",
    "",
    "nobody at all",
    *range(6),
    "2",
    SHORT_IDS,
    str(SHORT_IDS + 1),
    -1,
)


def found(look: object, ref: EntityRef) -> tuple[str, object]:
    """Return what is found, or the error as a person sees it."""
    try:
        return "found", look(ref)  # type: ignore[operator]
    except CorpusgraphError as error:
        return error.code, error.message


@settings(max_examples=tried(40), deadline=None)
@given(steps())
def test_finds_what_a_graph_of_the_entities_as_they_are_now_finds(wanted: list[Step]) -> None:
    memory = played(wanted)
    state = memory.state
    ids = {state.now(id_) for id_ in (*state.called, *(entity.id for entity in corpus().entities))}
    now = [entity for id_ in sorted(ids) if (entity := described(state, id_)) is not None]
    oracle = MemoryGraph(now)
    for ref in REFS:
        if ref in state.merged or (isinstance(ref, int | str) and str(ref).isdecimal()):
            continue  # what these were is no longer in the graph: tested by examples
        assert found(memory.find, ref) == found(oracle.entity, ref)


def test_a_port_is_a_memory() -> None:
    assert isinstance(ScratchMemory(corpus()), Memory)


def test_an_unknown_name_has_a_hint_with_hand_made_and_renamed_ones() -> None:
    memory = ScratchMemory(corpus())
    keep(memory, making("Broad Street"), Rename(entity=named("Cholera"), name="The blue death"))
    for wrong, right in (
        ("Brod Street", "Broad Street"),
        ("The blu death", "The blue death"),
        ("Jon Snow", "John Snow"),
    ):
        with pytest.raises(CorpusgraphError, match=f"Unknown entity '{wrong}'. Did you mean '{right}'"):
            memory.find(wrong)


def test_a_shared_name_lists_the_candidates_until_one_is_merged_into_the_other() -> None:
    memory = ScratchMemory(corpus())
    with pytest.raises(
        AmbiguousEntityError, match=r"'the city' names 2 entities: .*LONDON.*Cholera|.*Cholera.*LONDON"
    ):
        memory.find("the city")
    keep(memory, MergeEntities(sources=(named("Cholera"),), into=named("LONDON")))
    assert memory.find("The City").name == "LONDON"


def test_a_name_as_written_comes_before_one_that_differs_in_case() -> None:
    memory = ScratchMemory(corpus())
    keep(memory, making("london"))
    assert memory.find("london").type == "ship"
    assert memory.find("LONDON").type == "thing"
    with pytest.raises(AmbiguousEntityError):
        memory.find("London")


def test_short_ids_of_the_corpus_and_by_hand_both_find() -> None:
    memory = ScratchMemory(corpus())
    keep(memory, making("Pump"), relating("Pump", "Cholera"))
    assert memory.find(1) == memory.find("1") == memory.find("John Snow")
    assert memory.find(SHORT_IDS) == memory.find(str(SHORT_IDS)) == memory.find("Pump")
    assert memory.relationship(SHORT_IDS).short_id == SHORT_IDS
    assert memory.relationship(str(SHORT_IDS)) == memory.relationship(edge("Pump", "causes", "Cholera").id)
    assert memory.relationship(2) == edge("Tề Thiên", "part_of", "LONDON", short_id=2)


def test_a_graph_from_elsewhere_keeps_its_ids_of_relationships() -> None:
    memory = ScratchMemory(resources(rich())["graph"])
    water, cholera = memory.find("contaminated water"), memory.find("cholera")
    ends = {
        "source": Named(id=water.id, name=water.name, type=water.type),
        "target": Named(id=cholera.id, name=cholera.name, type=cholera.type),
        "type": "causes",
    }
    keep(memory, Relate(**ends))
    assert memory.relationship("rel_1").weight == 3.0
    assert memory.relationship(Relationship.make_id("ent_c", "causes", "ent_b")).id == "rel_1"
    keep(memory, Unrelate(**ends))
    for ref in ("rel_1", 0, SHORT_IDS):
        with pytest.raises(UnknownItemError):
            memory.relationship(ref)


def test_what_is_only_denied_is_found_and_taken_out_by_the_type_it_shows() -> None:
    denied = edge("John Snow", "causes", "Cholera").model_copy(update={"type": "not_causes"})
    graph = MemoryGraph(corpus().entities, [denied])
    for type_ in ("causes", "not_causes"):
        memory = ScratchMemory(graph)
        assert memory.relationship(denied.id) == denied
        keep(memory, Unrelate(source=named("John Snow"), target=named("Cholera"), type=type_))
        with pytest.raises(UnknownItemError):
            memory.relationship(denied.id)
    memory = ScratchMemory(graph)
    keep(memory, relating("John Snow", "Cholera"))
    said = memory.relationship(denied.id)
    assert (said.type, said.weight, said.n_evidence) == ("causes", 1.0, 1)


@settings(max_examples=tried(40), deadline=None)
@given(st.text(max_size=8))
def test_any_text_is_a_name_or_unknown(text: str) -> None:
    memory = ScratchMemory(corpus())
    if text.strip() and text.isprintable():
        keep(memory, making(text))
        assert memory.find(text).id == named(text).id
    else:
        assert found(memory.find, text + " ?")[0] == "unknown_entity"


def test_finding_takes_no_longer_after_many_changes() -> None:
    """The calls that a find makes after 20 changes, and after 1,000 of the same entities."""

    def made(memory: ScratchMemory) -> int:
        return calls_of(lambda: [memory.find(name) for name in ("john snow", "Pump")])

    few, many = ScratchMemory(corpus()), ScratchMemory(corpus())
    for memory, n in ((few, 20), (many, 1_000)):
        keep(memory, making("Pump"))
        for k in range(n):
            keep(memory, relating("Pump", "John Snow", f"type {k}"))
        made(memory)  # what is made once is made
    assert made(many) < 2 * made(few)


def test_entities_are_as_the_corpus_has_them_where_nothing_was_said() -> None:
    graph = corpus()
    memory = ScratchMemory(graph)
    keep(memory, making("Pump"))
    assert [memory.find(name) for name in CORPUS] == [graph.entity(name) for name in CORPUS]
    assert isinstance(memory.find("Pump"), Entity)


def test_a_relationship_that_merges_brought_about_is_found_by_its_new_id_until_they_are_undone() -> None:
    """One end is merged, then the other; undone in the other order, the ids in between are there again."""
    memory = ScratchMemory(corpus())
    first = keep(memory, making("Pump"), MergeEntities(sources=(named("Cholera"),), into=named("Pump")))
    assert memory.relationship(edge("John Snow", "causes", "Pump").id).short_id == 1
    second = keep(memory, making("Snow"), MergeEntities(sources=(named("John Snow"),), into=named("Snow")))
    both = memory.relationship(edge("Snow", "causes", "Pump").id)
    assert both.id == edge("Snow", "causes", "Pump").id
    assert memory.relationship(edge("John Snow", "causes", "Cholera").id) == both == memory.relationship(1)
    take_back(memory, first.number)
    assert memory.relationship(edge("Snow", "causes", "Cholera").id).target_id == named("Cholera").id
    for gone in (edge("Snow", "causes", "Pump"), edge("John Snow", "causes", "Pump")):
        with pytest.raises(UnknownItemError):
            memory.relationship(gone.id)
    take_back(memory, second.number)
    assert memory.relationship(1) == edge("John Snow", "causes", "Cholera", short_id=1)
