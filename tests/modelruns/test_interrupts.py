"""A run that a person interrupts ends soon, asks nothing more, and can be taken up again."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from corpusgraph.flows import api
from tests.faults.server import FaultServer
from tests.modelruns.corpus import digests, index, study_of, write_corpus, write_profile

STARTED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test may run where interrupts are ignored
from corpusgraph.flows.cli.main import main
main()
"""


@pytest.mark.faults
def test_an_interrupt_asks_nothing_more_and_the_next_run_goes_on(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "letters", 8)
    study = tmp_path / "letters.yml"
    study.write_text(study_of(corpus).model_dump_json(exclude_unset=True), encoding="utf-8")
    with FaultServer(latency=0.4) as server:
        profile = write_profile(tmp_path, server, concurrency=2, timeout=20.0)
        command = [sys.executable, "-c", STARTED, "index", str(study), "--json"]
        command += ["--profile", profile, "--outputs", str(tmp_path / "out"), "--quiet"]
        run = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while len(server.calls) < 4 and run.poll() is None:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        begun = len(server.calls)
        out, err = run.communicate(timeout=30)
        assert run.returncode == 130
        assert json.loads(out)["error"]["code"] == "interrupted"
        assert "run the same command again" in err
        assert "Traceback" not in err
        assert len(server.calls) <= begun + 4
        server.app.options.latency = 0.0
        answered = {call.prompt for call in server.calls if call.answered}
        done = index(study_of(corpus), tmp_path / "out", profile)
        again = [call.prompt for call in server.calls[begun + 4 :] if call.prompt in answered]
        assert len(again) <= 2  # those under way when it was interrupted
        right = index(study_of(corpus), tmp_path / "right", profile)
    assert done.generation == right.generation
    assert digests(tmp_path / "out") == digests(tmp_path / "right")


def test_work_under_way_in_threads_is_not_waited_for() -> None:
    from threading import Event

    from corpusgraph.flows.engine import Inline

    begun, end, waited = Event(), Event(), []

    def work(n: int) -> int:
        begun.set()
        if n:
            end.wait(30)
            waited.append(n)
        return n

    results = Inline().map("extract", work, [0, 1, 1, 1], threads=1)
    assert next(results) == 0
    assert begun.wait(5)
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
    assert not waited
    end.set()


def test_a_folder_of_replies_that_is_a_file_is_an_error_of_one_line(tmp_path: Path) -> None:
    from corpusgraph.schemas.errors import OutputError

    corpus = write_corpus(tmp_path / "letters", 1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".llm").touch()
    with FaultServer() as server, pytest.raises(OutputError, match="not a directory"):
        api.index(study_of(corpus), outputs=tmp_path / "out", profile=write_profile(tmp_path, server))
