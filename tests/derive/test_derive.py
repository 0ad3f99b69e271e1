"""From evidence to the graph."""

import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.evidence import Assertion, Mention
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.build.derive import Derived, settled
from tests.derive.build import Made, Name, derived, made
from tests.examples import tried

CHOLERA = made(
    "d1",
    "Dr. John Snow was a physician. Snow blamed the Broad Street pump.\nCholera did not cause miasma in 1854.",
    [
        ("Dr. John Snow", "person", {"role": "physician"}),
        ("Snow", "person"),
        ("Broad Street pump", "concept"),
        ("Cholera", "concept"),
        ("miasma", "concept"),
        ("1854", "date", {"iso": "1854"}),
    ],
    [
        ("Snow", "blames", "Broad Street pump"),
        ("Cholera", "causes", "miasma", {"negated": True}),
        ("Cholera", "co_occurs_with", "1854", {"confidence": 0.3}),
        ("Snow", "co_occurs_with", "Broad Street pump", {"confidence": 0.3}),
        ("Dr. John Snow", "relates_to", "Snow"),
    ],
    events=[("Snow", "1854-09"), ("Snow", "1849")],
)
MORE = made(
    "d2",
    "Broad Street pump and John Snow. Cholera again, and cholera kills.",
    [("Broad Street pump", "concept"), ("John Snow", "person")],
    [
        ("Broad Street pump", "co_occurs_with", "John Snow", {"confidence": 0.3}),
        ("John Snow", "blames", "Broad Street pump", {"confidence": 0.8}),
        ("John Snow", "blames", "Broad Street pump", {"negated": True, "confidence": 0.2}),
    ],
)


def entity(graph: Derived, name: str) -> Entity:
    return next(entity for entity in graph.entities if entity.name == name)


def relationship(graph: Derived, source: str, type_: str, target: str) -> Relationship:
    ends = entity(graph, source).id, entity(graph, target).id
    return next(
        r for r in graph.relationships if (r.source_id, r.type, r.target_id) == (ends[0], type_, ends[1])
    )


def test_an_entity_sums_up_its_mentions() -> None:
    graph, _ = derived([CHOLERA, MORE])
    snow = entity(graph, "John Snow")
    assert snow.type == "person"
    assert snow.n_mentions == 3
    assert snow.source_ref == CHOLERA.chunks[0].id
    assert snow.attributes == {
        "aliases": {"Dr. John Snow": 1, "John Snow": 1, "Snow": 1},
        "n_documents": 2,
        "roles": {"physician": 1},
        "first_date": "1849",
        "last_date": "1854-09",
    }
    assert snow.description == "Dr. John Snow was a physician."
    assert snow.degree == 1


def test_short_ids_rank_by_mentions() -> None:
    graph, _ = derived([CHOLERA, MORE])
    ranked = sorted(graph.entities, key=lambda entity: entity.short_id or 0)
    assert [entity.short_id for entity in ranked] == list(range(1, len(ranked) + 1))
    counts = [entity.n_mentions or 0 for entity in ranked]
    assert counts == sorted(counts, reverse=True)
    assert [e.id for e in graph.entities] == sorted(e.id for e in graph.entities)


def test_a_relationship_sums_up_its_evidence() -> None:
    graph, _ = derived([CHOLERA, MORE])
    blames = relationship(graph, "John Snow", "blames", "Broad Street pump")
    assert blames.weight == pytest.approx(1.3)
    assert blames.confidence == pytest.approx(1 - 0.5 * 0.2)
    assert blames.negated_weight == pytest.approx(0.2)
    assert blames.n_evidence == 2
    assert blames.keywords == ("blames",)
    assert blames.attributes == {"n_documents": 2, "n_denied": 1}
    assert blames.chunk_ids == tuple(sorted([CHOLERA.chunks[0].id, MORE.chunks[0].id]))
    assert blames.description == "Broad Street pump and John Snow."


def test_what_is_only_denied_is_its_own_type_and_not_causal() -> None:
    graph, linked = derived([CHOLERA])
    denied = relationship(graph, "Cholera", "not_causes", "miasma")
    assert (denied.weight, denied.negated_weight, denied.is_causal, denied.n_evidence) == (0.5, 0.5, False, 1)
    assert denied.confidence == pytest.approx(0.5)
    assert {row["relationship_id"] for row in linked[0].assertions if row["type"] == "causes"} == {denied.id}
    assert entity(graph, "miasma").degree == 0


SUPPOSED = made(
    "doc_supposed",
    "If John Snow blames the Broad Street pump, Cholera may cause miasma. Does Cholera cause Soho?",
    [
        ("John Snow", "person"),
        ("Broad Street pump", "concept"),
        ("Cholera", "concept"),
        ("miasma", "concept"),
        ("Soho", "place"),
    ],
    [
        ("John Snow", "blames", "Broad Street pump", {"modality": "hypothetical", "confidence": 0.9}),
        ("Cholera", "causes", "miasma", {"modality": "modal"}),
        ("Cholera", "causes", "Soho", {"modality": "asked"}),
        ("miasma", "causes", "Soho", {"modality": "hypothetical", "negated": True}),
    ],
)


