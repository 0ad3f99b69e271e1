"""Where a run reads and writes, from the environment or a profile."""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError

from corpusgraph.schemas.base import Described
from corpusgraph.schemas.errors import InvalidInputError

Engine = Literal["prefect", "inline"]
_VARIABLES = {
    "outputs": "CORPUSGRAPH_OUTPUTS",
    "batch_documents": "CORPUSGRAPH_BATCH",
    "workers": "CORPUSGRAPH_WORKERS",
    "profile": "CORPUSGRAPH_PROFILE",
    "budget": "CORPUSGRAPH_BUDGET",
    "reranker": "CORPUSGRAPH_RERANKER",
    "vectors": "CORPUSGRAPH_VECTORS",
    "qdrant_url": "CORPUSGRAPH_QDRANT_URL",
    "qdrant_path": "CORPUSGRAPH_QDRANT_PATH",
    "qdrant_prefix": "CORPUSGRAPH_QDRANT_PREFIX",
    "qdrant_timeout": "CORPUSGRAPH_QDRANT_TIMEOUT",
}
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

    @staticmethod
    def environment() -> dict[str, str]:
        """Return the fields the environment gives, as text.

        Returns
        -------
        dict of str to str
            Field -> text of its variable; one that is unset or empty is left out.

        """
        given = {name: os.environ.get(variable) for name, variable in _VARIABLES.items()}
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
                f"{_VARIABLES[wrong]} is {given[wrong]!r}.",
                hint=_HINTS.get(wrong, "It must be a number above 0; a whole one but for the budget."),
            ) from None
