"""A study file that is wrong is told with file, line and the nearest valid key."""

from pathlib import Path

import pytest

from corpusgraph.flows.studies import read_study
from corpusgraph.schemas.errors import StudyFileError
from tests.every import every

BASE = "study: x\ncorpus:\n  path: texts\n"
DATASET = """\
datasets:
  - name: a
    kind: regression
    outcome: y
    predictors: [x]
    variables:
      - {name: x, measure: words}
"""
STUDIES = sorted((Path(__file__).resolve().parents[2] / "configs" / "studies").glob("*.yml"))


def refusal(folder: Path, text: str | bytes) -> str:
    """Return what is said about a study file, from its line on."""
    path = folder / "study.yml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(StudyFileError) as caught:
        read_study(path)
    place, _, said = str(caught.value).partition("study.yml:")
    assert place == f"{folder}/"
    return said


UNKNOWN_KEYS = [
    (BASE + "corpsu: 1\n", "4: unknown key 'corpsu'. Did you mean 'corpus'?"),
    (BASE + "index:\n  chunkin: {size: 3}\n", "5: unknown key 'index.chunkin'. Did you mean 'chunking'?"),
    (BASE + "index:\n  chunking:\n    sise: 3\n", "6: unknown key 'index.chunking.sise'. Did you mean 'size'?"),
    (BASE + "index: {chunking: {sise: 3}}\n", "4: unknown key 'index.chunking.sise'. Did you mean 'size'?"),
    (BASE + "chunking: {size: 3}\n", "4: unknown key 'chunking'. It belongs under index."),
    (BASE + DATASET + "    outcom: y\n", "11: unknown key 'datasets[0].outcom'. Did you mean 'outcome'?"),
    (BASE + DATASET.replace("outcome:", "outcom:"), "7: unknown key 'datasets[0].outcom'. Did you mean 'outcome'?"),
    (
        BASE + DATASET.replace("measure", "mesure"),
        "10: unknown key 'datasets[0].variables[0].mesure'. Did you mean 'measure'?",
    ),
    (BASE + "questions:\n  - ask: a\n  - ask: b\n    topk: 3\n", "7: unknown key 'questions[1].topk'. Did you mean 'top_k'?"),
    ("study: x\ncorpora:\n  path: .\n", "2: unknown key 'corpora'. Did you mean 'corpus'?"),
    (BASE + "7: x\n", "4: unknown key '7'. Valid here: corpus, datasets, index, memory, profile, questions, study, title."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), UNKNOWN_KEYS, ids=[said for _, said in UNKNOWN_KEYS])
def test_an_unknown_key_is_told_with_its_line_and_the_nearest_valid_one(
    tmp_path: Path, text: str, said: str
) -> None:
    assert refusal(tmp_path, text) == said


VALUES = [
    (
        "corpus:\n  path: .\n",
        "1: the key 'study' is missing. It has the keys study and corpus, and may have title, index, questions and datasets.",
    ),
    ("study: x\ncorpus:\n  encoding: utf-8\n", "2: the key 'corpus.path' is missing."),
    (BASE + DATASET.replace("    outcome: y\n", ""), "5: the key 'datasets[0].outcome' is missing."),
    (
        BASE + DATASET.replace("regression", "regresion"),
        "6: unknown kind 'regresion' in datasets[0]. Did you mean 'regression'?",
    ),
    (
        BASE + DATASET.replace("    kind: regression\n", ""),
        "5: datasets[0] has no `kind`. It is one of descriptive, regression, sem, causal, argument, process.",
    ),
    (
        BASE + DATASET.replace("words", "wrods"),
        "10: datasets[0].variables[0].measure cannot be 'wrods'. Did you mean 'words'?",
    ),
    (
        BASE + "index:\n  chunking: {size: big}\n",
        "5: index.chunking.size: input should be a valid integer, unable to parse string as an integer.",
    ),
    (
        BASE + "index:\n  chunking: {size: 3, overlap: 5}\n",
        "5: index.chunking: overlap (5) must be smaller than size (3).",
    ),
    (
        BASE + "questions: [what]\n",
        "4: questions[0] is no mapping of keys. Its keys are ask, filter, method, top_k.",
    ),
    (BASE + "title: [a, b]\n", "4: title: input should be a valid string."),
    (BASE + DATASET + DATASET.removeprefix("datasets:\n"), "1: two datasets are named 'a'."),
    (
        BASE + "index: {claims: false}\ndatasets: [{name: a, kind: argument}]\n",
        "1: a dataset of arguments needs index.claims: true.",
    ),
]


