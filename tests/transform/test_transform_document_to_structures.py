"""Tool 22 on two short texts."""

from typing import Any

import pytest

from corpusgraph.flows.annotate.english import EnglishReader
from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.schemas.errors import DuplicateDocumentError, InvalidInputError, PreparationError
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.extract.offline import OfflineExtractor
from corpusgraph.tasks.tools.transform import (
    Structures,
    TransformDocumentToStructures,
    transform_document_to_structures,
)

TEXTS = [
    "John Snow lived in London. Contaminated water caused cholera. In 1855 Snow published a book.",
    "On 8 September 1854 the Board of Guardians removed the handle of the pump. Dr Snow visited London.",
]


def structures(*targets: str, texts: list[str] | None = None, **config: Any) -> Structures:
    return noted(texts or TEXTS, *targets, **config).data


def test_only_what_is_asked_for_is_made() -> None:
    made = structures("graph")
    assert made.graph is not None
    assert (made.table, made.timeline) == (None, None)
    assert {"John Snow", "London"} <= {node.name for node in made.graph.nodes}
    names = {node.id: node.name for node in made.graph.nodes}
    causes = {(names[e.source_id], names[e.target_id]) for e in made.graph.edges if e.is_causal}
    assert {(a.casefold(), b.casefold()) for a, b in causes} == {("contaminated water", "cholera")}


def test_the_order_of_texts_does_not_matter() -> None:
    made = structures("graph", "timeline")
    turned = structures("graph", "timeline", texts=TEXTS[::-1])
    assert (made.graph, made.timeline, made.passages) == (turned.graph, turned.timeline, turned.passages)


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


def noted(documents: list[Any], *targets: str, **config: Any) -> Noted[Structures]:
    ask = {"documents": documents, "target_structures": list(targets), "extraction_config": config}
    read = TransformDocumentToStructures.model_validate(ask)
    return transform_document_to_structures(read, default_extractor())


def test_everything_has_passages_in_its_documents() -> None:
    documents = [{"id": f"d{n}", "text": text, "title": f"Text {n}"} for n, text in enumerate(TEXTS)]
    made = noted(documents, "graph", "table", "timeline").data
    texts = {one["id"]: one["text"] for one in documents}
    assert made.graph is not None
    assert made.table is not None
    assert made.timeline is not None
    assert all(texts[p.document_id][p.start : p.end] == p.text for p in made.passages if p.place == "text")
    assert {p.text for p in made.passages if p.place == "title"} == {"Text 0", "Text 1"}
    behind = {(passage.structure, passage.record) for passage in made.passages}
    assert behind == {
        *(("node", node.id) for node in made.graph.nodes),
        *(("edge", edge.id) for edge in made.graph.edges),
        *(("row", row[0]) for row in made.table.rows),
        *(("event", event.id) for event in made.timeline.events),
    }
    names = {node.id: node.name for node in made.graph.nodes}
    for passage in made.passages:
        if passage.structure == "node":
            assert names[passage.record].split()[-1].casefold() in passage.text.casefold()


def test_passages_can_be_fewer_and_tell_denials() -> None:
    text = "Snow lived in London. Snow left London. Foul air caused cholera. Snow denied that foul air caused cholera."
    made = noted([text], "graph").data
    assert {passage.stance for passage in made.passages if passage.structure == "edge"} == {"for", "against"}
    fewer = noted([text], "graph", most_passages=1).data
    assert len(fewer.passages) < len(made.passages)
    assert len(fewer.passages) == len({(p.structure, p.record) for p in fewer.passages})


def test_documents_have_ids_dates_and_metadata() -> None:
    documents = [
        {"id": "a", "text": "John Snow lived in London.", "date": "1854-09", "metadata": {"author": "Farr"}},
        "John Snow left London.",
    ]
    table = {
        "unit": "document",
        "variables": [{"name": "author", "measure": "attribute", "of": "author"}],
    }
    made = noted(documents, "table", table=table).data
    assert made.table is not None
    assert dict(zip(made.table.column("id"), made.table.column("author"), strict=True))["a"] == "Farr"
    assert [(one.id, one.given, one.metadata) for one in made.documents] == [
        ("a", (1,), {"author": "Farr", "date": "1854-09"}),
        (made.documents[1].id, (2,), {}),
    ]


def test_two_documents_of_one_id_are_an_error_and_the_same_twice_is_one() -> None:
    with pytest.raises(DuplicateDocumentError, match="'a'"):
        noted([{"id": "a", "text": "One."}, {"id": "a", "text": "Two."}], "graph")
    again = noted([TEXTS[0], TEXTS[0], " "], "graph")
    assert [(w.code, len(w.records)) for w in again.warnings] == [
        ("blank_document", 1),
        ("duplicate_identical", 1),
    ]
    assert again.data.graph == structures("graph", texts=TEXTS[:1]).graph


def test_partial_dates_are_intervals_in_order_of_their_start() -> None:
    texts = [
        "In September 1854 John Snow mapped the deaths in London.",
        "From 3 to 8 September 1854 the Board of Guardians met in London.",
        "In 1854 William Farr wrote to John Snow.",
        "On 3 September 1854 John Snow visited London.",
    ]
    made = noted(texts, "timeline").data.timeline
    assert made is not None
    assert [(event.begins, event.until) for event in made.events] == [
        ("1854-01-01T00:00:00", "1855-01-01T00:00:00"),
        ("1854-09-01T00:00:00", "1854-10-01T00:00:00"),
        ("1854-09-03T00:00:00", "1854-09-04T00:00:00"),
        ("1854-09-03T00:00:00", "1854-09-09T00:00:00"),
    ]
    assert "Board of Guardians" in made.events[-1].actor_names


