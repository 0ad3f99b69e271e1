"""Names compared by their letters alone."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.extract.name_forms import abbreviates, fold, head_noun, person_name, singular
from tests.every import every


@every(
    "name, folded",
    [
        ("U.S.A.", "usa"),
        ("Snow’s", "snow"),
        ("James'", "james"),
        ("Broad-Street  pump", "broad street pump"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("3.5 miles", "3.5 miles"),
        ("AT&T", "at&t"),
        ("C++", "c++"),
        ("Nguye\u0302\u0303n Va\u0306n An", "nguyễn văn an"),
        ("阿尔伯特·爱因斯坦", "阿尔伯特 爱因斯坦"),
        ("...", "..."),
    ],
)
def test_fold(name: str, folded: str) -> None:
    assert fold(name) == folded


@every(
    "one, other",
    [("Nguyễn Văn An", "Nguyen Van An"), ("Đặng", "Dang"), ("Ân", "An"), ("C", "C++"), ("毛泽东", "毛澤東")],
)
def test_letters_are_never_folded_to_ascii(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(st.text(min_size=1, max_size=20))
def test_fold_is_idempotent_and_composed(text: str) -> None:
    once = fold(text)
    assert fold(once) == once
    assert unicodedata.is_normalized("NFC", once)


@every(
    "plural, one",
    [
        ("cholera outbreaks", "cholera outbreak"),
        ("cities", "city"),
        ("churches", "church"),
        ("boxes", "box"),
        ("buses", "buse"),
        ("glass", "glass"),
        ("virus", "virus"),
        ("analysis", "analysis"),
        ("statistics", "statistics"),
        ("gas", "gas"),
        ("ties", "tie"),
        ("news", "news"),
    ],
)
def test_regular_plurals(plural: str, one: str) -> None:
    assert singular(plural) == one


@every(
    "name, honorific, tokens, lineage",
    [
        ("Dr. John Snow", "dr", ("john", "snow"), ""),
        ("Rev. Dr. Henry Whitehead", "rev", ("henry", "whitehead"), ""),
        ("J.R.R. Tolkien", "", ("j", "r", "r", "tolkien"), ""),
        ("Martin Luther King Jr.", "", ("martin", "luther", "king"), "jr"),
        ("Ludwig van Beethoven", "", ("ludwig", "van", "beethoven"), ""),
        ("van Beethoven", "", ("beethoven",), ""),
        ("Governor General of Cuba", "governor", ("general", "of", "cuba"), ""),
        ("Queen Victoria", "", ("queen", "victoria"), ""),
        ("Charles II", "", ("charles", "ii"), ""),
        ("Nguyễn Văn An", "", ("nguyễn", "văn", "an"), ""),
        ("毛泽东", "", ("毛泽东",), ""),
    ],
)
def test_parts_of_a_persons_name(name: str, honorific: str, tokens: tuple[str, ...], lineage: str) -> None:
    assert person_name(name) == (honorific, tokens, lineage)


@pytest.mark.parametrize(
    ("short", "full", "fits"),
    [
        ("J. Snow", "John Snow", True),
        ("J.R.R. Tolkien", "John Ronald Reuel Tolkien", True),
        ("John Kennedy", "John F. Kennedy", True),
        ("John F. Kennedy", "John Fitzgerald Kennedy", True),
        ("George W. Bush", "George H. W. Bush", False),
        ("Mary Smith", "Mary Ann Smith", False),
        ("J. Snow", "Edgar Snow", False),
        ("J. Snow", "John Stone", False),
        ("John Snow", "J. Snow", False),
        ("John Snow", "John Snow", False),
        ("Snow", "John Snow", False),
        ("John Adams Jr.", "John Q. Adams Sr.", False),
    ],
)
def test_initials_abbreviate(short: str, full: str, *, fits: bool) -> None:
    assert abbreviates(person_name(short), person_name(full)) is fits


@every(
    "name, head",
    [("general board of health", "board"), ("metropolitan police", "police"), ("board", "board")],
)
def test_head_of_an_organisation(name: str, head: str) -> None:
    assert head_noun(name) == head
