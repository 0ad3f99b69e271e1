"""Where a run reads and writes, from the environment or a profile."""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, PositiveInt

from corpusgraph.schemas.base import Noun

Engine = Literal["prefect", "inline"]


class Settings(Noun):
    """`CORPUSGRAPH_OUTPUTS`, `CORPUSGRAPH_BATCH` and `CORPUSGRAPH_WORKERS` override the defaults."""

    outputs: Path = Field(default=Path("outputs"), description="folder of all indexes and datasets")
    batch_documents: PositiveInt = Field(default=32, description="documents worked on at a time")
    workers: PositiveInt = Field(default=1, description="processes that extract")
    engine: Engine = "inline"

    @classmethod
    def from_environment(cls) -> "Settings":
        """Read the environment."""
        return cls(
            outputs=Path(os.environ.get("CORPUSGRAPH_OUTPUTS", "outputs")),
            batch_documents=int(os.environ.get("CORPUSGRAPH_BATCH", "32")),
            workers=int(os.environ.get("CORPUSGRAPH_WORKERS", "1")),
        )
