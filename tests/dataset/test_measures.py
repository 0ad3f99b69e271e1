"""Every measure for every unit: it is described in full, or its error says what fits."""

from math import isnan
from typing import Any, get_args

import pytest

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.results import Table, ToolWarning
from corpusgraph.schemas.study import MeasureName, TableDataset, UnitOfAnalysis
from corpusgraph.tasks.dataset.measures.registry import ALL, MEASURES
from corpusgraph.tasks.dataset.table import build_table
from tests.dataset.corpus import HandMade
from tests.dataset.random_corpus import corpus_of_links, name_of, random_links

OF = {"share": "uses", "word_share": "uses"}


def variable(measure: str, unit: str) -> dict[str, Any]:
    of: Any = OF.get(measure)
    if measure == "attribute":
        of = "source.name" if unit == "pair" else "id"
    if measure.endswith("distance") and unit == "entity":
        of = name_of(0)
    return {"name": f"v_{measure}", "measure": measure, "of": of}


def built(corpus: HandMade, unit: str, *variables: Any, **more: Any) -> tuple[Table, tuple[ToolWarning, ...]]:
    dataset = {"name": "t", "unit": unit, "variables": variables, **more}
    return build_table(corpus, TableDataset.model_validate(dataset))


@pytest.fixture(scope="module")
def random_corpus() -> HandMade:
    return corpus_of_links(12, random_links(12, 30, seed=3))


def test_every_name_of_a_measure_has_its_function() -> None:
    assert set(MEASURES) == set(get_args(MeasureName))
    assert set(ALL) == set(get_args(UnitOfAnalysis))
    assert all(one.summary.endswith(".") for one in MEASURES.values())


@pytest.mark.parametrize("unit", ALL)
def test_every_column_is_described(random_corpus: HandMade, unit: str) -> None:
    if unit == "event":
        pytest.skip("the random corpus tells no events: the corpus made by hand does, below")
    names = [name for name, one in MEASURES.items() if unit in one.units]
    table, _ = built(random_corpus, unit, *(variable(name, unit) for name in names))
    for column in table.columns:
        told = (column.label, column.dtype, column.unit, column.formula, column.source)
        assert all(told), column
    assert [c.name for c in table.columns][-len(names) :] == [f"v_{name}" for name in names]
    assert len(table.provenance or ()) == len(table.rows) > 0
    assert unit == "entity_period" or all(table.provenance or ())


def test_every_column_of_events_is_described(corpus: HandMade) -> None:
    names = [name for name, one in MEASURES.items() if "event" in one.units]
    table, _ = built(corpus, "event", *(variable(name, "event") for name in names))
    told = [(c.label, c.dtype, c.unit, c.formula, c.source) for c in table.columns]
    assert all(all(one) for one in told)
    assert table.provenance == (("chk_doc_a",),)


@pytest.mark.parametrize("unit", ALL)
def test_a_measure_that_makes_no_sense_says_what_does(corpus: HandMade, unit: str) -> None:
    wrong = [name for name, one in MEASURES.items() if unit not in one.units]
    assert wrong
    for name in wrong:
        with pytest.raises(InvalidInputError) as caught:
            built(corpus, unit, variable(name, unit))
        assert f"It fits {', '.join(MEASURES[name].units)}." in str(caught.value)
        assert f"What fits {unit}: attribute, mentions" in str(caught.value)


@pytest.mark.parametrize(("n", "links"), [(1, 0), (1, 3), (2, 0), (2, 1), (3, 1)])
def test_small_and_unconnected_graphs_have_defined_values(n: int, links: int) -> None:
    corpus = corpus_of_links(n, random_links(n, links, seed=1))
    for unit in ("entity", "community"):
        names = [name for name, one in MEASURES.items() if unit in one.units]
        table, _ = built(corpus, unit, *(variable(name, unit) for name in names))
        cells = [cell for row in table.rows for cell in row]
        assert not any(isinstance(cell, float) and isnan(cell) for cell in cells)


def test_an_empty_graph_is_an_empty_table() -> None:
    with pytest.raises(PreparationError) as caught:
        built(corpus_of_links(0, []), "entity", variable("pagerank", "entity"))
    assert caught.value.code == "empty_table"


@pytest.mark.parametrize(
    ("unit", "measure", "of", "told"),
    [
        ("entity", "degree", "cuases", "Did you mean 'causes'?"),
        ("document", "relations", "cuases", "Did you mean 'causes'?"),
        ("pair", "jaccard", "cuases", "Did you mean 'causes'?"),
        ("community", "density", "cuases", "Did you mean 'causes'?"),
        ("document", "entities", "persn", "Did you mean 'person'?"),
        ("document", "mentions", "type:persn", "Did you mean 'person'?"),
        ("document", "quantities", "deths", "Did you mean 'deaths'?"),
        ("document", "events", "seee", "Did you mean 'see'?"),
    ],
)
def test_what_the_corpus_has_nothing_of_is_named(
    corpus: HandMade, unit: str, measure: str, of: str, told: str
) -> None:
    _, warnings = built(corpus, unit, {"name": "x", "measure": measure, "of": of})
    assert [(w.code, w.records) for w in warnings] == [("unknown_category", (of.removeprefix("type:"),))]
    assert told in warnings[0].message


def test_an_unknown_type_of_units_is_named(corpus: HandMade) -> None:
    words = {"name": "x", "measure": "words"}
    _, warnings = built(corpus, "entity", words, entity_types=["person", "plaec"])
    assert [(w.code, w.records) for w in warnings] == [("unknown_category", ("plaec",))]
    with pytest.raises(PreparationError, match="Did you mean 'place'"):
        built(corpus, "entity", words, entity_types=["plaec"])


def test_a_level_without_communities_is_an_error(corpus: HandMade) -> None:
    with pytest.raises(InvalidInputError, match="levels 0 to 1"):
        built(corpus, "entity", {"name": "x", "measure": "community", "of": "7"})


def test_a_pair_joined_by_a_relationship_alone_has_its_passages(random_corpus: HandMade) -> None:
    apart = HandMade(random_corpus.graph, random_corpus.documents, ())
    table, _ = built(apart, "pair", variable("distance", "pair"))
    behind: dict[str, set[str]] = {}
    for r in apart.graph.relationships:
        behind.setdefault("|".join(sorted((r.source_id, r.target_id))), set()).update(r.chunk_ids or ())
    found = dict(zip(table.column("id"), table.provenance or (), strict=True))
    assert {id_: set(chunks) for id_, chunks in found.items()} == {id_: behind[id_] for id_ in found}
    assert all(found.values())
