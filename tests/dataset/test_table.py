"""Tables built from a corpus whose counts are known by hand."""

from typing import Any

import networkx as nx
import pytest

from corpusgraph.schemas.errors import (
    CorpusgraphError,
    InvalidInputError,
    PreparationError,
    UnknownEntityError,
)
from corpusgraph.schemas.results import Table
from corpusgraph.schemas.study import TableDataset
from corpusgraph.tasks.dataset.cited import passages
from corpusgraph.tasks.dataset.table import build_table
from tests.dataset.corpus import HandMade


def table(corpus: HandMade, unit: str, *variables: Any, **options: Any) -> Table:
    made = [{"name": v, "measure": v} if isinstance(v, str) else v for v in variables]
    dataset = TableDataset.model_validate({"name": "t", "unit": unit, "variables": made, **options})
    return build_table(corpus, dataset)[0]


def values(corpus: HandMade, unit: str, measure: str, of: Any = None, **options: Any) -> dict[str, Any]:
    built = table(corpus, unit, {"name": "x", "measure": measure, "of": of}, **options)
    return dict(zip(built.column("id"), built.column("x"), strict=True))


def test_rows_are_in_id_order_and_begin_with_id_and_title(corpus: HandMade) -> None:
    built = table(corpus, "document", "words")
    assert [c.name for c in built.columns] == ["id", "title", "words"]
    assert built.rows == (("doc_a", "DOC_A", 17), ("doc_b", "DOC_B", 11), ("doc_c", "DOC_C", 9))
    assert built.provenance == (("chk_doc_a",), ("chk_doc_b",), ("chk_doc_c",))


@pytest.mark.parametrize(
    ("measure", "of", "expected"),
    [
        ("sentences", None, (3, 2, 2)),
        ("mentions", None, (7, 5, 1)),
        ("mentions", "John Snow", (2, 1, 0)),
        ("mentions", ["John Snow", "London"], (3, 2, 0)),
        ("mentions", "type:concept", (2, 0, 0)),
        ("entities", None, (4, 3, 1)),
        ("entities", "person", (1, 1, 1)),
        ("quantities", None, (1, 0, 0)),
        ("quantities", "deaths", (1, 0, 0)),
        ("quantities", "litres", (0, 0, 0)),
        ("claims", None, (1, 0, 0)),
        ("events", None, (1, 0, 0)),
        ("events", "leave", (0, 0, 0)),
        ("relations", None, (2, 1, 0)),
        ("relations", "doubts", (0, 1, 0)),
        ("causal_relations", None, (1, 0, 0)),
        ("words", "snow", (2, 1, 0)),
        ("words", ["caus*", "foul water"], (2, 0, 0)),
        ("words", "水", (0, 0, 1)),
        ("share", "london", (1 / 3, 1 / 2, 0)),
        ("co_occurrence", ["John Snow", "London"], (1, 0, 0)),
        ("first_date", None, ("1854-09-08", "1855", None)),
    ],
)
def test_documents(corpus: HandMade, measure: str, of: Any, expected: tuple[Any, ...]) -> None:
    assert tuple(values(corpus, "document", measure, of).values()) == expected


@pytest.mark.parametrize(
    ("measure", "of", "expected"),
    [
        ("mentions", None, (3, 2, 2, 1, 1, 1)),
        ("sentences", None, (3, 2, 2, 1, 1, 1)),
        ("relations", None, (3, 2, 3, 1, 1, 0)),
        ("relations", "doubts", (2, 0, 2, 0, 0, 0)),
        ("causal_relations", None, (0, 0, 0, 1, 1, 0)),
        ("entities", None, (2, 2, 2, 1, 1, 0)),
        ("degree", None, (2, 2, 2, 1, 1, 0)),
        ("degree", "causes", (0, 0, 0, 1, 1, 0)),
        ("clustering", None, (1, 1, 1, 0, 0, 0)),
        ("betweenness", None, (0, 0, 0, 0, 0, 0)),
        ("community", None, ("com_1", "com_0", "com_1", "com_2", "com_2", None)),
        ("community", "0", ("com_0", "com_0", "com_0", "com_2", "com_2", None)),
        ("distance", "London", (1, 0, 1, None, None, None)),
        ("co_occurrence", "London", (1, 2, 1, 0, 0, 0)),
        ("last_date", None, ("1854-09-08", "1855", "1855", None, None, None)),
    ],
)
def test_entities(corpus: HandMade, measure: str, of: Any, expected: tuple[Any, ...]) -> None:
    assert tuple(values(corpus, "entity", measure, of).values()) == expected


