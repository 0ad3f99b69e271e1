"""T55: relationships with the sentences that state them."""

from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.ports import IndexResources
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from corpusgraph.schemas.graph import Relationship
from corpusgraph.tasks.registry import find
from tests.answer.build import TEXTS, call, codes

TEXT = "Contaminated water caused cholera. Poverty caused overcrowding. John Snow met William Farr in London."


def told(hits: Any) -> list[tuple[str, str, str]]:
    return [
        (h.item.attributes["source_name"].lower(), h.item.type, h.item.attributes["target_name"].lower())
        for h in hits
    ]


def test_texts_are_read_and_each_relationship_has_its_sentence() -> None:
    hits = call("extract_relationships", texts=[TEXT]).data
    assert ("contaminated water", "causes", "cholera") in told(hits)
    assert ("poverty", "causes", "overcrowding") in told(hits)
    for hit in hits:
        assert hit.components["evidence"] == len(hit.item.attributes["evidence"]) > 0
        for evidence in hit.item.attributes["evidence"]:
            assert TEXT[evidence["start"] : evidence["end"]] == evidence["text"]
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_what_the_index_states_is_returned_with_its_own_ids() -> None:
    hits = call("extract_relationships", chunks=["c_d1", "c_d2"], source="index").data
    assert {h.item.id for h in hits} == {"r1", "r2"}
    by_id = {h.item.id: h.item.attributes["evidence"] for h in hits}
    assert by_id["r1"][0]["text"] == "John Snow studied cholera in London."
    for evidence in by_id["r1"] + by_id["r2"]:
        assert TEXTS[evidence["document_id"]][evidence["start"] : evidence["end"]] == evidence["text"]


def test_places_count_from_the_start_of_the_document() -> None:
    chunk = Chunk(id="late", content=TEXT, source_doc="book", start=1000, end=1000 + len(TEXT), position=4)
    hits = call("extract_relationships", chunks=[chunk], source="text").data
    evidence = next(h.item for h in hits if h.item.type == "causes").attributes["evidence"][0]
    assert (evidence["document_id"], evidence["chunk_id"]) == ("book", "late")
    assert TEXT[evidence["start"] - 1000 : evidence["end"] - 1000] == evidence["text"]


def test_an_index_states_what_its_texts_do_but_for_what_is_doubtful(tiny: tuple[Path, str]) -> None:
    outputs, index = tiny
    opened = api.open(index, outputs)
    ports = IndexResources(opened)
    texts = {document.id: document.text for document in opened.documents}
    chunks = [chunk.id for chunk in opened.graph.chunks]
    tool = find("T55")
    stated = tool.run({"chunks": chunks, "source": "index"}, ports).data
    read = tool.run({"chunks": chunks, "source": "text"}, ports).data
    read_anew = {h.item.id: h.score for h in read}
    of_index = {h.item.id: h.score for h in stated}
    assert of_index.items() <= read_anew.items()
    # what the extractor doubts makes no relationship in an index; read from the text it comes with its chance
    assert all(0.35 <= read_anew[id_] < 0.7 for id_ in read_anew.keys() - of_index.keys())
    for hit in [*stated, *read]:
        for evidence in hit.item.attributes["evidence"]:
            assert texts[evidence["document_id"]][evidence["start"] : evidence["end"]] == evidence["text"]


def test_types_confidence_and_number_limit_the_result() -> None:
    hits = call("extract_relationships", texts=[TEXT], relationship_types=["causes"]).data
    assert {h.item.type for h in hits} == {"causes"}
    assert len(call("extract_relationships", texts=[TEXT], top_k=1).data) == 1
    noted = call("extract_relationships", texts=[TEXT], min_confidence=1.0)
    assert (noted.data, codes(noted)) == ([], ["no_relationships"])


def test_co_occurrence_is_kept_only_when_asked_for() -> None:
    text = "John Snow and William Farr and Edwin Chadwick."
    assert not any(h.item.type == "co_occurs_with" for h in call("extract_relationships", texts=[text]).data)
    hits = call("extract_relationships", texts=[text], co_occurrence=True).data
    assert {h.item.type for h in hits} == {"co_occurs_with"}


def test_results_feed_other_tools() -> None:
    hits = call("extract_relationships", chunks=["c_d1"], source="index").data
    assert isinstance(hits[0].item, Relationship)
    assert call("entity_relnode_extract", relationships=hits).data


def test_a_text_that_says_nothing_is_told() -> None:
    noted = call("extract_relationships", texts=["?", "  "])
    assert (noted.data, codes(noted)) == ([], ["no_relationships"])


def test_the_alias_finds_it() -> None:
    assert find("T55").name == "extract_relationships"


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({}, InvalidInputError),
        ({"chunks": [], "texts": []}, InvalidInputError),
        ({"chunks": ["c9"]}, UnknownItemError),
        ({"texts": ["x"], "min_confidence": 2}, InvalidInputError),
        ({"texts": ["x"], "source": "web"}, InvalidInputError),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call("extract_relationships", **bad)
