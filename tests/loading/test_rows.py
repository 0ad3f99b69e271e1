"""Rows of tables as documents."""

import csv
import datetime as dt
import decimal
import gzip
import io
import json
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.flows.load.rows import csv_rows
from tests.loading.files import codes, one, read, write


def test_a_csv_with_a_mark_semicolons_and_quoted_line_ends(tmp_path: Path) -> None:
    rows = (
        '\ufefftext;id;deaths;;place;place\r\n"One;\r\ntwo ""x""";007;12;a;Soho;London\r\n\r\nNext;8;;;;\r\n'
    )
    documents, failures = read(write(tmp_path, a__csv=rows))
    assert failures == []
    assert [d.text for d in documents] == ['One;\ntwo "x"', "Next"]
    assert documents[0].metadata == {
        "id": "007", "deaths": 12, "column_4": "a", "place": "Soho", "place_2": "London"
    }  # fmt: skip
    assert [d.source for d in documents] == ["a.csv#1", "a.csv#2"]


@given(
    st.lists(
        st.lists(st.text(alphabet='ab";,\n é|', min_size=1, max_size=9), min_size=2, max_size=2), max_size=5
    )
)
def test_what_python_writes_as_csv_is_read_back(rows: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([["text", "note"], *rows])
    found = list(csv_rows(iter(out.getvalue().splitlines(keepends=True)), "csv", ("text", "note")))
    assert [row for _, row in found] == [{"text": text, "note": note} for text, note in rows]


@pytest.mark.parametrize("head", ["text|n\n", "sep=|\ntext|n\n", "n|text\n", "n\ttext\n", "n,text\n"])
def test_the_separator_is_found(tmp_path: Path, head: str) -> None:
    mark = next(c for c in "|\t," if c in head)
    cells = mark.join(("7", "words") if head.startswith("n") else ("words", "7"))
    document = one(write(tmp_path, a__csv=f"{head}{cells}\n"))
    assert (document.text, document.metadata) == ("words", {"n": 7})


def test_a_text_that_is_a_number_stays_text(tmp_path: Path) -> None:
    assert one(write(tmp_path, a__csv="text,title\n42,1984\n")).title == "1984"


def test_cells_are_numbers_only_where_nothing_is_lost(tmp_path: Path) -> None:
    cells = {"a": "007", "b": "7", "c": "1.5", "d": "nan", "e": "1e5", "f": "9" * 30, "g": "-3"}
    table = f"text,{','.join(cells)}\nx,{','.join(cells.values())}\n"
    assert one(write(tmp_path, a__csv=table)).metadata == {**cells, "b": 7, "c": 1.5, "g": -3}


def test_other_encodings_and_columns(tmp_path: Path) -> None:
    table = "body,key,heading\nGrüße aus Köln,k1,Über uns\n".encode("cp1252")
    document = one(write(tmp_path, a__csv=table), text_column="body", id_column="key", title_column="heading")
    assert (document.text, document.title, document.metadata) == ("Grüße aus Köln", "Über uns", {"id": "k1"})


def test_jsonl_with_a_mark_blank_lines_and_odd_values(tmp_path: Path) -> None:
    lines = '\ufeff{"text": "a\\ud800b", "id": 0, "x": NaN, "d": {"k": [1, null]}}\n\n{"text": "two"}\n'
    first, second = read(write(tmp_path, a__jsonl=lines))[0]
    assert (first.text, first.metadata) == ("a\ufffdb", {"id": "0", "d": {"k": [1, None]}})
    assert (second.text, second.source) == ("two", "a.jsonl#3")


def test_rows_in_a_gzip_file(tmp_path: Path) -> None:
    write(tmp_path, a__jsonl__gz=gzip.compress(b'{"text": "zipped"}\n'), b__txt__gz=gzip.compress(b"plain"))
    assert [d.text for d in read(tmp_path)[0]] == ["zipped", "plain"]


def test_parquet_with_dates_nulls_and_nested_values(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = {
        "text": ["One", None],
        "id": [1, 2],
        "date": pa.array([dt.date(1854, 9, 8), None]),
        "stamp": pa.array([1, 2], pa.timestamp("ns")),
        "nested": [{"day": [dt.date(1854, 9, 8), None]}, None],
        "price": pa.array([decimal.Decimal("1.50"), None]),
        "share": [float("nan"), 1.5],
        "raw": [b"x", None],
    }
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    (document,), failures = read(tmp_path)
    assert document.metadata == {
        "id": "1", "date": "1854-09-08", "stamp": "1970-01-01", "nested": {"day": ["1854-09-08", None]}, "price": 1.5
    }  # fmt: skip
    json.dumps(document.metadata, allow_nan=False)
    assert codes(failures) == [("a.parquet", "empty")]


def test_a_wrong_row_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        a__csv="text,n\nok,1\n,2\na,b,c\nlast,4\n",
        b__jsonl='{"text": "ok"}\n[1]\n{bad\n{"nope": 1}\n{"text": ["x"]}\n'
        + "[" * 9000
        + "\n"
        + '{"n": '
        + "9" * 5000,
        c__csv='text,n\nfirst,1\n"never closed,2\nlost,3\n',
    )
    documents, failures = read(tmp_path)
    assert [d.source for d in documents] == ["a.csv#1", "a.csv#4", "b.jsonl#1", "c.csv#1"]
    assert codes(failures) == [
        ("a.csv", "empty"),
        ("a.csv", "malformed_row"),
        ("b.jsonl", "malformed_row"),
        ("b.jsonl", "malformed_row"),
        ("b.jsonl", "no_text_column"),
        ("b.jsonl", "empty"),
        ("b.jsonl", "malformed_row"),
        ("b.jsonl", "malformed_row"),
        ("c.csv", "malformed_row"),
    ]
    assert "row 2 opens a quotation mark" in failures[-1].message


def test_a_table_without_the_text_column_is_told_once_with_what_it_has(tmp_path: Path) -> None:
    write(tmp_path, ok__txt="x", a__csv="body,n\n" + "a,1\n" * 50, b__csv="text,text\na,b\n", c__csv="text\n")
    _, failures = read(tmp_path)
    assert codes(failures) == [("a.csv", "no_text_column"), ("b.csv", "malformed"), ("c.csv", "empty")]
    assert "body, n" in failures[0].message


def test_a_thousand_wrong_rows_are_counted_not_listed(tmp_path: Path) -> None:
    _, failures = read(write(tmp_path, a__jsonl='{"text": "ok"}\n' + '{"x": 1}\n' * 1000))
    assert len(failures) == 101
    assert failures[-1].message == "and 900 more of this kind"


def test_a_big_table_is_streamed(tmp_path: Path) -> None:
    line = json.dumps({"text": "the water of a pump " * 150}) + "\n"
    with (tmp_path / "a.jsonl").open("w") as file:
        file.writelines(line for _ in range(3000))
    from corpusgraph.flows.load import load, scan
    from corpusgraph.schemas.study import Corpus
    from corpusgraph.tasks.text.languages import detect

    corpus = Corpus(path=str(tmp_path))
    (source,) = scan(corpus, Path())
    detect("water")  # its model is read once and stays
    documents = load(source, corpus)
    tracemalloc.start()
    assert sum(1 for _ in islice(documents, 50)) == 50
    first, _ = tracemalloc.get_traced_memory()
    assert sum(1 for _ in islice(documents, 150)) == 150
    later, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < source.path.stat().st_size / 2, "it is not read whole"
    assert later - first < 150 * len(line) / 2, "and what was read is let go"
