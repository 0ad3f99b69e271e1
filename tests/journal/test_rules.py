"""The fold: each rule by an example."""

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError, UnknownItemError
from corpusgraph.schemas.memory import (
    SHORT_IDS,
    Change,
    DeleteEntity,
    MergeEntities,
    Observe,
    Rename,
    Reweigh,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.memory import ScratchMemory
from corpusgraph.tasks.overlay.state import MemoryState, folded
from tests.journal.making import (
    AT,
    HAND,
    corpus,
    edge,
    keep,
    making,
    named,
    relating,
    take_back,
)


@pytest.fixture
def memory() -> ScratchMemory:
    return ScratchMemory(corpus())


def test_what_was_said_of_an_unmade_entity_is_dormant_until_that_is_undone(memory: ScratchMemory) -> None:
    made = keep(memory, making("Pump"))
    keep(memory, relating("Pump", "Cholera", "spreads"), Observe(entity=named("Pump"), contents=("of iron",)))
    undoing = take_back(memory, made.number)
    assert set(memory.state.unmade) == {named("Pump").id}
    assert (memory.state.edges, memory.state.observations) == ({}, {})
    with pytest.raises(UnknownEntityError):
        memory.find("Pump")
    with pytest.raises(UnknownItemError):
        memory.relationship(edge("Pump", "spreads", "Cholera").id)
    take_back(memory, undoing.number)
    assert memory.find("pump").attributes == {"origin": "memory", "observations": ["of iron"]}
    assert memory.relationship(edge("Pump", "spreads", "Cholera").id).n_evidence == 1


def test_an_entity_made_again_after_its_making_was_undone_is_a_fresh_one(memory: ScratchMemory) -> None:
    made = keep(memory, making("Pump"))
    keep(memory, Observe(entity=named("Pump"), contents=("of iron",)))
    take_back(memory, made.number)
    keep(memory, making("Pump"))
    assert memory.find("Pump").attributes == {"origin": "memory"}
    keep(memory, Observe(entity=named("Pump"), contents=("of wood",)))
    assert memory.observations(named("Pump").id) == ("of wood",)


def test_unmaking_what_the_corpus_has_too_leaves_what_was_said_of_it(memory: ScratchMemory) -> None:
    made = keep(memory, making("Cholera"))
    keep(memory, Observe(entity=named("Cholera"), contents=("kills",)))
    take_back(memory, made.number)
    assert memory.find("Cholera").attributes == {"aliases": ["the city"], "observations": ["kills"]}
    assert set(folded(memory.changes(), Base(MemoryGraph([]))).unmade) == {named("Cholera").id}


def test_an_entity_the_corpus_lost_lives_on_by_what_was_said_of_it() -> None:
    memory = ScratchMemory(corpus())
    keep(memory, relating("John Snow", "Pump"), Rename(entity=named("Cholera"), name="The cholera"))
    keep(memory, Unrelate(source=named("LONDON"), target=named("Tề Thiên"), type="causes"))
    later = ScratchMemory(MemoryGraph([]), memory.changes())
    assert later.find("John Snow").type == "thing"
    assert later.find("cholera").name == "The cholera"
    with pytest.raises(UnknownEntityError):
        later.find("LONDON")


def test_an_entity_that_was_spoken_of_before_it_was_made_outlives_the_undoing_of_its_making() -> None:
    memory = ScratchMemory(MemoryGraph([]))
    keep(memory, Observe(entity=named("Cholera"), contents=("kills",)))
    take_back(memory, keep(memory, making("Cholera")).number)
    assert memory.state.unmade == {}
    assert memory.find("Cholera").attributes == {"origin": "memory", "observations": ["kills"]}


def test_taking_a_merged_relationship_out_leaves_out_what_the_corpus_says_of_each(
    memory: ScratchMemory,
) -> None:
    merged = keep(memory, MergeEntities(sources=(named("John Snow"),), into=named("Tề Thiên")))
    assert memory.relationship(1).source_id == named("Tề Thiên").id
    keep(memory, Unrelate(source=named("Tề Thiên"), target=named("Cholera"), type="causes"))
    with pytest.raises(UnknownItemError):
        memory.relationship(1)
    keep(memory, MergeEntities(sources=(named("Tề Thiên"),), into=named("LONDON")))
    with pytest.raises(UnknownItemError):
        memory.relationship(edge("LONDON", "causes", "Cholera").id)
    take_back(memory, merged.number)
    assert memory.relationship(1).source_id == named("John Snow").id


def test_a_new_name_leaves_the_type_and_a_new_type_stays(memory: ScratchMemory) -> None:
    keep(memory, Rename(entity=named("Cholera"), name="The blue death"))
    assert memory.find("Cholera").type == "thing"
    keep(memory, Rename(entity=named("Cholera"), name="Blue death", type="illness"))
    keep(memory, Rename(entity=named("Cholera"), name="Cholera morbus"))
    now = memory.find("blue death")
    assert (now.name, now.type, now.id) == ("Cholera morbus", "illness", named("Cholera").id)
    assert (now.attributes or {})["aliases"] == ["Cholera", "the city", "The blue death", "Blue death"]


def test_taking_a_relationship_out_leaves_out_the_corpus_and_stating_it_again_does_not_bring_that_back(
    memory: ScratchMemory,
) -> None:
    id_ = edge("John Snow", "causes", "Cholera").id
    keep(memory, relating("John Snow", "Cholera", confidence=0.5))
    both = memory.relationship(id_)
    assert (both.weight, both.confidence, both.n_evidence, both.short_id) == (2.5, 0.875, 4, 1)
    gone = keep(memory, Unrelate(source=named("John Snow"), target=named("Cholera"), type="causes"))
    with pytest.raises(UnknownItemError):
        memory.relationship(id_)
    keep(memory, relating("John Snow", "Cholera", confidence=0.25))
    by_hand = memory.relationship(id_)
    assert (by_hand.weight, by_hand.confidence, by_hand.n_evidence) == (0.25, 0.25, 1)
    take_back(memory, gone.number)
    assert memory.relationship(id_).weight == 2.75


def test_weights_set_by_hand_count_until_the_relationship_goes(memory: ScratchMemory) -> None:
    ends = {"source": named("John Snow"), "target": named("Cholera"), "type": "causes"}
    id_ = edge("John Snow", "causes", "Cholera").id
    keep(memory, Reweigh(**ends, weight=9.0))
    keep(memory, Reweigh(**ends, confidence=0.1))
    assert (memory.relationship(id_).weight, memory.relationship(id_).confidence) == (9.0, 0.1)
    keep(memory, Unrelate(**ends), relating("John Snow", "Cholera"))
    assert memory.relationship(id_).weight == 1.0


def test_a_merge_moves_relations_names_observations_and_leaves_no_loop(memory: ScratchMemory) -> None:
    keep(
        memory,
        making("Pump", description="in Broad Street", attributes={"aliases": ["the handle"], "made": 1854}),
    )
    keep(memory, relating("Pump", "Cholera"), relating("Pump", "John Snow"), relating("John Snow", "Cholera"))
    keep(memory, Observe(entity=named("Pump"), contents=("of iron", "shut")))
    keep(memory, Observe(entity=named("John Snow"), contents=("shut",)))
    merged = keep(memory, MergeEntities(sources=(named("Pump"),), into=named("John Snow")))
    snow = memory.find("pump")
    assert (snow.id, snow.name, snow.description) == (named("John Snow").id, "John Snow", "in Broad Street")
    assert snow.attributes == {
        "aliases": ["Dr Snow", "Pump", "the handle"],
        "made": 1854,
        "observations": ["shut", "of iron"],
    }
    assert memory.find("The Handle") == memory.find(named("Pump").id) == memory.find(SHORT_IDS) == snow
    assert [len(one.said) for one in memory.state.edges.values()] == [2]
    before = memory.relationship(edge("Pump", "causes", "Cholera").id)
    assert (before.source_id, before.weight, before.n_evidence) == (snow.id, 4.0, 5)
    take_back(memory, merged.number)
    assert memory.find("Pump").id == named("Pump").id


def test_what_a_merge_joins_is_in_the_order_it_was_said_with_the_first_number(memory: ScratchMemory) -> None:
    early = keep(memory, making("Pump"), relating("Pump", "Cholera", "spreads"))
    late = keep(memory, relating("Tề Thiên", "Cholera", "spreads"))
    ends = {"source": named("Pump"), "target": named("Cholera"), "type": "spreads"}
    keep(memory, Reweigh(**ends, weight=7.0))
    keep(memory, MergeEntities(sources=(named("Pump"),), into=named("Tề Thiên")))
    (joined,) = memory.state.edges.values()
    assert [one.change for one in joined.said] == [early.number, late.number]
    assert memory.relationship(joined.id).short_id == SHORT_IDS
    assert memory.relationship(SHORT_IDS + 1).weight == 7.0
    keep(memory, MergeEntities(sources=(named("Cholera"),), into=named("Tề Thiên")))
    assert [one for one in memory.state.edges.values() if one.said] == []
    assert not any(map(memory.state.weight_of, memory.state.groups))


def test_chains_of_merges_end_where_the_last_one_does(memory: ScratchMemory) -> None:
    for name in HAND:
        keep(memory, making(name))
    keep(memory, MergeEntities(sources=(named("Pump"), named("Snow")), into=named("Broad Street")))
    keep(memory, MergeEntities(sources=(named("Snow"),), into=named("LONDON")))  # is Broad Street now
    keep(
        memory, MergeEntities(sources=(named("LONDON"),), into=named("Pump"))
    )  # both are London now: nothing
    assert {memory.find(name).id for name in ("Pump", "Snow", "Broad Street", "LONDON")} == {
        named("LONDON").id
    }
    keep(memory, Observe(entity=named("Snow"), contents=("melts",)))
    assert memory.observations(named("Pump").id) == ("melts",)


def test_deleting_takes_all_names_and_creating_again_is_fresh(memory: ScratchMemory) -> None:
    keep(memory, MergeEntities(sources=(named("Tề Thiên"),), into=named("John Snow")))
    keep(memory, relating("John Snow", "Cholera"), Observe(entity=named("John Snow"), contents=("old",)))
    deleted = keep(memory, DeleteEntity(entity=named("John Snow")))
    for name in ("John Snow", "Dr Snow", "Tề Thiên", named("John Snow").id, named("Tề Thiên").id, 1):
        with pytest.raises(UnknownEntityError):
            memory.find(name)
    with pytest.raises(UnknownItemError):
        memory.relationship(edge("John Snow", "causes", "Cholera").id)
    keep(memory, relating("John Snow", "LONDON", "saw"))  # of one that is deleted: dormant
    keep(memory, making("John Snow"))
    assert memory.find("John Snow").attributes == {"origin": "memory"}
    assert memory.state.edges == {}
    with pytest.raises(UnknownEntityError):
        memory.find("Tề Thiên")
    take_back(memory, deleted.number)
    assert memory.find("Tề Thiên").attributes == {
        "aliases": ["Dr Snow", "Tề Thiên", "Đại Thánh"],
        "observations": ["old"],
    }


def test_what_the_corpus_says_of_a_deleted_entity_comes_back_by_no_merge(memory: ScratchMemory) -> None:
    keep(memory, DeleteEntity(entity=named("John Snow")), making("John Snow"))
    keep(memory, MergeEntities(sources=(named("John Snow"),), into=named("LONDON")))
    assert memory.find("john snow").attributes == {"aliases": ["the city", "John Snow"]}
    with pytest.raises(UnknownEntityError):
        memory.find("Dr Snow")
    with pytest.raises(UnknownItemError):
        memory.relationship(1)


def test_observations_are_noted_once_and_can_be_taken_back_wherever_they_came_from(
    memory: ScratchMemory,
) -> None:
    keep(memory, Observe(entity=named("Cholera"), contents=("Café", "Cafe\u0301", "kills")))
    assert memory.observations(named("Cholera").id) == ("Café", "kills")
    keep(memory, Unobserve(entity=named("Cholera"), contents=("Cafe\u0301", "from the corpus")))
    assert memory.observations(named("Cholera").id) == ("kills",)
    assert list(memory.state.unobserved[named("Cholera").id]) == ["from the corpus"]
    keep(memory, Observe(entity=named("Cholera"), contents=("from the corpus",)))
    assert memory.state.unobserved[named("Cholera").id] == {}


def test_a_split_gives_names_observations_and_relationships(memory: ScratchMemory) -> None:
    keep(memory, relating("John Snow", "Cholera", "studies"), relating("John Snow", "LONDON", "rules"))
    keep(memory, Observe(entity=named("John Snow"), contents=("physician", "king")))
    rules = edge("John Snow", "rules", "LONDON").id
    split = SplitEntity(
        entity=named("John Snow"),
        into=named("King Snow"),
        names=("dr snow",),
        relationships=(rules,),
        observations=("king", "unheard of"),
    )
    done = keep(memory, split)
    king, doctor = memory.find("King Snow"), memory.find("John Snow")
    assert king.attributes == {"origin": "memory", "aliases": ["dr snow"], "observations": ["king"]}
    assert doctor.attributes == {"aliases": [], "observations": ["physician"]}
    assert memory.find("Dr Snow") == king
    with pytest.raises(UnknownItemError):
        memory.relationship("rel_no_such")
    assert memory.relationship(edge("King Snow", "rules", "LONDON").id).source_id == king.id
    take_back(memory, done.number)
    assert memory.find("Dr Snow").id == named("John Snow").id


def test_splitting_off_what_was_merged_gives_it_back_what_the_corpus_says(memory: ScratchMemory) -> None:
    keep(memory, MergeEntities(sources=(named("Cholera"),), into=named("John Snow")))
    keep(memory, SplitEntity(entity=named("John Snow"), into=named("Cholera")))
    assert (memory.state.merged, memory.state.members[named("John Snow").id]) == ({}, {})
    assert memory.find("Cholera").short_id == 2
    assert memory.relationship(1).target_id == named("Cholera").id


def test_undo_names_what_it_cannot_undo(memory: ScratchMemory) -> None:
    with pytest.raises(InvalidInputError, match=r"There is no change 1\. Nothing was changed yet") as unknown:
        take_back(memory, 1)
    assert unknown.value.code == "unknown_change"
    keep(memory, making("Pump"))
    for number in (0, -1, 2):
        with pytest.raises(InvalidInputError, match="numbered 1 to 1"):
            take_back(memory, number)
    first = take_back(memory, 1)
    with pytest.raises(InvalidInputError, match=r"Change 1 is undone already\. Change 2 undid it") as already:
        take_back(memory, 1)
    assert already.value.code == "already_undone"
    second = take_back(memory, first.number)
    assert memory.undone() == {first.number}
    take_back(memory, second.number)
    assert memory.undone() == {1, second.number}


def test_a_state_counts_every_change() -> None:
    changes = [Change(number=n, at=AT, by="t", operations=(making(f"Pump {n}"),)) for n in range(1, 4)]
    state = folded(iter(changes), Base(MemoryGraph([])))
    assert isinstance(state, MemoryState)
    assert state.n_changes == 3
    numbers = [state.entity_numbers[id_] for id_ in state.created]
    assert numbers == [SHORT_IDS, SHORT_IDS + 1, SHORT_IDS + 2]
