"""The proper names of a sentence that a text does not hold, where a capital marks a name."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from corpusgraph.tasks.graph.words import STOP_WORDS, stem
from corpusgraph.tasks.index.rules.known_names import GIVEN
from corpusgraph.tasks.index.rules.wordlist import wordset

CAPITALS = frozenset({"en", "fr", "es", "it", "nl", "pt"})
"""Languages in which a capital inside a sentence marks a name."""
_WORD = re.compile(r"[^\W\d_]+")
_BEGINS = re.compile(r"(?:^|[.!?:;…\n\"“”„«»‘(\[—–-])\s*[\"“”„«»‘(\[]*\s*$")
"""What stands before the first word of a sentence, of a quotation or of a title in brackets."""
_COMMON = wordset("""
    january february march april may june july august september october november december jan feb mar apr jun
    jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mr mrs ms miss dr
    sir lord lady saint st king queen prince princess president governor general captain colonel major judge
    justice father mother brother sister uncle aunt doctor professor duke duchess count countess earl baron
    madame monsieur god heaven bible christmas easter internet chapter book part volume section letter paper
    act article essay number no figure table street road avenue square bridge river lake sea ocean island
    islands mount mountain mountains valley city town village county state states province kingdom empire
    republic union nation country house hall hotel castle palace church cathedral abbey school college
    university hospital court board committee commission council congress senate parliament assembly
    convention constitution government party army navy company bank war battle treaty law north south east
    west northern southern eastern western
""")
"""Words that are written with a capital and name nothing alone."""
_OF_A_PEOPLE = ("ian", "ians", "ean", "eans", "ish", "ese", "ch", "can", "cans", "ic", "ism", "ist", "ists")
"""Endings of words derived from names, which seldom keep them whole: Venice, Venetian."""
_ARTICLES = wordset("""
    the a an this that these those our their his her its my your le la les el los il i o os de het
""")
_OF = wordset("of de des du di del della der van von")
_NAME_OF = re.compile(r"[A-Z]\w* $")
_DOES = wordset("was is were are had has did does said says wrote")
_ENDINGS = wordset("s es n an ans er ers ite ites e i y us")
"""What a name may end with, beside what it is in the text."""
SHORTEST = 4
"""Letters of a name that another form of it may begin with."""


@lru_cache(maxsize=5000)
def words_in(text: str) -> frozenset[str]:
    """Return a text's words as they are compared: case-folded, without accents, and their stems."""
    plain = {_plain(word) for word in _WORD.findall(text)}
    return frozenset(plain | {stem(word) for word in plain})


def strange_names(text: str, known: frozenset[str]) -> Iterator[str]:
    """Yield the names of a sentence whose last word is not among the known ones, nor a form of one."""
    before: re.Match[str] | None = None
    run: list[str] = []
    for word in [*_WORD.finditer(text), None]:
        joins = word is not None and before is not None and text[before.end() : word.start()] in {" ", "-"}
        if run and not (joins and word is not None and word[0][0].isupper()):
            head = next((one for one in reversed(run) if _tells(one)), "")
            if head and not _known(_plain(head), known):
                yield " ".join(run)
            run = []
        if word is not None and word[0][0].isupper() and (run or _is_name(text, before, word)):
            run.append(word[0])
        before = word


def _is_name(text: str, before: re.Match[str] | None, word: re.Match[str]) -> bool:
    """Tell whether a word with a capital begins a name.

    After an article only with another; so the first of a sentence, or as a given name that does something.
    """
    found = _WORD.match(text, word.end() + 1) if text[word.end() : word.end() + 1] == " " else None
    follows = found[0] if found is not None else ""
    if _BEGINS.search(text[: word.start()]):
        acts = word[0] in GIVEN and (follows in _DOES or follows.endswith("ed"))
        return word[0].lower() not in STOP_WORDS and (follows[:1].isupper() or acts)
    if before is not None and before[0] in _OF and _NAME_OF.search(text[: before.start()]):
        return False  # Board of Health may be the Board
    return before is None or before[0].lower() not in _ARTICLES or follows[:1].isupper()


def _tells(word: str) -> bool:
    """Tell whether a word of a name can be looked for: no initial, no abbreviation, no word for a kind."""
    low = word.lower()
    if len(word) < 2 or word.isupper() or low in _COMMON or low in STOP_WORDS:
        return False
    return _plain(word).isascii() and not low.endswith(_OF_A_PEOPLE)


def _known(name: str, known: frozenset[str]) -> bool:
    if name in known or stem(name) in known:
        return True
    starts = (name[:n] for n in range(SHORTEST, len(name)))
    if any(name[len(start) :] in _ENDINGS and start in known for start in starts):
        return True
    return len(name) >= SHORTEST and any(name + ending in known for ending in _ENDINGS)


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))
