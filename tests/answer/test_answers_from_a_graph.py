"""T57 without a language model: entities, relationships, reports, paths and subgraphs cite the texts."""

from typing import Any

import pytest

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from corpusgraph.schemas.graph import Entity, Graph, Relationship
from corpusgraph.tasks.answer.extractive import NO_ANSWER
from corpusgraph.tasks.answer.question import asks_for_themes, matter
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.answer.build import assert_true_to_the_documents, call, codes, graph

KINDS: dict[str, Any] = {
    "chunks": ["c_d1", "c_d2"],
    "entities": ["snow", "farr"],
    "relationships": ["r1", "r2"],
    "communities": ["k1", "k2"],
    "paths": [{"node_ids": ["snow", "cholera", "farr"], "edge_ids": ["r1", "r2"]}],
    "subgraph": {"nodes": [{"id": "snow", "name": "John Snow"}], "edges": []},
}


def answer(query: str, **arguments: Any) -> Answer:
    told: Answer = call("generate_answer", query=query, **arguments).data
    return told


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_alone_answers_with_its_sentences(kind: str) -> None:
    told = answer("Who studied cholera in London?", **{kind: KINDS[kind]}, include_context=True)
    assert told.supported
    assert told.citations[0].text == "John Snow studied cholera in London."
    assert (told.citations[0].document_title, told.citations[0].page) == ("Book d1", 1)
    assert told.context is not None
    assert all(piece.sources for piece in told.context.pieces)
    for piece in told.context.pieces:
        assert_true_to_the_documents(piece.sources)
    assert_true_to_the_documents(told.citations)


def test_all_kinds_together_are_one_numbered_context_and_no_sentence_comes_twice() -> None:
    told = answer("Who studied cholera in London?", **KINDS, include_context=True)
    assert told.context is not None
    kinds = [piece.kind for piece in told.context.pieces]
    assert kinds == ["community"] * 2 + ["entity"] * 2 + ["relationship"] * 2 + ["path"] + ["chunk"] * 2
    assert [piece.number for piece in told.context.pieces] == list(range(1, 10))
    places = [(c.document_id, c.start) for c in told.citations]
    assert len(places) == len(set(places))
    assert told.context.pieces[6].text == "[7] John Snow -[studied]-> cholera <-[believed]- William Farr"


def test_relationships_without_a_description_cite_the_sentence_that_names_both_ends() -> None:
    told = answer("What did Farr believe of cholera?", relationships=["r2"], include_context=True)
    assert told.context is not None
    assert [s.text for s in told.context.pieces[0].sources] == ["Farr believed that foul air spread cholera."]
    assert told.citations == tuple(
        c.model_copy(update={"score": told.citations[0].score}) for c in told.context.pieces[0].sources
    )


def test_what_no_sentence_names_cites_its_passage() -> None:
    chunk = Chunk(id="c", content="He stayed there. It was cold.", source_doc="d", end=29)
    entity = Entity(id="e", name="Wilkins")
    told = call(
        "generate_answer",
        over=MemoryGraph([entity], chunks=[chunk], incidence=[("e", "c", 1)]),
        with_documents=False,
        query="Where?",
        entities=["e"],
        include_context=True,
    ).data
    assert told.context.pieces[0].sources[0].text == chunk.content


def test_nouns_that_the_graph_does_not_hold_are_read_as_they_are() -> None:
    edge = Relationship(id="new", source_id="snow", target_id="soho", type="lived_in", description="He did.")
    told = answer("Where did Snow live?", relationships=[edge], include_context=True)
    assert told.context is not None
    assert told.context.pieces[0].text == "[1] John Snow lived in soho: He did."
    assert told.context.pieces[0].sources == ()
    assert not told.supported


def test_a_community_report_can_be_given_instead_of_its_community() -> None:
    report = graph().reports[2]
    told = answer("What did William Farr keep?", communities=[report.model_dump(mode="json")])
    assert told.citations[0].text == "William Farr kept the statistics of London."


def test_a_community_without_a_report_cites_its_passages() -> None:
    bare = {"id": "new", "entity_ids": ["farr"], "level": 0, "title": "Farr", "summary": "Farr and sewers."}
    told = answer("Who built the sewers?", communities=[bare], include_context=True)
    assert told.context is not None
    assert told.context.pieces[0].text == "[1] Farr: Farr and sewers."
    assert told.citations[0].text.startswith("Joseph Bazalgette built the sewers")


