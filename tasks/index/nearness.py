"""How near two names are that no rule takes for one another: letters, spelling, initials, parts left out."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from corpusgraph.tasks.index.groups import Groups
from corpusgraph.tasks.index.names import GENDERED, PersonName, person_name
from corpusgraph.tasks.index.survey import Key, gender_of

T = TypeVar("T")
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i"}
)
_FIGURE = re.compile(r".*\d|[ivx]{2,}$")
_LONG = 9
"""Letters from which two may differ."""
MIN_WORD = 5
"""Letters of a name of one word, below which a different letter is a different name."""
_MAX_WORD = 20
NEIGHBOURS = 20
"""In a crowd of names that share a block each is compared with so many next to it in order, as in the sorted
neighbourhood method (Hernández & Stolfo 1995): time stays linear."""


class Named(NamedTuple):
    """A name to compare: its words without marks over letters, and what is known of a person."""

    key: Key
    words: tuple[str, ...]
    person: PersonName | None
    genders: frozenset[str]
    figures: tuple[str, ...]


def named(groups: Groups, key: Key) -> Named:
    """Return a key as it is compared."""
    if key.type != "person":
        words = tuple(map(skeleton, key.fold.split()))
        return Named(key, words, None, frozenset(), _figures(words))
    person = person_name(groups.name(key))
    words = tuple(map(skeleton, person.tokens))
    genders = {gender_of(form) for form in groups.forms[key]} | {GENDERED.get(person.honorific, "")}
    return Named(key, words, person, frozenset(genders - {""}), _figures((*words, person.lineage)))


def skeleton(word: str) -> str:
    """Return a folded word without the marks over and under its letters: "nguyễn" is "nguyen"."""
    if word.isascii():
        return word
    spelled = unicodedata.normalize("NFKD", word.translate(_LETTERS))
    return "".join(c for c in spelled if unicodedata.category(c) != "Mn") or word


def _figures(words: Sequence[str]) -> tuple[str, ...]:
    """Return the numbers among a name's words, Roman ones too: Charles I is never Charles II."""
    last = len(words) - 1
    return tuple(w for n, w in enumerate(words) if _FIGURE.match(w) or (w == "i" and n == last))


def rivals(one: Named, other: Named) -> bool:
    """Tell two that cannot be one whatever the texts say: other numbers, titles or given names."""
    if one.key.qualifier != other.key.qualifier:
        return True
    if one.person is None or other.person is None:
        return one.figures != other.figures and one.key.type == other.key.type
    if one.figures != other.figures or (one.genders and other.genders and not one.genders & other.genders):
        return True
    if {one.person.lineage, other.person.lineage} == {"jr", "sr"}:
        return True
    full = len(one.words) > 1 and len(other.words) > 1
    return full and one.words[-1] == other.words[-1] and not _given_agree(one.words[:-1], other.words[:-1])


def _given_agree(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Tell whether given names may be one person's: equal, initials, alike, shortened, or some left out."""
    short, whole = sorted((some, others), key=len)
    if all(_fits(mine, theirs) for mine, theirs in zip(short, whole, strict=False)):
        return True
    return all(len(word) > 1 for word in short) and _is_part(short, whole)


def _fits(one: str, other: str) -> bool:
    if one == other or (1 in (len(one), len(other)) and one[0] == other[0]):
        return True
    shortened = is_short_for(one, other) or is_short_for(other, one)
    return shortened or (one[0] == other[0] and is_misspelt(one, other))


def _is_part(short: Sequence[str], whole: Sequence[str]) -> bool:
    """Tell whether all words of one stand in the other, in the same order."""
    rest = iter(whole)
    return all(word in rest for word in short)


def may_be(one: Named, other: Named) -> bool:
    """Tell whether one of two full names of a surname leaves out or shortens given names of the other."""
    return one.words[-1] == other.words[-1] and _given_agree(one.words[:-1], other.words[:-1])


def is_short_for(short: str, word: str) -> bool:
    """Tell an abbreviation: "gen" of "general", "dept" of "department", "wm" of "william"."""
    if not (2 <= len(short) <= 5 and len(word) >= len(short) + 2 and short[0] == word[0] and short.isalpha()):
        return False
    return word.startswith(short) or (short[-1] == word[-1] and _is_part(short, word))


def is_misspelt(one: str, other: str) -> bool:
    """Tell whether two words may be one, spelled in two ways: a letter more or less, or another one.

    A plural is none: the rules judge those.
    """
    short, long = sorted((one, other), key=len)
    if long == f"{short}s":
        return False
    if len(short) < MIN_WORD:
        return len(short) >= 3 and len(long) == len(short) + 1 and _distance(short, long, 1) == 1
    limit = 2 if len(short) >= _LONG else 1
    return 0 < _distance(short, long, limit) <= limit


def _distance(one: str, other: str, limit: int) -> int:
    """Count insertions, deletions, substitutions and swaps of neighbours, up to a limit (then limit + 1)."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        row = [i]
        for j, theirs in enumerate(other, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != theirs))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == theirs:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return min(last[-1], limit + 1)


def misspellings(words: Iterable[str]) -> dict[str, list[str]]:
    """Return for each word those of the others that may be the same, by the letters both can lose.

    (SymSpell's symmetric deletes, Garbe 2012.)
    """
    blocks: dict[str, list[str]] = defaultdict(list)
    for word in sorted(words):
        if word.isalpha() and 3 <= len(word) <= _MAX_WORD:
            for rest in _shortened(word):
                blocks[rest].append(word)
    near: dict[str, set[str]] = defaultdict(set)
    for block in blocks.values():
        for one, other in neighbours(block):
            if other not in near[one] and is_misspelt(one, other):
                near[one].add(other)
                near[other].add(one)
    return {word: sorted(found) for word, found in near.items() if found}


def _shortened(word: str) -> set[str]:
    depth = 2 if len(word) >= _LONG else 1
    kept = range(len(word))
    return {word} | {
        "".join(word[n] for n in kept if n not in lost)
        for count in range(1, depth + 1)
        for lost in combinations(kept, count)
    }


def neighbours(block: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Yield the pairs of a block; of a crowded one, each with those next to it."""
    for n, one in enumerate(block):
        for other in block[n + 1 : n + 1 + NEIGHBOURS]:
            yield one, other


def blocks(items: Iterable[T], key: Callable[[T], Hashable | None]) -> Iterator[tuple[T, T]]:
    """Yield pairs of items whose key is the same and not None."""
    found: dict[Hashable, list[T]] = defaultdict(list)
    for item in items:
        by = key(item)
        if by is not None:
            found[by].append(item)
    for block in found.values():
        if len(block) > 1:
            yield from neighbours(block)
