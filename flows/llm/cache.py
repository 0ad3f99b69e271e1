"""The response cache: what a model answered, found again by model, parameters, prompt and schema."""

import json
import re
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.llm.completion import Keys
from corpusgraph.schemas.llm import ModelOptions, Prompt

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


CHARACTERS_PER_TOKEN = 4.0
"""Of English text, where no reply was seen yet."""
COMPLETION_PER_PROMPT = 0.5


@dataclass(frozen=True)
class Ratio:
    """What was seen of replies; the two ratios are the usual ones where `n` is 0."""

    n: int
    characters_per_token: float
    completion_per_prompt: float
    longest: int
    """Tokens of the longest reply."""


class Ratios:
    """Sums over replies by kind of answer; those in the cache are looked at when a ratio is first needed."""

    def __init__(self, sample: Callable[[], Iterable[Kept]]) -> None:
        self._sample: Callable[[], Iterable[Kept]] | None = sample
        self._sums: dict[str, tuple[int, int, int, int, int]] = {}
        self._lock = Lock()

    def note(self, kept: Kept) -> None:
        """Add a reply."""
        with self._lock:
            self._add(kept)

    def of(self, answer: str | None = None) -> Ratio:
        """Return the ratios of one kind of answer, or of all; those of all where that kind was not seen."""
        with self._lock:
            sample, self._sample = self._sample, None
            for kept in sample() if sample else ():
                self._add(kept)
            chosen = [self._sums[answer]] if answer in self._sums else list(self._sums.values())
        n, characters, prompt, completion = (sum(s[i] for s in chosen) for i in range(4))
        return Ratio(
            n=n,
            characters_per_token=characters / prompt if prompt else CHARACTERS_PER_TOKEN,
            completion_per_prompt=completion / prompt if prompt else COMPLETION_PER_PROMPT,
            longest=max((s[4] for s in chosen), default=0),
        )

    def tokens(self, characters: int, answer: str | None = None) -> int:
        """Return the tokens that so many characters of a prompt are likely to be."""
        return max(1, round(characters / self.of(answer).characters_per_token)) if characters else 0

    def seen(self, answer: str) -> int:
        """Return how many replies of a kind were seen."""
        with self._lock:
            return self._sums[answer][0] if answer in self._sums else 0

    def _add(self, kept: Kept) -> None:
        n, characters, prompt, completion, longest = self._sums.get(kept.answer, (0, 0, 0, 0, 0))
        self._sums[kept.answer] = (
            n + 1,
            characters + kept.characters,
            prompt + kept.prompt_tokens,
            completion + kept.completion_tokens,
            max(longest, kept.completion_tokens),
        )
