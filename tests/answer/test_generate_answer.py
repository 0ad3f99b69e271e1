"""T57: an answer of sentences, word for word, each cited."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.answer
import corpusgraph.tasks.tools.chunk  # noqa: F401 - registers the tools
from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk, Document, PageSpan
from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError, UnknownItemError
from corpusgraph.tasks.answer.extractive import NO_ANSWER
from corpusgraph.tasks.answer.question import topic_of
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import find
from tests.answer.build import extracted_from
from tests.graph.small import run

SNOW = (
    "Dr. John Snow was a physician in London. In 1849 he published a pamphlet on cholera. The weather was fine.\n\n"
    "He removed the handle of the Broad Street pump on 8 September 1854. Nobody thanked him."
)
FARR = "William Farr kept the statistics of London. He believed that foul air spread cholera."


def chunk(
    id_: str, content: str, start: int = 0, position: int = 0, document: str = "doc_1", **more: Any
) -> Chunk:
    return Chunk(
        id=id_,
        content=content,
        source_doc=document,
        start=start,
        end=start + len(content),
        position=position,
        **more,
    )


def answer(query: str, **more: Any) -> Answer:
    chunks = more.pop("chunks", [chunk("chk_1", SNOW), chunk("chk_2", FARR, document="doc_2")])
    found = run(
        "generate_answer", MemoryGraph([], chunks=chunks), query=query, chunks=[c.id for c in chunks], **more
    )
    told: Answer = found.data
    return told


def test_the_sentence_that_says_it_comes_first_and_is_cited() -> None:
    told = answer("Who kept statistics of London?")
    first = told.citations[0]
    assert (told.method, told.supported) == ("extractive", True)
    assert first.text == "William Farr kept the statistics of London."
    assert (first.chunk_id, first.document_id, first.document_title) == ("chk_2", "doc_2", "doc_2")
    assert told.text.startswith(f"{first.text} [1]")


def test_every_citation_is_word_for_word() -> None:
    for citation in answer("What about cholera and the Broad Street pump in London?").citations:
        source = SNOW if citation.document_id == "doc_1" else FARR
        assert source[citation.start : citation.end] == citation.text


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("When was the pump handle removed?", "8 September 1854"),
        ("Who was John Snow?", "a physician in London"),
        ("What did Farr believe about cholera?", "foul air spread cholera"),
    ],
)
def test_what_is_asked_for_is_preferred(query: str, said: str) -> None:
    assert said in answer(query).citations[0].text


@pytest.mark.parametrize(
    "query",
    [
        "How are telescopes polished?",  # no word in common
        "Which pamphlet on the orbits of comets did Kepler publish?",  # a name that no passage holds
        "Did the tax on paper in 1712 ruin the printers of the weather almanacs?",  # too few of its words
        "?!",
    ],
)
def test_without_support_it_says_so(query: str) -> None:
    told = answer(query)
    assert (told.text, told.citations, told.supported) == (NO_ANSWER, (), False)


def test_at_most_so_many_sentences_and_none_twice() -> None:
    assert len(answer("Who kept statistics of London?", max_sentences=1).citations) == 1
    double = [chunk("chk_1", FARR), chunk("chk_2", FARR)]
    texts = [c.text for c in answer("William Farr and cholera in London", chunks=double).citations]
    assert len(texts) == len(set(texts)) == 2


def test_a_sentence_that_a_chunk_cuts_gives_way_to_the_whole_one() -> None:
    cut = SNOW.index("Broad Street")
    chunks = [chunk("chk_1", SNOW[:cut]), chunk("chk_2", SNOW[cut - 40 :], cut - 40, 1)]
    whole = [chunk("chk_1", SNOW)]
    found = answer(
        "Who removed the handle of the pump?",
        chunks=[*chunks, *[c.model_copy(update={"id": "chk_3"}) for c in whole]],
    )
    assert found.citations[0].text == "He removed the handle of the Broad Street pump on 8 September 1854."


def test_chunks_that_do_not_tell_their_place_are_not_taken_for_overlapping() -> None:
    unplaced = [
        Chunk(id=i, content=text, source_doc="d")
        for i, text in (
            ("a", "Snow mapped deaths."),
            ("b", "Snow mapped the deaths of the outbreak in Soho."),
        )
    ]
    found = answer("Who mapped deaths?", chunks=unplaced).citations
    assert {c.text for c in found} == {chunk.content for chunk in unplaced}


def test_headings_are_no_answer() -> None:
    told = answer(
        "Cholera in London", chunks=[chunk("chk_1", "CHOLERA IN LONDON\n\nCholera came to London in 1831.")]
    )
    assert [c.text for c in told.citations] == ["Cholera came to London in 1831."]


def test_a_budget_cuts_the_passages_and_warns() -> None:
    graph = MemoryGraph([], chunks=[chunk("chk_1", SNOW), chunk("chk_2", FARR, document="doc_2")])
    noted = run(
        "generate_answer",
        graph,
        query="Who kept statistics of London?",
        chunks=["chk_1", "chk_2"],
        max_context_tokens=40,
    )
    assert [(w.code, w.records) for w in noted.warnings] == [("context_cut", ("chk_1", "chk_2"))]
    assert all(c.document_id == "doc_1" for c in noted.data.citations)


def test_titles_and_pages_come_from_the_document() -> None:
    page = SNOW.index("He removed")
    document = Document(
        id="doc_1",
        title="A life of Snow",
        text=SNOW,
        source="snow.pdf",
        content_hash="",
        pages=(PageSpan(page=1, start=0, end=page), PageSpan(page=2, start=page, end=len(SNOW))),
    )
    told = extracted_from(
        "When was the handle of the pump removed?",
        [chunk("chk_1", SNOW, page=1)],
        documents={"doc_1": document},
    )
    first = told.citations[0]
    assert (first.document_title, first.page) == ("A life of Snow", 2)


def test_a_title_may_be_in_the_metadata() -> None:
    told = answer("Who was John Snow?", chunks=[chunk("c", SNOW, metadata={"title": "Lives"}, page=7)])
    assert (told.citations[0].document_title, told.citations[0].page) == ("Lives", 7)


def test_a_name_counts_in_any_of_its_spellings() -> None:
    chunks = [chunk("c", "Snow mapped the deaths of the outbreak.")]
    query = "Who mapped deaths of the outbreak?"
    assert extracted_from(query, chunks, names=[["John Snow", "Snow"]]).supported
    assert not extracted_from(query, chunks, names=[["John Snow"]]).supported
    assert not extracted_from(query, chunks, names=[["no"]]).supported  # whole words only


def test_entities_may_be_named_instead() -> None:
    noted = run("generate_answer", query="Who studied it?", chunks=["c1"], entities=["John Snow"])
    assert noted.data.citations[0].text == "John Snow studied cholera."


def test_chunks_may_come_with_their_content_or_from_another_tool() -> None:
    inline = [{"id": "x", "content": "Cholera came to London in 1831."}]
    told = run(
        "generate_answer", MemoryGraph([]), query="When did cholera come to London?", chunks=inline
    ).data
    assert (told.citations[0].chunk_id, told.citations[0].document_id) == ("x", "")
    hits = run("chunk_vdb_search", query="cholera").data
    assert run("generate_answer", query="Who studied cholera?", chunks=hits).data.supported


def test_the_alias_finds_it() -> None:
    assert find("T57").name == "generate_answer"


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"query": " ", "chunks": ["c1"]}, InvalidInputError),
        ({"query": "x", "chunks": []}, InvalidInputError),
        ({"query": "x", "chunks": ["c1"], "max_sentences": 0}, InvalidInputError),
        ({"query": "x", "chunks": ["c9"]}, UnknownItemError),
        ({"query": "x", "chunks": ["c1"], "entities": ["nobody at all"]}, UnknownEntityError),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        run("generate_answer", **bad)


FEDERALIST = "FEDERALIST No. 8\n\nHAMILTON\n\nStanding armies are dangerous to liberty. The weather was mild that year."
LIBERTY = "Standing armies are dangerous to liberty."


def test_the_author_in_the_metadata_is_who_says_it() -> None:
    said = chunk("chk_1", LIBERTY)
    written = {
        author: Document(
            id="doc_1",
            title="No. 8",
            text=LIBERTY,
            metadata={"author": author},
            source="8.txt",
            content_hash="h",
        )
        for author in ("Hamilton", "Jay")
    }
    query = "What does Hamilton say about standing armies?"
    told = {
        author: extracted_from(query, [said], documents={"doc_1": document}, names=[["Hamilton"]])
        for author, document in written.items()
    }
    assert told["Hamilton"].text == f"{LIBERTY} [1]"
    assert told["Jay"].text == NO_ANSWER


def test_a_name_in_a_heading_of_the_passage_makes_it_known() -> None:
    query = "What does Hamilton say about the relation between standing armies and liberty?"
    told = extracted_from(query, [chunk("chk_1", FEDERALIST)], names=[["Hamilton"]])
    assert told.citations[0].text == LIBERTY
    other = extracted_from(query.replace("Hamilton", "Jay"), [chunk("chk_1", FEDERALIST)], names=[["Jay"]])
    assert not other.supported


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("What does Snow say about the pump?", "What does Snow  about the pump?"),
        ("What is said of the pump?", "What is  of the pump?"),
        ("What did Farr believe about cholera?", "What did Farr believe about cholera?"),
        ("Who told the Board of it?", "Who told the Board of it?"),
        ("What is the relation between poverty and illness?", "What is the  between poverty and illness?"),
    ],
)
def test_words_that_frame_a_question_are_not_looked_for(query: str, topic: str) -> None:
    assert topic_of(query) == topic
