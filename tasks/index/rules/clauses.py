"""Who does what to whom: verb groups, and the noun phrases to their left and right."""

from dataclasses import dataclass

from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.wordlist import wordset

_REPORT = wordset("say think believe know find show suppose assume consider hold suspect report claim prove")
_ATTACHING = wordset(
    """
    in from at on for between with by to near among within against over under into through upon inside beneath
    """
)
_SORTS = wordset("city town village state county province district island parish borough kingdom republic")
"""Nouns that only sort the name after "of": "the village of Kinderhook"."""
REACH = 40
"""How many words back a verb looks for its subject."""
PARTIAL = wordset(
    """
        part parts number majority most share kind sort rest bulk amount quantity level risk rate sum case
        cases some
    """
)
"""Nouns that only measure what comes after "of"."""


@dataclass(frozen=True, slots=True)
class Group:
    """A verb with its auxiliaries: words `first` to `last` (half-open), the verb itself at `verb`."""

    first: int
    verb: int
    last: int
    lemma: str
    passive: bool
    negated: bool
    finite: bool


class Clauses:
    """One sentence's phrases, ready to be asked for the arguments of a verb."""

    def __init__(self, sentence: Sentence, phrases: list[Phrase]) -> None:
        self.sentence = sentence
        self.tags = sentence.tags
        self.lows = sentence.lows
        self.phrases = phrases
        self.by_last = {phrase.last: phrase for phrase in phrases}
        self.by_first = {phrase.first: phrase for phrase in phrases}

    def opening(self, at: int) -> int:
        """Return the bracket that the one at word `at` closes."""
        for left in range(at, max(-1, at - REACH), -1):
            if self.tags[left] == "(":
                return left
        return at

    def head(self, last: int) -> list[Phrase]:
        """Return the head phrases that end at word `last`, and those coordinated with them.

        "the outbreak in Soho" and "the use of water" give outbreak and use: what follows is walked over.
        """
        phrase = self.ending(last)
        if phrase is None:
            return []
        seen = 0
        if self._partial(phrase.first):
            return [phrase]
        while seen < 4:
            left = self.skip_determiners(phrase.first)
            before = self.ending(left - 1) if left and self.tags[left - 1] in "FI" else None
            if before is None or not self._attaches(left - 1):
                break
            phrase, seen = before, seen + 1
        return [phrase, *self.coordinated_left(phrase)]

    def _partial(self, first: int) -> bool:
        """Tell "the greater part of the deaths": the deaths are meant, not the part."""
        first = self.skip_determiners(first)
        return first > 1 and self.tags[first - 1] == "F" and self.lows[first - 2] in PARTIAL

    def _attaches(self, preposition: int) -> bool:
        """Tell whether a phrase and the preposition after it make one noun phrase."""
        return self.tags[preposition] == "F" or self.lows[preposition] in _ATTACHING

    def ending(self, last: int) -> Phrase | None:
        """Return the phrase that ends before word `last`."""
        while last > 0 and self.tags[last - 1] == '"':
            last -= 1
        return self.by_last.get(last)

    def skip_determiners(self, at: int) -> int:
        """Return the first of the determiners and adverbs that stand before word `at`."""
        while at > 0 and self.tags[at - 1] in 'DQR"':
            at -= 1
        return at

    def coordinated_left(self, phrase: Phrase) -> list[Phrase]:
        """Return the phrases before "and" or a comma that share the place of a phrase."""
        found: list[Phrase] = []
        at = self.skip_determiners(phrase.first)
        while at > 1 and len(found) < 5:
            joint = at - 1
            if self.tags[joint] == "," and not found:
                break
            if self.tags[joint] == "C" and self.lows[joint] in ("and", "or", "&"):
                serial = self.tags[joint - 1] == ","
                if serial and not self._series(joint - 1):
                    break
                joint -= serial
            elif self.tags[joint] != ",":
                break
            other = self.ending(joint)
            if other is None:
                break
            found.append(other)
            at = self.skip_determiners(other.first)
            if at and self.tags[at - 1] in "VEMBHOT":
                return []
        return found

    def _series(self, comma: int) -> bool:
        """Tell "A, B, and C" from two clauses joined by ", and": there is a comma before B too."""
        last = self.by_last.get(comma)
        if last is None:
            return False
        first = self.skip_determiners(last.first)
        return first > 0 and self.tags[first - 1] == "," and first - 1 in self.by_last

    def object(self, at: int) -> list[Phrase]:
        """Return the phrases that begin at word `at`, after determiners, and those coordinated with them."""
        first = self.begin(at)
        phrase = self.by_first.get(first)
        if phrase and self.tags[first] == "L" and phrase.last in self.by_first:
            phrase = self.by_first[phrase.last]
        if phrase is None:
            return []
        if self.lows[phrase.last - 1] in PARTIAL and self.tags[phrase.last : phrase.last + 1] == "F":
            return self.object(phrase.last + 1) or [phrase]
        if self.lows[phrase.last - 1] in _SORTS and self.tags[phrase.last : phrase.last + 2] == "FP":
            return self.object(phrase.last + 1) or [phrase]
        found, waiting = [phrase], list[Phrase]()
        joint = phrase.last
        while len(found) + len(waiting) < 6:
            joint = self._over_modifier(joint)
            comma = self.tags[joint : joint + 1] == ","
            after = joint + 1 if comma else joint
            both = self.tags[after : after + 1] == "C" and self.lows[after] in ("and", "or", "&")
            if not comma and not both:
                break
            following = self.by_first.get(self.begin(after + 1 if both else after))
            if following is None or self._starts_clause(following.last):
                break
            if comma and not both and self._apposed(phrase, after, following):
                break
            if both:
                return [*found, *waiting, following]
            waiting.append(following)
            joint = following.last
        return found

    def _apposed(self, phrase: Phrase, at: int, following: Phrase) -> bool:
        """Tell "Gordon Moore, the founder of" from a list: a name, then an article and a common noun."""
        named = self.tags[phrase.last - 1] == "P" and self.tags[following.last - 1] != "P"
        return named and self.lows[at] in ("a", "an", "the", "his", "her", "its", "their")

    def _over_modifier(self, at: int) -> int:
        """Step over "of the X" after a phrase."""
        for _ in range(2):
            if self.tags[at : at + 1] != "F":
                return at
            phrase = self.by_first.get(self.begin(at + 1))
            if phrase is None:
                return at
            at = phrase.last
        return at

    def begin(self, at: int) -> int:
        """Return the word where a phrase begins, after its determiners."""
        while (
            at < len(self.tags)
            and (self.tags[at] in 'DQR"' or self.lows[at] in ("such", "both", "not", "only"))
            and at not in self.by_first
        ):
            at += 1
        return at

    def _starts_clause(self, at: int) -> bool:
        at = self._over_modifier(at)
        while self.tags[at : at + 1] == "R":
            at += 1
        return self.tags[at : at + 1] in ("V", "B", "M", "H", "O") or (
            self.tags[at : at + 1] == "E" and self.tags[at + 1 : at + 2] != "I"
        )