def test_pagerank_agrees_with_the_power_method(corpus: HandMade) -> None:
    import numpy as np

    ids = [entity.id for entity in corpus.graph.entities]
    steps = np.zeros((len(ids), len(ids)))
    for r in corpus.graph.relationships:
        steps[ids.index(r.target_id), ids.index(r.source_id)] += r.weight
    total = steps.sum(axis=0)
    steps = np.where(total > 0, steps / np.where(total > 0, total, 1), 1 / len(ids))
    rank = np.full(len(ids), 1 / len(ids))
    for _ in range(200):
        rank = 0.15 / len(ids) + 0.85 * steps @ rank
    found = values(corpus, "entity", "pagerank")
    assert list(found) == ids
    assert list(found.values()) == pytest.approx(list(rank), abs=1e-5)


def test_filters_choose_entities(corpus: HandMade) -> None:
    assert list(values(corpus, "entity", "mentions", entity_types=["Person"])) == ["ent_1", "ent_6"]
    assert list(values(corpus, "entity", "mentions", min_mentions=2)) == ["ent_1", "ent_2", "ent_3"]
    assert list(values(corpus, "entity", "mentions", where={"born": [1813, 1848]})) == ["ent_1", "ent_3"]
    assert list(values(corpus, "document", "words", where={"tags": "water"})) == ["doc_a"]


def test_pairs_are_those_that_share_a_sentence_or_an_edge(corpus: HandMade) -> None:
    assert values(corpus, "pair", "co_occurrence") == {
        "ent_1|ent_2": 1,
        "ent_1|ent_3": 1,
        "ent_2|ent_3": 1,
        "ent_4|ent_5": 1,
    }
    assert values(corpus, "pair", "relations")["ent_1|ent_3"] == 2
    assert set(values(corpus, "pair", "distance").values()) == {1}
    born = {"name": "born", "measure": "attribute", "of": "source.born"}
    built = table(corpus, "pair", born, entity_types=["person", "place", "organisation"])
    assert built.column("born") == (1813, 1813, None)
    assert [c.name for c in built.columns] == ["id", "source", "target", "born"]


def test_events_chunks_and_communities(corpus: HandMade) -> None:
    built = table(corpus, "event", {"name": "when", "measure": "attribute", "of": "timestamp"}, "quantities")
    assert built.rows == (("evt_1", "see", "1854-09-08", 1),)
    assert built.columns[2].dtype == "date"
    assert values(corpus, "chunk", "sentences") == {"chk_doc_a": 3, "chk_doc_b": 2, "chk_doc_c": 2}
    members = table(corpus, "community", "relations", "mentions", where={"level": 0})
    assert members.rows == (("com_0", "London", 4, 7), ("com_2", "Water", 1, 2))


def test_a_panel_is_balanced_over_the_periods_of_the_corpus(corpus: HandMade) -> None:
    panel = values(corpus, "entity_period", "mentions", min_mentions=2)
    assert panel == {
        "ent_1|1854": 2,
        "ent_1|1855": 1,
        "ent_2|1854": 1,
        "ent_2|1855": 1,
        "ent_3|1854": 0,
        "ent_3|1855": 2,
    }


def test_a_date_coarser_than_the_period_is_named(corpus: HandMade) -> None:
    dataset = TableDataset.model_validate(
        {
            "name": "t",
            "unit": "entity_period",
            "period": "month",
            "variables": [{"name": "m", "measure": "mentions"}],
        }
    )
    built, warnings = build_table(corpus, dataset)
    assert set(built.column("period")) == {"1854-09", "1855-03"}
    assert [(w.code, w.records) for w in warnings] == [("coarser_than_resolution", ("doc_b",))]


