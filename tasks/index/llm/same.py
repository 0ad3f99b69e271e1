"""A language model decides on names that the rules left apart: one and the same, or not."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import Field

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.study import LanguageOptions
from corpusgraph.tasks.index.decided import Decision, Pair
from corpusgraph.tasks.index.llm.same_band import same_pairs
from corpusgraph.tasks.query.judging import ItemNumber, Score
from corpusgraph.tasks.query.prompting import Said, ask_all, fenced, numbered, prompt

__all__ = ["MAX_PAIRS", "Decision", "Pair", "SaidPair", "SaidPairs", "decide", "pair_prompts", "same_pairs"]

STAGE = "resolve"
MAX_PAIRS = 5000
"""Pairs asked about, the surest and largest first."""
PER_PROMPT = 20
_WHY = 200
_NTH = ("first", "second")
TASK = (
    "Each numbered line has two names from a collection of texts, with their types, and what the texts say "
    "around each. Decide for each line whether both names mean the same person, organisation, place or "
    "thing. Relatives and namesakes are not the same, nor are a whole and its part, or the members of a "
    "series. Give the number of the line, same (true or false), how sure you are of that from 0 to 1, and "
    "why in a few words."
)


class SaidPair(Said):
    """What is said of one pair."""

    id: ItemNumber = Field(description="number of the line")
    same: bool = Field(description="both names mean one and the same")
    confidence: Score = None
    why: str = Field(default="", description="in a few words")


class SaidPairs(Said):
    """One decision for each pair."""

    pairs: tuple[SaidPair, ...]


def pair_prompts(pairs: Sequence[Pair], options: LanguageOptions) -> list[Prompt]:
    """Return the prompts that `decide` asks."""
    return [_prompt(batch, options) for batch in _batches(pairs[:MAX_PAIRS])]


def decide(
    llm: LanguageModel, pairs: Sequence[Pair], options: LanguageOptions
) -> tuple[list[Decision], list[Failure]]:
    """Return what the model decides of the pairs, which come best first, and what of them stays undecided.

    The pairs of a failed prompt stay apart; so do those that it passes over or gives no confidence.
    """
    batches = list(_batches(pairs[:MAX_PAIRS]))

    def accept(place: int, said: SaidPairs) -> str | None:
        return _wrong(said, len(batches[place]))

    replies = ask_all(llm, [_prompt(batch, options) for batch in batches], SaidPairs, accept)
    decided: list[Decision] = []
    failures: list[Failure] = []
    for batch, reply in zip(batches, replies, strict=True):
        if reply.value is None:
            failures.append(_failed(batch, reply))
        else:
            found = list(_decisions(batch, reply.value))
            decided += found
            failures += _passed_over(batch, len(found))
    if len(pairs) > MAX_PAIRS:
        message = f"{len(pairs) - MAX_PAIRS:,} more pairs of near names are not asked about, and stay apart"
        failures.append(_failure("pairs_left_out", message, "pairs"))
    return decided, failures


def _batches(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Share pairs out by a hash, halving what is too large: a new pair changes only its own batch."""
    by_hash = sorted((hashlib.blake2b(pair.id.encode(), digest_size=8).digest(), pair) for pair in pairs)

    def halved(part: list[tuple[bytes, Pair]], bit: int) -> Iterator[list[Pair]]:
        if len(part) <= PER_PROMPT:
            if part:
                yield [pair for _, pair in part]
            return
        for side in (0, 1):
            half = [one for one in part if _bit(one[0], bit) == side]
            yield from halved(half, bit + 1)

    yield from halved(by_hash, 0)


def _bit(digest: bytes, place: int) -> int:
    return digest[place // 8] >> (7 - place % 8) & 1


def _prompt(batch: Sequence[Pair], options: LanguageOptions) -> Prompt:
    language = f" Write in {options.language}." if options.language else ""
    return prompt(TASK + language, fenced("Pairs", numbered(map(_line, batch))))


def _line(pair: Pair) -> str:
    """Return both names with their types, and then what the texts say around each."""
    quoted = [name.replace('"', "'") for name in pair.names]
    head = f'"{quoted[0]}" ({pair.one.type}) | "{quoted[1]}" ({pair.other.type})'
    said = [
        f"The {nth}: {' … '.join(texts)}" for nth, texts in zip(_NTH, pair.contexts, strict=True) if texts
    ]
    return " | ".join([head, *said])


def _wrong(said: SaidPairs, size: int) -> str | None:
    strange = sorted({one.id for one in said.pairs if not 1 <= one.id <= size})
    if strange:
        return f"There is no line {strange[0]}: the lines are numbered from 1 to {size}."
    if not said.pairs:
        return f"No line is decided on: the lines are numbered from 1 to {size}."
    both = Counter(number for number, _ in {(one.id, one.same) for one in said.pairs})
    twice = sorted(number for number, n in both.items() if n > 1)
    return f"Line {twice[0]} is said to be the same and not the same." if twice else None


def _decisions(batch: Sequence[Pair], said: SaidPairs) -> Iterator[Decision]:
    first = {one.id: one for one in reversed(said.pairs)}
    for number, pair in enumerate(batch, start=1):
        one = first.get(number)
        if one is not None and one.confidence is not None:
            yield Decision(pair, one.same, one.confidence, " ".join(one.why.split())[:_WHY])


def _failed(batch: Sequence[Pair], reply: Reply[SaidPairs]) -> Failure:
    names = " / ".join(batch[0].names)
    why = " ".join((reply.error or "no reply").split())[:_WHY]
    message = f"{_many(len(batch))} ({names} and others) stay apart: {why}"
    return _failure(reply.code or "no_reply", message, _item(batch), retry=True)


def _passed_over(batch: Sequence[Pair], decided: int) -> list[Failure]:
    if decided == len(batch):
        return []
    message = f"the model gave {_many(len(batch) - decided)} no decision with a confidence; they stay apart"
    return [_failure("undecided", message, _item(batch))]


def _many(n: int) -> str:
    return f"{n} pair{'s' if n > 1 else ''} of names"


def _item(batch: Sequence[Pair]) -> str:
    return stable_id("req", *(pair.id for pair in batch))


def _failure(code: str, message: str, item: str, *, retry: bool = False) -> Failure:
    return Failure(source="", stage=STAGE, code=code, message=message, item=item, retry=retry)
