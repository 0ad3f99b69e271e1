"""What tokens to expect, by the replies there already are."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock

from corpusgraph.flows.resources.llm.cache import Kept

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
