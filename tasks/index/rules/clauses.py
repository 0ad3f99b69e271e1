"""Who does what to whom: verb groups, and the noun phrases to their left and right."""

from dataclasses import dataclass

from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_NEGATIVE = wordset("not never no neither nor cannot n't hardly scarcely without nothing")
_RAISING = wordset("""seem appear tend likely help continue begin believe think say know find show suppose serve expect
    suspect fail
    prove assume consider hold able sufficient certain sure enough come suffice""")
_REPORT = wordset("say think believe know find show suppose assume consider hold suspect report claim prove")
_BE = wordset("be is are was were am been being")
REACH = 40
PARTIAL = wordset(
    "part parts number majority most share kind sort rest bulk amount quantity level risk rate sum case cases some"
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

    def group(self, verb: int) -> Group:
        """Collect the auxiliaries, adverbs and negations to the left of a verb."""
        tags, lows = self.tags, self.lows
        first, negated, passive, finite = verb, False, False, tags[verb] == "V"
        while (
            first > 0
            and verb - first < 8
            and (tags[first - 1] in "MBHOXRT" or lows[first - 1] in ("been", "fail", "failed", "fails"))
        ):
            first -= 1
            negated = (
                negated
                or lows[first] in _NEGATIVE
                or lows[first].endswith("n't")
                or lows[first].startswith("fail")
            )
            passive = passive or lows[first] in _BE
            finite = (
                finite
                or tags[first] in "MO"
                or lows[first] in ("is", "are", "was", "were", "has", "have", "had")
            )
        while first < verb and (tags[first] == "R" and lows[first] not in _NEGATIVE):
            first += 1
        kind = VERBS.get(lows[verb], (lows[verb], "V"))
        participle = kind[1] in "EF" or (
            kind[1] == "V"
            and lows[verb] in ("spread", "put", "set", "cut", "hit", "shut", "cast", "shed", "split", "read")
        )
        by = lows[verb + 1 : verb + 2] == ["by"]
        having = any(tags[k] == "H" for k in range(first, verb))
        passive = participle and ((passive and tags[verb - 1] != "H") or (by and not having))
        return Group(
            first, verb, verb + 1, kind[0], passive, negated, finite or (tags[verb] == "E" and not passive)
        )

    def subject(self, group: Group, depth: int = 0) -> list[Phrase]:
        """Return the phrases that are the subject of a verb group, nearest first; empty where unclear."""
        tags, lows = self.tags, self.lows
        at = group.first - 1
        if at >= 0 and lows[at] == "to" and tags[at] == "T":
            return self._raised(at, depth)
        if group.first < len(lows) and tags[group.first] == "T":
            return self._raised(group.first, depth)
        while at >= 0 and (tags[at] == "R" or lows[at] in ("thus", "also")):
            at -= 1
        if at >= 0 and (
            tags[at] == "W" or (lows[at] == "that" and at and (at in self.by_last or tags[at - 1] == ","))
        ):
            at -= 1
            while at >= 0 and (tags[at] == "I" or lows[at] == ","):
                at -= 1
            nearest = self._ending(at + 1)
            place = nearest and " ".join(self.sentence.words[nearest.first : nearest.last]) in PLACES
            person = "who" in lows[at + 1 : group.first] and place
            return self.head(at + 1) if person else self._antecedent(at + 1)
        if at >= 0 and tags[at] == ",":
            at = self._before_parenthesis(at, group)
        if at >= 0 and tags[at] == "C" and depth < 3:
            return self._shared(at, depth)
        while at >= 0 and tags[at] == ")":
            at = self._opening(at) - 1
        restricted = self._restricted(at) if group.finite else None
        if restricted is not None:
            return restricted
        if tags[group.verb] == "G" and at >= 0 and tags[at] in "I" and not group.passive:
            return self._shared(at, depth) if depth < 3 else []
        return self.head(at + 1)

    def _restricted(self, at: int) -> list[Phrase] | None:
        """Find vapours in "vapours that cause no epidemic may ...": the object of a relative clause is no subject."""
        phrase = self._ending(at + 1)
        verb = self._skip_determiners(phrase.first) - 1 if phrase else -1
        if verb < 1 or self.tags[verb] not in "VE":
            return None
        relative = self.group(verb).first - 1
        if (
            relative > 0
            and (self.tags[relative] == "W" or self.lows[relative] == "that")
            and relative in self.by_last
        ):
            return self._antecedent(relative)
        return None

    def _raised(self, to: int, depth: int) -> list[Phrase]:
        """Find the subject of "X is likely to", "X was thought to"."""
        at = to - 1
        while at >= 0 and self.tags[at] in "RX":
            at -= 1
        if at < 0 or depth > 2:
            return []
        base = VERBS.get(self.lows[at], (self.lows[at], ""))[0]
        if self.tags[at] in "VEJG" and base in _RAISING:
            return self.subject(self.group(at), depth + 1)
        if self.tags[at] in "BH":
            return self.subject(Group(at, at, at + 1, "be", False, False, finite=True), depth + 1)
        return []

    def _shared(self, at: int, depth: int) -> list[Phrase]:
        """Find the subject that a coordinated or following verb shares with the one before it."""
        for verb in range(at - 1, max(-1, at - REACH), -1):
            tag = self.tags[verb]
            if tag in ";S" and self.lows[verb] != "that":
                return []
            if tag in "VE" or (tag == "B" and self.tags[verb + 1] not in "EGR"):
                group = (
                    self.group(verb)
                    if tag != "B"
                    else Group(self._aux_start(verb), verb, verb + 1, "be", False, False, True)
                )
                if tag == "E" and not group.finite and not group.passive:
                    continue
                return self.subject(group, depth + 1)
        return []

    def _aux_start(self, verb: int) -> int:
        while verb > 0 and self.tags[verb - 1] in "MBHOXR":
            verb -= 1
        return verb

    def _before_parenthesis(self, comma: int, group: Group) -> int:
        """Step over ", a physician," or ", which ...," before a verb; over one comma before a participle."""
        if self.tags[group.verb] == "G" or (
            self.tags[group.verb] == "E" and group.passive and not group.finite
        ):
            return comma - 1
        for at in range(comma - 1, max(-1, comma - REACH), -1):
            if self.tags[at] == "," and (at in self.by_last or self.tags[at - 1 : at] == ")"):
                return at - 1
            if self.tags[at] in ";.":
                break
        return comma - 1

    def _antecedent(self, last: int) -> list[Phrase]:
        """Return what a relative pronoun stands for: the phrase just before it, and those coordinated with it."""
        while last > 0 and self.tags[last - 1] == ")":
            last = self._opening(last - 1)
        phrase = self._ending(last)
        return [phrase, *self._coordinated_left(phrase)] if phrase else []

    def doer(self, group: Group) -> list[Phrase]:
        """Return the subject, read through "Big Eyes is a film directed by": not film but Big Eyes."""
        subjects = self._sharing(group)
        if (group.finite and not self._reduced(group)) or not subjects:
            return subjects
        return self.through_copula(subjects[0]) or subjects

    def through_copula(self, phrase: Phrase) -> list[Phrase]:
        """Return what is said to be a phrase: Big Eyes for the film of "Big Eyes is a film", else nothing."""
        first = self._skip_determiners(phrase.first)
        while first > 0 and self.tags[first - 1] in "DQRL":
            first -= 1
        if first > 0 and self.tags[first - 1] == "B" and self.lows[first] in ("a", "an", "the"):
            return self.subject(Group(first - 1, first - 1, first, "be", False, False, finite=True))
        return []

    def _reduced(self, group: Group) -> bool:
        """Tell "the film directed by" and "a firm based in" from "they directed" and "they were based in"."""
        return self.tags[group.verb] == "E" and group.first == group.verb

    def _sharing(self, group: Group) -> list[Phrase]:
        """Find the subject of "written by Y" in "a film directed by X, written by Y and starring Z"."""
        at = group.first - 1
        if (group.finite and not self._reduced(group)) or at < 0 or self.tags[at] not in ",C":
            return self.subject(group)
        for verb in range(at - 1, max(-1, at - REACH), -1):
            if self.tags[verb] == "E" and self.lows[verb + 1 : verb + 2] == ["by"]:
                return self._sharing(self.group(verb))
            if self.tags[verb] in "V;.BM":
                break
        return self.subject(group)

    def _opening(self, at: int) -> int:
        for left in range(at, max(-1, at - REACH), -1):
            if self.tags[left] == "(":
                return left
        return at

    def head(self, last: int) -> list[Phrase]:
        """Return the head phrases that end at word `last`, and those coordinated with them.

        "the outbreak in Soho" and "the use of water" give outbreak and use: modifiers after a noun are walked over.
        """
        phrase = self._ending(last)
        if phrase is None:
            return []
        seen = 0
        if self._partial(phrase.first):
            return [phrase]
        while seen < 4:
            left = self._skip_determiners(phrase.first)
            before = self._ending(left - 1) if left and self.tags[left - 1] in "FI" else None
            if before is None or not self._attaches(left - 1, before):
                break
            phrase, seen = before, seen + 1
        return [phrase, *self._coordinated_left(phrase)]

    def _partial(self, first: int) -> bool:
        """Tell "the greater part of the deaths": the deaths are meant, not the part."""
        first = self._skip_determiners(first)
        return first > 1 and self.tags[first - 1] == "F" and self.lows[first - 2] in PARTIAL

    def _attaches(self, preposition: int, before: Phrase) -> bool:
        """Tell whether a phrase and the preposition after it make one noun phrase."""
        return self.tags[preposition] == "F" or self.lows[preposition] in (
            "in", "from", "at", "on", "for", "between", "with", "by", "to", "near", "among", "within", "against", "over", "under", "into", "through", "upon", "inside", "beneath",
        )  # fmt: skip

    def _ending(self, last: int) -> Phrase | None:
        while last > 0 and self.tags[last - 1] in '"':
            last -= 1
        return self.by_last.get(last)

    def _skip_determiners(self, at: int) -> int:
        while at > 0 and self.tags[at - 1] in 'DQR"':
            at -= 1
        return at

    def _coordinated_left(self, phrase: Phrase) -> list[Phrase]:
        found: list[Phrase] = []
        at = self._skip_determiners(phrase.first)
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
            other = self._ending(joint)
            if other is None:
                break
            found.append(other)
            at = self._skip_determiners(other.first)
            if at and self.tags[at - 1] in "VEMBHOT":
                return []
        return found

    def _series(self, comma: int) -> bool:
        """Tell "A, B, and C" from two clauses joined by ", and": there is a comma before B too."""
        last = self.by_last.get(comma)
        if last is None:
            return False
        first = self._skip_determiners(last.first)
        return first > 0 and self.tags[first - 1] == "," and first - 1 in self.by_last

    def object(self, at: int) -> list[Phrase]:
        """Return the phrases that begin at word `at`, after determiners, and those coordinated with them."""
        first = self._begin(at)
        phrase = self.by_first.get(first)
        if phrase and self.tags[first] == "L" and phrase.last in self.by_first:
            phrase = self.by_first[phrase.last]
        if phrase is None:
            return []
        if self.lows[phrase.last - 1] in PARTIAL and self.tags[phrase.last : phrase.last + 1] == "F":
            return self.object(phrase.last + 1) or [phrase]
        found, waiting = [phrase], []
        joint = phrase.last
        while len(found) + len(waiting) < 6:
            joint = self._over_modifier(joint)
            comma = self.tags[joint : joint + 1] == ","
            after = joint + 1 if comma else joint
            both = self.tags[after : after + 1] == "C" and self.lows[after] in ("and", "or", "&")
            if not comma and not both:
                break
            following = self.by_first.get(self._begin(after + 1 if both else after))
            if following is None or self._starts_clause(following.last):
                break
            if both:
                return [*found, *waiting, following]
            waiting.append(following)
            joint = following.last
        return found

    def _over_modifier(self, at: int) -> int:
        """Step over "of the X" after a phrase."""
        for _ in range(2):
            if self.tags[at : at + 1] != "F":
                return at
            phrase = self.by_first.get(self._begin(at + 1))
            if phrase is None:
                return at
            at = phrase.last
        return at

    def _begin(self, at: int) -> int:
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
            self.tags[at : at + 1] == "E" and self.tags[at + 1 : at + 2] not in ("I",)
        )