def test_types_of_attributes_are_inferred(corpus: HandMade) -> None:
    names = ("date", "pages", "kind", "weight", "tags")
    built = table(corpus, "document", *({"name": n, "measure": "attribute"} for n in names))
    assert {c.name: c.dtype for c in built.columns[2:]} == {
        "date": "date",
        "pages": "integer",
        "kind": "text",
        "weight": "numeric",
        "tags": "json",
    }
    assert built.column("weight") == (1.5, 2.0, None)
    assert built.column("tags") == (["water"], None, None)
    assert all(c.label and c.formula and c.source for c in built.columns[2:])


def test_a_type_the_study_gives_must_fit(corpus: HandMade) -> None:
    kind = {"name": "kind", "measure": "attribute", "type": "numeric"}
    with pytest.raises(PreparationError, match="'pamphlet'") as caught:
        table(corpus, "document", kind)
    assert caught.value.code == "mixed_types"


@pytest.mark.parametrize(
    ("unit", "variable", "error", "told"),
    [
        ("document", {"name": "x", "measure": "pagerank"}, InvalidInputError, "fits entity"),
        ("community", {"name": "x", "measure": "distance"}, InvalidInputError, "entity, pair"),
        ("document", {"name": "x", "measure": "share"}, InvalidInputError, "needs 'of'"),
        ("document", {"name": "x", "measure": "claims", "of": "y"}, InvalidInputError, "takes no 'of'"),
        ("document", {"name": "x", "measure": "mentions", "of": "Jon Snow"}, UnknownEntityError, "John Snow"),
        ("document", {"name": "pagez", "measure": "attribute"}, PreparationError, "pages"),
        ("document", {"name": "id", "measure": "words"}, InvalidInputError, "id"),
        ("entity", {"name": "x", "measure": "distance"}, InvalidInputError, "one name"),
        ("entity", {"name": "x", "measure": "community", "of": "top"}, InvalidInputError, "no number"),
    ],
)
def test_what_cannot_be_measured_is_named(
    corpus: HandMade, unit: str, variable: dict[str, Any], error: type[CorpusgraphError], told: str
) -> None:
    with pytest.raises(error) as caught:
        table(corpus, unit, variable)
    assert told in str(caught.value)


def test_a_name_the_corpus_does_not_have_is_named_among_others(corpus: HandMade) -> None:
    variable = {"name": "x", "measure": "mentions", "of": ["London", "Atlantis"]}
    dataset = TableDataset.model_validate({"name": "t", "unit": "document", "variables": [variable]})
    built, warnings = build_table(corpus, dataset)
    assert built.column("x") == (1, 1, 0)
    assert [(w.code, w.records) for w in warnings] == [("unknown_entity", ("Atlantis",))]


def test_an_empty_table_is_an_error(corpus: HandMade) -> None:
    with pytest.raises(PreparationError) as caught:
        table(corpus, "entity", "mentions", min_mentions=99)
    assert caught.value.code == "empty_table"


def test_every_row_leads_to_its_passages(corpus: HandMade) -> None:
    built = table(corpus, "entity", "mentions")
    behind = passages(built, corpus)
    rows = [row for row in behind.records() if row["unit"] == "ent_2"]
    assert [(r["row"], r["document_id"], r["start"], r["page"]) for r in rows] == [
        (2, "doc_a", 0, None),
        (2, "doc_b", 0, 2),
    ]
    for row in behind.records():
        text = next(d.text for d in corpus.documents if d.id == row["document_id"])
        assert corpus.graph.chunk(row["chunk_id"]).content == text[row["start"] : row["end"]]


def test_betweenness_agrees_with_networkx_on_the_whole_graph(corpus: HandMade) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(entity.id for entity in corpus.graph.entities)
    chosen = [r for r in corpus.graph.relationships if r.type in {"lives_in", "co_occurs_with", "causes"}]
    graph.add_edges_from((r.source_id, r.target_id) for r in chosen)
    found = values(corpus, "entity", "betweenness", of=["lives_in", "co_occurs_with", "causes"])
    assert found == pytest.approx(nx.betweenness_centrality(graph))
    assert found["ent_2"] == pytest.approx(1 / 10)  # one of the ten pairs of the other five entities
