"""HTML read as prose."""

from pathlib import Path

import pytest

from corpusgraph.flows.load.formats.markup import read_html
from tests.loading.files import codes, one, read, write


@pytest.mark.parametrize(
    ("written", "prose"),
    [
        ("<p>one<p>two <b>bold</b>ly\nwrapped", "one\n\ntwo boldly wrapped"),
        ("a &amp; b &eacute;&nbsp;c &#8212; d", "a & b é c — d"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<ul><li>one<li>two</ul>tail", "one\n\ntwo\n\ntail"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a | b\n\n1 | 2"),
        ("<table><tr><td><p>left<td><p>right</table>", "left\n\nright"),
        ("<pre>line 1\n  line 2</pre>", "line 1\nline 2"),
        ("So&shy;ho<sup><a href='#n'>1</a></sup>. 10 m<sup>2</sup>", "Soho [1]. 10 m2"),
        ("<script>x()</script><style>p{}</style><nav>menu</nav><!-- c -->kept<?php x ?>", "kept"),
    ],
)
def test_blocks_are_paragraphs_and_the_rest_is_prose(written: str, prose: str) -> None:
    assert read_html(f"<html><body>{written}".encode(), None)[0].text == prose


def test_the_head_gives_title_language_and_metadata(tmp_path: Path) -> None:
    head = '<title> The\n pump </title><meta name="DC.creator" content="John Snow"><meta name="DC.date" content="8 May 1855">'
    document = one(
        write(tmp_path, a__html=f'<html lang="en"><head>{head}<meta name="viewport" content="x"></head>Text')
    )
    assert (document.title, document.language) == ("The pump", "en")
    assert document.metadata == {
        "language": "en", "author": "John Snow", "date": "1855-05-08", "date_text": "8 May 1855"
    }  # fmt: skip


def test_without_a_title_the_first_heading_is_it(tmp_path: Path) -> None:
    assert one(write(tmp_path, a__htm="<h1>On the <i>pump</i></h1><p>x")).title == "On the pump"


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("iso-8859-1", "cp1252"), ("utf-8", "utf-8"), ("utf-8", "cp1252"), ("koi8-r", "koi8-r")],
)
def test_a_declared_encoding_is_believed_where_it_fits(declared: str, encoding: str) -> None:
    text = "Холера и вода" if encoding == "koi8-r" else "“Größe” und Straße, daß die Königin müde war"
    page = f'<html><head><meta charset="{declared}"></head><body><p>{text}'
    assert read_html(page.encode(encoding), None)[0].text == text


@pytest.mark.parametrize("depth", [400, 1500])
def test_deep_nesting_is_read(depth: int) -> None:
    page = f"<p>start{'<div>' * depth}deep{'</div>' * depth}end"
    assert read_html(page.encode(), None)[0].text == "start\n\ndeep\n\nend"


def test_nesting_beyond_reason_is_a_failure_and_not_half_a_document(tmp_path: Path) -> None:
    write(tmp_path, a__html=f"<p>start{'<div>' * 50_000}deep", b__html="<html></html>", c__html="<p>fine")
    documents, failures = read(tmp_path)
    assert [d.text for d in documents] == ["fine"]
    assert codes(failures) == [("a.html", "malformed"), ("b.html", "empty")]
