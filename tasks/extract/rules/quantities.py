"""Numbers with what they count: amounts, money, shares and measures."""

from dataclasses import dataclass

from corpusgraph.tasks.extract.rules.tagger import FRACTIONS, Sentence
from corpusgraph.tasks.text.wordlist import listed, words, wordset

_WORDS = {
    word: float(value if value <= 20 else 10 * (value - 18))
    for value, word in enumerate(listed("quantities.numbers"))
}
_SCALES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_SCALES |= {"hundreds": 100.0, "thousands": 1e3, "millions": 1e6, "billions": 1e9}
_MONEY = {"$": "dollars", "£": "pounds", "€": "euros", "¥": "yen"}
_PERCENT = frozenset({"%", "percent"})
_MEASURED = words("quantities.measured")
_AGE_BEFORE = frozenset({"of", "was", "aged", "age"})
_NOT_COUNTED = wordset("no. nos. chapter page vol volume part section act article number paper book")
_ANGLES = frozenset("°′″'\"’”.,")
_RANKING = wordset("at reached hit peaked debuted ranked topped as")
_GLUE = frozenset({"or", "to", "-", "–"})


@dataclass(frozen=True, slots=True)
class FoundQuantity:
    """A quantity over words `first` to `last` (half-open) of a sentence."""

    first: int
    last: int
    value: float
    unit: str | None


def find_quantities(sentence: Sentence) -> list[FoundQuantity]:
    """Return the quantities of a tagged sentence, dates already taken out (tag L)."""
    if "Q" not in sentence.tags:
        return []
    found, at, size = [], 0, len(sentence.words)
    while at < size:
        if sentence.tags[at] != "Q":
            at += 1
            continue
        quantity = _quantity(sentence, at)
        if quantity:
            found.append(quantity)
        at = max(at + 1, quantity.last if quantity else 0)
    return found


def number(word: str) -> float | None:
    """Read a numeral: 1,234.5 or twenty-one; None where it is none."""
    low = word.lower()
    if low in _WORDS:
        return _WORDS[low]
    tens, _, ones = low.partition("-")
    if ones in FRACTIONS and tens in _WORDS:
        return _WORDS[tens] / FRACTIONS[ones]
    if ones in _WORDS and tens in _WORDS:
        return _WORDS[tens] + _WORDS[ones]
    grouped = all(len(part.split(".")[0]) == 3 for part in low.split(",")[1:])
    digits = low.replace(",", "") if grouped else low
    try:
        return float(digits) if digits[0].isascii() and digits[0].isdigit() else None
    except ValueError:
        return None


def _number_run(sentence: Sentence, at: int) -> tuple[float, int]:
    """Read numerals and scale words from `at`; return the value and the word after them."""
    total, current, seen = 0.0, 0.0, False
    while at < len(sentence.words) and sentence.tags[at] == "Q":
        low = sentence.lows[at]
        scale = _SCALES.get(low)
        value = number(low)
        if scale:
            current = (current if seen else 1.0) * scale
            total, current = (total + current, 0.0) if scale >= 1e3 else (total, current)
        elif value is not None and not (seen and low[0].isdigit()):
            current += value
        else:
            break
        seen, at = True, at + 1
        if at + 1 < len(sentence.words) and sentence.lows[at] == "and" and low in ("hundred", "thousand"):
            at += sentence.tags[at + 1] == "Q"
    return total + current, at


def _money_or_share(sentence: Sentence, at: int, end: int, value: float) -> FoundQuantity | None:
    """Read "£1,200" and "51 percent"."""
    after = sentence.lows[end : end + 2]
    if not _PERCENT.isdisjoint(after[:1]):
        return FoundQuantity(at, end + 1, value, "%")
    if after == ["per", "cent"]:
        return FoundQuantity(at, end + 2, value, "%")
    money = _MONEY.get(sentence.words[at - 1]) if at else None
    return FoundQuantity(at - 1, end, value, money) if money else None


def _symbol(sentence: Sentence, at: int, end: int, value: float) -> FoundQuantity | None:
    """Read temperatures, places on the globe, shares given as a range, fractions and ranks."""
    lows, words, tags = sentence.lows, sentence.words, sentence.tags
    after = lows[end : end + 1]
    if after in (["°"], ["º"]):
        if lows[end + 1 : end + 2] in (["c"], ["f"]):
            return FoundQuantity(at, end + 2, value, "°" + words[end + 1])
        stop = end + 1
        while stop < len(lows) and (tags[stop] == "Q" or words[stop] in _ANGLES) and stop - end < 7:
            stop += 1
        if words[stop : stop + 1] in (["N"], ["S"], ["E"], ["W"]):
            return FoundQuantity(at, stop + 1, value, "°" + words[stop])
    if after in (["–"], ["-"], ["to"], ["or"]) and tags[end + 1 : end + 2] == "Q":
        _, last = _number_run(sentence, end + 1)
        if not _PERCENT.isdisjoint(lows[last : last + 1]):
            return FoundQuantity(at, last + 1, value, "%")
    if lows[at].rpartition("-")[2] in FRACTIONS and after == ["of"]:
        return FoundQuantity(at, end, value, None)
    rank = at > 1 and lows[at - 1] in ("number", "no.") and lows[at - 2] in _RANKING
    return FoundQuantity(at - 1, end, value, "rank") if rank else None


def _hyphened(sentence: Sentence, at: int, end: int, value: float) -> FoundQuantity | None:
    """Read "90-minute" and "5-km" before a noun."""
    if sentence.lows[end : end + 1] != ["-"] or sentence.starts[end] != sentence.ends[end - 1]:
        return None
    unit = end + 1
    touching = unit < len(sentence.words) and sentence.starts[unit] == sentence.ends[end]
    noun = touching and sentence.tags[unit] == "N"
    return FoundQuantity(at, unit + 1, value, sentence.lows[unit]) if noun else None


def _quantity(sentence: Sentence, at: int) -> FoundQuantity | None:
    value, end = _number_run(sentence, at)
    if end == at:
        return None
    special = _symbol(sentence, at, end, value) or _hyphened(sentence, at, end, value)
    if special or (at and sentence.lows[at - 1] in _NOT_COUNTED):
        return special
    lows, tags = sentence.lows, sentence.tags
    money = _money_or_share(sentence, at, end, value)
    if money:
        return money
    joined = tags[end + 1 : end + 2] in ("Q", "J") or lows[end + 1 : end + 2] == ["more"]
    stop = end + 2 * (joined and lows[end] in _GLUE)
    while stop < len(tags) and tags[stop] in "JQ" and stop - end < 4:
        stop += 1
    nouns = stop
    nouns_are = "NP" if not lows[at][0].isdigit() else "N"
    while nouns < len(tags) and tags[nouns] in nouns_are and nouns - stop < 3:
        nouns += 1
    if nouns > stop:
        return FoundQuantity(at, nouns, value, " ".join(lows[end:nouns]))
    digits = lows[at][0].isdigit()
    measured = digits and len(lows[at]) > 2 and not _MEASURED.isdisjoint(lows[max(0, at - 4) : at])
    aged = at > 0 and lows[at - 1] in _AGE_BEFORE and (digits or lows[at - 1] != "was") and lows[at] != "one"
    bare = aged or measured or (digits and "," in lows[at])
    return FoundQuantity(at, end, value, None) if bare else None
