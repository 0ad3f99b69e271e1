"""With a language model, the orchestrated run asks as much as the inline one and publishes the same bytes."""

from pathlib import Path

import pytest
import yaml

from tests.faults.server import FaultServer
from tests.modelruns.corpus import write_corpus, write_profile
from tests.orchestration.test_prefect import environment, run

pytestmark = [pytest.mark.orchestration, pytest.mark.timeout(600)]

CLI = "corpusgraph.flows.cli.main"


def published(outputs: Path) -> dict[str, bytes]:
    home = outputs / "letters"
    files = [*(home / "output").iterdir(), home / "answers.json", home / "failures.jsonl"]
    return {path.name: path.read_bytes() for path in files}


def test_both_engines_ask_the_same_and_publish_the_same_bytes(tmp_path: Path) -> None:
    study = tmp_path / "letters.yml"
    fields = {
        "study": "letters",
        "corpus": {"path": str(write_corpus(tmp_path / "corpus", 12))},
        "index": {"chunking": {"size": 60, "overlap": 0}},
        "questions": [{"ask": "Who taught Charles Babbage?"}],
    }
    study.write_text(yaml.safe_dump(fields), encoding="utf-8")
    asked = {}
    with FaultServer({"refusal": 0.1}, seed=5) as server:
        profile = write_profile(tmp_path, server)
        env = environment(tmp_path / "home")
        for engine in ("inline", "prefect"):
            server.reset()
            command = ("run", str(study), "--engine", engine, "--profile", profile, "--quiet", "--json")
            done = run(CLI, *command, "--outputs", str(tmp_path / engine), env=env)
            assert done.returncode in {0, 1}, done.stderr
            asked[engine] = sorted((call.kind, call.prompt) for call in server.calls)
    assert asked["inline"]
    assert asked["inline"] == asked["prefect"]
    assert published(tmp_path / "inline") == published(tmp_path / "prefect")
