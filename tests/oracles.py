"""Other systems that answers are compared with, in an environment of their own: some may not be imported by us."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(__file__).resolve().parents[1] / ".venv-oracles" / "bin" / "python"


def oracle(code: str, *arguments: str) -> Any:
    """Run Python code with pm4py, pyAgrum, r4pm and y0 at hand; return what it prints last, read as JSON."""
    if not PYTHON.exists():
        pytest.skip("the environment of the oracles is not there: make oracles")
    done = subprocess.run(
        [str(PYTHON), "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])
