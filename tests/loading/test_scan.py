"""Finding files: order, patterns, links, and the errors that say where was looked."""

import os
from pathlib import Path

import pytest

from corpusgraph.flows.load import corpus_fingerprint, scan
from corpusgraph.flows.load.sources import matcher
from corpusgraph.schemas.errors import CorpusNotFoundError, DuplicateDocumentError
from corpusgraph.schemas.study import Corpus
from tests.loading.files import codes, read, write


def names(folder: Path, **options: object) -> list[str]:
    corpus = Corpus.model_validate({"path": str(folder), **options})
    return [source.relative for source in scan(corpus, Path())]


def test_files_come_in_order_and_hidden_ones_do_not(tmp_path: Path) -> None:
    write(tmp_path, b__txt="b", a___z__txt="z", A__md="a", c__txt="c")
    write(tmp_path / ".git", x__txt="x")
    for hidden in (".hidden.txt", "~$lock.docx"):
        (tmp_path / hidden).write_text("x")
    assert names(tmp_path) == ["A.md", "a/z.txt", "b.txt", "c.txt"]


@pytest.mark.parametrize(
    ("include", "exclude", "found"),
    [
        (["*.txt"], [], ["a.txt"]),
        (["**/*.txt"], [], ["a.txt", "d/b.txt", "d/e/c.txt"]),
        (["d/*"], [], ["d/b.txt"]),
        (["d/**"], ["**/c.*"], ["d/b.txt"]),
        (["**/[ab].tx?"], [], ["a.txt", "d/b.txt"]),
        (["**/[!ab].txt"], [], ["d/e/c.txt"]),
        (["./a.txt", "café.md"], [], ["a.txt", "café.md"]),
    ],
)
def test_patterns(tmp_path: Path, include: list[str], exclude: list[str], found: list[str]) -> None:
    write(tmp_path, a__txt="a", d___b__txt="b", d___e___c__txt="c")
    (tmp_path / "cafe\u0301.md").write_text("x")
    assert names(tmp_path, include=include, exclude=exclude) == found


@pytest.mark.parametrize(
    ("pattern", "name"), [("[a", "[a"), ("a+b(c).txt", "a+b(c).txt"), ("a.txt", "a.txt")]
)
def test_other_characters_of_a_pattern_are_themselves(pattern: str, name: str) -> None:
    assert matcher((pattern,)).fullmatch(name)
    assert not matcher((pattern,)).fullmatch(name.replace(".", "x") + "y")


def test_linked_folders_are_followed_once_and_dead_links_are_told(tmp_path: Path) -> None:
    corpus, elsewhere = tmp_path / "corpus", tmp_path / "elsewhere"
    write(corpus, a__txt="a", sub___b__txt="b")
    write(elsewhere, c__txt="c")
    (corpus / "linked").symlink_to(elsewhere)
    (corpus / "sub" / "up").symlink_to(corpus)
    (corpus / "again").symlink_to(corpus / "sub")
    (corpus / "dead.txt").symlink_to("nowhere.txt")
    (corpus / "self.txt").symlink_to("self.txt")
    documents, failures = read(corpus)
    assert [d.source for d in documents] == ["a.txt", "linked/c.txt", "sub/b.txt"]
    assert codes(failures) == [("dead.txt", "unreadable"), ("self.txt", "unreadable")]
    assert "nowhere.txt" in failures[0].message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_told_and_not_waited_on(tmp_path: Path) -> None:
    os.mkfifo(write(tmp_path, a__txt="a") / "pipe.txt")
    assert codes(read(tmp_path)[1]) == [("pipe.txt", "unreadable")]


def test_a_file_that_vanishes_after_the_scan_is_told(tmp_path: Path) -> None:
    from corpusgraph.flows.load import load
    from corpusgraph.schemas.documents import Failure

    corpus = Corpus(path=str(write(tmp_path, a__txt="a")))
    (source,) = scan(corpus, Path())
    source.path.unlink()
    (failure,) = load(source, corpus)
    assert isinstance(failure, Failure)
    assert failure.code == "unreadable"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_and_folder_are_told(tmp_path: Path) -> None:
    write(tmp_path, a__txt="a", b__txt="b", d___c__txt="c")
    (tmp_path / "b.txt").chmod(0)
    (tmp_path / "d").chmod(0)
    try:
        failures = read(tmp_path)[1]
    finally:
        (tmp_path / "d").chmod(0o700)
    assert codes(failures) == [("b.txt", "unreadable"), ("d", "unreadable")]


def test_one_file_is_a_corpus(tmp_path: Path) -> None:
    write(tmp_path, a__txt="a", b__txt="b")
    assert names(tmp_path / "a.txt") == ["a.txt"]


def test_no_folder_is_an_error_that_says_where(tmp_path: Path) -> None:
    with pytest.raises(CorpusNotFoundError, match=r"No corpus at .*gone\."):
        scan(Corpus(path="gone"), tmp_path)


def test_nothing_found_is_an_error_that_says_what_was_looked_for(tmp_path: Path) -> None:
    write(tmp_path, a__txt="a", metadata__csv="file,author\na.txt,x\n")
    with pytest.raises(CorpusNotFoundError, match=r"looked for \*\.md, \*\.pdf without x\*"):
        scan(Corpus(path=".", include=("*.md", "*.pdf"), exclude=("x*",)), tmp_path)


def test_nothing_readable_is_an_error_that_says_why(tmp_path: Path) -> None:
    with pytest.raises(CorpusNotFoundError, match=r"None of the 2 files .* a\.txt: the file is empty"):
        read(write(tmp_path, a__txt="", b__png="x"))


def test_two_documents_with_one_id_are_an_error_that_names_both(tmp_path: Path) -> None:
    write(tmp_path, a__md="---\nid: s1\n---\nA", b__csv="id,text\ns1,B\n")
    with pytest.raises(DuplicateDocumentError, match=r"'s1': a\.md and b\.csv#1"):
        read(tmp_path)


def test_two_spellings_of_one_name_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "caf\u00e9.txt").write_text("a")
    (tmp_path / "cafe\u0301.txt").write_text("b")
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("the file system composes names itself")
    with pytest.raises(DuplicateDocumentError, match="decomposed"):
        read(tmp_path)


def test_the_id_zero_is_an_id(tmp_path: Path) -> None:
    write(tmp_path, a__md="---\nid: 0\n---\nA", b__md="---\nid: 0\n---\nB")
    with pytest.raises(DuplicateDocumentError, match="id 0"):
        read(tmp_path)


def test_the_fingerprint_follows_bytes_names_options_and_the_metadata_table(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus", a__txt="a", b__txt="b")
    table = tmp_path / "about.csv"
    table.write_text("file,author\na.txt,Snow\n")

    def fingerprint(**options: object) -> str:
        wanted = Corpus.model_validate({"path": str(corpus), "metadata": str(table), **options})
        return corpus_fingerprint(scan(wanted, tmp_path), wanted)

    seen = [fingerprint(), fingerprint(encoding="utf-8"), fingerprint(exclude=["b.txt"])]
    assert fingerprint() == seen[0]
    table.write_text("file,author\na.txt,Farr\n")
    seen.append(fingerprint())
    (corpus / "a.txt").write_text("changed")
    seen.append(fingerprint())
    (corpus / "a.txt").rename(corpus / "c.txt")
    seen.append(fingerprint())
    assert len(set(seen)) == len(seen)
