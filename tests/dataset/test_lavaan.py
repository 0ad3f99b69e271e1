"""lavaan text read and written; parameters counted as R's lavaan 0.6 counts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.analysis.statistics.diagnostics import degrees_of_freedom, free_parameters
from corpusgraph.tasks.analysis.statistics.formula import Sem, read, rename, write

COUNTED_BY_R = [
    ("A =~ x1 + x2 + x3\nB =~ x4 + x5 + x6\nB ~ A + x7 + x8", 15, 18),
    ("A =~ x1 + x2\nB =~ x3 + x4\nx5 ~ A\nx6 ~ A + B", 15, 6),
    ("x1 ~ x2 + x3\nx4 ~ x1 + x3", 6, 1),
    ("x1 ~ x2 + x3\nx2 ~~ x3", 6, 0),
    ("A =~ x1\nx2 ~ A", 3, 0),
    ("A =~ NA*x1 + x2 + x3\nA ~~ 1*A\nx4 ~ A + x5", 9, 5),
    ("A =~ x1 + a*x2 + a*x3 + x4", 7, 3),
    ("A =~ x1 + x2 + x3\nB =~ x4 + x5 + x6\nC =~ A + B + x7", 16, 12),
    ("A =~ x1 + x2 + x3\nx4 ~ A + x5\nx5 ~~ A", 11, 4),
    ("A =~ x1 + x2", 4, -1),
    ("A =~ x1 + x2 + x3\nx1 ~ x4\nx2 ~~ x3", 8, 1),
    ("A =~ x1 + x2 + x3\nx4 ~ A + x5 + x6\nx5 ~~ x6\nx7 ~ x5", 16, 12),
]
"""Model, free parameters, degrees of freedom: sem(model, data) of lavaan 0.6 on twelve normal variables."""


@pytest.mark.parametrize(("model", "parameters", "df"), COUNTED_BY_R)
def test_the_counting_rule_agrees_with_lavaan(model: str, parameters: int, df: int) -> None:
    sem = read(model)
    assert (free_parameters(sem), degrees_of_freedom(sem)) == (parameters, df)


def test_text_is_read_with_comments_and_continued_lines() -> None:
    sem = read(
        "# factors\nF =~ a +\n  b ! marker first\n  + c; y ~ start(0.5)*F + 1\ny ~~ 0*F\nind := a1*b1\na1 == b1"
    )
    assert sem.latents == {"F": ("a", "b", "c")}
    assert sem.regressions == (("y", "F"),)
    assert sem.fixed == {("y", "F")}
    assert sem.n_constraints == 1
    assert sem.observed() == ("a", "b", "c", "y")
    assert free_parameters(sem) is None  # a start value is no count


@pytest.mark.parametrize("text", ["y ~ a b", "just words", "F =~ a * ", "y ~ +"])
def test_what_cannot_be_read_is_an_error_with_the_line(text: str) -> None:
    with pytest.raises(InvalidInputError, match="cannot read"):
        read(text)


def test_names_are_replaced_where_they_stand_alone() -> None:
    assert rename("y ~ y1 + b*x.y + y", {"y": "out", "x.y": "xy"}) == "out ~ y1 + b*xy + out"


NAMES = st.sampled_from([f"x{n}" for n in range(9)])


@given(
    st.dictionaries(st.sampled_from("FGH"), st.lists(NAMES, min_size=1, unique=True).map(tuple), max_size=3),
    st.lists(st.tuples(NAMES, NAMES), unique=True).map(lambda pairs: tuple(sorted(pairs))),
    st.lists(st.tuples(NAMES, NAMES), unique=True).map(tuple),
)
def test_a_written_model_is_read_back(
    latents: dict[str, tuple[str, ...]],
    regressions: tuple[tuple[str, str], ...],
    covariances: tuple[tuple[str, str], ...],
) -> None:
    sem = Sem(latents, regressions, covariances)
    assert read(write(sem)) == sem
