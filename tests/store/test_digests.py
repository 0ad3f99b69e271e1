"""What a file's bytes hash to: names of indexes and fingerprints hang on it, so it stays as it is."""

from hashlib import blake2b
from pathlib import Path

import pytest

from corpusgraph.flows.embed import trained
from corpusgraph.flows.evaluate import digest_of
from corpusgraph.flows.files.disk import file_digest
from corpusgraph.flows.load import scan
from corpusgraph.flows.load.openie import OpenieExtractor
from corpusgraph.schemas.study import Corpus

ABC = "cf4ab791c62b8d2b2109c90275287816"
"""BLAKE2b of abc with 16 bytes, as `b2sum -l 128` writes it."""


@pytest.fixture
def abc(tmp_path: Path) -> Path:
    path = tmp_path / "abc.txt"
    path.write_bytes(b"abc")
    return path


def test_a_file_has_one_digest_everywhere(abc: Path) -> None:
    assert file_digest(abc).hex() == digest_of("corpus", abc) == ABC
    assert OpenieExtractor(abc).fingerprint.endswith(f"-{ABC}")
    assert [source.digest for source in scan(Corpus(path=str(abc)), abc.parent)] == [ABC]
    assert file_digest(abc, 64) == blake2b(b"abc").digest()
    long = abc.with_name("long.txt")
    long.write_bytes(b"x" * 3_000_000)
    assert file_digest(long) == blake2b(b"x" * 3_000_000, digest_size=16).digest()


def test_a_model_s_digest_is_that_of_indexes_made_before(abc: Path) -> None:
    expected = blake2b(b"abc.txt" + blake2b(b"abc").digest(), digest_size=4).hexdigest()
    assert trained._digest(abc.parent) == expected


def test_files_are_hashed_in_one_place_for_each_algorithm() -> None:
    """SHA-256 is that of a BagIt bag's manifests."""
    source = Path(__file__).parents[2]
    found = [
        path.relative_to(source).as_posix()
        for ring in ("schemas", "tasks", "flows")
        for path in sorted((source / ring).rglob("*.py"))
        if "hashlib.file_digest(" in path.read_text(encoding="utf-8")
    ]
    assert found == ["flows/files/disk.py", "flows/replicate/archive.py"]
