"""What a possessive states: "Verdi's opera", "Kenya's capital Nairobi", "Snow's father"."""

from collections.abc import Callable, Iterator

from corpusgraph.tasks.index.rules.clauses import Clauses
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.frames import CAUSAL
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.predicates import NOUN_FRAMES
from corpusgraph.tasks.index.rules.wordlist import wordset

_OF_PERSONS = {"written_by": "novel book poem play story essay autobiography memoir"}
_OF_PERSONS |= {"performed_by": "song single album hit ep", "composed_by": "opera symphony"}
_OF_PERSONS |= {"created_by": "painting sculpture portrait invention"}
_WORKS = {word: type_ for type_, words in _OF_PERSONS.items() for word in words.split()}
_OWNED = wordset("subsidiary headquarters label brand division branch")


def possessed(clauses: Clauses, phrase: Phrase, kind_of: Callable[[Phrase], str]) -> Iterator[Found]:
    """Read a noun phrase that holds a possessive; the thing is named where a name follows its noun."""
    tags = clauses.tags
    mark = tags.rindex("K", phrase.first, phrase.last)
    if mark == phrase.first or mark + 1 >= phrase.last or tags[mark - 1] != "P":
        return
    owner = Phrase(phrase.first, mark)
    noun = next(
        (k for k in range(mark + 1, phrase.last) if clauses.lows[k] in _WORKS or _frame(clauses, k)), None
    )
    if noun is None or any(tags[k] == "P" for k in range(mark + 1, noun)):
        return
    thing = Phrase(mark + 1, phrase.last)
    if noun + 1 == phrase.last:
        after = phrase.last
        while tags[after : after + 1] in ('"', ","):
            after += 1
        following = clauses.by_first.get(after)
        thing = following if following and kind_of(following) in ("person", "concept", "place") else thing
    elif kind_of(phrase) != "phrase":
        thing = Phrase(noun + 1, phrase.last)
    work = _WORKS.get(clauses.lows[noun])
    if work and kind_of(owner) in ("person", "organisation"):
        yield Found(thing, owner, work, mark, noun + 1, f"X's {clauses.lows[noun]}", confidence=0.6)
    frame = _frame(clauses, noun)
    if frame and not work:
        source, target = (owner, thing) if frame[1] else (thing, owner)
        yield Found(source, target, frame[0], mark, noun + 1, f"X's {clauses.lows[noun]}", confidence=0.6)


def _frame(clauses: Clauses, at: int) -> tuple[str, bool] | None:
    """Return the frame of a noun of kinship, office or place; causes need "of"."""
    frame = NOUN_FRAMES.get(clauses.lows[at])
    if clauses.lows[at] in _OWNED:
        return "owned_by", False
    return (
        frame if frame and frame[0] not in CAUSAL and frame[0] not in ("part_of", "extends", "uses") else None
    )
