"""What a model said of an entity or a relationship wherever it met it: distinct, in text order, bounded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

from corpusgraph.tasks.index.tokens import count_tokens, token_spans

MODEL = "llm"
"""How the name of an extractor begins that is a language model."""
DESCRIPTION_TOKENS = 300
MAX_DESCRIPTIONS = 256
"""Descriptions kept of one item: those that stand first, where a text introduces what it speaks of."""
MAX_CHARACTERS = 1000
"""Of one description: a longer one is a model repeating itself."""

Place = tuple[str, int]
"""Document and character."""


@dataclass(slots=True)
class Descriptions:
    """The distinct descriptions of one item, each with the first place it was given at."""

    places: dict[str, Place] = field(default_factory=dict)

    def add(self, text: str, place: Place) -> None:
        """Keep a description; the result does not depend on the order in which they come."""
        line = " ".join(text.split())[:MAX_CHARACTERS].rstrip()
        if not line:
            return
        known = self.places.get(line)
        if known is None or place < known:
            self.places[line] = place
        if len(self.places) > 2 * MAX_DESCRIPTIONS:
            self.places = {text: self.places[text] for text in self.texts()}

    def texts(self) -> tuple[str, ...]:
        """Return them in text order."""
        return tuple(nsmallest(MAX_DESCRIPTIONS, self.places, key=lambda text: (self.places[text], text)))


def made_by_model(extractor: str) -> bool:
    """Tell whether a finding's extractor is a language model, whose descriptions are its own words."""
    return extractor.startswith(MODEL)


def joined(texts: Sequence[str], max_tokens: int = DESCRIPTION_TOKENS) -> str:
    """Return descriptions one after the other: as many as fit whole, the first cut where not even it fits."""
    kept = ""
    left = max_tokens
    for text in texts:
        left -= count_tokens(text) + (1 if kept else 0)
        if left < 0:
            return kept or f"{text[: token_spans(text)[max_tokens - 1][1]]} …"
        kept = f"{kept}{'; ' if kept[-1:].isalnum() else ' '}{text}" if kept else text
    return kept


def are_longer(texts: Sequence[str], max_tokens: int) -> bool:
    """Tell whether descriptions, joined, have more tokens than a limit."""
    room = max_tokens - len(texts) + 1
    # No token is shorter than a character: most items need no counting.
    return sum(map(len, texts)) > room and sum(map(count_tokens, texts)) > room
