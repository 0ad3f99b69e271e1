"""A tool that takes long on the command line: a terminal sees how far it is, and Ctrl-C ends it at once."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpusgraph.flows import api, progress
from corpusgraph.flows.cli.main import cli
from corpusgraph.flows.progress import shown_steps
from corpusgraph.tasks.progress import step
from tests.mcp.large import LONG, PATIENCE, made, until_at_work

STARTED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test may run where interrupts are ignored
from corpusgraph.flows.cli.main import main
main()
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("large"))


@contextmanager
def started(
    outputs: Path, home: Path, stderr: int = subprocess.PIPE, *options: str
) -> Iterator["subprocess.Popen[str]"]:
    """Start the long tool on the command line; leave nothing of it behind."""
    arguments = home / "arguments.json"
    arguments.write_text(json.dumps(LONG[1]), encoding="utf-8")
    command = [sys.executable, "-c", STARTED, "tool", LONG[0], "--input", str(arguments), *options]
    command += ["--outputs", str(outputs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as run:
        try:
            yield run
        finally:
            run.kill()


@pytest.mark.faults
@pytest.mark.timeout(300)
def test_an_interrupt_ends_a_long_tool_at_once(outputs: Path, tmp_path: Path) -> None:
    with started(outputs, tmp_path, subprocess.PIPE, "--json") as run:
        until_at_work(run.pid, 6.0)  # well after the start of a slow machine
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130
    assert json.loads(out)["error"]["code"] == "interrupted"
    assert (
        err.strip()
        == "Interrupted. Nothing half done is left: a change to an index was made whole or not at all."
    )


@pytest.mark.faults
@pytest.mark.timeout(300)
def test_a_terminal_sees_how_far_a_long_tool_is(outputs: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal, started(outputs, tmp_path, theirs) as run:
        os.close(theirs)
        seen = b""
        while b"betweenness" not in seen:
            seen += terminal.read(4096)
        run.send_signal(signal.SIGINT)
        assert run.communicate(timeout=PATIENCE)[0] == ""
    assert run.returncode == 130


def test_steps_are_bars_after_an_instant_and_none_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    with shown_steps(quiet=True):
        step("pages", 1, 4)
    assert not capsys.readouterr().err
    with shown_steps(quiet=False):
        step("pages", 1, 4)
        step("words", 5)
        step("pages", 4, 4)
    said = capsys.readouterr().err
    assert "pages" in said
    assert "4/4" in said
    assert "words" in said


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_interrupt_is_told_in_one_line(options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "call", interrupt)
    result = CliRunner().invoke(cli, ["tool", "list_changes", *options], standalone_mode=False)
    assert result.return_value == 130
    assert "Interrupted. Nothing half done is left" in result.stderr
    assert not options or json.loads(result.stdout)["error"]["code"] == "interrupted"
