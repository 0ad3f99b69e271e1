"""Scripts without capitals: repeated word and character sequences, and a few name endings of Chinese.

Coverage is partial: without capitals and without a dictionary a rule cannot tell a name from a common word,
so only what repeats in the document, or ends in a word such as 大学 (university), is found, with low
confidence.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[\u30a1-\u30fa\u30fc]{3,}")
_LITTLE = re.compile("[的了在是和与及也就都而着或一不有这那个上下中来去到把被对于从为以其他她它我你们之所因]")
_ENDINGS = {
    "organisation": "大学|公司|委员会|医院|银行|政府|學會|学会|协会|党|大學|會社|会社",
    "place": "省|市|县|縣|国|國|河|江|山|街|路|岛|州|区",
    "person": "先生|女士|教授|博士|医生|皇帝",
}
_ENDED = {
    kind: re.compile(rf"[\u4e00-\u9fff]{{1,5}}?(?:{words})" + ("" if kind == "person" else "$"))
    for kind, words in _ENDINGS.items()
}
_WORD = re.compile(r"[^\W\d_]+")
MOST = 200
"""At most this many different repeated sequences are kept for one document."""


def caseless(text: str) -> bool:
    """Tell whether more than a third of the first letters of a text belong to a script without capitals."""
    sample = text[:2000]
    if sample.isascii():
        return False
    letters = [character for character in sample if character.isalpha()]
    return sum(unicodedata.category(character) == "Lo" for character in letters) * 3 > len(letters) > 0


def find_repeated(text: str) -> Iterator[tuple[int, int, str, float]]:
    """Yield (start, end, kind, confidence) of repeated or recognisably ended sequences, in order."""
    counts = Counter(gram for run in _runs(text) for gram in _grams(text[run[0] : run[1]]))
    kept = {gram for gram, count in counts.items() if count >= 2}
    chosen: set[str] = set()
    for gram in sorted(kept, key=lambda gram: (-len(gram), gram)):
        within = any(gram in other and counts[other] >= counts[gram] for other in chosen)
        if not within and len(chosen) < MOST:
            chosen.add(gram)
    for start, end in _runs(text):
        yield from _in_run(text, start, end, chosen)


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield runs that may hold names: pieces between little words in Chinese and Japanese, else words."""
    for match in CJK.finditer(text):
        begin = match.start()
        for cut in _LITTLE.finditer(text, match.start(), match.end()):
            if cut.start() - begin >= 2:
                yield begin, cut.start()
            begin = cut.end()
        if match.end() - begin >= 2:
            yield begin, match.end()
    for match in _WORD.finditer(text):
        if len(match[0]) > 3 and unicodedata.category(match[0][0]) == "Lo" and not CJK.match(match[0]):
            yield match.span()


def _grams(run: str) -> list[str]:
    if not CJK.match(run) or "\u30a1" <= run[0] <= "\u30fc":
        return [run]
    return [run[at : at + size] for size in (2, 3, 4) for at in range(len(run) - size + 1)]


def _in_run(text: str, start: int, end: int, chosen: set[str]) -> Iterator[tuple[int, int, str, float]]:
    run = text[start:end]
    for kind, pattern in _ENDED.items():
        ended = pattern.match(run) if len(run) <= 8 or kind == "person" else None
        if ended:
            yield start, start + ended.end(), kind, 0.5
            start += ended.end()
            break
    at = start
    while at < end:
        size = next((n for n in range(min(end - at, 40), 1, -1) if text[at : at + n] in chosen), 0)
        if size:
            yield at, at + size, "concept", 0.3
        at += max(size, 1)
