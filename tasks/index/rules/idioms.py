"""Prepositions with a noun that are adverbs or negations: a verb group goes on across them."""

from corpusgraph.tasks.index.rules.wordlist import wordset

_IDIOMS = {
    "in": wordset("fact general particular effect turn truth reality vain time short addition"),
    "of": wordset("course necessity late"),
    "at": wordset("last least once length present first"),
    "by": wordset("degrees turns chance"),
    "for": wordset("example instance"),
}
_LONG_IDIOMS = {
    ("in", "all", "probability"): "R", ("in", "some", "measure"): "R", ("in", "great", "measure"): "R",
    ("in", "some", "degree"): "R", ("by", "no", "means"): "X", ("in", "no", "way"): "X",
    ("in", "no", "degree"): "X", ("in", "the", "end"): "R", ("in", "large", "part"): "R",
}  # fmt: skip
"""Three words -> the tag that they have together."""


def tag_idiom(tags: list[str], at: int, lows: list[str]) -> None:
    """Tag "in fact" and "by no means" as one adverb."""
    low, after = lows[at], lows[at + 1]
    if low in _IDIOMS and after in _IDIOMS[low] and tags[at + 2] not in "NJaPF":
        tags[at] = tags[at + 1] = "R"
        return
    long = _LONG_IDIOMS.get((low, after, lows[at + 2])) if at + 2 < len(lows) else None
    if long and tags[at + 3] != "F":
        tags[at : at + 3] = [long] * 3