def test_a_line_of_a_title_page_among_the_findings_is_no_answer() -> None:
    chunk = Chunk(id="c", content="SNOW ON CHOLERA\n\nCholera spread by water.", source_doc="d", end=42)
    lines = [(0, 15), (17, 41)]
    findings = [
        {"text": chunk.content[a:b], "chunk_id": "c", "document_id": "d", "start": a, "end": b}
        for a, b in lines
    ]
    report = {"id": "r", "community_id": "k", "level": 0, "title": "T", "summary": "", "findings": findings}
    for query in ("How did cholera spread?", "What are the main themes?"):
        told = call(
            "generate_answer",
            over=MemoryGraph([], chunks=[chunk]),
            with_documents=False,
            query=query,
            communities=[report],
        ).data
        assert [c.text for c in told.citations] == ["Cholera spread by water."]


def test_similar_items_of_any_kind_are_read() -> None:
    hits = call("similarity_search", query="John Snow studied cholera", kind="report", top_k=2).data
    assert answer("Who studied cholera?", items=hits).supported
    texts = call("similarity_search", query="comets", items=["Halley saw comets in 1682."]).data
    assert (
        answer("When did Halley see comets?", items=texts).citations[0].text == "Halley saw comets in 1682."
    )


@pytest.mark.parametrize("query", ["What are the main themes?", "Give me an overview of this corpus."])
@pytest.mark.parametrize("mode", ["direct", "map_reduce"])
def test_a_question_about_the_whole_is_answered_by_the_weightiest_communities(query: str, mode: str) -> None:
    told = answer(query, communities=["k2", "k1", "k0"], mode=mode)
    assert told.supported
    assert [c.text for c in told.citations][:2] == [
        "John Snow studied cholera in London.",  # of k0, rated highest
        "The Board removed the handle of the pump in Broad Street.",  # of k1: another sentence
    ]
    assert_true_to_the_documents(told.citations)


def test_themes_of_something_are_those_that_speak_of_it() -> None:
    about = answer("What are the main themes of the statistics?", communities=["k1", "k2"], max_sentences=1)
    assert about.citations[0].text == "William Farr kept the statistics of London."
    for query in (
        "What are the main themes of astronomy?",
        "What are the main themes in the life of Kepler?",
    ):
        assert answer(query, communities=["k1", "k2"]).text == NO_ANSWER


@pytest.mark.parametrize(
    ("query", "asks", "of"),
    [
        ("What are the main themes?", True, ""),
        ("Summarize the documents", True, ""),
        ("What is this corpus about?", True, ""),
        ("Quels sont les thèmes principaux ?", True, ""),
        ("主要主题是什么？", True, ""),
        ("What are the key arguments against slavery?", True, "slavery"),
        ("Who removed the handle?", False, "removed handle"),
    ],
)
def test_questions_about_the_whole_are_told_from_others(query: str, asks: bool, of: str) -> None:
    assert (asks_for_themes(query), matter(query)) == (asks, of)


def test_map_reduce_takes_the_best_sentences_of_every_group() -> None:
    chunks = [
        Chunk(id=f"c{i}", content=f"The pump number {i} spread cholera in parish {i}. Nobody came.")
        for i in range(40)
    ]
    noted = call(
        "generate_answer",
        over=MemoryGraph([], chunks=chunks),
        with_documents=False,
        query="What did pump number 7 spread?",
        chunks=[c.id for c in chunks],
        mode="map_reduce",
        group_tokens=60,
    )
    assert noted.data.citations[0].chunk_id == "c7"
    assert codes(noted) == []


def test_a_budget_of_a_kind_cuts_that_kind_alone() -> None:
    noted = call(
        "generate_answer", query="Who studied cholera?", **KINDS, budget={"chunks": 20}, include_context=True
    )
    cut = [w.records for w in noted.warnings if w.code == "context_cut"]
    assert cut == [("c_d1", "c_d2")]
    assert noted.data.context.cut == cut[0]


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({}, InvalidInputError),
        ({"chunks": [], "entities": []}, InvalidInputError),
        ({"subgraph": Graph()}, InvalidInputError),
        ({"communities": ["nowhere"]}, UnknownItemError),
        ({"relationships": ["nothing"]}, UnknownItemError),
        ({"paths": [{"node_ids": ["snow", "farr"], "edge_ids": ["nothing"]}]}, UnknownItemError),
        ({"chunks": ["c_d1"], "budget": {"chunks": 0}}, InvalidInputError),
        ({"chunks": ["c_d1"], "budget": {"pictures": 10}}, InvalidInputError),
        ({"chunks": ["c_d1"], "render": "html"}, InvalidInputError),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call("generate_answer", query="x", **bad)
