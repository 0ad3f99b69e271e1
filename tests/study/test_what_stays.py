"""What a researcher put into a dataset's folder stays there, whatever the next runs make of the dataset."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api, datasets
from corpusgraph.schemas.run import DatasetReport, StudyReport
from corpusgraph.schemas.study import Study
from tests.conftest import write_corpus

COUNTED: dict[str, Any] = {
    "name": "counted",
    "kind": "descriptive",
    "unit": "document",
    "variables": [{"name": "words", "measure": "words"}],
    "formats": ["r", "python"],
}
NOBODY = COUNTED | {"unit": "entity", "entity_types": ["nothing"]}


def run(home: Path, *datasets: dict[str, Any]) -> StudyReport:
    if not (home / "corpus").exists():
        write_corpus(home / "corpus")
    study = Study.model_validate(
        {"study": "kept", "corpus": {"path": str(home / "corpus")}, "datasets": list(datasets)}
    )
    return api.run(study, outputs=home / "outputs")


def made(report: StudyReport, name: str = "counted") -> DatasetReport:
    return next(dataset for dataset in report.datasets if dataset.name == name)


def add_document(home: Path) -> None:
    (home / "corpus" / "more.txt").write_text("In 1866 Farr wrote to the Board in London.", encoding="utf-8")


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a dataset that was made, with things of the researcher's in it."""
    folder = Path(made(run(tmp_path, COUNTED)).path)
    (folder / "r" / "estimates.csv").write_text("b,se\n1,2\n", encoding="utf-8")
    (folder / "notes").mkdir()
    (folder / "notes" / "todo.txt").write_text("ask Farr", encoding="utf-8")
    (folder / "r" / "link.txt").symlink_to("../notes/todo.txt")
    return folder


def test_a_dataset_with_a_researchers_files_in_it_is_not_made_again(tmp_path: Path, folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    run(tmp_path, COUNTED)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_files_that_are_not_the_programs_stay(tmp_path: Path, folder: Path) -> None:
    before = files(folder)
    add_document(tmp_path)
    report = made(run(tmp_path, COUNTED))
    after = files(folder)
    assert after["r/data.csv"] != before["r/data.csv"] if "r/data.csv" in before else after != before
    assert (folder / "r" / "estimates.csv").read_text(encoding="utf-8") == "b,se\n1,2\n"
    assert (folder / "r" / "link.txt").is_symlink()
    assert (folder / "r" / "link.txt").read_text(encoding="utf-8") == "ask Farr"
    assert after.keys() == before.keys()
    assert report.moved == ()


def test_what_somebody_changed_is_moved_to_previous_each_time(tmp_path: Path, folder: Path) -> None:
    script = folder / "r" / "analysis.R"
    ours = script.read_bytes()
    script.write_bytes(ours + b"# robust errors\n")
    add_document(tmp_path)
    report = made(run(tmp_path, COUNTED))
    assert report.moved == ("r/previous/analysis.R",)
    assert (folder / "r" / "previous" / "analysis.R").read_bytes() == ours + b"# robust errors\n"
    assert b"robust errors" not in script.read_bytes()
    script.write_bytes(b"# another\n")
    assert made(run(tmp_path, COUNTED)).moved == ()
    assert script.read_bytes() == b"# another\n"
    changed = COUNTED | {"title": "Counted again"}
    assert made(run(tmp_path, changed)).moved == ("r/previous/analysis-2.R",)
    assert (folder / "r" / "previous" / "analysis.R").read_bytes() == ours + b"# robust errors\n"
    assert (folder / "r" / "previous" / "analysis-2.R").read_bytes() == b"# another\n"
    assert (folder / "r" / "estimates.csv").exists()


def test_a_format_that_is_not_wanted_any_more_leaves_what_is_not_the_programs(
    tmp_path: Path, folder: Path
) -> None:
    run(tmp_path, COUNTED | {"formats": ["python"]})
    assert sorted(path.name for path in (folder / "r").iterdir()) == ["estimates.csv", "link.txt"]


def test_a_dataset_that_the_study_no_longer_has_leaves_what_is_not_the_programs(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "r" / "analysis.R").write_text("# mine", encoding="utf-8")
    own = folder.parent / "own"
    own.mkdir()
    (own / "paper.tex").write_text("x", encoding="utf-8")
    run(tmp_path)
    assert set(files(folder)) == {"r/analysis.R", "r/estimates.csv", "r/link.txt", "notes/todo.txt"}
    assert set(files(own)) == {"paper.tex"}


def test_a_folder_with_nothing_of_anybody_elses_goes_with_its_dataset(tmp_path: Path) -> None:
    folder = Path(made(run(tmp_path, COUNTED)).path)
    run(tmp_path)
    assert not folder.exists()


def test_a_file_of_the_program_that_is_gone_is_made_again(tmp_path: Path, folder: Path) -> None:
    (folder / "python" / "codebook.json").unlink()
    run(tmp_path, COUNTED)
    assert (folder / "python" / "codebook.json").is_file()
    assert (folder / "r" / "estimates.csv").is_file()


def test_a_dataset_that_cannot_be_made_leaves_the_last_bundles_and_says_so(
    tmp_path: Path, folder: Path
) -> None:
    good = run(tmp_path, COUNTED)
    before = files(folder)
    report = made(failed := run(tmp_path, NOBODY))
    assert report.error is not None
    assert report.stale_since == failed.index.generation
    assert "stale since" in report.summary
    after = files(folder)
    told = after.pop("STALE.txt").decode()
    assert report.error.message in told
    assert good.index.generation in told
    kept = json.loads(after.pop("dataset.json"))
    assert kept["stale_since"] == report.stale_since
    before.pop("dataset.json")
    assert after == before
    add_document(tmp_path)
    again = made(run(tmp_path, NOBODY))
    assert again.stale_since == report.stale_since
    right = made(run(tmp_path, COUNTED))
    assert (right.error, right.stale_since) == (None, None)
    assert not (folder / "STALE.txt").exists()
    assert (folder / "r" / "estimates.csv").exists()


def test_a_stale_dataset_is_current_again_when_it_is_wanted_as_it_is(tmp_path: Path, folder: Path) -> None:
    before = files(folder)
    run(tmp_path, NOBODY)
    assert (folder / "STALE.txt").exists()
    assert made(run(tmp_path, COUNTED)).stale_since is None
    assert files(folder) == before


def test_an_error_of_the_program_costs_one_dataset(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = datasets.build_dataset

    def build(corpus: Any, dataset: Any) -> Any:
        if dataset.name == "counted":
            raise ZeroDivisionError
        return right(corpus, dataset)

    monkeypatch.setattr(datasets, "build_dataset", build)
    report = run(tmp_path, COUNTED | {"title": "x"}, COUNTED | {"name": "other"})
    error = made(report).error
    assert error is not None
    assert (error.code, error.message.split(" at ")[0]) == ("unexpected_error", "ZeroDivisionError")
    assert made(report, "other").error is None
    assert (folder / "STALE.txt").exists()


def test_a_run_killed_between_the_two_renames_loses_nothing(tmp_path: Path, folder: Path) -> None:
    aside = folder.parent / ".counted.abcd"
    aside.mkdir()
    folder.rename(aside / "old")
    run(tmp_path, COUNTED)
    assert (folder / "r" / "estimates.csv").is_file()
