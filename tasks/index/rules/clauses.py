"""Who does what to whom: verb groups, and the noun phrases to their left and right."""

from dataclasses import dataclass

from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.verbs import VERBS

_NEGATIVE = frozenset("not never no neither nor cannot n't hardly scarcely without nothing".split())
_RAISING = frozenset(
    """seem appear tend likely help continue begin believe think say know find show suppose serve expect suspect fail
    prove assume consider hold able sufficient certain sure enough come suffice""".split()
)
_REPORT = frozenset("say think believe know find show suppose assume consider hold suspect report claim prove".split())
_BE = frozenset("be is are was were am been being".split())
REACH = 40


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
        while first > 0 and verb - first < 8 and (tags[first - 1] in "MBHOXRT" or lows[first - 1] in ("been", "fail", "failed", "fails")):
            first -= 1
            negated = negated or lows[first] in _NEGATIVE or lows[first].endswith("n't") or lows[first].startswith("fail")
            passive = passive or lows[first] in _BE
            finite = finite or tags[first] in "MO" or lows[first] in ("is", "are", "was", "were", "has", "have", "had")
        while first < verb and (tags[first] == "R" and lows[first] not in _NEGATIVE):
            first += 1
        kind = VERBS.get(lows[verb], (lows[verb], "V"))
        participle = kind[1] in "EF" or (kind[1] == "V" and lows[verb] in ("spread", "put", "set", "cut", "hit", "shut", "cast", "shed", "split", "read"))
        by = lows[verb + 1 : verb + 2] == ["by"]
        having = any(tags[k] == "H" for k in range(first, verb))
        passive = participle and ((passive and tags[verb - 1] != "H") or (by and not having))
        return Group(first, verb, verb + 1, kind[0], passive, negated, finite or (tags[verb] == "E" and not passive))

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
        if at >= 0 and (tags[at] == "W" or (lows[at] == "that" and at and (at in self.by_last or tags[at - 1] == ","))):
            at -= 1
            while at >= 0 and (tags[at] == "I" or lows[at] == ","):
                at -= 1
            return self.head(at + 1)
        if at >= 0 and tags[at] == ",":
            at = self._before_parenthesis(at, group)
        if at >= 0 and tags[at] == "C" and depth < 3:
            return self._shared(at, depth)
        if at >= 0 and tags[at] == ")":
            at = self._opening(at) - 1
        if tags[group.verb] == "G" and at >= 0 and tags[at] in "I" and not group.passive:
            return self._shared(at, depth) if depth < 3 else []
        return self.head(at + 1)

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
                group = self.group(verb) if tag != "B" else Group(self._aux_start(verb), verb, verb + 1, "be", False, False, True)
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
        if self.tags[group.verb] == "G" or (self.tags[group.verb] == "E" and group.passive and not group.finite):
            return comma - 1
        for at in range(comma - 1, max(-1, comma - REACH), -1):
            if self.tags[at] == "," and at in self.by_last:
                if self.tags[at + 1] in "DWIEGPNJRS" or self.tags[at + 1 : at + 2] == "":
                    return at - 1
            elif self.tags[at] in ";.":
                break
        return comma - 1

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
        while seen < 4:
            left = self._skip_determiners(phrase.first)
            before = self._ending(left - 1) if left and self.tags[left - 1] in "FI" else None
            if before is None or not self._attaches(left - 1, before):
                break
            phrase, seen = before, seen + 1
        return [phrase, *self._coordinated_left(phrase)]

    def _attaches(self, preposition: int, before: Phrase) -> bool:
        """Tell whether a phrase and the preposition after it make one noun phrase."""
        return self.tags[preposition] == "F" or self.lows[preposition] in (
            "in", "from", "at", "on", "for", "between", "with", "by", "to", "near", "among", "within", "against", "over", "under",
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
                joint -= self.tags[joint - 1] == ","
            elif self.tags[joint] != ",":
                break
            other = self._ending(joint)
            if other is None:
                break
            found.append(other)
            at = self._skip_determiners(other.first)
            if at and self.tags[at - 1] in "VEMBHO" and self.tags[at - 1] not in "E":
                return []
        return found

    def object(self, at: int) -> list[Phrase]:
        """Return the phrases that begin at word `at`, after determiners, and those coordinated with them."""
        first = self._begin(at)
        phrase = self.by_first.get(first)
        if phrase is None:
            return []
        found = [phrase]
        while len(found) < 6:
            joint = found[-1].last
            joint = self._over_modifier(joint)
            comma = self.tags[joint : joint + 1] == ","
            after = joint + 1 if comma else joint
            both = self.tags[after : after + 1] == "C" and self.lows[after] in ("and", "or", "&", "but")
            if not comma and not both:
                break
            following = self.by_first.get(self._begin(after + 1 if both else after))
            if following is None or self._starts_clause(following.last):
                break
            if comma and not both and not self._list_goes_on(following.last):
                break
            found.append(following)
            if both:
                break
        return found

    def _list_goes_on(self, at: int) -> bool:
        at = self._over_modifier(at)
        return self.tags[at : at + 1] == "," or self.lows[at : at + 1] in (["and"], ["or"])

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
        while at < len(self.tags) and (self.tags[at] in 'DQR"' or self.lows[at] in ("such", "both", "not", "only")) and at not in self.by_first:
            at += 1
        return at

    def _starts_clause(self, at: int) -> bool:
        at = self._over_modifier(at)
        while self.tags[at : at + 1] == "R":
            at += 1
        return self.tags[at : at + 1] in ("V", "B", "M", "H", "O") or (
            self.tags[at : at + 1] == "E" and self.tags[at + 1 : at + 2] not in ("I",)
        )
