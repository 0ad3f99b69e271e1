"""A language model decides on names that the rules left apart: one and the same, or not."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from pydantic import Field

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.graph import VALUES
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.study import LanguageOptions, Resolution
from corpusgraph.tasks.build.resolve import (
    MIN_WORD,
    SIGNS,
    Decision,
    Groups,
    Named,
    Pair,
    Sign,
    blocks,
    by_rules,
    given_agree,
    is_short_for,
    misspellings,
    named,
    rivals,
)
from corpusgraph.tasks.build.survey import NAMED, Key, Survey
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.llm.judging import ItemNumber, Score
from corpusgraph.tasks.llm.prompting import Said, ask_all, failure_of, fenced, numbered, prompt

Found = Iterator[tuple[Named, Named]]
_READINGS = 5
"""A short name that fits more names than these says too little to ask about."""
_SHARED = 20
"""Names that may share a word for it to be rare."""
_SMALL = frozenset({"of", "the", "and", "for", "on", "in", "de", "la", "du", "des", "und", "y", "et"})
_ACRONYM = 2, 8
"""Fewest and most letters."""


def same_pairs(survey: Survey, options: Resolution) -> list[Pair]:
    """Return pairs of names that may be one though the rules left them apart, the surest and largest first.

    The pairs depend neither on the order of documents nor on what `options.undo` says of earlier answers.

    Parameters
    ----------
    survey : Survey
        What the corpus says about its names.
    options : Resolution
        How names become entities.

    Returns
    -------
    list of Pair
        Empty where resolution is not enabled.

    """
    if not options.enabled:
        return []
    groups, _ = by_rules(survey, options)
    return _Band(groups, survey).pairs()


class _Band:
    """The names that are open, and the searches for near ones among them."""

    def __init__(self, groups: Groups, survey: Survey) -> None:
        self._groups = groups
        self._survey = survey
        self._members = grouped((groups.root(key), key) for key in groups.forms)
        self._read_in = grouped(groups.local)
        roots = [key for key in groups.roots() if key.type not in VALUES]
        unvalued = [key for key in roots if not any(form.value for form in groups.forms[key])]
        open_ = [name for name in (named(groups, key) for key in unvalued) if name.words]
        self._all = [name for name in open_ if self._is_name(name.key)]
        self._nouns = [name for name in open_ if not self._is_name(name.key)]
        self._persons = [name for name in self._all if name.person]
        self._others = [name for name in self._all if not name.person]

    def pairs(self) -> list[Pair]:
        """Return all pairs, each under its surest sign."""
        searches: dict[Sign, Callable[[], Found]] = {
            "letters": lambda: blocks(self._all, lambda n: (n.key.type, n.key.qualifier, "".join(n.words))),
            "type": self._types,
            "acronym": self._acronyms,
            "initials": self._initials,
            "order": lambda: blocks(self._all, _ordered),
            "spelling": self._spellings,
            "abbreviation": self._abbreviations,
            "part": self._parts,
        }
        found: dict[tuple[Key, Key], Sign] = {}
        for sign in SIGNS:
            for one, other in searches[sign]():
                two = min(one.key, other.key), max(one.key, other.key)
                if one.key == other.key or two in found or rivals(one, other):
                    continue
                if not self._groups.kept_apart(one.key, other.key, so_far=True):
                    found[two] = sign
        made = [self._pair(two, sign) for two, sign in found.items()]
        return sorted((pair for pair in made if pair), key=self._rank)

    def _is_name(self, key: Key) -> bool:
        """Tell a name from a common noun, which is written small."""
        forms = {form: n for form, n in self._groups.forms[key].items() if n}
        if self._groups.name(key)[:1].islower():
            return False
        return key.type != NAMED[-1] or any(self._survey.tally(f).phrases < n for f, n in forms.items())

    def _rank(self, pair: Pair) -> tuple[int, int, Key, Key]:
        counts = (sum(map(self._groups.mentions, self._members[root])) for root in (pair.one, pair.other))
        return SIGNS.index(pair.sign), -min(counts), pair.one, pair.other

    def _pair(self, two: tuple[Key, Key], sign: Sign) -> Pair | None:
        """Return a pair with its contexts; a name without any that can mean several says nothing."""
        names = self._groups.name(two[0]), self._groups.name(two[1])
        contexts = self._contexts(two[0]), self._contexts(two[1])
        if sign == "part" and self._survey.contexts is not None and not all(contexts):
            return None
        return Pair(*two, sign, names, contexts)

    def _contexts(self, root: Key) -> tuple[str, ...]:
        """Return what the texts say around a name, but for documents whose rules know whom it means."""
        if self._survey.contexts is None:
            return ()
        read = {f: self._read_in.get(key, ()) for key in self._members[root] for f in self._groups.forms[key]}
        return self._survey.contexts.of(read)

    def _types(self) -> Found:
        """Yield names of the same letters but other types: nouns stay among nouns."""
        for some in (self._all, self._nouns):
            yield from blocks(some, lambda name: (name.key.fold, name.key.qualifier))

    def _acronyms(self) -> Found:
        """Yield names like WHO and World Health Organization."""
        spelled: dict[str, list[Named]] = defaultdict(list)
        for name in self._others:
            for letters in {_letters(name.words), _letters([w for w in name.words if w not in _SMALL])}:
                if _ACRONYM[0] <= len(letters) <= _ACRONYM[1]:
                    spelled[letters].append(name)
        for name in self._others:
            short = "".join(name.words)
            is_shouted = any(form.name.isupper() for form in self._groups.forms[name.key])
            whole = spelled.get(short, ()) if is_shouted else ()
            if len(whole) <= _READINGS:
                types = {name.key.type, NAMED[-1]}
                alike = [long for long in whole if name.key.type == NAMED[-1] or long.key.type in types]
                yield from ((name, long) for long in alike)

    def _initials(self) -> Found:
        """Yield names like J. Snow and James Snow, John Kennedy and John Fitzgerald Kennedy."""
        full = [name for name in self._persons if len(name.words) > 1]
        for one, other in blocks(full, lambda name: (name.words[-1], name.words[0][0])):
            if given_agree(one.words[:-1], other.words[:-1]):
                yield one, other

    def _spellings(self) -> Found:
        """Yield names like Dostoevsky and Dostoyevsky, alone or beside the same other words."""
        by_words = grouped(((name.key.type, name.words), name) for name in self._all)
        near = misspellings({word for name in self._all for word in name.words})
        for name in self._all:
            for at, word in enumerate(name.words):
                for other in near.get(word, ()):
                    if word < other and (len(name.words) > 1 or min(len(word), len(other)) >= MIN_WORD):
                        words = (*name.words[:at], other, *name.words[at + 1 :])
                        yield from ((name, found) for found in by_words.get((name.key.type, words), ()))

    def _abbreviations(self) -> Found:
        """Yield names like Dept. of Health and Department of Health."""
        short = grouped(
            (rest, (name, word)) for name in self._all for word, rest in _rests(name) if 2 <= len(word) <= 5
        )
        for name in self._all:
            for word, rest in _rests(name) if short else ():
                for other, cut in short.get(rest, ())[:_SHARED]:
                    if is_short_for(cut, word):
                        yield other, name

    def _parts(self) -> Found:
        """Yield names like Board of Health and General Board of Health, or Snow and John Snow."""
        bearers = _holders([name for name in self._persons if len(name.words) > 1])
        for name in self._persons:
            full = bearers.get(("person", name.words[0]), []) if len(name.words) == 1 else []
            if len(full) <= _READINGS:
                yield from ((name, bearer) for bearer in full)
        wide = [n for n in self._others if n.key.type != NAMED[-1] and len(n.words) > 1]
        holders = _holders(wide)
        for name in wide:
            word = min(name.words, key=lambda word: (len(holders[name.key.type, word]), word))
            shared = holders[name.key.type, word]
            for long in shared if len(shared) <= _SHARED else ():
                if len(long.words) > len(name.words) and _contains(long.words, name.words):
                    yield name, long


def _ordered(name: Named) -> Hashable | None:
    return (name.key.type, tuple(sorted(name.words))) if len(name.words) > 1 else None


def _letters(words: Sequence[str]) -> str:
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def _rests(name: Named) -> Iterator[tuple[str, Hashable]]:
    """Yield each word of a name of several with all around it; nobody shortens a surname."""
    if len(name.words) > 1:
        for at, word in enumerate(name.words[:-1] if name.person else name.words):
            yield word, (name.key.type, at, name.words[:at], name.words[at + 1 :])


def _holders(names: Sequence[Named]) -> dict[tuple[str, str], list[Named]]:
    """Return the names of a type that hold a word."""
    return grouped(((name.key.type, word), name) for name in names for word in dict.fromkeys(name.words))


def _contains(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))


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
    """Return the prompts that `decide` asks.

    Parameters
    ----------
    pairs : sequence of Pair
        Best first; those beyond `MAX_PAIRS` are left out.
    options : LanguageOptions
        Language.

    Returns
    -------
    list of Prompt
        Pairs beyond `MAX_PAIRS` are not asked.

    """
    return [_prompt(batch, options) for batch in _batches(pairs[:MAX_PAIRS])]


def decide(
    llm: LanguageModel, pairs: Sequence[Pair], options: LanguageOptions
) -> tuple[list[Decision], list[Failure]]:
    """Return what the model decides of the pairs, which come best first, and what of them stays undecided.

    The pairs of a failed prompt stay apart; so do those that it passes over or gives no confidence.

    Parameters
    ----------
    llm : LanguageModel
        The model.
    pairs : sequence of Pair
        Best first; those beyond `MAX_PAIRS` are left out.
    options : LanguageOptions
        Language.

    Returns
    -------
    (list of Decision, list of Failure)
        Failures are `pairs_left_out`, `undecided`, or those of a call.

    """
    batches = list(_batches(pairs[:MAX_PAIRS]))

    def accept(place: int, said: SaidPairs) -> str | None:
        return _wrong(said, len(batches[place]))

    replies = ask_all(llm, [_prompt(batch, options) for batch in batches], SaidPairs, accept)
    decided: list[Decision] = []
    failures: list[Failure] = []
    for batch, reply in zip(batches, replies, strict=True):
        told = {one.id: one for one in reversed(reply.value.pairs)} if reply.value is not None else {}
        decisions = [
            Decision(pair, one.same, one.confidence, " ".join(one.why.split())[:_WHY])
            for number, pair in enumerate(batch, start=1)
            if (one := told.get(number)) is not None and one.confidence is not None
        ]
        decided += decisions
        failures += _failures(batch, reply, len(decisions))
    if len(pairs) > MAX_PAIRS:
        message = f"{len(pairs) - MAX_PAIRS:,} more pairs of near names are not asked about, and stay apart"
        failures.append(_failure("pairs_left_out", message, "pairs"))
    return decided, failures


def _batches(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Share pairs out by a hash, halving what is too large: a new pair changes only its own batch."""
    hashes = (hashlib.blake2b(pair.id.encode(), digest_size=8).digest() for pair in pairs)
    by_hash = sorted(zip(map(int.from_bytes, hashes), pairs, strict=True))

    def halved(part: list[tuple[int, Pair]], bit: int) -> Iterator[list[Pair]]:
        if len(part) > PER_PROMPT:
            for side in (0, 1):
                yield from halved([item for item in part if item[0] >> bit & 1 == side], bit - 1)
        elif part:
            yield [pair for _, pair in part]

    yield from halved(by_hash, 63)


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


def _failures(batch: Sequence[Pair], reply: Reply[SaidPairs], decided: int) -> Iterator[Failure]:
    """Yield why pairs of a batch stay apart: the prompt failed, or some were passed over."""
    item = stable_id("req", *(pair.id for pair in batch))
    if reply.value is None:
        apart = f"{_many(len(batch))} ({' / '.join(batch[0].names)} and others) stay apart: "
        yield failure_of(reply, STAGE, "", item, apart)
    elif decided < len(batch):
        passed_over = _many(len(batch) - decided)
        message = f"the model gave {passed_over} no decision with a confidence; they stay apart"
        yield _failure("undecided", message, item)


def _many(n: int) -> str:
    return f"{n} pair{'s' if n > 1 else ''} of names"


def _failure(code: str, message: str, item: str) -> Failure:
    return Failure(source="", stage=STAGE, code=code, message=message, item=item)