@pytest.mark.parametrize(("text", "said"), VALUES, ids=[said for _, said in VALUES])
def test_a_wrong_or_missing_value_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    assert refusal(tmp_path, text) == said


NOT_YAML = [
    ("", "1: the file is empty."),
    ("# a remark\n", "1: the file is empty."),
    ("- a\n- b\n", "1: a study file is a mapping of keys to values."),
    ("\njust text\n", "2: a study file is a mapping of keys to values."),
    (BASE + "a: [1, 2\nb: 3\n", "5: not YAML: expected ',' or ']', but got ':'."),
    (BASE + "title: a: b\n", "4: not YAML: mapping values are not allowed here."),
    (BASE + "index:\n\tseed: 3\n", "5: not YAML: found character '\\t' that cannot start any token. Indent with spaces"),
    (BASE + "study: y\n", "4: the key 'study' is already on line 1."),
    (BASE + "index:\n  dimension: 8\n  dimension: 9\n", "6: the key 'dimension' is already on line 5."),
    (BASE + "? [a]\n: 2\n", "4: not YAML: found unhashable key."),
    (BASE + "title: !!python/name:os.system x\n", "4: not YAML: could not determine a constructor"),
    (BASE + "title: *nobody\n", "4: not YAML: found undefined alias"),
    (BASE + "---\nmore: 1\n", "4: not YAML: but found another document."),
    (BASE + "title: \x01\n", "4: not YAML: special characters are not allowed."),
    ("[" * 9000, "1: not YAML: nested too deeply."),
    ("study: &x [*x]\ncorpus: {path: .}\n", "1: study: "),
    (b"study: x\ntitle: caf\xe9\n", "2: the file is not UTF-8 (byte 0xe9). Save it as UTF-8."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), NOT_YAML, ids=[said for _, said in NOT_YAML])
def test_what_is_no_study_is_told_with_its_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    assert refusal(tmp_path, text).startswith(said)


def test_no_file_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "broad_street.yml").write_text(BASE)
    with pytest.raises(StudyFileError, match=r"No study file at .*brod_street\.yml.*'broad_street\.yml'"):
        read_study(tmp_path / "brod_street.yml")
    with pytest.raises(StudyFileError, match=r"is a folder, not a study file.*broad_street\.yml"):
        read_study(tmp_path)
    with pytest.raises(StudyFileError, match="No study file at"):
        read_study(tmp_path / "gone" / "study.yml")


def test_names_and_dates_are_read_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "study.yml"
    written = "\ufeffstudy: 007\ncorpus: {path: no}\nindex:\n  communities: {seed: 0xFF}\n  resolution:\n"
    path.write_text(f"{written}    same: [[No, on, 1854-09-08]]\n", encoding="utf-8")
    study = read_study(path)
    assert (study.study, study.corpus.path, study.index.communities.seed) == ("007", "no", 255)
    assert study.index.resolution.same == (("No", "on", "1854-09-08"),)


def test_anchors_and_merges_may_be_used(tmp_path: Path) -> None:
    path = tmp_path / "study.yml"
    path.write_text(BASE + "questions:\n  - &q {ask: a, top_k: 3}\n  - {<<: *q, ask: b}\n")
    assert [(q.ask, q.top_k) for q in read_study(path).questions] == [("a", 3), ("b", 3)]


@every("path", STUDIES)
def test_the_studies_of_this_project_are_valid(path: Path) -> None:
    assert read_study(path).study == path.stem
