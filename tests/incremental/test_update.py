"""Updating and removing, as a person meets them: what is kept, what is said, what is refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import corpusgraph
from corpusgraph.flows.cli.main import cli
from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.errors import (
    CorpusNotFoundError,
    IndexNotFoundError,
    InvalidInputError,
    UnknownItemError,
)
from corpusgraph.schemas.study import Study
from tests.conftest import TEXTS, write_corpus
from tests.incremental.corpora import assert_equal, contents, index

SNOW = stable_id("doc", "path", "snow.txt")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tiny corpus and its index, for tests that change neither."""
    home = tmp_path_factory.mktemp("updates")
    index(write_corpus(home / "corpus"), home / "outputs")
    return home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a folder with the tiny corpus and its index, made where it is."""
    index(write_corpus(tmp_path / "corpus"), tmp_path / "outputs")
    return tmp_path


def held(home: Path) -> list[str]:
    opened = corpusgraph.open("made", home / "outputs")
    return sorted(document.source for document in opened.documents)


def remove(home: Path, *documents: str, **more: Any) -> Any:
    return corpusgraph.remove("made", list(documents), outputs=home / "outputs", **more)


def test_a_file_below_the_corpus_replaces_the_document_it_was(home: Path) -> None:
    (home / "corpus" / "farr.txt").write_text("William Farr met John Snow in Soho.", encoding="utf-8")
    (home / "corpus" / "snow.txt").unlink()
    report = index(home / "corpus" / "farr.txt", home / "outputs", update=True)
    assert (report.n_extracted, report.n_reused, report.counts["documents"]) == (1, 2, 3)
    assert held(home) == ["board.md", "farr.txt", "snow.txt"]
    assert index(home / "corpus" / "farr.txt", home / "outputs", update=True).up_to_date
    again = index(home / "corpus", home / "outputs")
    assert held(home) == ["board.md", "farr.txt"]
    assert "it equals this corpus again" in again.notes[0]


def test_a_folder_from_elsewhere_adds_and_the_options_stay(tmp_path: Path) -> None:
    corpus = {"path": str(write_corpus(tmp_path / "corpus"))}
    fields = {"study": "made", "corpus": corpus, "index": {"chunking": {"unit": "sentences", "size": 1}}}
    corpusgraph.index(Study.model_validate(fields), outputs=tmp_path / "outputs")
    more = write_corpus(tmp_path / "more")
    (more / "farr.txt").rename(more / "new.txt")
    report = index(more, tmp_path / "outputs", update=True)
    assert held(tmp_path) == ["board.md", "farr.txt", "new.txt", "snow.txt"]
    assert report.n_extracted == 1
    assert report.counts["chunks"] > 10


def test_documents_are_removed_without_the_corpus(home: Path) -> None:
    (home / "corpus").rename(home / "away")
    assert remove(home, "snow.txt", dry_run=True).report is None
    assert len(held(home)) == 3
    removal = remove(home, "snow.txt", "The Board answers")
    assert [document["source"] for document in removal.documents] == ["snow.txt", "board.md"]
    assert removal.report.n_extracted == 0
    assert held(home) == ["farr.txt"]
    fresh = home / "fresh"
    fresh.mkdir()
    shutil.copy(home / "away" / "farr.txt", fresh)
    index(fresh, home / "anew")
    assert_equal(contents(home / "outputs"), contents(home / "anew"))


def test_what_was_removed_stays_out_until_it_is_brought_back(home: Path) -> None:
    remove(home, "farr.txt", "snow.txt")
    again = index(home / "corpus", home / "outputs")
    assert again.up_to_date
    assert again.notes == (
        "2 documents removed earlier are left out: `--rebuild` or `index --update FILE` brings them back.",
    )
    (home / "corpus" / "new.txt").write_text("Ada met Farr.", encoding="utf-8")
    assert index(home / "corpus", home / "outputs").notes == again.notes
    assert held(home) == ["board.md", "new.txt"]
    index(home / "corpus" / "snow.txt", home / "outputs", update=True)
    assert held(home) == ["board.md", "new.txt", "snow.txt"]
    back = index(home / "corpus", home / "outputs")
    assert back.notes[0].startswith("1 document removed earlier is left out")
    rebuilt = index(home / "corpus", home / "outputs", rebuild=True)
    assert (rebuilt.notes, rebuilt.counts["documents"]) == ((), 4)


@pytest.mark.parametrize(
    ("names", "gone"),
    [
        ([SNOW], ["snow.txt"]),
        (["snow"], ["snow.txt"]),
        (["*.txt"], ["farr.txt", "snow.txt"]),
        (["[bf]*"], ["board.md", "farr.txt"]),
        (["farr.txt", "farr.txt"], ["farr.txt"]),
    ],
)
def test_documents_are_named_by_id_title_source_and_glob(
    made: Path, names: list[str], gone: list[str]
) -> None:
    found = remove(made, *names, dry_run=True).documents
    assert sorted(document["source"] for document in found) == gone
    path = str(made / "corpus" / gone[0])
    assert remove(made, path, dry_run=True).documents[0]["source"] == gone[0]


def test_nothing_is_removed_if_one_is_unknown(made: Path) -> None:
    with pytest.raises(UnknownItemError, match=r"'snw.txt'; nothing was removed. Did you mean 'snow.txt'"):
        remove(made, "farr.txt", "snw.txt")
    with pytest.raises(UnknownItemError, match="nothing was removed"):
        remove(made, "*.pdf")
    with pytest.raises(InvalidInputError, match="would leave no document"):
        remove(made, "*")
    with pytest.raises(IndexNotFoundError, match="Did you mean 'made'"):
        corpusgraph.remove("mad", ["snow.txt"], outputs=made / "outputs")
    assert len(held(made)) == 3


def test_a_title_of_several_documents_is_asked_about(home: Path) -> None:
    for name in ("one.md", "two.md"):
        (home / "corpus" / name).write_text("---\ntitle: Same\n---\nSnow met Farr.", encoding="utf-8")
    index(home / "corpus", home / "outputs")
    with pytest.raises(InvalidInputError, match="2 documents are titled 'Same'"):
        remove(home, "Same")


def test_the_ledger_follows_the_files(home: Path) -> None:
    (home / "corpus" / "bad.pdf").write_bytes(b"no pdf")
    (home / "corpus" / "rows.csv").write_text("id,text\n1,Snow met Farr in Soho.\n2,\n", encoding="utf-8")
    before = index(home / "corpus", home / "outputs")
    assert sorted(failure.source for failure in before.failures) == ["bad.pdf", "rows.csv"]
    after = remove(home, "rows.csv").report
    assert [failure.source for failure in after.failures] == ["bad.pdf"]
    (home / "corpus" / "bad.pdf").unlink()
    (home / "corpus" / "bad.txt").write_text("Farr.", encoding="utf-8")
    updated = index(home / "corpus" / "bad.txt", home / "outputs", update=True)
    assert [failure.source for failure in updated.failures] == ["bad.pdf"]


def test_rows_that_left_a_file_below_the_corpus_leave_the_index(home: Path) -> None:
    rows = home / "corpus" / "rows.csv"
    rows.write_text("id,text\n1,Snow met Farr.\n2,Farr met Snow.\n", encoding="utf-8")
    index(home / "corpus", home / "outputs")
    rows.write_text("id,text\n2,Farr met Ada.\n3,Ada met Snow.\n", encoding="utf-8")
    report = index(rows, home / "outputs", update=True)
    assert (report.n_extracted, report.counts["documents"]) == (2, 5)
    index(home / "corpus", home / "anew")
    assert_equal(contents(home / "outputs"), contents(home / "anew"))


def test_updating_needs_something_to_read(home: Path) -> None:
    with pytest.raises(CorpusNotFoundError):
        index(home / "nowhere", home / "outputs", update=True)
    with pytest.raises(InvalidInputError, match="Give one of them"):
        index(home / "corpus", home / "outputs", update=True, rebuild=True)
    assert index(home / "corpus", home / "other", update=True).counts["documents"] == 3


def test_the_command_line_updates_and_removes(home: Path) -> None:
    outputs = ["--outputs", str(home / "outputs"), "--json"]
    (home / "new.txt").write_text(TEXTS["snow.txt"], encoding="utf-8")
    asked = ["index", str(home / "new.txt"), "--name", "made", "--update", *outputs]
    done = CliRunner().invoke(cli, asked, standalone_mode=False)
    assert json.loads(done.stdout)["counts"]["documents"] == 4
    done = CliRunner().invoke(cli, ["remove", "made", "new.txt", *outputs], standalone_mode=False)
    told = json.loads(done.stdout)
    assert [document["source"] for document in told["documents"]] == ["new.txt"]
    assert told["report"]["counts"]["documents"] == 3
    plain = CliRunner().invoke(
        cli, ["remove", "made", "snow.txt", "--dry-run", *outputs[:2]], standalone_mode=False
    )
    assert plain.stdout.startswith("Would be removed:\n")


def test_what_is_left_out_is_told(home: Path) -> None:
    remove(home, "snow.txt")
    asked = ["index", str(home / "corpus"), "--name", "made", "--outputs", str(home / "outputs"), "--quiet"]
    told = CliRunner().invoke(cli, asked, standalone_mode=False).stdout
    assert "1 document removed earlier is left out" in " ".join(told.split())
