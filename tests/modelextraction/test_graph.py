"""From a model's replies to the graph, in three languages."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.study import Chunking, LanguageOptions, Resolution
from corpusgraph.tasks.build.chunk import chunk_document
from corpusgraph.tasks.build.derive import Derivation, Derived, Linked
from corpusgraph.tasks.build.resolve import resolve
from corpusgraph.tasks.build.survey import survey
from corpusgraph.tasks.extract.llm.extractor import ModelExtractor
from corpusgraph.tasks.extract.llm.stated import Stated
from tests.llm.fake import FakeModel
from tests.modelextraction.build import PROMPTS, ByPassage, document, entity, relationship, said

FIRST = (
    "John Snow was a physician in London. Snow wrote that contaminated water causes cholera. "
    "On 8 September 1854 the Board of Guardians removed the pump handle in Broad Street."
)
SECOND = (
    "Cholera came to London again. Edwin Chadwick denied that water causes cholera. John Snow died in 1858."
)
CAUSES = "contaminated water causes cholera"
REPLIES = {
    "physician": said(
        entities=[
            entity("John Snow", "Person", "John Snow was a physician", description="A physician in London.",
                   attributes={"field": "medicine", "age": "41", "type": "doctor"}),
            entity("London", "place", "a physician in London"),
            entity("contaminated water", "concept", CAUSES),
            entity("cholera", "disease", CAUSES, description="A disease of the gut."),
        ],
        relationships=[relationship("contaminated water", "causes", "cholera", CAUSES, is_causal=True, confidence=0.9)],
        events=[
            {"activity": "removed the pump handle", "time": "8 September 1854", "actors": ["Board of Guardians"],
             "places": ["Broad Street"], "quote": "the Board of Guardians removed the pump handle in Broad Street"}
        ],
        claims=[{"text": "Contaminated water causes cholera.", "speaker": "John Snow", "quote": f"Snow wrote that {CAUSES}"}],
    ),
    "Chadwick": said(
        entities=[entity("Edwin Chadwick", "person"), entity("Cholera", "disease", "Cholera came to London")],
        relationships=[
            relationship("Cholera", "located in", "London", "Cholera came to London again"),
            relationship("Edwin Chadwick", "studies", "cholera", "Edwin Chadwick denied that water causes cholera"),
        ],
    ),
}  # fmt: skip


def _graph(texts: dict[str, str], replies: Any) -> tuple[Derived, list[Linked]]:
    model = FakeModel(replies if callable(replies) else ByPassage(replies))
    chunking = Chunking(unit="sentences", size=3, overlap=1)
    pairs = [
        (one, chunk_document(one, chunking)) for one in (document(text, name) for name, text in texts.items())
    ]
    found = ModelExtractor(model, LanguageOptions(), PROMPTS).extract_all(pairs)
    assert not [failure for one in found for failure in one.failures]
    known = survey((one, made.evidence) for (one, _), made in zip(pairs, found, strict=True))
    derivation = Derivation(resolve(known, Resolution()))
    linked = [
        derivation.link(one, chunks, made.evidence) for (one, chunks), made in zip(pairs, found, strict=True)
    ]
    return derivation.finish(), linked


def test_evidence_becomes_a_graph() -> None:
    derived, linked = _graph({"a": FIRST, "b": SECOND}, REPLIES)
    named = {one.name: one for one in derived.entities}
    by_id = {one.id: one.name for one in derived.entities}
    edges = {(by_id[r.source_id], r.type, by_id[r.target_id]): r for r in derived.relationships}
    cholera = next(name for name in named if name.casefold() == "cholera")
    assert named[cholera].type == "disease"
    assert edges["contaminated water", "causes", cholera].is_causal
    assert edges["contaminated water", "causes", cholera].confidence == 0.9
    assert ("Edwin Chadwick", "studies", cholera) in edges
    # "John Snow" of the second document is found by the name that the first one's model gave.
    assert named["John Snow"].n_mentions == 2
    assert named["London"].n_mentions == 2
    attributes = named["John Snow"].attributes or {}
    assert (attributes["field"], attributes["age"], attributes["stated_type"]) == ("medicine", 41, "doctor")
    assert named[cholera].attributes == {**(named[cholera].attributes or {}), "n_documents": 2}
    events = [event for one in linked for event in one.events]
    assert [event["timestamp"] for event in events] == ["1854-09-08"]
    assert [claim["speaker"] for one in linked for claim in one.claims] == ["John Snow"]
    assert sum(cell["count"] for cell in linked[0].incidence if cell["entity_id"] == named[cholera].id) >= 1


def test_the_order_of_documents_does_not_change_the_graph() -> None:
    one, _ = _graph({"a": FIRST, "b": SECOND}, REPLIES)
    two, _ = _graph({"b": SECOND, "a": FIRST}, REPLIES)
    assert one.entities == two.entities
    assert one.relationships == two.relationships


@given(st.permutations([(1, "b"), (1, "a"), ("1", "a"), (2, "a"), (2, "c"), (True, "a")]))
def test_of_several_values_the_commonest_counts_in_any_order(said_at: list[tuple[object, str]]) -> None:
    stated = Stated()
    for value, document_id in said_at:
        stated.add({"x": value}, (document_id, 0))
    assert stated.chosen() == {"x": 1}
    assert type(stated.chosen()["x"]) is int


def test_a_dataset_has_the_attributes_as_variables() -> None:
    from corpusgraph.tasks.dataset.measures.units import entity_attributes

    derived, _ = _graph({"a": FIRST}, REPLIES)
    snow = next(one for one in derived.entities if one.name == "John Snow")
    assert entity_attributes(snow)["age"] == 41


@pytest.mark.parametrize(
    ("text", "source", "type_", "target", "quote"),
    [
        (
            "Hồ Chí Minh đọc Tuyên ngôn Độc lập tại Hà Nội.",
            "Hồ Chí Minh",
            "đọc",
            "Tuyên ngôn Độc lập",
            "HỒ CHÍ MINH đọc  Tuyên ngôn Độc lập",
        ),
        ("1347年，黑死病传入欧洲，杀死了许多人。", "黑死病", "传入", "欧洲", "“黑死病”传入欧洲"),
        ("ولد ابن سينا في بخارى سنة ٩٨٠.", "ابن سينا", "ولد_في", "بخارى", "ولد ابن سينا في بخارى"),
        ("Η χολέρα ήρθε στην Αθήνα.", "χολέρα", "ήρθε", "Αθήνα", "Η ΧΟΛΈΡΑ ΉΡΘΕ ΣΤΗΝ ΑΘΉΝΑ"),
    ],
)
def test_other_languages(text: str, source: str, type_: str, target: str, quote: str) -> None:
    reply = said(
        entities=[entity(source, "concept", quote), entity(target, "place", quote)],
        relationships=[relationship(source, type_, target, quote)],
    )
    derived, linked = _graph({"x": text}, {"": reply})
    by_id = {one.id: one.name for one in derived.entities}
    (edge,) = derived.relationships
    assert (by_id[edge.source_id], edge.type, by_id[edge.target_id]) == (source, type_, target)
    for row in linked[0].mentions:
        assert text[row["start"] : row["end"]] == row["surface"]
        assert row["attributes"] == {}


def test_a_model_that_lies_leaves_no_trace() -> None:
    def lies(prompt: Prompt, _answer: type[BaseModel]) -> Any:
        honest = REPLIES["physician"] if "physician" in prompt.user else said()
        lie = relationship("John Snow", "poisons", "cholera", "John Snow poisoned the wells of London")
        return {**honest, "relationships": [*honest["relationships"], lie]}

    derived, _ = _graph({"a": FIRST}, lies)
    assert {one.type for one in derived.relationships} == {"causes"}
