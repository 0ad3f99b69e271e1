"""The sample study gives the same bytes in every process, whatever its hash seed, and from its archive."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "configs" / "studies" / "broad_street.yml"


def corpusgraph(*arguments: str | Path, cwd: Path, seed: int) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "corpusgraph.flows.surfaces.cli", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("datasets", "output", "answers.json")
        for path in sorted([folder / part, *(folder / part).rglob("*")])
        if path.is_file()
    }


@pytest.mark.faults
def test_every_bundle_is_the_same_bytes_on_other_hash_seeds(tmp_path: Path) -> None:
    found = []
    for seed in (0, 1, 4_294_967_295):
        outputs = tmp_path / f"out{seed}"
        corpusgraph(
            "run", STUDY, "--engine", "inline", "--quiet", "--outputs", outputs, cwd=tmp_path, seed=seed
        )
        found.append(digests(outputs / "broad_street"))
    assert len(found[0]) > 150
    assert found[0] == found[1]
    assert found[0] == found[2]
    told = corpusgraph(
        "replicate", STUDY, "--quiet", "--json", "--outputs", tmp_path / "out0", cwd=tmp_path, seed=5
    )
    assert json.loads(told)["differences"] == []
    archive = tmp_path / "out0" / "broad_street" / "replication.zip"
    told = corpusgraph("replicate", "--check", archive, "--quiet", "--json", cwd=tmp_path, seed=6)
    assert json.loads(told)["same"] is True
