"""Options about a language model that mean nothing are refused, in JSON too, and nothing is begun."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from corpusgraph.flows.cli import main
from tests.faults.server import FaultServer
from tests.modelruns.corpus import write_corpus, write_profile

Told = tuple[int, str, str]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    def run(*arguments: str) -> Told:
        monkeypatch.setattr(sys, "argv", ["corpusgraph", *arguments])
        with pytest.raises(SystemExit) as stop:
            main.main()
        out, err = capsys.readouterr()
        return int(str(stop.value.code)), out, err

    return run


@pytest.mark.parametrize("amount", ["0", "-1", "nan", "inf", "much"])
def test_what_is_no_amount_is_no_budget(amount: str, told: Callable[..., Told], tmp_path: Path) -> None:
    outputs = str(tmp_path / "out")
    code, out, err = told(
        "index", "x", "--profile", "ollama", "--budget", amount, "--outputs", outputs, "--json"
    )
    assert code == 2
    assert json.loads(out)["error"]["code"] == "bad_usage"
    assert "--budget" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("index", "x", "--sample", "3"), "--sample goes with --estimate"),
        (("run", "x.yml", "--sample", "3"), "--sample goes with --estimate"),
        (("index", "x", "--estimate", "--update"), "without --update"),
    ],
)
def test_options_that_do_not_go_together(
    arguments: tuple[str, ...], wrong: str, told: Callable[..., Told]
) -> None:
    code, out, err = told(*arguments, "--profile", "ollama", "--json")
    assert (code, wrong in err) == (2, True)
    assert wrong in json.loads(out)["error"]["message"]


def test_a_budget_without_room_is_one_line_with_what_was_spent(
    told: Callable[..., Told], tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "letters", 2)
    with FaultServer() as server:
        profile = write_profile(tmp_path, server)
        given = ("index", str(corpus), "--profile", profile, "--outputs", str(tmp_path / "out"), "--quiet")
        code, _, err = told(*given, "--budget", "0.00001")
        assert (code, server.calls) == (1, [])
    [line] = err.strip().splitlines()
    assert "The budget of $1e-05 leaves no room for another call: $0.0000 is spent, on 0 calls." in line


def test_a_run_says_why_the_endpoint_cannot_be_used(told: Callable[..., Told], tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "letters", 2)
    profile = write_profile(tmp_path, "http://127.0.0.1:9/v1", breaker=2, cool_down=0.05)
    given = ("index", str(corpus), "--profile", profile, "--outputs", str(tmp_path / "out"), "--quiet")
    code, out, err = told(*given, "--json")
    assert (code, json.loads(out)["error"]["code"]) == (1, "model_unavailable")
    assert "does not answer, after 0 calls: no connection to 127.0.0.1:9: " in err
    assert f"profile check {profile}" in err


def test_an_interrupt_is_one_json_value_too(
    told: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(**_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main.cli, "main", interrupt)
    code, out, _ = told("index", "x", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (130, "interrupted")
    assert told("index", "x")[1] == ""
