"""Outputs of this folder's own: what its tests add by hand is seen by no others."""

from pathlib import Path

import pytest

from tests.mcp.calls import copied


@pytest.fixture(scope="session")
def home(tiny: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return outputs with the tiny index, for tests that add nothing."""
    return copied(tiny, tmp_path_factory.mktemp("mcp"))
