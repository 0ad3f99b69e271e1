"""What a model says of an item is collected, distinct and in text order, whatever order documents come in."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.build.aggregate import MAX_DESCRIPTIONS, Told, are_longer, joined
from corpusgraph.tasks.build.derive import Derivation
from corpusgraph.tasks.text.tokens import count_tokens
from tests.derive.build import derived, made, resolved
from tests.modelreports.build import by_model, pair_document

SNOW = made("d1", "John Snow blamed the pump.", [("John Snow", "person"), ("pump", "concept")],
            [("John Snow", "blames", "pump")])  # fmt: skip
AGAIN = made("d2", "John Snow closed the pump.", [("John Snow", "person"), ("pump", "concept")],
             [("John Snow", "blames", "pump")])  # fmt: skip
ONE = by_model(SNOW, {"John Snow": "A physician", "pump": "A pump."}, ["Snow suspects the pump."])
OTHER = by_model(AGAIN, {"John Snow": "A man of\n few words.", "pump": "A pump."}, ["He acts on it."])


def test_they_are_distinct_in_text_order_and_joined() -> None:
    graph, _ = derived([OTHER, ONE])
    of = {entity.name: graph.descriptions[entity.id] for entity in graph.entities}
    assert of == {"John Snow": ("A physician", "A man of few words."), "pump": ("A pump.",)}
    snow = next(entity for entity in graph.entities if entity.name == "John Snow")
    assert snow.description == "A physician; A man of few words."
    assert "roles" not in (snow.attributes or {})
    (blames,) = graph.relationships
    assert graph.descriptions[blames.id] == ("Snow suspects the pump.", "He acts on it.")
    assert blames.description == "Snow suspects the pump. He acts on it."


def test_the_order_of_documents_changes_nothing() -> None:
    documents = [ONE, OTHER, pair_document(3, "John Snow", "Ada Ash")]
    graphs = [derived(list(order))[0] for order in permutations(documents)]
    assert all(graph == graphs[0] for graph in graphs)


def test_without_a_model_there_are_none() -> None:
    graph, _ = derived([SNOW, AGAIN])
    assert graph.descriptions == {}
    assert {entity.description for entity in graph.entities} <= {"John Snow blamed the pump.",
                                                                 "John Snow closed the pump."}  # fmt: skip


def test_a_limit_cuts_between_descriptions() -> None:
    derivation = Derivation(resolved(ONE, OTHER), description_tokens=3)
    for one in (ONE, OTHER):
        derivation.link(*one)
    graph = derivation.finish()
    assert {entity.description for entity in graph.entities} == {"A physician", "A pump."}


def test_a_first_one_too_long_is_cut_inside() -> None:
    assert joined(["one two three four five"], 3) == "one two three …"


@pytest.mark.parametrize("limit", range(1, 14))
def test_joined_fits_whenever_they_are_not_too_long(limit: int) -> None:
    texts = ["one two", "three four", "five six."]
    whole = "one two; three four; five six."
    assert (joined(texts, limit) == whole) == (not are_longer(texts, limit))
    assert count_tokens(joined(texts, limit).removesuffix(" …")) <= limit


@given(
    st.lists(st.tuples(st.integers(0, 2 * MAX_DESCRIPTIONS), st.integers(0, 9)), max_size=9),
    st.randoms(use_true_random=True),
)
def test_what_is_kept_does_not_depend_on_the_order(said: list[tuple[int, int]], random: Random) -> None:
    every = [(f"text {n}", (f"d{n % 7}", n)) for n in range(3 * MAX_DESCRIPTIONS)]
    every += [(f"text {n}", ("d0", at)) for n, at in said]
    kept = [Told(), Told()]
    for one, order in zip(kept, (every, random.sample(every, len(every))), strict=True):
        for text, place in order:
            one.describe(text, place)
        assert len(one.descriptions) <= 2 * MAX_DESCRIPTIONS
    assert kept[0].texts() == kept[1].texts()
    assert len(kept[0].texts()) == MAX_DESCRIPTIONS