def test_what_is_supposed_or_asked_is_counted_apart_and_weighs_nothing() -> None:
    alone, _ = derived([CHOLERA, MORE])
    graph, _ = derived([CHOLERA, MORE, SUPPOSED])
    ends = ("John Snow", "blames", "Broad Street pump")
    before, after = relationship(alone, *ends), relationship(graph, *ends)
    assert after.attributes == {**(before.attributes or {}), "n_hypothetical": 1}
    same = {"attributes": before.attributes, "short_id": before.short_id}
    assert after.model_copy(update=same) == before


def test_what_is_said_with_a_modal_verb_is_stated() -> None:
    graph, _ = derived([SUPPOSED])
    modal = relationship(graph, "Cholera", "causes", "miasma")
    assert (modal.weight, modal.n_evidence, modal.is_causal, modal.is_stated) == (0.5, 1, True, True)


def test_what_is_only_supposed_or_asked_is_no_relationship() -> None:
    graph, linked = derived([SUPPOSED])
    assert [edge.type for edge in graph.relationships] == ["causes"]
    assert entity(graph, "Soho").degree == 0
    rows = settled(linked[0].assertions, graph)
    assert [(row["modality"], row["relationship_id"] is None) for row in rows] == [
        ("hypothetical", True),
        ("modal", False),
        ("asked", True),
        ("hypothetical", True),
    ]


def test_co_occurrence_has_no_direction_and_leaves_dates_out() -> None:
    graph, linked = derived([CHOLERA, MORE])
    together = [r for r in graph.relationships if r.type == "co_occurs_with"]
    assert len(together) == 1
    assert together[0].weight == pytest.approx(0.6)
    assert together[0].source_id < together[0].target_id
    dated = next(row for row in linked[0].assertions if row["target"] == "1854")
    assert dated["relationship_id"] is None
    assert dated["target_id"] == entity(graph, "1854").id


def test_a_loop_made_by_merging_is_kept_as_evidence_only() -> None:
    graph, linked = derived([CHOLERA, MORE])
    loop = next(row for row in linked[0].assertions if row["type"] == "relates_to")
    assert loop["relationship_id"] is None
    assert loop["source_id"] == loop["target_id"] == entity(graph, "John Snow").id
    assert not [r for r in graph.relationships if r.source_id == r.target_id]


def test_names_known_elsewhere_are_found_where_extraction_missed_them() -> None:
    graph, linked = derived([CHOLERA, MORE])
    spotted = [row for row in linked[1].mentions if row["extractor"] == "gazetteer"]
    assert [row["surface"] for row in spotted][:1] == ["Cholera"]
    assert {row["entity_id"] for row in spotted} == {entity(graph, "Cholera").id}
    for row in spotted:
        assert MORE.document.text[row["start"] : row["end"]] == row["surface"]
        assert row["sentence_start"] == MORE.document.text.index("Cholera")
        assert row["confidence"] == 0.8


def test_no_span_is_covered_twice() -> None:
    corpus = [
        made("d1", "Broad Street pump", [("Broad Street pump", "concept")]),
        made("d2", "Broad Street", [("Broad Street", "place")]),
    ]
    _, linked = derived(corpus)
    assert [[row["surface"] for row in one.mentions] for one in linked] == [
        ["Broad Street pump"],
        ["Broad Street"],
    ]


def test_a_title_that_names_an_entity_is_a_mention_at_the_start() -> None:
    corpus = [
        made("d1", "The film was shot in Mexico.", [("Mexico", "place")], title="Titanic (1997 film)"),
        made("d2", "Titanic won prizes in Mexico.", [("Titanic", "concept"), ("Mexico", "place")]),
    ]
    graph, linked = derived(corpus)
    titled = linked[0].mentions[0]
    assert (titled["extractor"], titled["start"], titled["end"], titled["surface"]) == ("title", 0, 0, "")
    assert (
        titled["entity_id"] == entity(graph, "Titanic (1997 film)").id == linked[1].mentions[0]["entity_id"]
    )


def test_a_file_name_is_no_entity() -> None:
    graph, _ = derived([made("d1", "Snow fell.", [("Snow", "person")], title="report_2019-03.txt")])
    assert [entity.name for entity in graph.entities] == ["Snow"]


