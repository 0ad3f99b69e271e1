"""The sample study gives the same bytes in every process, whatever its hash seed and processor."""

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.replication.processes import PROCESSORS, ROOT, SEEDS, answers, corpusgraph

STUDY = ROOT / "configs" / "studies" / "broad_street.yml"
PROCESSES = list(zip(SEEDS, PROCESSORS, strict=False))
"""A hash seed and a processor for each process."""


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("datasets", "output", "answers.json")
        for path in sorted([folder / part, *(folder / part).rglob("*")])
        if path.is_file()
    }


@pytest.mark.faults
@pytest.mark.timeout(900)
def test_every_answer_is_the_same_on_other_processors() -> None:
    """Every tool, every method; trees of passages at equal distances, whose axes no processor agrees on."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        first, *others = pool.map(lambda process: answers(*process), PROCESSES)
    assert len(first) > 100
    for (_, processor), other in zip(PROCESSES[1:], others, strict=True):
        assert {name for name in first if other[name] != first[name]} == set(), processor


@pytest.mark.faults
@pytest.mark.timeout(900)
def test_every_bundle_is_the_same_bytes_on_other_hash_seeds_and_processors(tmp_path: Path) -> None:

    def published_by(process: tuple[int, str]) -> dict[str, str]:
        seed, processor = process
        outputs = tmp_path / f"out{seed}"
        arguments = ("run", STUDY, "--engine", "inline", "--quiet", "--outputs", outputs)
        corpusgraph(*arguments, cwd=tmp_path, seed=seed, processor=processor)
        return digests(outputs / "broad_street")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        published = dict(zip(PROCESSORS, pool.map(published_by, PROCESSES), strict=False))
    expected = published["this one"]
    assert len(expected) > 150
    for processor, files in published.items():
        assert {name for name in {*expected, *files} if files.get(name) != expected.get(name)} == set(), (
            processor
        )

    last = PROCESSES[-1][1]
    packing = ("replicate", STUDY, "--quiet", "--json", "--outputs", tmp_path / "out0")
    packed = json.loads(corpusgraph(*packing, cwd=tmp_path, seed=5, processor=last))
    assert packed["differences"] == []
    check = (
        "replicate",
        "--check",
        tmp_path / "out0" / "broad_street" / "replication.zip",
        "--quiet",
        "--json",
    )
    for more in ((), ("--from-texts",)):
        checked = json.loads(corpusgraph(*check, *more, cwd=tmp_path, seed=6))
        assert (checked["same"], checked["evidence"]) == (True, [])
