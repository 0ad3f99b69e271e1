"""Why, what caused, what prevents: the sentence whose causal arrow says it comes first."""

from pathlib import Path

import pytest

import corpusgraph as cg
from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import find

DAM = "The bursting of the dam was called a failure of the dam because the dam board said so. "
ARROW = "Nine weeks of rain burst the dam."
HARM = "The bursting of the dam drowned forty cattle."
WALL = "A wall of clay kept the dam from bursting for years."
TEXTS = {"d1": DAM + DAM.replace("failure", "collapse"), "d2": f"{ARROW} {HARM}", "d3": WALL}


def arrow(sentence: str, source: str, target: str, type_: str = "causes", **more: object) -> Relationship:
    chunk = next(f"c_{document}" for document, text in TEXTS.items() if sentence in text)
    id_ = Relationship.make_id(source, type_, target)
    given = {"id": id_, "source_id": source, "target_id": target, "type": type_, "is_causal": True, **more}
    return Relationship.model_validate({**given, "description": sentence, "chunk_ids": (chunk,)})


RAIN = arrow(ARROW, "Nine weeks of rain", "the bursting of the dam")
DROWNED = arrow(HARM, "The bursting of the dam", "drowned forty cattle")
KEPT = arrow(WALL, "A wall of clay", "the dam bursting", "prevents")


def first(query: str, *arrows: Relationship) -> str:
    """Return the first sentence of the answer from all passages, in the order of the documents."""
    ends = sorted({end for edge in arrows for end in (edge.source_id, edge.target_id)})
    chunks = [Chunk(id=f"c_{d}", content=text, source_doc=d, end=len(text)) for d, text in TEXTS.items()]
    graph = MemoryGraph([Entity(id=end, name=end) for end in ends], list(arrows), chunks)
    ports = {"graph": graph, "corpus": None, "llm": None}
    asked = {"query": query, "chunks": [chunk.id for chunk in chunks]}
    answer: Answer = find("generate_answer").run(asked, ports).data
    return answer.citations[0].text if answer.supported else answer.text


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Why did the dam burst?", ARROW),
        ("What caused the bursting of the dam?", ARROW),
        ("What led to the bursting of the dam?", ARROW),
        ("What were the causes of the bursting of the dam?", ARROW),
        ("What did the bursting of the dam cause?", HARM),
        ("What were the effects of the bursting of the dam?", HARM),
        ("What prevented the bursting of the dam?", WALL),
        ("Why didn't the dam burst for years?", WALL),
    ],
)
def test_the_arrow_on_the_side_that_is_asked_for_comes_first(query: str, wanted: str) -> None:
    assert first(query, RAIN, DROWNED, KEPT) == wanted


def test_an_arrow_that_texts_only_deny_does_not_count() -> None:
    query, source, target = "Why did the dam burst?", RAIN.source_id, RAIN.target_id
    id_ = Relationship.make_id(source, "causes", target)
    denied = RAIN.model_copy(update={"id": id_, "type": "not_causes", "negated_weight": 1.0})
    assert first(query, denied) == first(query) != ARROW


def test_an_arrow_of_something_else_does_not_count() -> None:
    """It shares no word with the question on the side that is asked for."""
    query, other = "Why did the dam burst?", arrow(ARROW, "the dam that burst", "wet meadows")
    assert first(query, other) == first(query)


def test_who_asks_for_no_cause_is_not_led_by_arrows() -> None:
    query = "Who said the bursting of the dam was a failure?"
    assert first(query, RAIN, DROWNED, KEPT) == first(query)


def test_what_was_read_in_the_documents_answers_why(tmp_path: Path) -> None:
    told = "Nobody in the harbour office would say why the strike of the dockers spread so fast. "
    told += (
        "The strike of the dockers was discussed in the office for many weeks because the office met daily. "
    )
    (tmp_path / "strike.txt").write_text(told + "Falling wages caused the strike of the dockers.")
    cg.index(tmp_path / "strike.txt", "strike", outputs=tmp_path / "out")
    answer = cg.ask("What caused the strike of the dockers?", "strike", outputs=tmp_path / "out")
    assert answer.citations[0].text == "Falling wages caused the strike of the dockers."
