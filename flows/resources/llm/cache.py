"""The response cache: what a model answered, found again by model, parameters, prompt and schema."""

import json
import re
import zlib
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from corpusgraph.flows.resources.cache import StageCache
from corpusgraph.flows.resources.llm.shape import Keys
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.profile import ModelOptions

M = TypeVar("M", bound=BaseModel)
FOLDER = ".llm"


@dataclass(frozen=True)
class Kept:
    """A reply that was valid and accepted, and what it cost in tokens."""

    text: str
    answer: str
    characters: int
    prompt_tokens: int
    completion_tokens: int

    def packed(self) -> bytes:
        """Write it as JSON: the reply's own text stays as the model wrote it."""
        return json.dumps(vars(self), ensure_ascii=False).encode()


class ResponseCache:
    """Files `outputs/.llm/MODEL/ab/…`, each written in one step the moment a reply arrives.

    With `replay`, a folder of such files, a reply that is not here is taken from there.
    """

    def __init__(self, outputs: Path, options: ModelOptions, replay: Path | None = None) -> None:
        self._files = StageCache(outputs / FOLDER)
        self._replay = StageCache(replay) if replay is not None else None
        self._stage = re.sub(r"[^A-Za-z0-9._-]+", "_", options.model).strip("._")[:80] or "model"
        self._keys = Keys(options)

    @property
    def fingerprint(self) -> str:
        """Identify model and parameters."""
        return self._keys.fingerprint

    def key(self, prompt: Prompt, answer: type[BaseModel]) -> str:
        """Return the name of the reply to a prompt."""
        return self._keys.key(prompt, answer)

    def get(self, key: str, answer: type[M]) -> M | None:
        """Return the answer under a key, validated again; a torn file counts as absent."""
        kept = _kept(self._files.get(self._stage, key)) or self._replayed(key)
        if kept is None:
            return None
        try:
            return answer.model_validate_json(kept.text)
        except ValidationError:
            return None

    def _replayed(self, key: str) -> Kept | None:
        """Take a reply over; what a run used is then all in its own folder."""
        data = self._replay.get(self._stage, key) if self._replay is not None else None
        kept = _kept(data)
        if data is not None and kept is not None:
            self._files.put(self._stage, key, data)
        return kept

    def put(self, key: str, kept: Kept) -> None:
        """Store a reply."""
        self._files.put(self._stage, key, kept.packed())

    def sample(self, size: int) -> list[Kept]:
        """Return some of this model's replies; names are hashes, so the first of them are a random sample."""
        folder = self._files.folder / self._stage
        paths = islice(
            (path for part in sorted(folder.glob("??")) for path in sorted(part.glob("*.z"))), size
        )
        return [kept for path in paths if (kept := _kept(_unpacked(path))) is not None]


def _unpacked(path: Path) -> bytes | None:
    try:
        return zlib.decompress(path.read_bytes())
    except (OSError, zlib.error):
        return None


def _kept(data: bytes | None) -> Kept | None:
    if data is None:
        return None
    try:
        return Kept(**json.loads(data))
    except (ValueError, TypeError):
        return None
