"""Columns of nouns tell what the nouns tell, also with a memory laid over them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.columnar import Nouns
from corpusgraph.tasks.overlay.view import LaidNouns, Rows


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
    entities = [entity(2 * number, number / 100) for number in sorted(kept)]
    base = Nouns(Kept(entities))
    gone = {at for at in out if at < len(entities)}
    rows = Rows([one.id for one in entities], gone, {f"e{number - 30:03}x" for number in new})
    others = {entities[at].id for at in touched if at < len(entities)}
    nouns = LaidNouns(rows, base, others, lambda id_: Entity(id=id_, confidence=0.75))
    assert list(rows.ids) == sorted(rows.ids) == [noun.id for noun in nouns]
    places = np.arange(len(nouns))[::-1]
    column = nouns.column("confidence", places)
    assert column is not None
    assert column.tolist() == [nouns[int(at)].confidence for at in places]


def test_without_columns_the_nouns_must_be_read() -> None:
    nouns = LaidNouns(Rows(["e000"], (), ()), (entity(0, 0.5),), (), lambda id_: Entity(id=id_))
    assert nouns.column("confidence", np.array([0])) is None
