"""Triples extracted elsewhere: where they lie in the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Evidence, Mention
from corpusgraph.tasks.build.triples import Triple, evidence_of, relationship_type

TEXT = "Carl  Rogers developed person - centered therapy. He was born in Oak Park. Therapy causes growth."


def evidence(entities: list[str], triples: list[tuple[str, str, str]], text: str = TEXT) -> Evidence:
    document = Document(id="d", title="", text=text, source="", content_hash="")
    half = len(text) // 2
    chunks = [
        Chunk(id="c1", content=text[:half], source_doc="d", start=0, end=half),
        Chunk(id="c2", content=text[half:], source_doc="d", start=half, end=len(text)),
    ]
    return evidence_of(document, chunks, entities, [Triple(*triple) for triple in triples])


def mention(found: Evidence, name: str) -> Mention:
    return next(m for m in found.mentions if m.name == name)


@pytest.mark.parametrize(
    ("phrase", "surface"),
    [
        ("Oak Park", "Oak Park"),
        ("oak park", "Oak Park"),
        ("Carl Rogers", "Carl  Rogers"),
        ("Person-centered therapy", "person - centered therapy"),
    ],
)
def test_a_phrase_lies_where_the_text_has_it(phrase: str, surface: str) -> None:
    found = mention(evidence([phrase], []), phrase)
    assert found.surface == TEXT[found.start : found.end] == surface
    assert TEXT[found.sentence_start : found.sentence_end].count(surface) == 1
    assert found.attributes == {}


@pytest.mark.parametrize("phrase", ["Sigmund Freud", "Oak Parks", "erapy"])
def test_a_phrase_that_is_not_in_the_text_spans_all_of_it_and_says_so(phrase: str) -> None:
    found = mention(evidence([phrase], []), phrase)
    assert (found.start, found.end, found.attributes) == (0, len(TEXT), {"located": False})
    assert found.surface == phrase


def test_two_phrases_that_are_not_in_the_text_are_two_mentions() -> None:
    assert len({m.id for m in evidence(["Freud", "Jung"], []).mentions}) == 2


def test_a_triple_lies_in_the_sentences_of_its_ends_and_keeps_its_words() -> None:
    found = evidence([], [("Carl Rogers", "Was born in", "Oak Park"), ("Therapy", "causes", "growth")])
    born, causes = sorted(found.assertions, key=lambda a: a.type, reverse=True)
    assert (born.source, born.type, born.cue, born.target) == (
        "Carl Rogers",
        "was_born_in",
        "Was born in",
        "Oak Park",
    )
    assert TEXT[born.start : born.end].startswith("Carl")
    assert TEXT[born.start : born.end].endswith("Oak Park.")
    assert (causes.is_causal, born.is_causal) == (True, False)
    assert causes.source_mention == mention(found, "Therapy").id


def test_what_is_no_relation_is_left_out() -> None:
    assert (
        evidence([], [("Oak Park", "is", "Oak Park"), ("", "is", "Oak Park"), ("!", "is", "?")]).assertions
        == ()
    )


def test_the_same_triple_twice_is_one() -> None:
    triple = ("Carl Rogers", "born in", "Oak Park")
    assert len(evidence(["Oak Park"], [triple, triple]).assertions) == 1


@pytest.mark.parametrize(
    ("predicate", "type_"),
    [("Born in", "born_in"), ("  is a ", "is_a"), ("…", "relates_to"), ("出生于", "出生于")],
)
def test_a_predicate_becomes_a_type(predicate: str, type_: str) -> None:
    assert relationship_type(predicate) == type_


@given(st.text(max_size=40), st.lists(st.text(max_size=12), max_size=5))
def test_whatever_is_said_every_span_is_in_the_text(text: str, phrases: list[str]) -> None:
    document = Document(id="d", title="", text=text, source="", content_hash="")
    chunk = Chunk(id="c", content=document.text, source_doc="d", start=0, end=len(document.text))
    triples = [Triple(a, b, c) for a, b, c in zip(phrases, phrases, reversed(phrases), strict=True)]
    found = evidence_of(document, [chunk], phrases, triples)
    for span in (*found.mentions, *found.assertions):
        assert 0 <= span.sentence_start <= span.start <= span.end <= span.sentence_end <= len(document.text)
        assert span.chunk_id == "c"
    known = {m.id for m in found.mentions}
    assert all({a.source_mention, a.target_mention} <= known for a in found.assertions)


def test_a_document_without_chunks_has_no_evidence() -> None:
    document = Document(id="d", title="", text="", source="", content_hash="")
    assert evidence_of(document, [], ["A"], []) == Evidence(document_id="d")