def test_a_period_keeps_what_reaches_into_it_and_tells_the_rest() -> None:
    window = {"start": "1854-06", "end": "1854"}
    kept = noted([*TEXTS, "In 1854 William Farr wrote to John Snow."], "timeline", timeline=window)
    assert kept.data.timeline is not None
    assert [event.timestamp for event in kept.data.timeline.events] == ["1854", "1854-09-08"]
    assert [(w.code, len(w.records)) for w in kept.warnings] == [("outside_period", 1)]
    first = noted(TEXTS, "timeline", timeline={"most": 1})
    assert [w.code for w in first.warnings] == ["list_cut"]


@pytest.mark.parametrize(
    ("document", "warned"),
    [
        (
            "Le docteur a trouvé que l'eau de la pompe était mauvaise et que les habitants du quartier en mouraient.",
            1,
        ),
        ("约翰·斯诺住在伦敦。污染的水导致霍乱。", 1),
        (
            "Bác sĩ Snow sống ở Luân Đôn và viết rằng nước bẩn gây ra bệnh tả trong khu phố của ông vào năm ấy.",
            1,
        ),
        ({"text": "Snow lived.", "language": "fr"}, 1),
        (
            "The doctor found that the water of the pump was bad and that the people of the street died of it.",
            0,
        ),
        ("John Snow.", 0),
    ],
)
def test_other_languages_are_told(document: Any, warned: int) -> None:
    codes = [warning.code for warning in noted([document], "graph").warnings]
    assert codes.count("other_language") == warned


def test_which_languages_are_other_ones_is_the_extractors_to_say() -> None:
    french = {"text": "Snow vit à Londres.", "id": "fr", "language": "fr-FR"}
    ask = TransformDocumentToStructures.model_validate(
        {"documents": [french, {"text": TEXTS[0], "id": "en"}]}
    )
    reader = EnglishReader()
    reader.languages = frozenset({"fr"})
    extractor = OfflineExtractor(reader)
    told = [
        w for w in transform_document_to_structures(ask, extractor).warnings if w.code == "other_language"
    ]
    assert [warning.records for warning in told] == [("en",)]


def test_nothing_found_is_told() -> None:
    assert [w.code for w in noted(["It rained."], "timeline").warnings] == ["nothing_found"]
    told = noted(TEXTS, "graph", graph={"entity_types": ["persn"]}).warnings
    assert [(w.code, w.records) for w in told] == [("nothing_found", ("persn",))]


def test_a_long_document_is_read_whole() -> None:
    text = "\n\n".join(f"John Snow visited House {n} on {n % 28 + 1} May 1854." for n in range(300))
    made = noted([text], "timeline").data.timeline
    assert made is not None
    assert len(made.events) == 300


def test_what_is_wrong_with_a_document_is_told_by_its_name() -> None:
    documents = [
        {"id": "a", "text": "Snow met Farr.", "date": "soon"},
        {"id": "b", "text": "Farr met Snow.", "date": "03/04/1855"},
        {"id": "c", "text": " \n"},
        {"text": "Snow\ud800 left.", "title": " ", "metadata": {"by": ["\x00"]}},
        "",
    ]
    noted_ = noted(documents, "graph")
    assert [(w.code, w.records) for w in noted_.warnings] == [
        ("illegal_character", ("4",)),
        ("unparsed_timestamp", ("a: soon",)),
        ("ambiguous_date", ("b: 03/04/1855",)),
        ("blank_document", ("c", "5")),
    ]
    changed = next(one for one in noted_.data.documents if one.given == (4,))
    assert changed.metadata == {"by": ["\ufffd"]}
    assert {p.text for p in noted_.data.passages if p.document_id == changed.id} <= {"Snow\ufffd left."}
    assert noted_.model_dump_json()


def test_a_blank_id_and_two_dates_are_errors() -> None:
    with pytest.raises(PreparationError, match="Document 2") as caught:
        noted(["Snow met Farr.", {"id": " ", "text": "x"}], "graph")
    assert caught.value.code == "empty_id"
    with pytest.raises(InvalidInputError, match="two dates"):
        noted([{"text": "x", "date": "1854", "metadata": {"date": "1855"}}], "graph")


def test_dates_that_bound_an_event_are_told() -> None:
    texts = [
        "William Farr retired before 1860.",
        "Since about May 1854 John Snow lived in Soho.",
        "By 1850 Farr wrote. In 1851 Snow wrote. Snow visited London on 8 September 1854.",
        "From 1855 to 1857 Farr lived in London.",
    ]
    made = noted(texts, "timeline")
    assert made.data.timeline is not None
    bounds = [w for w in made.warnings if w.code == "open_interval"]
    dates = {event.id: event.timestamp for event in made.data.timeline.events}
    assert [sorted(dates[id_] for id_ in warning.records) for warning in bounds] == [
        ["1850", "1854-05", "1860"]
    ]
    assert {"1851", "1854-09-08", "1855"} <= set(dates.values())


def test_a_timeline_cannot_end_before_it_starts() -> None:
    with pytest.raises(InvalidInputError, match="before it starts"):
        noted(TEXTS, "timeline", timeline={"start": "1856", "end": "1855"})


def test_a_graph_that_settings_empty_says_so() -> None:
    told = noted(TEXTS, "graph", graph={"min_mentions": 99}).warnings
    assert [w.message for w in told] == ["No entity was left by min_mentions and entity_types."]
