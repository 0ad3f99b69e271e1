"""Microsoft GraphRAG itself, in environments of its own: `make graphrag-oracle`."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"3": ".venv-graphrag", "2": ".venv-graphrag-2", "1": ".venv-graphrag-1", "0.5": ".venv-graphrag-0"}


def graphrag(version: str, code: str, *arguments: str) -> Any:
    """Run code with graphrag of a version at hand; return what it prints last, read as JSON."""
    folder = ROOT / FOLDERS[version]
    if not (folder / ".installed").exists():
        pytest.skip(f"graphrag {version} is not there: make graphrag-oracle")
    done = subprocess.run(
        [str(folder / "bin" / "python"), "-W", "ignore", "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.strip().splitlines()[-1])
