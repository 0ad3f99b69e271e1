"""Second names in parentheses: acronyms, other scripts, and qualifiers such as "(film)"."""

from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.phrases import find_phrases
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.wordlist import wordset

_QUALIFIERS = wordset(
    "film novel book album song band play opera journal magazine ship company series poet river city"
)
_LITTLE = wordset("of the and for in on de")


def find_aliases(sentence: Sentence, at: int, names: list[NameSpan], text: str) -> list[NameSpan]:
    """Return names in parentheses that repeat the one before, and note acronyms and qualifiers on it."""
    found: list[NameSpan] = []
    for opening, mark in enumerate(sentence.tags):
        if mark != "(" or opening == 0:
            continue
        closing = sentence.tags.find(")", opening)
        if closing < 0 or closing - opening > 4 or closing - opening < 2:
            continue
        named = next((name for name in names if name.last == opening), None)
        inside = sentence.words[opening + 1 : closing]
        if named and inside[-1].lower() in _QUALIFIERS:
            named.attributes["qualifier"] = " ".join(inside)
        elif len(inside) == 1:
            found += _alias(sentence, at, opening, named, names, text)
    return found


def _alias(
    sentence: Sentence, at: int, opening: int, named: NameSpan | None, names: list[NameSpan], text: str
) -> list[NameSpan]:
    word = sentence.words[opening + 1]
    alias = NameSpan(at, opening + 1, opening + 2, word, kind="alias", confidence=0.8, cue="alias")
    if named and word.isalpha() and not word[0].isupper() and not word[0].islower():
        return [alias]
    letters = word.replace(".", "").removesuffix("s")
    if not (2 <= len(letters) <= 8 and letters.isupper()):
        return []
    first = _expansion(sentence, opening, letters)
    if named and (first is not None or letters[0] == named.text[0]):
        named.attributes["acronym"] = word
        return [name for name in [alias] if not _has(names, opening + 1)]
    if first is None:
        return []
    full = " ".join(text[sentence.starts[first] : sentence.ends[opening - 1]].split())
    term = NameSpan(at, first, opening, full, kind="concept", confidence=0.7, cue="term with acronym")
    term.attributes["acronym"] = word
    return [term, alias]


def _has(names: list[NameSpan], word: int) -> bool:
    """Mark an acronym that is a name already as an alias, so that it takes the kind of its full name."""
    for name in names:
        if name.first == word and name.last == word + 1:
            name.kind, name.confidence, name.cue = "alias", 0.8, "alias"
            return True
    return False


def _expansion(sentence: Sentence, opening: int, letters: str) -> int | None:
    """Return the first word of the phrase before the parenthesis whose initials are the letters."""
    word, left = opening - 1, len(letters) - 1
    while word >= 0 and left >= 0:
        low = sentence.lows[word]
        if low[0] == letters[left].lower():
            left -= 1
        elif low not in _LITTLE:
            inner = letters[: left + 1].lower()
            if len(inner) > 1 and low[0] == inner[-2] and inner[-1] in low[1:]:
                left -= 2
            else:
                return _phrase_with(sentence, opening, letters)
        word -= 1
    return word + 1 if left < 0 else None


def _phrase_with(sentence: Sentence, opening: int, letters: str) -> int | None:
    """Accept "suprachiasmatic nucleus (SCN)": the letters occur in order in the phrase before."""
    for phrase in find_phrases(sentence.tags[:opening]):
        if phrase.last == opening:
            written = "".join(sentence.lows[phrase.first : opening])
            at = -1
            for letter in letters.lower():
                at = written.find(letter, at + 1)
                if at < 0:
                    return None
            return phrase.first if written[0] == letters[0].lower() else None
    return None
