"""Tool 22 on two short texts."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.transform.document_to_structures import (
    Structures,
    TransformDocumentToStructures,
    transform_document_to_structures,
)

TEXTS = [
    "John Snow lived in London. Contaminated water caused cholera. In 1855 Snow published a book.",
    "On 8 September 1854 the Board of Guardians removed the handle of the pump. Snow visited London.",
]


def structures(*targets: str, texts: list[str] | None = None, **config: Any) -> Structures:
    ask = {"documents": texts or TEXTS, "target_structures": list(targets), "extraction_config": config}
    return transform_document_to_structures(TransformDocumentToStructures.model_validate(ask)).data


def test_only_what_is_asked_for_is_made() -> None:
    made = structures("graph")
    assert made.graph is not None
    assert (made.table, made.timeline) == (None, None)
    assert {"John Snow", "London"} <= {node.name for node in made.graph.nodes}
    names = {node.id: node.name for node in made.graph.nodes}
    causes = {(names[e.source_id], names[e.target_id]) for e in made.graph.edges if e.is_causal}
    assert {(a.casefold(), b.casefold()) for a, b in causes} == {("contaminated water", "cholera")}


def test_the_order_of_texts_does_not_matter() -> None:
    assert structures("graph", "timeline") == structures("graph", "timeline", texts=TEXTS[::-1])


def test_a_graph_keeps_the_types_asked_for() -> None:
    made = structures("graph", graph={"entity_types": ["person"]}).graph
    assert made is not None
    assert {node.type for node in made.nodes} == {"person"}


def test_a_table_counts_what_the_texts_say() -> None:
    variables = [
        {"name": "words", "measure": "words"},
        {"name": "snow", "measure": "mentions", "of": "John Snow"},
    ]
    made = structures("table", table={"unit": "document", "variables": variables}).table
    assert made is not None
    assert sorted(made.column("words")) == sorted(len(text.split()) for text in TEXTS)
    assert sorted(made.column("snow")) == [1, 2]


def test_a_timeline_is_in_order_of_time() -> None:
    made = structures("timeline").timeline
    assert made is not None
    assert [event.timestamp for event in made.events] == ["1854-09-08", "1855"]
    short = structures("timeline", timeline={"start": "1855"}).timeline
    assert short is not None
    assert [event.timestamp for event in short.events] == ["1855"]


def test_blank_texts_and_bad_dates_are_errors() -> None:
    with pytest.raises(InvalidInputError, match="no text"):
        structures("graph", texts=[" \n"])
    with pytest.raises(InvalidInputError, match="'soon'"):
        structures("timeline", timeline={"start": "soon"})