def test_a_span_counts_in_every_chunk_that_holds_it() -> None:
    text = "One Snow two Pump three"
    document = made("d1", text, [("Snow", "person"), ("Pump", "concept")], cuts=[(0, 12), (4, 20), (13, 23)])
    graph, linked = derived([document])
    cells = {
        (row["entity_id"], row["chunk_id"]): (row["count"], row["first_start"]) for row in linked[0].incidence
    }
    snow, pump = entity(graph, "Snow").id, entity(graph, "Pump").id
    chunks = [chunk.id for chunk in document.chunks]
    assert cells == {
        (snow, chunks[0]): (1, 4),
        (snow, chunks[1]): (1, 4),
        (pump, chunks[1]): (1, 13),
        (pump, chunks[2]): (1, 13),
    }


def test_rows_are_the_nouns_and_their_ends() -> None:
    _, linked = derived([CHOLERA, MORE])
    for rows in linked:
        for row in rows.mentions:
            Mention.model_validate({key: value for key, value in row.items() if key != "entity_id"})
        ends = {"source_id", "target_id", "relationship_id"}
        for row in rows.assertions:
            Assertion.model_validate({key: value for key, value in row.items() if key not in ends})


def test_doubtful_findings_are_left_out() -> None:
    graph, linked = derived([CHOLERA, MORE], min_confidence=0.4)
    assert {r.type for r in graph.relationships} == {"blames", "not_causes"}
    assert not [row for one in linked for row in one.assertions if row["confidence"] < 0.4]


def test_homonyms_met_by_name_alone_are_those_of_the_document() -> None:
    both: list[Name] = [("Washington", "person")]
    corpus = [
        made("d1", "Washington wrote. WASHINGTON spoke. Washington slept.", both),
        *[made(f"d{i}", "In Washington.", [("Washington", "place")]) for i in range(2, 6)],
    ]
    _, linked = derived(corpus)
    assert {row["type"] for row in linked[0].mentions} == {"person"}
    assert len(linked[0].mentions) >= 2


def test_an_empty_document_gives_nothing() -> None:
    graph, linked = derived([made("d1", "", [], cuts=[])])
    assert not graph.entities
    assert linked[0].mentions == linked[0].incidence == []


WORDS = ["John Snow", "Dr. John Snow", "J. Snow", "Snow", "Edgar Snow", "Pump", "pumps", "Pumps", "Water Board", "Board"]  # fmt: skip
TYPES = {"Pump": "concept", "pumps": "concept", "Pumps": "concept", "Water Board": "organisation"} | {
    "Board": "organisation"
}


@st.composite
def corpora(draw: st.DrawFn) -> list[Made]:
    corpus = []
    for ordinal in range(draw(st.integers(1, 5))):
        words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
        text = ". ".join(words) + "."
        links: list[Any] = [
            (one, draw(st.sampled_from(["causes", "co_occurs_with"])), other,
             {"confidence": draw(st.sampled_from([0.1, 0.3, 0.7])), "negated": draw(st.booleans())})
            for one, other in pairwise(words)
        ]  # fmt: skip
        names: list[Name] = [
            (word, TYPES.get(word, "person")) for word in sorted(words, key=len, reverse=True)
        ]
        corpus.append(made(f"d{ordinal}", text, names, links))
    return corpus


@settings(max_examples=tried(60), deadline=None)
@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_nothing(corpus: list[Made], random: Any) -> None:
    shuffled = list(corpus)
    random.shuffle(shuffled)
    graph, linked = derived(corpus)
    other, others = derived(shuffled)
    assert graph == other
    rows = {one.document.id: rows for one, rows in zip(corpus, linked, strict=True)}
    assert rows == {one.document.id: rows for one, rows in zip(shuffled, others, strict=True)}


@settings(max_examples=tried(60), deadline=None)
@given(corpora())
def test_the_graph_is_sound(corpus: list[Made]) -> None:
    graph, linked = derived(corpus)
    ids = {entity.id for entity in graph.entities}
    assert len(ids) == len(graph.entities)
    mentions = [row for one in linked for row in one.mentions]
    for found in graph.entities:
        assert found.n_mentions == sum(row["entity_id"] == found.id for row in mentions) > 0
    for edge in graph.relationships:
        assert {edge.source_id, edge.target_id} <= ids
        assert edge.source_id != edge.target_id
        evidence = [r for one in linked for r in one.assertions if r["relationship_id"] == edge.id]
        asserted = sum(row["confidence"] for row in evidence if not row["negated"])
        denied = sum(row["confidence"] for row in evidence if row["negated"])
        assert edge.weight == pytest.approx(asserted or denied)
        assert edge.negated_weight == pytest.approx(denied)
        assert edge.type.startswith("not_") is (asserted == 0)
    for number, passage in graph.passages.items():
        text = next(one.document.text for one in corpus if one.document.id == passage.document_id)
        assert text[passage.start : passage.end] == passage.text, number


@pytest.mark.faults
def test_the_hash_seed_changes_nothing() -> None:
    program = (
        "from tests.derive.test_derive import CHOLERA, MORE, derived\n"
        "graph, linked = derived([CHOLERA, MORE])\n"
        "print(graph, linked)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(said) == 1
