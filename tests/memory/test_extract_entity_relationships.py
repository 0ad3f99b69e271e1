"""Searching the texts about an entity."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import UnknownEntityError
from corpusgraph.schemas.memory import Relate
from tests.examples import tried
from tests.memory.conftest import World, nothing


def found(world: World) -> list[tuple[str, str, str, str]]:
    """Return what the last change states, with the patterns."""
    stated = (op for op in world.memory.changes()[-1].operations if isinstance(op, Relate))
    return [(op.source.name, op.type, op.target.name, op.cue) for op in stated]


@pytest.mark.parametrize(
    ("words", "type_"),
    [
        ("causes", "causes"),
        ("implements", "implements"),
        ("relates to", "relates_to"),
        ("is part of", "part_of"),
        ("extends", "extends"),
        ("uses", "uses"),
        ("depends on", "depends_on"),
    ],
)
def test_the_published_patterns(empty: World, words: str, type_: str) -> None:
    empty.make(("Module: X", "Module", f"{words} File: y.rs."), ("File: y.rs", "File"))
    data = empty.json("extract_entity_relationships", entity_id=empty.memory.find("Module: X").short_id)
    assert {"success": True, "entity_id": 1_000_000_000, "relationships_found": 1}.items() <= data.items()
    assert found(empty) == [("Module: X", type_, "File: y.rs", f"en:X {words} Y")]
    (edge,) = empty.graph.relationships
    assert (edge.confidence, edge.is_causal) == (0.5, type_ == "causes")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Armut verursacht Krankheit.", ("Armut", "causes", "Krankheit", "de:X verursacht Y")),
        ("Nghèo đói gây ra bệnh tật.", ("Nghèo đói", "causes", "bệnh tật", "vi:X gây ra Y")),
        ("La pauvreté provoque la misère.", ("pauvreté", "causes", "misère", "fr:X provoque Y")),
        ("污水导致霍乱。", ("污水", "causes", "霍乱", "zh:X 导致 Y")),
    ],
)
def test_other_languages(empty: World, text: str, expected: tuple[str, ...]) -> None:
    empty.make((expected[0], "x", text), (expected[2], "x"))
    empty.json("extract_entity_relationships", entity_id=expected[0])
    assert found(empty) == [expected]


def test_rules_of_indexing_read_what_the_patterns_do_not(empty: World) -> None:
    empty.make(("cholera", "disease", "Contaminated water led to cholera."), ("contaminated water", "x"))
    empty.json("extract_entity_relationships", entity_id="cholera")
    assert ("contaminated water", "causes", "cholera", "en:lead to") in found(empty)


def test_one_subject_goes_on_until_the_sentence_ends(empty: World) -> None:
    empty.make(
        ("Redis", "x", "Redis uses Postgres and extends Lucene. Rain uses Django."),
        *((n, "x") for n in ("Postgres", "Lucene", "Django")),
    )
    empty.json("extract_entity_relationships", entity_id="Redis")
    assert [row[:3] for row in found(empty)] == [
        ("Redis", "uses", "Postgres"),
        ("Redis", "extends", "Lucene"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "A1 does not uses B2.",
        "A1 never uses B2.",
        "The board denied that A1 uses B2.",
        "It is not true that A1 uses B2.",
        "Der Vorstand bestreitet, dass A1 nutzt B2.",
        "董事会否认A1使用B2。",
        "A1 uses it.",
        "uses",
        "",
    ],
)
def test_what_is_denied_or_not_known_states_nothing(empty: World, text: str) -> None:
    empty.make(("A1", "x", *([text] if text else [])), ("B2", "x"))
    data = empty.json("extract_entity_relationships", entity_id="A1")
    assert (data["relationships_found"], data["relationships_added"]) == (0, 0)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Anna Berg did not live near the old Oslo Clinic.", "Oslo Clinic"),
        ("Anna Berg is not the director of the Oslo Clinic.", "director of the Oslo Clinic"),
        ("Anna Berg was no doctor.", "doctor"),
    ],
)
def test_what_only_the_trained_reader_sees_may_be_denied_too(empty: World, text: str, other: str) -> None:
    empty.make(("Anna Berg", "x", text), (other, "x"))
    data = empty.json("extract_entity_relationships", entity_id="Anna Berg")
    assert (data["relationships_found"], data["relationships_added"]) == (0, 0)


def test_what_is_denied_ends_with_its_sentence(empty: World) -> None:
    empty.make(("A1", "x", "The board denied that A1 uses B2. A1 uses C3."), ("B2", "x"), ("C3", "x"))
    empty.json("extract_entity_relationships", entity_id="A1")
    assert {(row[0], row[2]) for row in found(empty)} == {("A1", "C3")}


def test_texts_that_have_not_changed_are_not_searched_again(empty: World) -> None:
    empty.make(("Redis", "x", "uses Postgres"), ("Postgres", "x"))
    first = empty.json("extract_entity_relationships", entity_id="Redis")
    assert (first["relationships_found"], first["relationships_added"]) == (1, 1)
    noted = empty.noted("extract_entity_relationships", entity_id="Redis")
    assert (noted.data.relationships_found, noted.data.change) == (1, 0)
    assert [w.code for w in noted.warnings] == ["nothing_changed"]
    again = empty.json("extract_entity_relationships", entity_id="Redis", again=True)
    assert (again["relationships_found"], again["relationships_added"]) == (1, 0)
    empty.json(
        "add_observations", observations=[{"entityName": "Redis", "contents": ["Postgres uses Redis"]}]
    )
    more = empty.json("extract_entity_relationships", entity_id="Redis")
    assert (more["relationships_found"], more["relationships_added"]) == (2, 1)


def test_chunks_of_the_corpus_are_read_and_what_the_index_has_is_not_added(world: World) -> None:
    data = world.json("extract_entity_relationships", entity_id="cholera")
    assert data["relationships_found"] >= 1
    stated = {row[:3] for row in found(world)}
    assert ("contaminated water", "causes", "cholera") not in stated
    assert data["relationships_added"] == len(stated)


def test_an_undone_search_is_made_anew(empty: World) -> None:
    empty.make(("Redis", "x", "uses Postgres"), ("Postgres", "x"))
    empty.json("extract_entity_relationships", entity_id="Redis")
    empty.json("undo_change")
    assert empty.json("extract_entity_relationships", entity_id="Redis")["relationships_added"] == 1


def test_an_unknown_entity_is_an_error(world: World) -> None:
    with pytest.raises(UnknownEntityError):
        world.json("extract_entity_relationships", entity_id="Nobody at all")


@settings(max_examples=tried(15), deadline=None)
@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=80).filter(str.strip))
def test_any_text_can_be_searched(text: str) -> None:
    world = World(nothing())
    world.make(("A1", "x", f"A1 uses {text} uses B2"), ("B2", "x"))
    data = world.json("extract_entity_relationships", entity_id="A1")
    assert data["relationships_added"] <= data["relationships_found"]
