"""Columns of nouns tell what the nouns tell, also with a memory laid over them."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.columnar import Nouns
from corpusgraph.tasks.graph.compiled import Ids
from corpusgraph.tasks.overlay.rows import Finder, OverlaidNouns, Overlay


class Kept:
    """Rows of entities with a column of confidences."""

    def __init__(self, rows: list[Entity]) -> None:
        self._rows = rows

    @property
    def ids(self) -> Sequence[str]:
        return [row.id for row in self._rows]

    def one(self, at: int) -> Entity:
        return self._rows[at]

    def some(self, start: int, stop: int) -> Sequence[Entity]:
        return self._rows[start:stop]

    def column(self, name: str) -> Any:
        return np.array([getattr(row, name) for row in self._rows])


def entity(number: int, confidence: float) -> Entity:
    return Entity(id=f"e{number:03}", confidence=confidence)


@given(
    st.sets(st.integers(0, 30), min_size=1),
    st.sets(st.integers(0, 30)),
    st.sets(st.integers(31, 60)),
    st.sets(st.integers(0, 30)),
)
def test_a_column_tells_what_the_nouns_tell(
    kept: set[int], out: set[int], new: set[int], touched: set[int]
) -> None:
    rows = [entity(2 * number, number / 100) for number in sorted(kept)]
    base = Nouns(Kept(rows))
    gone = np.array([at for at in sorted(out) if at < len(rows)], dtype=np.int64)
    overlay = Overlay(Finder(Ids(base.ids)), gone, [f"e{number - 30:03}x" for number in sorted(new)])
    others = {at for at in touched if at < len(rows)}
    nouns = OverlaidNouns(overlay, base, Making({}, others))
    places = np.arange(len(nouns))[::-1]
    found = nouns.column("confidence", places)
    assert found is not None
    assert found.tolist() == [nouns[int(at)].confidence for at in places]


def test_without_columns_the_nouns_must_be_read() -> None:
    overlay = Overlay(Finder(Ids(("e000",))), np.zeros(0, dtype=np.int64), [])
    nouns = OverlaidNouns(overlay, (entity(0, 0.5),), Making({}))
    assert nouns.column("confidence", np.array([0])) is None


def test_a_column_that_was_read_is_brought_on() -> None:
    base = Nouns(Kept([entity(2 * n, n / 100) for n in range(5)]))
    gone = np.array([1], dtype=np.int64)
    making = Making({"e003x": 0.5})
    rows = Overlay(Finder(Ids(base.ids)), gone, ["e003x"])
    first = OverlaidNouns(rows, base, making)
    assert first.column("confidence", np.arange(len(first))) is not None
    later = Making({"e001x": 0.25, "e003x": 0.75})
    second = first.following(rows.following(["e001x", "e003x"]), later, (["e003x"], [2]))
    for nouns in (first, second):
        places = np.arange(len(nouns))
        found = nouns.column("confidence", places)
        assert found is not None
        assert found.tolist() == [nouns[at].confidence for at in places.tolist()]
    assert [noun.confidence for noun in second if noun.id.endswith("x")] == [0.25, 0.75]
    assert [noun.confidence for noun in first if noun.id.endswith("x")] == [0.5]


class Making:
    """Makes entities of a confidence by id; those at some places of the base are doubted."""

    def __init__(self, sure: dict[str, float], doubted: Collection[int] = ()) -> None:
        self._sure, self._doubted = sure, doubted

    def now(self, place: int, noun: Entity) -> Entity:
        return noun.model_copy(update={"confidence": 0.5}) if place in self._doubted else noun

    def made(self, id_: str) -> Entity:
        return Entity(id=id_, confidence=self._sure.get(id_, 0.75))

    def touched(self) -> Ints:
        return np.array(sorted(self._doubted), dtype=np.int64)
