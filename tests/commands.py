"""The command line in this process: most of a short command is starting Python and importing."""

import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from corpusgraph.flows.cli.main import main


def corpusgraph(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run what the program runs and return what a process of it would have given."""
    command, out, err = ["corpusgraph", *map(str, arguments)], io.StringIO(), io.StringIO()
    with (
        chdir(cwd),
        mock.patch.object(sys, "argv", command),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as stop,
    ):
        main()
    assert isinstance(stop.value.code, int)
    return subprocess.CompletedProcess(command, stop.value.code, out.getvalue(), err.getvalue())
