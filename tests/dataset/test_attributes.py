"""Attributes that an ontology declares: typed, labelled, and columns even where no entity has them."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.study import Ontology
from tests.dataset.corpus import ENTITIES, HandMade, hand_made
from tests.dataset.test_measures import built

ONTOLOGY = Ontology.model_validate(
    {
        "entities": {
            "person": {
                "attributes": {
                    "born": {"type": "number", "description": "year of birth"},
                    "died": {"type": "number", "description": "year of death"},
                    "side": {"values": ["water", "air"]},
                    "baptised": {"type": "date"},
                }
            },
            "place": {"attributes": {"port": {"type": "boolean"}}},
        }
    }
)


@dataclass(frozen=True)
class Declared(HandMade):
    ontology: Ontology = ONTOLOGY


@pytest.fixture(scope="module")
def declared() -> Declared:
    made = hand_made()
    return Declared(**{name: getattr(made, name) for name in HandMade.__dataclass_fields__})


def read(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "measure": "attribute", **more}


@pytest.mark.parametrize(
    ("name", "dtype", "label"),
    [
        ("died", "numeric", "year of death"),
        ("side", "nominal", "side"),
        ("baptised", "date", "baptised"),
        ("port", "boolean", "port"),
    ],
)
def test_what_no_entity_has_is_a_column_of_missing_values(
    declared: Declared, name: str, dtype: str, label: str
) -> None:
    table, warnings = built(declared, "entity", read(name))
    column = table.columns[-1]
    assert set(table.column(name)) == {None}
    assert (column.dtype, column.label) == (dtype, label)
    assert "as the ontology declares" in column.formula
    assert [(w.code, w.records) for w in warnings] == [("no_data_in_variable", (name,))]


def test_levels_are_those_declared(declared: Declared) -> None:
    assert built(declared, "entity", read("side"))[0].columns[-1].levels == ("water", "air")


def test_values_have_the_declared_type(declared: Declared) -> None:
    table, warnings = built(declared, "entity", read("born"))
    column = table.columns[-1]
    assert table.column("born") == (1813, None, 1848, None, None, None)
    assert (column.dtype, column.label) == ("integer", "year of birth")
    assert "as the ontology declares" in column.formula
    assert not warnings


@pytest.mark.parametrize("unit", ["pair", "entity_period"])
def test_pairs_and_panels_have_them_too(declared: Declared, unit: str) -> None:
    name = "target.died" if unit == "pair" else "died"
    table, _ = built(declared, unit, read("x", of=name))
    assert set(table.column("x")) == {None}


def test_what_is_declared_of_other_types_is_unknown(declared: Declared) -> None:
    with pytest.raises(PreparationError) as caught:
        built(declared, "entity", read("port"), entity_types=["person"])
    assert caught.value.code == "unknown_variable"
    with pytest.raises(PreparationError, match="Did you mean 'died'"):
        built(declared, "entity", read("diedd"))
    with pytest.raises(PreparationError) as caught:
        built(declared, "document", read("died"))
    assert caught.value.code == "unknown_variable"


def test_a_field_that_the_filter_leaves_without_values_is_no_error(corpus: HandMade) -> None:
    table, _ = built(corpus, "entity", read("born"), where={"type": "concept"})
    assert table.column("born") == (None, None)


@pytest.mark.parametrize(
    ("values", "given", "dtype", "how"),
    [
        ((1, 2.5, None, 1, 1, 1), None, "numeric", "as its values are read"),
        (("1854-01-02", "1855-02-03", None, None, None, None), None, "date", "as its values are read"),
        ((True, False, None, None, None, None), None, "boolean", "as its values are read"),
        ((1, 2, 1, 2, 1, 2), "nominal", "nominal", "as the study says"),
        ((1, "x", None, None, None, None), None, "nominal", "as its values are read"),
    ],
)
def test_the_type_and_who_says_so_are_in_the_codebook(
    corpus: HandMade, values: tuple[Any, ...], given: str | None, dtype: str, how: str
) -> None:
    pairs = zip(corpus.graph.entities, values, strict=True)
    entities = [e.model_copy(update={"attributes": {"x": value}}) for e, value in pairs]
    assert len(entities) == len(ENTITIES)
    made = replace(corpus, graph=type(corpus.graph)(entities, corpus.graph.relationships))
    column = built(made, "entity", read("x", type=given))[0].columns[-1]
    assert column.dtype == dtype
    assert column.formula == f"attribute: field 'x' of the unit; {dtype}, {how}"
