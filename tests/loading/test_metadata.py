"""The table that tells more about files."""

from pathlib import Path

import pytest

from corpusgraph.schemas.errors import CorpusNotFoundError
from tests.loading.files import codes, read, write

TABLE = "file,title,author,date\na.txt,On A,Snow,8 September 1854\nb,On B,,\n"


def test_rows_go_to_their_files_by_path_name_or_stem(tmp_path: Path) -> None:
    documents, failures = read(write(tmp_path, metadata__csv=TABLE, a__txt="a", sub___b__txt="b"))
    assert failures == []
    assert [d.title for d in documents] == ["On A", "On B"]
    assert documents[0].metadata == {"author": "Snow", "date": "1854-09-08", "date_text": "8 September 1854"}
    assert documents[1].metadata == {}


def test_the_table_adds_to_front_matter_and_wins(tmp_path: Path) -> None:
    table = "file\tauthor\ncafe\u0301.md\tSnow\n"
    write(tmp_path, metadata__tsv=table)
    (tmp_path / "caf\u00e9.md").write_text("---\nauthor: nobody\nplace: Soho\n---\nText")
    (document,), _ = read(tmp_path)
    assert document.metadata == {"author": "Snow", "place": "Soho"}


def test_the_table_is_found_though_the_patterns_leave_it_out(tmp_path: Path) -> None:
    (document,), failures = read(
        write(tmp_path, metadata__csv="file,title\na.txt,On A\n", a__txt="a"), include=["*.txt"]
    )
    assert (document.title, failures) == ("On A", [])


@pytest.mark.parametrize("name", ["metadata__jsonl", "metadata__ndjson"])
def test_the_table_may_be_of_another_kind(tmp_path: Path, name: str) -> None:
    (document,), _ = read(write(tmp_path, **{name: '{"path": "./a.txt", "author": "Snow"}\n'}, a__txt="a"))
    assert document.metadata == {"author": "Snow"}


@pytest.mark.parametrize("given", ["about.csv", "corpus/inside.csv", "inside.csv"])
def test_the_study_may_name_the_table_from_its_own_folder_or_the_corpus(tmp_path: Path, given: str) -> None:
    from corpusgraph.flows.load import load_all, scan
    from corpusgraph.schemas.study import Corpus

    write(
        tmp_path,
        corpus___a__txt="a",
        about__csv="file,n\na.txt,1\n",
        corpus___inside__csv="file,n\na.txt,1\n",
    )
    corpus = Corpus(path="corpus", metadata=given, include=("*.txt",))
    (found,) = load_all(scan(corpus, tmp_path), corpus, tmp_path)
    assert getattr(found, "metadata", None) == {"n": 1}


def test_rows_that_help_nobody_are_told(tmp_path: Path) -> None:
    table = "file,n\na.txt,1\na.txt,2\ngone.txt,3\n,4\nb.txt,5\nx.txt,1,2\n"
    documents, failures = read(
        write(tmp_path, metadata__csv=table, a__txt="a", d___b__txt="b", e___b__txt="b")
    )
    assert [d.metadata for d in documents] == [{"n": 1}, {"n": 5}, {"n": 5}]
    assert codes(failures) == [
        ("metadata.csv", "duplicate_row"),
        ("metadata.csv", "malformed_row"),
        ("metadata.csv", "malformed_row"),
        ("metadata.csv", "ambiguous_metadata"),
        ("metadata.csv", "metadata_without_file"),
    ]


def test_a_table_that_is_named_and_not_there_or_not_fit_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, a__txt="a", t__csv="name,n\na.txt,1\n", b__csv=b"\x00\x01" * 99)
    for name, said in (
        ("gone.csv", "No metadata table at"),
        ("t.csv", "no column that names files"),
        ("b.csv", "binary"),
    ):
        with pytest.raises(CorpusNotFoundError, match=said):
            read(tmp_path, metadata=str(tmp_path / name))


def test_a_broken_table_that_nobody_named_goes_to_the_ledger(tmp_path: Path) -> None:
    documents, failures = read(write(tmp_path, a__txt="a", metadata__csv=b"\x00\x01" * 99))
    assert ([d.source for d in documents], codes(failures)) == (["a.txt"], [("metadata.csv", "binary")])


def test_a_metadata_file_whose_rows_are_documents_is_read_as_such(tmp_path: Path) -> None:
    documents, _ = read(write(tmp_path, metadata__csv="id,text\n1,a document\n"))
    assert [d.text for d in documents] == ["a document"]
