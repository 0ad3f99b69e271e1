"""Which amount belongs to what: "a population of 5,000", "is 24 metres tall", "measures 22 metres"."""

from collections.abc import Iterator

from corpusgraph.tasks.index.rules.clauses import Clauses, Group
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.quantities import FoundQuantity
from corpusgraph.tasks.index.rules.subjects import group_at, subject
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_NOUNS = wordset("""
    population area length height capacity budget elevation depth width distance total speed cost price age
    weight revenue circulation attendance enrollment enrolment altitude temperature density membership
    diameter radius circumference turnover income output
""")
_VERBS = wordset(
    "measure weigh cover span reach stand cost extend number total employ contain average exceed"
)
_DIMENSIONS = wordset("long tall wide high deep old thick away north south east west")
_APPROXIMATE = wordset(
    "about around approximately roughly nearly almost over than more less some only up to at of least"
)


def find_measures(clauses: Clauses, quantities: list[FoundQuantity]) -> Iterator[Found]:
    """Return what has each quantity of a sentence as its value."""
    for quantity in quantities:
        at = quantity.first
        while at > 0 and clauses.lows[at - 1] in _APPROXIMATE and clauses.lows[at - 1] != "of":
            at -= 1
        target = Phrase(quantity.first, quantity.last)
        for source, word in _holders(clauses, at - 1, quantity.last):
            if not (source.first < quantity.last and quantity.first < source.last):
                yield Found(
                    source,
                    target,
                    "has_value",
                    word,
                    quantity.last,
                    f"{clauses.lows[word]} Q",
                    confidence=0.6,
                )


def _holders(clauses: Clauses, at: int, after: int) -> Iterator[tuple[Phrase, int]]:
    """Return who has the quantity after word `at`, and the word that says so."""
    if at < 1:
        return
    if clauses.tags[at] == "F":
        noun = clauses.ending(at)
        if noun and clauses.lows[at - 1] in _NOUNS:
            yield from ((holder, at - 1) for holder in _owner(clauses, noun))
    elif clauses.tags[at] == "B":
        subjects = subject(clauses, Group(at, at, at + 1, "be", False, False, finite=True))[:1]
        measured = bool(subjects) and clauses.lows[subjects[0].last - 1] in _NOUNS
        if measured or not _DIMENSIONS.isdisjoint(clauses.lows[after : after + 1]):
            yield from ((holder, at) for holder in subjects)
    elif VERBS.get(clauses.lows[at], ("", ""))[0] in _VERBS and clauses.tags[at] in "VE":
        yield from ((holder, at) for holder in subject(clauses, group_at(clauses, at))[:1])


def _owner(clauses: Clauses, noun: Phrase) -> list[Phrase]:
    """Return who has the measure ("X has a population of"), else the measure itself."""
    at = clauses.skip_determiners(noun.first) - 1
    while at > 0 and clauses.tags[at] in "JE":
        at -= 1
    if at > 0 and clauses.tags[at] == "H":
        return subject(clauses, Group(at, at, at + 1, "have", False, False, finite=True))[:1] or [noun]
    if at > 0 and clauses.lows[at] == "with":
        return clauses.head(at)[:1] or [noun]
    return [noun]
