"""Finding methods: the package's by name, the user's by path; on the command line and in studies."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from corpusgraph.flows import api
from corpusgraph.flows.cli.main import cli
from corpusgraph.flows.methods import all_methods, load_method
from corpusgraph.flows.studies import read_study
from corpusgraph.schemas.errors import MethodCheckError, MethodFileError, StudyFileError, UnknownMethodError

MINE = "title: Mine\nsteps:\n  - chunk_vdb_search: {top_k: 3}\n    as: passages\n"
WRONG = "steps:\n  - entity_ppr_rank: {top_k: -1}\n"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.yml").write_text(MINE, encoding="utf-8")
    (tmp_path / "wrong.yml").write_text(WRONG, encoding="utf-8")
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), standalone_mode=False)


def test_a_method_of_the_package_is_found_by_name_and_alias() -> None:
    for made in all_methods():
        for name in (made.method, *made.aliases):
            assert load_method(name).method == made.method


def test_a_method_of_the_user_is_found_by_its_path(mine: Path) -> None:
    assert load_method(str(mine / "mine.yml")).method == "mine"
    assert load_method("mine.yml", mine).title == "Mine"


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownMethodError, match=r"Unknown method 'hiporag'. Did you mean 'hipporag'"):
        load_method("hiporag")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mien.yml", "No method file at .*mien.yml. Did you mean 'mine.yml'?"),
        ("./nothing", "No method file at"),
        ("tabs.yml", "tabs.yml:2: not YAML"),
        ("empty.yml", "empty.yml:1: a method is a mapping"),
    ],
)
def test_a_file_that_is_none_is_an_error_with_its_line(mine: Path, name: str, told: str) -> None:
    (mine / "tabs.yml").write_text("steps:\n\t- a\n", encoding="utf-8")
    (mine / "empty.yml").write_text("", encoding="utf-8")
    with pytest.raises(MethodFileError, match=told):
        load_method(name, mine)


def test_the_commands_list_show_check_and_plan(mine: Path) -> None:
    listed = json.loads(invoke("method", "list", "--json").stdout)
    assert {"default", "hipporag", "tog"} <= {row["method"] for row in listed}
    file = str(mine / "mine.yml")
    assert invoke("method", "show", file).stdout == MINE
    assert json.loads(invoke("method", "show", "default", "--json").stdout)["method"] == "default"
    good = invoke("method", "check", file)
    assert (good.return_value, good.stdout) == (0, "mine: ok\n")
    plan = invoke("method", "plan", file).stdout
    assert "passages" in plan
    assert "at most 1 calls" in plan
    assert json.loads(invoke("method", "plan", file, "--json").stdout)["steps"][0]["id"] == "passages"


def test_a_check_that_fails_tells_every_issue_with_its_line_and_exits_with_2(mine: Path) -> None:
    file = str(mine / "wrong.yml")
    found = invoke("method", "check", file)
    lines = found.stdout.splitlines()
    assert found.return_value == 2
    assert len(lines) == 2
    assert all("wrong.yml:2: entity_ppr_rank" in line for line in lines)
    told = json.loads(invoke("method", "check", file, "--json").stdout)
    assert not told["ok"]
    assert {issue["code"] for issue in told["issues"]} == {"missing_input", "bad_value"}


def test_a_question_is_answered_by_a_file_and_the_steps_are_explained(
    mine: Path, tiny: tuple[Path, str]
) -> None:
    outputs, index = tiny
    file = str(mine / "mine.yml")
    asked = ["ask", "What caused cholera?", "--index", index, "--outputs", str(outputs), "--method", file]
    shown = invoke(*asked, "--explain").stdout
    assert "passages" in shown
    assert " ms" in shown
    told = json.loads(invoke(*asked, "--json").stdout)
    assert told["retrieval"] == "mine"
    assert [line["step"] for line in told["trace"]] == ["passages", "answer"]
    found = api.ask("What caused cholera?", index, method=file, outputs=outputs)
    assert found.supported
    assert found.citations[0].document_title


def test_a_method_that_cannot_run_is_refused_before_it_is_asked(mine: Path, tiny: tuple[Path, str]) -> None:
    outputs, index = tiny
    with pytest.raises(MethodCheckError, match=r"wrong.yml:2"):
        api.ask("What?", index, method=str(mine / "wrong.yml"), outputs=outputs)


STUDY = "study: s\ncorpus: {path: .}\nquestions:\n  - ask: Who?\n    method: METHOD\n"


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("hiporag", r"study.yml:5: questions\[0\].method: Unknown method 'hiporag'. Did you mean 'hipporag'"),
        ("wrong.yml", r"study.yml:5: questions\[0\].method: The method wrong cannot run"),
        ("none.yml", r"study.yml:5: questions\[0\].method: No method file"),
    ],
)
def test_a_study_with_a_wrong_method_is_refused_when_it_is_read(mine: Path, method: str, told: str) -> None:
    (mine / "study.yml").write_text(STUDY.replace("METHOD", method), encoding="utf-8")
    with pytest.raises(StudyFileError, match=told):
        read_study(mine / "study.yml")


def test_a_studys_methods_may_be_files_beside_it(mine: Path) -> None:
    (mine / "study.yml").write_text(STUDY.replace("METHOD", "mine.yml"), encoding="utf-8")
    assert read_study(mine / "study.yml").questions[0].method == "mine.yml"
