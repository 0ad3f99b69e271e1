"""Three in ten calls fail in every way there is, and a run is killed at fifty moments: nothing is lost."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from corpusgraph.flows import api
from tests.faults.server import FaultServer
from tests.faults.server_faults import mixed
from tests.modelruns.corpus import digests, index, study_of, write_corpus, write_profile

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

KILLS = 50


def ledger(outputs: Path) -> list[dict[str, object]]:
    lines = (outputs / "letters" / "failures.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("seed", [1, 2])
def test_with_three_in_ten_calls_failing_every_chunk_is_read_or_in_the_ledger(
    tmp_path: Path, seed: int
) -> None:
    corpus = write_corpus(tmp_path / "corpus", 168)
    with FaultServer() as good:
        right = index(study_of(corpus), tmp_path / "right", write_profile(tmp_path, good))
    assert right.counts["chunks"] >= 500
    # A chunk whose reply is cut is asked in halves, which is no failure: see test_cut.py.
    rates = mixed(0.3)
    del rates["length"]
    with FaultServer(rates, seed=seed, hang=3.0, retry_after=0.05) as server:
        profile = write_profile(tmp_path, server, attempts=4)
        report = index(study_of(corpus), tmp_path / "out", profile)
        assert report.n_retry > 0
        chunks = {chunk.id for chunk in api.open("letters", tmp_path / "out").graph.chunks}
        failed = {
            line["item"] for line in ledger(tmp_path / "out") if line["stage"] == "extract" and line["retry"]
        }
        read = {call.prompt for call in server.calls if call.kind == "extract" and call.good}
        assert failed <= chunks
        assert len(chunks) == right.counts["chunks"]
        assert len(read) >= len(chunks) - len(failed)
        faults = {call.fault for call in server.calls if call.fault}
        assert len(faults) >= 13
        for _ in range(8):
            if report.n_retry == 0:
                break
            asked = len(server.calls)
            report = api.retry_failed("letters", outputs=tmp_path / "out")
            assert report.n_retry == 0 or len(server.calls) > asked
        server.set()
        if report.n_retry:
            report = api.retry_failed("letters", outputs=tmp_path / "out")
    assert report.n_failures == 0
    assert digests(tmp_path / "out") == digests(tmp_path / "right")
    assert report.generation == right.generation


def test_a_run_killed_at_fifty_moments_ends_as_one_that_was_left_alone(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", 40)
    study = tmp_path / "letters.yml"
    fields = {
        "study": "letters",
        "corpus": {"path": str(corpus)},
        "index": {"chunking": {"size": 60, "overlap": 0}},
    }
    study.write_text(yaml.safe_dump(fields), encoding="utf-8")
    with FaultServer(latency=0.15) as server:
        profile = write_profile(tmp_path, server, concurrency=4, timeout=20.0)
        command = [
            sys.executable,
            "-m",
            "corpusgraph.flows.cli.main",
            "index",
            str(study),
            "--profile",
            profile,
        ]
        command += ["--outputs", str(tmp_path / "out"), "--quiet", "--engine", "inline"]
        moments = random.Random(7)  # noqa: S311 - when to kill, the same each time
        kept, again = set[str](), list[str]()
        for kill in range(KILLS):
            begun = len(server.calls)
            # every second one dies while it asks, the others anywhere: while it starts, derives, publishes
            rebuild = ["--rebuild"] if kill % 2 else []
            run = subprocess.Popen(
                command + rebuild,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            if not rebuild:
                wait_until_asked(server, begun, run)
            time.sleep(moments.uniform(0.0, 3.0 if rebuild else 0.5))
            killed_at = time.time()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            again += [call.key for call in server.calls[begun:] if call.key in kept]
            kept |= written_down(server, begun, killed_at)
        begun = len(server.calls)
        final = subprocess.run(command, capture_output=True, text=True, check=False)
        assert final.returncode == 0, final.stderr
        again += [call.key for call in server.calls[begun:] if call.key in kept]
        n_calls = len(server.calls)
    assert again == []
    with FaultServer() as calm:
        right = index(study_of(corpus), tmp_path / "right", write_profile(tmp_path, calm))
        assert n_calls - len(calm.calls) <= 4 * KILLS  # those under way when it was killed
    assert digests(tmp_path / "out") == digests(tmp_path / "right")
    assert api.open("letters", tmp_path / "out").manifest.generation == right.generation


def wait_until_asked(server: FaultServer, begun: int, run: "subprocess.Popen[bytes]") -> None:
    """Wait until a run has made its first call, or has ended."""
    while len(server.calls) == begun and run.poll() is None:
        time.sleep(0.02)


def written_down(server: FaultServer, begun: int, killed_at: float) -> set[str]:
    """Return the prompts of a run that were answered while it lived, with a moment to write the answer down."""
    return {c.key for c in server.calls[begun:] if c.good and c.answered and c.answered < killed_at - 0.1}
