"""The stage cache gives back what was put, or nothing."""

import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusgraph.flows.files.cache import StageCache
from corpusgraph.schemas.errors import OutputError
from tests.examples import tried


@pytest.fixture
def cache(tmp_path: Path) -> StageCache:
    return StageCache(tmp_path / "cache")


@settings(deadline=None, max_examples=tried(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=st.text(), data=st.binary(max_size=2000))
def test_what_is_put_is_found(cache: StageCache, key: str, data: bytes) -> None:
    cache.put("extract", key, b"before")
    cache.put("extract", key, data)
    assert cache.has("extract", key)
    assert cache.get("extract", key) == data
    assert cache.get("embed", key) is None


def test_nothing_is_found_before_it_is_put(cache: StageCache) -> None:
    assert cache.get("extract", "k") is None
    assert not cache.has("extract", "k")
    assert not cache.folder.exists()


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-3], lambda b: b[:0], lambda b: b + b"x", lambda b: b"junk" + b]
)
def test_a_damaged_entry_is_noted_and_counts_as_absent(
    cache: StageCache, damage: object, caplog: pytest.LogCaptureFixture
) -> None:
    cache.put("extract", "k", b"data" * 100)
    (file,) = cache.folder.rglob("*.z")
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    with caplog.at_level(logging.WARNING):
        assert cache.get("extract", "k") is None
    assert "damaged" in caplog.text
    cache.put("extract", "k", b"again")
    assert cache.get("extract", "k") == b"again"


def test_a_flipped_bit_is_damage(cache: StageCache) -> None:
    cache.put("extract", "k", bytes(range(256)) * 4)
    (file,) = cache.folder.rglob("*.z")
    whole = file.read_bytes()
    for at in range(2, len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        assert cache.get("extract", "k") in {None, bytes(range(256)) * 4}


def test_sweep_removes_what_is_not_wanted_and_what_a_kill_left(cache: StageCache) -> None:
    for key in ("a", "b", "c"):
        cache.put("extract", key, key.encode())
    cache.put("embed", "z", b"z")
    file = min(cache.folder.glob("extract/*/*.z"))
    (file.parent / f".{file.name}-1-1.tmp").write_bytes(b"half")
    assert cache.sweep("extract", {"b", "unknown"}) == 3
    assert [key for key in "abc" if cache.has("extract", key)] == ["b"]
    assert cache.get("embed", "z") == b"z"
    assert cache.sweep("nothing", set()) == 0


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match=r"Cannot write to .*file/cache: "):
        StageCache(tmp_path / "file" / "cache").put("extract", "k", b"")
