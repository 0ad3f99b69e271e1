"""Where a run reads and writes, from the environment or a profile."""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError

from corpusgraph.schemas.base import Described
from corpusgraph.schemas.errors import InvalidInputError

Engine = Literal["prefect", "inline"]
_INSIDE = {"engine", "replay", "evidence"}
"""What no variable sets."""
_HINTS = {
    "vectors": "It is lance or qdrant.",
    "qdrant_prefix": "Letters, digits, '_', '.' and '-', at most 60.",
    "qdrant_timeout": "It must be a number of seconds above 0.",
}


class Settings(Described):
    """`CORPUSGRAPH_OUTPUTS`, `…_BATCH`, `…_WORKERS`, `…_PROFILE`, `…_BUDGET` override the defaults.

    So do `…_RERANKER`, `…_VECTORS` and `…_QDRANT_URL`, `_PATH`, `_PREFIX` and `_TIMEOUT`.
    """

    outputs: Path = Path("outputs")
    """folder of all indexes and datasets"""
    batch_documents: PositiveInt = 32
    """documents worked on at a time"""
    workers: PositiveInt = 1
    """processes that extract"""
    engine: Engine = "inline"
    profile: str | None = None
    """profile with a language model: a name or a file"""
    budget: PositiveFloat | None = None
    """US dollars that a run may spend at most"""
    replay: Path | None = None
    """folder of stored replies that answer every prompt: no call is made"""
    evidence: Path | None = None
    """folder of evidence found before, taken in place of reading its texts"""

    reranker: str | None = None
    """cross-encoder of the tool rerank: a folder, or a name on the hub"""
    vectors: Literal["lance", "qdrant"] = "lance"
    """what answers searches by vector: the index's own files, or Qdrant"""
    qdrant_url: str | None = None
    """of a Qdrant server; the key is never kept here"""
    qdrant_path: Path | None = None
    """folder of Qdrant without a server"""
    qdrant_prefix: str = Field(default="corpusgraph", pattern=r"^[A-Za-z0-9_.-]{1,60}$")
    """begins collections' names"""
    qdrant_timeout: PositiveFloat = 5.0
    """seconds that an answer may take"""

    @classmethod
    def environment(cls) -> dict[str, str]:
        """Return the fields the environment gives, as text.

        Returns
        -------
        dict of str to str
            Field -> text of its variable; one that is unset or empty is left out.

        """
        given = {name: os.environ.get(_variable(name)) for name in cls.model_fields if name not in _INSIDE}
        return {name: value for name, value in given.items() if value}

    @classmethod
    def from_environment(cls) -> "Settings":
        """Read settings from the environment; what is not set there keeps its default.

        Returns
        -------
        Settings
            Checked as any settings are.

        Raises
        ------
        InvalidInputError
            Where a variable is no number and a number is due.

        """
        given = cls.environment()
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            wrong = str(error.errors()[0]["loc"][0])
            raise InvalidInputError(
                f"{_variable(wrong)} is {given[wrong]!r}.",
                hint=_HINTS.get(wrong, "It must be a number above 0; a whole one but for the budget."),
            ) from None


def _variable(name: str) -> str:
    return f"CORPUSGRAPH_{name.removesuffix('_documents').upper()}"
