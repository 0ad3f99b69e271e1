"""Plain text, front matter and Markdown."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.flows.load.decoding import UnusableError
from corpusgraph.flows.load.formats.markdown import read_markdown
from corpusgraph.flows.load.formats.text import split_front_matter
from tests.loading.files import one, write


def markdown(text: str) -> str:
    return read_markdown(text.encode(), None)[0].text


@pytest.mark.parametrize(
    ("written", "prose"),
    [
        ("# A *title*\nText", "A title\n\nText"),
        ("A title\n=======\nText", "A title\n\nText"),
        ("**bold\nover lines** and _it_ and ***both***", "bold\nover lines and it and both"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("[text](http://a_b_c/(d)) and ![alt](x.png) and [ref][1]\n\n[1]: http://x", "text and alt and ref"),
        ("<https://example.org/a_b>", "https://example.org/a_b"),
        ("before<br>after &amp; <b class='x'>bold</b>, a < b", "before\nafter & bold, a < b"),
        ("<!-- hidden -->shown<script>x = 1</script>", "shown"),
        ("- one\n- [x] two\n* three", "one\n\ntwo\n\nthree"),
        ("1. one\n2. two", "1. one\n\n2. two"),
        ("in the year\n1854. The pump", "in the year\n1854. The pump"),
        ("Am\n12. September 1854", "Am\n12. September 1854"),
        ("| a | b |\n|---|:-:|\n| 1 | x \\| y |", "a | b\n\n1 | x | y"),
        ("```py\nx = *y*\n# no title\n```\nend", "x = *y*\n# no title\n\nend"),
        ("~~~\nopen to the end", "open to the end"),
        ("> quoted\n> more\n\n***\n\nend", "quoted\nmore\n\nend"),
        ("Water[^1] flows.\n\n[^1]: Not always.", "Water[1] flows.\n\n[1] Not always."),
        (r"\*not emphasis\* and `code`", "*not emphasis* and code"),
    ],
)
def test_marks_go_and_words_stay(written: str, prose: str) -> None:
    assert markdown(written) == prose


def test_the_first_heading_is_the_title_unless_one_is_given() -> None:
    assert read_markdown(b"```\n# code\n```\n## The *pump*\ntext", None)[0].title == "The pump"
    raw = read_markdown(b"---\ntitle: Given\n---\n# Heading", None)[0]
    assert raw.metadata["title"] == "Given"


@given(text=st.text(max_size=200))
def test_markdown_of_any_text_is_nfc_text(text: str) -> None:
    try:
        got = markdown(text)
    except UnusableError:
        return
    assert unicodedata.is_normalized("NFC", got)


@given(
    st.text(alphabet="abc é.,\n", max_size=80),
    st.dictionaries(st.sampled_from("abcd"), st.integers(), min_size=1),
)
def test_front_matter_is_cut_off_exactly(body: str, values: dict[str, int]) -> None:
    head = "".join(f"{key}: {value}\n" for key, value in values.items())
    assert split_front_matter(f"---\n{head}---\n{body}") == (body, values)


def test_front_matter_says_what_it_means(tmp_path: Path) -> None:
    front = "---\nid: 007\ncountry: no\ntime: 12:30\nyear: 1854\nshare: .nan\nauthors: [Snow, Farr]\nlang: de\n---\n"
    document = one(write(tmp_path, a__txt=front + "Text."))
    assert document.metadata == {
        "id": "007",
        "country": "no",
        "time": "12:30",
        "year": 1854,
        "share": None,
        "authors": ["Snow", "Farr"],
        "lang": "de",
    }
    assert (document.language, document.text) == ("de", "Text.")


@pytest.mark.parametrize(
    "text", ["---\nProse only\n---\nmore", "---\n\nSome prose: yes.\n\n---\nmore", "---\nno end"]
)
def test_a_rule_above_prose_is_no_front_matter(text: str) -> None:
    assert split_front_matter(text) == (text, {})


def test_empty_front_matter_is_cut_off() -> None:
    assert split_front_matter("---\n---\nbody") == ("body", {})


def test_decomposed_names_and_texts_are_composed(tmp_path: Path) -> None:
    (tmp_path / "cafe\u0301.txt").write_text("e\u0301tat")
    document = one(tmp_path)
    assert (document.source, document.title, document.text) == ("café.txt", "café", "état")
