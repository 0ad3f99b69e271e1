"""A client works from any thread, under any event loop, and leaves nothing behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.client.given import Mark, client, prompts
from tests.client.server import Act, Server

ROOT = Path(__file__).resolve().parents[2]


def test_it_may_be_asked_where_an_event_loop_runs(tmp_path: Path) -> None:
    async def inside() -> int:
        with client(server, tmp_path) as llm:
            return sum(r.value is not None for r in llm.ask(prompts(5), Mark))

    with Server() as server:
        assert asyncio.run(inside()) == 5


def test_what_accepts_an_answer_cannot_ask(tmp_path: Path) -> None:
    def accept(_place: int, _value: Mark) -> str | None:
        return llm.ask(prompts(1, 7), Mark)[0].error

    with Server() as server, client(server, tmp_path) as llm, pytest.raises(RuntimeError, match="cannot ask"):
        llm.ask(prompts(1), Mark, accept)


def test_threads_without_a_stage_have_the_last_opened(tmp_path: Path) -> None:
    with Server() as server, client(server, tmp_path) as llm:
        with llm.stage("extract"):
            thread = threading.Thread(target=lambda: llm.ask(prompts(1), Mark))
            thread.start()
            thread.join()
        llm.ask(prompts(1, 1), Mark)
        assert [u.stage for u in llm.usage] == ["extract", "other"]


def test_closing_ends_its_thread_and_what_is_under_way(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            llm.ask(prompts(3), Mark)
        except BaseException as error:  # noqa: BLE001  whatever it is, it is looked at
            failed.append(error)

    with Server(Act(delay=2)) as server:
        llm = client(server, tmp_path)
        thread = threading.Thread(target=ask)
        thread.start()
        while len(server.calls) < 3:
            time.sleep(0.01)
        llm.close()
        thread.join(5)
        assert [type(e).__name__ for e in failed] == ["CancelledError"]
        assert not [t for t in threading.enumerate() if t.name == "corpusgraph-llm"]
        with pytest.raises(RuntimeError, match="closed"):
            llm.ask(prompts(1), Mark)
        llm.close()


SCRIPT = """
import sys, threading
from pathlib import Path
from tests.client.given import Mark, client, prompts
llm = client(sys.argv[1], Path(sys.argv[2]))
print("asking", flush=True)
try:
    llm.ask(prompts(50), Mark)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    if sys.argv[3] == "raise":
        raise
"""


@pytest.mark.faults
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("then", ["end", "raise"])
def test_an_interrupt_leaves_nothing_hanging(then: str, tmp_path: Path) -> None:
    def script(n: int, _body: object) -> Act:
        return Act() if n < 4 else Act(delay=20)

    with Server(script) as server:
        arguments = [sys.executable, "-c", SCRIPT, server.base_url, str(tmp_path), then]
        with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while len(server.calls) < 12:
                time.sleep(0.02)
                assert process.poll() is None
            process.send_signal(signal.SIGINT)
            start = time.monotonic()
            out, err = process.communicate(timeout=10)
        assert time.monotonic() - start < 5
        assert out.decode().split() == ["asking", "interrupted"]
        assert process.returncode == (0 if then == "end" else -signal.SIGINT), err.decode()
        assert b"never" not in err
    assert len(list((tmp_path / ".llm").rglob("*.z"))) == 4


@pytest.mark.faults
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_after_a_kill_only_what_was_under_way_is_asked_again(tmp_path: Path) -> None:
    with Server(Act(delay=0.03)) as server:
        arguments = [sys.executable, "-c", SCRIPT, server.base_url, str(tmp_path), "end"]
        with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
            while len(server.calls) < 20:
                time.sleep(0.005)
                assert process.poll() is None
            process.kill()
        with client(server, tmp_path) as llm:
            known = sum(llm.cached(prompts(50), Mark))
            assert known >= 20 - 8
            assert all(r.value for r in llm.ask(prompts(50), Mark))
            assert llm.usage[0].calls == 50 - known
        # Beyond one call a prompt there are at most those that were under way, eight at once.
        assert len(server.calls) <= 50 + 8


def test_a_client_that_is_forgotten_ends_by_itself(tmp_path: Path) -> None:
    with Server() as server:
        llm = client(server, tmp_path)
        llm.ask(prompts(1), Mark)
        del llm
        deadline = time.monotonic() + 5
        while [t for t in threading.enumerate() if t.name == "corpusgraph-llm"]:
            assert time.monotonic() < deadline
            time.sleep(0.01)
