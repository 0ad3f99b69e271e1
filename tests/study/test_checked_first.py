"""Everything that a study names is looked for before the run begins, and all that is wrong is one list."""

from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.studies import read_study
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError, StudyFileError
from corpusgraph.schemas.study import Study
from tests.commands import corpusgraph
from tests.conftest import write_corpus

WORDS = {"name": "words", "measure": "words"}
TABLE: dict[str, Any] = {"name": "counted", "kind": "descriptive", "variables": [WORDS]}
REGRESSION = TABLE | {"kind": "regression", "outcome": "wrods", "predictors": ["words"]}


def study_of(home: Path, **fields: Any) -> Study:
    path = str(write_corpus(home / "corpus"))
    return Study.model_validate({"study": "checked", "corpus": {"path": path}} | fields)


def refusal(home: Path, study: Study, **options: Any) -> CorpusgraphError:
    """Return what a run is refused with; nothing was written for it."""
    with pytest.raises(CorpusgraphError) as caught:
        api.run(study, outputs=home / "outputs", **options)
    assert not (home / "outputs").exists()
    return caught.value


def test_all_that_is_wrong_is_one_list(tmp_path: Path) -> None:
    study = study_of(
        tmp_path,
        corpus={"path": str(tmp_path / "nowhere")},
        memory="changes.jsonl",
        profile="opnai",
        index={"llm": {"prompts": "histroy"}, "extractor": "openie", "openie": "findings.jsonl"},
        questions=[{"ask": "Who?", "method": "bm52"}, {"ask": "Who?", "method": "own.yml"}],
        datasets=[
            TABLE | {"variables": [WORDS, {"name": "pmi", "measure": "pmi"}, WORDS | {"lag": 1}]},
            REGRESSION | {"name": "model"},
            {"name": "effect", "kind": "causal", "model_type": "do_calculus", "outcome": "x"},
            {"name": "dispute", "kind": "argument", "semantics": ["grounded", "prefered"]},
            {"name": "events", "kind": "process", "start": "yesterday"},
        ],
    )
    error = refusal(tmp_path, study)
    assert isinstance(error, StudyFileError)
    head, *lines = error.message.splitlines()
    assert head == f"The study 'checked' has {len(lines)} problems; nothing was done."
    wanted = [
        ("corpus.path: No corpus at", ""),
        ("index.openie: ", "findings.jsonl"),
        ("memory: There is no file of changes", ""),
        ("profile: Unknown profile 'opnai'", "Did you mean 'openai'?"),
        ("index.llm.prompts: Unknown prompts 'histroy'", "Did you mean 'history'?"),
        ("questions[0].method: ", "bm52"),
        ("questions[1].method: ", "own.yml"),
        ("datasets counted: Dataset 'counted': two variables are named 'words'", ""),
        ("datasets counted: Variable 'pmi': measure 'pmi' does not fit the unit 'document'", "pair"),
        ("datasets counted: Variable 'words': lag does not fit", "entity_period"),
        ("datasets model: ", "'wrods'"),
        ("datasets effect: Dataset 'effect': the exposure is missing", ""),
        ("datasets dispute: Dataset 'dispute': unknown semantics 'prefered'", "Did you mean 'preferred'?"),
        ("datasets events: 'yesterday' is no date", ""),
    ]
    assert len(lines) == len(wanted)
    for line, (start, inside) in zip(lines, wanted, strict=True):
        assert line.removeprefix("  - ").startswith(start)
        assert inside in line


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"questions": [{"ask": "Who?", "method": "bm52"}]}, "unknown_method"),
        ({"datasets": [REGRESSION]}, "unknown_variable"),
        ({"profile": "openai"}, "missing_resource"),
        ({"index": {"extractor": "llm"}}, "invalid_input"),
    ],
)
def test_one_problem_is_told_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], code: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert refusal(tmp_path, study_of(tmp_path, **fields)).code == code


def test_a_file_where_a_folder_is_to_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"file is no folder"):
        api.run(study_of(tmp_path), outputs=tmp_path / "file" / "outputs")
    datasets = tmp_path / "out" / "checked" / "datasets"
    datasets.mkdir(parents=True)
    (datasets / "counted").write_text("x", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"counted is no folder"):
        api.run(study_of(tmp_path, datasets=[TABLE]), outputs=tmp_path / "out")


def test_a_study_file_with_several_mistakes_tells_each_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "study.yml"
    path.write_text(
        "study: x\ncorpus:\n  path: texts\n  encodign: utf-8\nindex:\n  dimension: many\n"
        "datasets:\n  - {name: a, kind: descriptive, variables: [{name: x, measure: wrods}]}\n"
        "  - {name: b, kind: argument, budegt: 1}\n",
        encoding="utf-8",
    )
    with pytest.raises(StudyFileError) as caught:
        read_study(path)
    head, *lines = caught.value.message.splitlines()
    assert head == "The study file has 4 problems."
    assert [line.partition("study.yml:")[2].partition(":")[0] for line in lines] == ["4", "6", "8", "9"]
    assert "Did you mean 'encoding'?" in lines[0]
    assert "Did you mean 'budget'?" in lines[3]


def test_methods_that_there_are_not_are_told_together(tmp_path: Path) -> None:
    path = tmp_path / "study.yml"
    path.write_text(
        "study: x\ncorpus: {path: .}\nquestions:\n  - {ask: a, method: bm52}\n  - {ask: b, method: densse}\n",
        encoding="utf-8",
    )
    with pytest.raises(StudyFileError, match=r"2 problems(.|\n)*:4: .*bm52(.|\n)*:5: .*densse"):
        read_study(path)


def test_the_command_line_ends_before_an_engine_is_started(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    (tmp_path / "study.yml").write_text(
        "study: x\ncorpus: {path: corpus}\nmemory: gone.jsonl\nprofile: opnai\n", encoding="utf-8"
    )
    done = corpusgraph("run", "study.yml", "--outputs", tmp_path / "outputs", cwd=tmp_path)
    assert done.returncode == 2
    assert "2 problems" in done.stderr
    assert "'openai'" in done.stderr
    assert not (tmp_path / "outputs").exists()
