"""Vectors that are added to, against a plain table of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.flows.store.overlaid_search import FreshRows, Rows
from corpusgraph.flows.store.postings import unit
from corpusgraph.schemas.ports import Floats

IDS = st.sampled_from([f"id{n}" for n in range(12)])
VECTORS = st.lists(st.integers(-2, 2), min_size=3, max_size=3)
Table = dict[str, Floats]


def vector(numbers: list[int]) -> Floats:
    found: Floats = unit(np.array([numbers], np.float32))[0]
    return found


def nearest(table: Table, query: Floats, top_k: int) -> list[float]:
    return sorted((round(float(one @ query), 5) for one in table.values()), reverse=True)[:top_k]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(IDS, VECTORS, max_size=5), max_size=6), VECTORS, st.integers(0, 15))
def test_every_version_finds_what_a_table_of_its_own_finds(
    later: list[dict[str, list[int]]], query: list[int], top_k: int
) -> None:
    versions: list[tuple[Rows, Table]] = [(Rows.empty(3), {})]
    for more in later:
        found = {id_: vector(numbers) for id_, numbers in more.items()}
        rows, table = versions[-1]
        first, _ = versions[0]
        versions.insert(1, (first.more(found), found))  # others may follow the first one, too
        versions.append((rows.more(found), {**table, **found}))
    wanted = vector(query)
    for rows, table in versions:
        hits = sorted(rows.nearest(wanted, top_k), key=lambda hit: -hit[1])[:top_k]
        assert [round(score, 5) for _, score in hits] == nearest(table, wanted, top_k)
        ids, matrix = rows.matrix()
        assert sorted(ids) == sorted(table)
        assert all(np.array_equal(table[id_], row) for id_, row in zip(ids, matrix, strict=True))


def test_a_text_is_embedded_when_it_is_first_searched_and_never_again() -> None:
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> Floats:
        asked.append(texts)
        found: Floats = np.eye(3, dtype=np.float32)[[len(text) % 3 for text in texts]]
        return found

    first = FreshRows(embed, Rows.empty(3), {"a": "x", "b": "xx"})
    second = first.more({"c": "x", "a": "xxx"})
    assert asked == []
    assert second.all.nearest(np.array([0, 1, 0], np.float32), 1) == [("c", 1.0)]
    third = second.more({"d": "xxxx"})
    assert sorted(third.all.matrix()[0]) == ["a", "b", "c", "d"]
    assert asked == [["x", "xx", "xxx"], ["xxxx"]]
