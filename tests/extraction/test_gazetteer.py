"""Known names in text."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.build.derive import Gazetteer
from tests.every import every

NAMES = {
    "John Snow": "1",
    "Snow": "2",
    "WHO": "3",
    "Reading": "4",
    "北京": "5",
    "Board of Health": "6",
    "NEW YORK": "7",
}


@every(
    "text, expected",
    [
        ("They met John Snow.", ["1"]),
        ("john snow and Snow's map", ["1", "2"]),
        ("Snowy owls", []),
        ("who asked the WHO?", ["3"]),
        ("Reading is reading.", ["4"]),
        ("在北京大学", ["5"]),
        ("the board of\nhealth", ["6"]),
        ("the Board of Trade", []),
        ("New York", ["7"]),
        ("", []),
    ],
)
def test_whole_words_longest_first(text: str, expected: list[str]) -> None:
    assert [payload for _, _, payload in Gazetteer(NAMES).find(text)] == expected


def test_spans_are_of_the_text() -> None:
    text = "In Soho John Snow met the board of health."
    assert [text[start:end] for start, end, _ in Gazetteer(NAMES).find(text)] == [
        "John Snow",
        "board of health",
    ]


def test_names_alike_but_for_case_are_told_apart_where_written_alike() -> None:
    gazetteer = Gazetteer({"Polish Room": "a", "polish room": "b"})
    assert [p for _, _, p in gazetteer.find("Polish Room, polish room, POLISH ROOM")] == ["a", "b", "a"]


WORDS = ("Ada", "ada", "中", "ß", "İ", "x_y", "'s", "-", "Ada.", "b")
SPACES = ("", " ", "\n\n", "\u00a0")


@given(
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SPACES)), max_size=12),
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), max_size=5),
)
def test_a_span_holds_the_tokens_of_its_name_and_spans_do_not_overlap(
    pieces: list[tuple[str, str]], names: list[str]
) -> None:
    text = "".join(map("".join, pieces))
    found = Gazetteer({name: name for name in names}).find(text)
    for start, end, name in found:
        assert _bare(text[start:end]) == _bare(name)
    assert all(one[1] <= other[0] for one, other in pairwise(found))


def _bare(text: str) -> str:
    return "".join(text.split()).casefold()
