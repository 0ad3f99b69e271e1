"""Rows become Arrow and come back the same."""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.flows.store.tables import EXTRA, SEARCH, TABLES, VECTOR, to_arrow, to_nouns
from corpusgraph.schemas.base import Noun, OpenNoun
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity
from tests.examples import tried
from tests.store.made import MENTIONS, ROWS

TEXTS = st.text(max_size=8)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(TEXTS, JSON, max_size=3)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: st.integers(1, 2**62),
    float: st.floats(0.001, 1),
    bool: st.booleans(),
    dict[str, Any]: OBJECTS,
}


def values_of(annotation: Any) -> st.SearchStrategy[Any]:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return values_of(args[0])
    if origin is Literal:
        return st.sampled_from(args)
    if origin in {Union, UnionType}:
        return st.one_of([values_of(arg) for arg in args])
    if origin is tuple:
        return st.lists(values_of(args[0]), max_size=2).map(tuple)
    if annotation is NoneType:
        return st.none()
    return PLAIN[annotation] if annotation in PLAIN else nouns_of(annotation)


def nouns_of(noun: type[Noun]) -> st.SearchStrategy[Noun]:
    fields = {name: values_of(field.annotation) for name, field in noun.model_fields.items()}
    known = st.fixed_dictionaries(fields)
    if not issubclass(noun, OpenNoun):
        return known.map(noun.model_validate)
    extras = OBJECTS.map(lambda extra: {key: value for key, value in extra.items() if key not in fields})
    return st.tuples(extras, known).map(lambda parts: noun.model_validate(parts[0] | parts[1]))


@pytest.mark.parametrize("table", sorted(TABLES))
@settings(max_examples=tried(15), deadline=None)
@given(data=st.data())
def test_nouns_come_back_the_same(table: str, data: st.DataObject) -> None:
    spec = TABLES[table]
    rows = data.draw(st.lists(nouns_of(spec.noun), max_size=3))
    assert to_nouns(spec, to_arrow(spec, rows)) == rows


@pytest.mark.parametrize("table", sorted(TABLES))
def test_mappings_and_nouns_give_the_same_table(table: str) -> None:
    spec = TABLES[table]
    nouns = to_nouns(spec, to_arrow(spec, ROWS[table]))
    assert nouns
    again = to_arrow(spec, [noun.model_dump() for noun in nouns])
    assert again.drop_columns(list(spec.links)).equals(to_arrow(spec, nouns).drop_columns(list(spec.links)))


def test_links_are_columns_and_no_fields() -> None:
    spec = TABLES["mentions"]
    table = to_arrow(spec, MENTIONS)
    assert table.column("entity_id").to_pylist() == ["ent_snow", "ent_pump", None]
    assert "entity_id" not in to_nouns(spec, table)[0].model_dump()


def test_a_missing_default_is_filled_in_and_a_missing_id_is_an_error() -> None:
    spec = TABLES["entities"]
    (entity,) = to_nouns(spec, to_arrow(spec, [{"id": "ent_1", "name": "A"}]))
    assert entity == Entity(id="ent_1", name="A")
    with pytest.raises(InvalidInputError, match="Row 2 for table 'entities' has no 'id'"):
        to_arrow(spec, [{"id": "ent_1"}, {"name": "B"}])


def test_an_unknown_key_is_kept_where_the_noun_is_open_and_an_error_where_not() -> None:
    open_, closed = TABLES["chunks"], TABLES["claims"]
    table = to_arrow(open_, [{"id": "c", "content": "x", EXTRA: 1, VECTOR: [2], SEARCH: "3"}])
    assert to_nouns(open_, table) == [Chunk(id="c", content="x", **{EXTRA: 1, VECTOR: [2], SEARCH: "3"})]
    row = ROWS["claims"][0].model_dump() | {"stence": "asserts"}
    with pytest.raises(InvalidInputError, match=r"no column 'stence'\. Did you mean 'stance'"):
        to_arrow(closed, [row])


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "e", "name": "x", "degree": "three"}, "'degree' of table 'entities'"),
        ({"id": "e", "name": "x", "attributes": {"x": object()}}, "'attributes' of table 'entities'"),
        ({"id": "e", "name": "x", "degree": 2**70}, "'degree' of table 'entities'"),
    ],
)
def test_a_value_the_column_cannot_hold_is_named(row: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInputError, match=told):
        to_arrow(TABLES["entities"], [row])


def test_vectors_are_a_fixed_size_column() -> None:
    vectors = np.arange(6, dtype=np.float64).reshape(2, 3)
    table = to_arrow(TABLES["chunks"], ROWS["chunks"], vectors.astype(np.float32))
    assert str(table.schema.field(VECTOR).type) == "fixed_size_list<item: float>[3]"
    assert table.column(VECTOR).to_pylist() == vectors.tolist()
