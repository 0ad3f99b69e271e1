"""Questions to an index."""

import subprocess
import sys
from collections.abc import Collection, Sequence

import pytest

from corpusgraph.flows.answer import Index, answer_question
from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention
from corpusgraph.schemas.study import Question
from corpusgraph.tasks.graph.linking import link_names
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import TEXTS, SmallVectors, small_graph


class SmallIndex(SmallVectors):
    """The small graph with its two documents and no further evidence."""

    mentions: Sequence[Mention] = ()
    assertions: Sequence[Assertion] = ()
    claims: Sequence[Claim] = ()
    arguments: Sequence[ArgumentRelation] = ()
    events: Sequence[Event] = ()

    def __init__(self) -> None:
        self.graph: MemoryGraph = small_graph()
        super().__init__(self.graph)
        self.documents: Sequence[Document] = tuple(
            Document(id=id_, title=title, text=text, source=id_, content_hash=id_)
            for id_, title, text in [
                ("d1", "On cholera", " ".join(TEXTS.values())),
                ("d2", "Soho", TEXTS["c4"]),
            ]
        )

    def dated(self, *, chunks: Collection[str] = (), time: str = "") -> Sequence[Event]:
        """No event was read."""
        return [e for e in self.events if e.chunk_id in chunks or (time and e.timestamp.startswith(time))]

    def entity_of(self, mention_id: str) -> str | None:
        """No mention was resolved."""
        raise KeyError(mention_id)


@pytest.fixture(scope="module")
def index() -> Index:
    return SmallIndex()


EMBEDDER = HashingEmbedder(256)


def test_a_question_is_answered_with_passages_names_and_citations(index: Index) -> None:
    found = answer_question(index, EMBEDDER, Question(ask="Who studied cholera?", top_k=2))
    assert (found.supported, found.retrieval, found.mode) == (True, "default", "graph and text")
    assert found.citations[0].text == "John Snow studied cholera."
    assert found.citations[0].document_title == "On cholera"
    assert len(found.passages) == 2
    assert [p.rank for p in found.passages] == [1, 2]


def test_the_names_in_the_question_seed_the_walk(index: Index) -> None:
    found = answer_question(index, EMBEDDER, Question(ask="What did John Snow do in Soho?"))
    assert {s.item.id: s.score for s in found.entities} == {"snow": 1 / 2, "soho": 1 / 2}
    assert found.mode == "graph"


def test_a_misspelt_name_is_linked_and_an_unknown_one_told(index: Index) -> None:
    named, unknown = link_names(index.graph, "Did Wiliam Farr meet Johannes Kepler?")
    assert [hit.entity_ids for hit in named] == [("farr",)]
    assert unknown == {"Johannes Kepler": []}


def test_what_the_corpus_does_not_know_is_not_answered(index: Index) -> None:
    found = answer_question(index, EMBEDDER, Question(ask="Which comets did Johannes Kepler see in Prague?"))
    assert not found.supported
    assert found.citations == ()


def test_words_alone_decide_where_nothing_is_named(index: Index) -> None:
    found = answer_question(index, EMBEDDER, Question(ask="What is crowded?"))
    assert found.mode == "text"
    assert found.passages[0].item.id == "c4"


def test_the_same_question_has_the_same_answer() -> None:
    ask = Question(ask="How did John Snow link the pump and cholera?")
    one, other = (answer_question(SmallIndex(), EMBEDDER, ask) for _ in range(2))
    assert [line.step for line in one.trace] == ["entities", "passages", "answer"]
    assert one.model_copy(update={"trace": ()}) == other.model_copy(update={"trace": ()})


def test_an_unknown_method_is_an_error(index: Index) -> None:
    with pytest.raises(InvalidInputError, match="Unknown method 'magic'"):
        answer_question(index, EMBEDDER, Question(ask="x", method="magic"))


def test_the_orchestrator_is_not_imported() -> None:
    code = "import sys, corpusgraph.flows.answer as r; assert not {'prefect', 'click', 'lancedb', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
