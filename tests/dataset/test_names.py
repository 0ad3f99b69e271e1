"""Names made legal for a target, with hypothesis as the adversary."""

import keyword
import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.target import legal_names
from corpusgraph.tasks.export.statistical.programs import program

TARGETS = get_args(BundleFormat)


@given(st.lists(st.text(max_size=80), unique=True, max_size=12), st.sampled_from(TARGETS))
def test_new_names_are_legal_and_different(names: list[str], target: BundleFormat) -> None:
    made = legal_names(names, program(target))
    assert list(made) == names
    new = list(made.values())
    fold = program(target).fold
    assert len({fold(name) for name in new}) == len(new)
    for name in new:
        if target == "r":
            assert re.fullmatch(r"(?:[^\W\d_]|\.(?!\d))[\w.]*", name)
        elif target == "stata":
            assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,31}", name)
        elif target == "spss":
            assert re.fullmatch(r"(?:[^\W\d_]|@)[\w.@]*", name)
            assert len(name.encode()) <= 64
            assert not name.endswith((".", "_"))
        elif target == "python":
            assert name.isidentifier()
            assert not keyword.iskeyword(name)


@given(st.lists(st.text(max_size=80), unique=True, max_size=12), st.sampled_from(TARGETS))
def test_a_legal_name_stays(names: list[str], target: BundleFormat) -> None:
    new = list(legal_names(names, program(target)).values())
    assert list(legal_names(new, program(target)).values()) == new


@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        ("stata", "if", "if_"),
        ("stata", "str20", "str20_"),
        ("stata", "tuổi người", "tuoi_nguoi"),
        ("stata", "年齢", "v1"),
        ("stata", "a" * 40, "a" * 32),
        ("spss", "WITH", "WITH_v"),
        ("spss", "by", "by_v"),
        ("spss", "tuổi", "tuổi"),
        ("spss", "é" * 40, "é" * 32),
        ("r", "TRUE", "TRUE_"),
        ("r", "2nd try", "v_2nd_try"),
        ("r", "_x", "v_x"),
        ("r", ".5", "v_.5"),
        ("r", "年齢", "年齢"),
        ("python", "class", "class_"),
        ("python", "C", "C_"),
        ("python", "a-b", "a_b"),
        ("python", "", "v1"),
        ("spss", "¹a", "v_a"),
        ("r", "x²", "x_"),
    ],
)
def test_known_names(target: BundleFormat, old: str, new: str) -> None:
    assert legal_names([old], program(target)) == {old: new}


def test_a_legal_name_is_not_taken_by_one_that_is_made() -> None:
    assert legal_names(["a b", "a_b"], program("r")) == {"a b": "a_b_2", "a_b": "a_b"}
    assert legal_names(["Age", "age"], program("spss")) == {"Age": "Age", "age": "age_2"}
