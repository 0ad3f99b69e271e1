"""The tiny corpus as a tool's source, indexed once; tests that change it work on a copy."""

from pathlib import Path

import pytest

from tests.graphrag.given import engine, home


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a base folder whose tool `knowledge_graph` is indexed; nobody writes to it."""
    base = home(tmp_path_factory.mktemp("indexed"))
    engine(base)
    return base
