"""Find the entities that a question or a name means: every tool links names here."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from typing import NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.tasks.extract.query_names import query_names
from corpusgraph.tasks.graph.compiled import per_graph
from corpusgraph.tasks.graph.names import aliases_of, grouped
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.text.words import STOP_WORDS, spaced, without_accents, words, written_words

Words = tuple[str, ...]
SAME_NAME = 0.78
"""Names less alike are not taken for the same: those with one wrong letter in five are, but not one in four
("John", "Joan"), nor those of whose words half the weight agrees (0.71)."""
SAME_WORD = 0.75
"""Words less alike are different ones: one wrong letter in four, two in eight."""
SHORT, ABBREVIATED = 3, 0.8
"""Letters at most of a word that may begin another, and how alike the two are: "J" and "John"."""
POOL = 50
"""Names that share most with one are compared with it word by word."""
SHORTEST, ACRONYM = 3, 0.9
"""Letters at least of a name's initials, or of it written as one word, and how alike it is to these."""
ALMOST = 0.999
"""How alike a name of the same words is where another fits better."""
LITTLE = 0.1
"""Factor of the weight of what tells little: words like "of", and single letters."""
_EXACT = re.compile(r".*\d.*|m{0,3}(?:c[md]|d?c{0,3})(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})")
"""Numbers, also Roman ones: with one sign changed they are others, not misspelt."""


class Bearer(NamedTuple):
    """A name as written, and the id of an entity that has it.

    Attributes
    ----------
    name : str
    entity_id : str
    is_other : bool
        Whether this is another name of the entity than the one it goes by.

    """

    name: str
    entity_id: str
    is_other: bool = False
    """Whether this is another name of the entity than the one it goes by."""


class NameIndex:
    """Every name and other name of every entity by its words, without case and accents.

    Parameters
    ----------
    named : iterable of Bearer
        Names; those without a word are left out.

    """

    def __init__(self, named: Iterable[Bearer]) -> None:
        keyed = ((_key(bearer.name), bearer) for bearer in named)
        self.by_words: Mapping[Words, Sequence[Bearer]] = grouped(pair for pair in keyed if pair[0])
        self.longest = max(map(len, self.by_words), default=0)
        """Words of the longest name."""

    def bearers(self, name: Words) -> list[Bearer]:
        """Return who bears the name of these words; accents decide where they can.

        Parameters
        ----------
        name : tuple of str
            The words of a name, as written.

        Returns
        -------
        list of Bearer
            Those whose accents fit, if there are any, else all; empty where nobody bears the name.

        """
        found = self.by_words.get(tuple(without_accents(word.casefold()) for word in name), ())
        folded = [word.casefold() for word in name]
        return [hit for hit in found if words(hit.name) == folded] or list(found)

    def alike(self, name: str) -> dict[str, float]:
        """Return entity id -> likeness of its likest name to a name, from 0 to 1.

        Words are compared by optimal string alignment distance, and names by their words, the rarer the
        heavier (SoftTFIDF); initials and other word breaks count too. 1 is for a name of the same words: of
        several for one that is no other name, or is so written; the rest have a hair less.

        Parameters
        ----------
        name : str
            A name, perhaps misspelt.

        Returns
        -------
        dict of str to float
            Above 0, of the names that share most with it.

        References
        ----------
        Cohen, Ravikumar & Fienberg 2003.

        """
        said = _key(name)
        likeness = self._by_words_alike(said)
        for number in self._other_ways(name, said):
            likeness[number] = max(ACRONYM, likeness.get(number, 0.0))
        shared: dict[str, float] = {}
        for number, score in likeness.items():
            for bearer in self.by_words[self._forms[number]]:
                shared[bearer.entity_id] = max(score, shared.get(bearer.entity_id, 0.0))
        return shared | self.same(name)

    def same(self, name: str) -> dict[str, float]:
        """Return entity id -> 1 or ALMOST of the same name, with or without "the" in front.

        Parameters
        ----------
        name : str
            A name.

        Returns
        -------
        dict of str to float
            1 for the best fit in spelling, `ALMOST` for the others; empty where nobody bears the name.

        """
        said = _key(name)
        plain = said[1:] if said[:1] == ("the",) else said
        bearers = [hit for form in (plain, ("the", *plain)) for hit in self.by_words.get(form, ())]
        ranks = [
            (words(hit.name) != words(name), hit.is_other, hit.name.strip() != name.strip())
            for hit in bearers
        ]
        scores = [1.0 if rank == min(ranks) else ALMOST for rank in ranks]
        found: dict[str, float] = {}
        for bearer, score in zip(bearers, scores, strict=True):
            found[bearer.entity_id] = max(score, found.get(bearer.entity_id, 0.0))
        return found

    def _by_words_alike(self, said: Words) -> dict[int, float]:
        """Return number -> SoftTFIDF of the names that have a word like one of these, the likest POOL."""
        near = {word: self._near(word) for word in dict.fromkeys(said) if word not in STOP_WORDS}
        rough: dict[int, float] = defaultdict(float)
        for alike in near.values():
            for other, similarity in alike.items():
                worth = similarity * self._weights[other] ** 2
                for number in self._having[other]:
                    rough[number] += worth
        pool = nlargest(POOL, ((worth / self._lengths[number], -number) for number, worth in rough.items()))
        return {-number: self._soft_tfidf(said, near, -number) for _, number in pool}

    def _soft_tfidf(self, said: Words, near: Mapping[str, Mapping[str, float]], number: int) -> float:
        """Compare words with those of a name; a misspelt word is as rare as the one that is meant."""
        form, weights = self._forms[number], self._weights
        agreeing = squares = 0.0
        for word in dict.fromkeys(said):
            alike = {w: near.get(word, {}).get(w, _abbreviated(word, w)) for w in form}
            meant = max(alike, key=lambda w: alike[w])
            weight = weights.get(meant if alike[meant] and word not in weights else word, self._rarest)
            agreeing += alike[meant] * weight * weights[meant]
            squares += weight**2
        cosine = agreeing / ((math.sqrt(squares) or 1.0) * self._lengths[number])
        held = SAME_NAME if _mostly(said, form) else 0.0
        return max(_one_letter_wrong(said, form), held, min(1.0, cosine))

    def _near(self, word: str) -> dict[str, float]:
        """Return the words of names that are spelled like a word -> how alike, from SAME_WORD to 1."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        alike: dict[str, float] = {}
        if not _EXACT.fullmatch(word):
            scorer = OSA.normalized_similarity
            hits = process.extract(word, self._spelled, scorer=scorer, score_cutoff=SAME_WORD, limit=None)
            alike = {other: similarity for other, similarity, _ in hits}
        return alike | ({word: 1.0} if word in self._weights else {})

    def _other_ways(self, name: str, said: Words) -> Sequence[int]:
        """Return the names that `name` is the initials of, or that are written as one word with it."""
        together = "".join(said)
        if len(together) < SHORTEST:
            return ()
        initials = self._initials.get(together, ()) if name == name.upper() else ()
        return [*initials, *self._together.get(together, ())]

    @cached_property
    def _forms(self) -> list[Words]:
        return list(self.by_words)

    @cached_property
    def _having(self) -> Mapping[str, list[int]]:
        """The names that have each word."""
        return grouped((word, n) for n, form in enumerate(self._forms) for word in dict.fromkeys(form))

    @cached_property
    def _weights(self) -> dict[str, float]:
        """Rarity of each word among the names."""
        little = {word for word in self._having if word in STOP_WORDS or (len(word) == 1 and word.isascii())}
        n = len(self._forms)
        rarity = {word: math.log1p(n / len(names)) for word, names in self._having.items()}
        return {word: rare * (LITTLE if word in little else 1.0) for word, rare in rarity.items()}

    @cached_property
    def _rarest(self) -> float:
        """Weight of a word that no name has."""
        return math.log1p(2 * len(self._forms))

    @cached_property
    def _lengths(self) -> list[float]:
        weights = self._weights
        return [math.sqrt(sum(weights[w] ** 2 for w in dict.fromkeys(form))) or 1.0 for form in self._forms]

    @cached_property
    def _spelled(self) -> list[str]:
        """Words that may be misspelt."""
        return [word for word in self._having if not _EXACT.fullmatch(word)]

    @cached_property
    def _initials(self) -> Mapping[str, list[int]]:
        """Names by the initials of their words: "nato" of the North Atlantic Treaty Organization."""
        return grouped(
            ("".join(word[0] for word in form if word not in STOP_WORDS), number)
            for number, form in enumerate(self._forms)
            if any(_is_title(bearer.name) for bearer in self.by_words[form])
        )

    @cached_property
    def _together(self) -> Mapping[str, list[int]]:
        return grouped(("".join(form), number) for number, form in enumerate(self._forms))


@per_graph
def name_index(graph: GraphView) -> NameIndex:
    """Index the names and other names of all entities.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    NameIndex
        Made once for as long as the graph lives.

    """
    return NameIndex(
        Bearer(name, entity.id, is_other=name != entity.name)
        for entity in counted(graph.entities, "names of entities")
        for name in dict.fromkeys([entity.name, *aliases_of(entity)])
    )


def _key(name: str) -> Words:
    return tuple(words(without_accents(name)))


def _mostly(text: Words, name: Words) -> bool:
    """Tell a text that holds a name of several words and few more: "CEO of Bank of America"."""
    telling = [sum(word not in STOP_WORDS for word in said) for said in (text, name)]
    return 1 < telling[1] > telling[0] / 2 and f" {' '.join(name)} " in f" {' '.join(text)} "


def _one_letter_wrong(name: Words, other: Words) -> float:
    """Return the share of right letters where one is wrong in the whole name, in no number, else 0."""
    from rapidfuzz.distance import OSA

    written = " ".join(name), " ".join(other)
    if OSA.distance(*written, score_cutoff=1) > 1 or _numbers_in(name) != _numbers_in(other):
        return 0.0
    return OSA.normalized_similarity(*written)


def _numbers_in(name: Words) -> list[str]:
    return [word for word in name if _EXACT.fullmatch(word)]


def _abbreviated(word: str, other: str) -> float:
    """Return ABBREVIATED where one word is short and begins the other, else 0."""
    short, long = sorted((word, other), key=len)
    begins = len(short) <= SHORT and long != short and long.startswith(short)
    return ABBREVIATED if begins and not {word, other} & STOP_WORDS else float(word == other)


def _is_title(name: str) -> bool:
    """Tell a name of several words whose words, but for those like "of", have capitals."""
    said = [word for word in written_words(name) if word.casefold() not in STOP_WORDS]
    return len(said) > 1 and all(word[0].isupper() for word in said)


NEAR_MISSES = 3
"""Names that a warning gives beside one that was not linked: those that came closest."""


@dataclass(frozen=True)
class Named:
    """A name in a text and the ids of the entities that bear it, in id order.

    Attributes
    ----------
    name : str
        As the text writes it.
    entity_ids : tuple of str

    """

    name: str
    entity_ids: tuple[str, ...]


def alike(graph: GraphView, name: str) -> list[tuple[str, float]]:
    """Return (entity id, likeness from 0 to 1) of the entities with a name like this, the likest first.

    Of names as much alike the one that more chunks mention is meant, then the first by id.

    Parameters
    ----------
    graph : GraphView
        The graph.
    name : str
        A name, perhaps misspelt.

    Returns
    -------
    list of (str, float)
        Empty where no name is like it.

    """
    chunks = graph.entity_chunks()
    hits = name_index(graph).alike(nfc(name)).items()
    return sorted(hits, key=lambda hit: (-hit[1], -len(chunks.get(hit[0], ())), hit[0]))


def meant(graph: GraphView, name: str) -> Entity | None:
    """Return the entity that a name means, misspelt or not; None where there is none.

    Parameters
    ----------
    graph : GraphView
        The graph.
    name : str
        A name, perhaps misspelt.

    Returns
    -------
    Entity or None
        The likest of `alike`, if it is at least `SAME_NAME` like it.

    """
    return _likest(graph, alike(graph, name))


def _likest(graph: GraphView, hits: Sequence[tuple[str, float]]) -> Entity | None:
    """Return the first of the entities like a name, where it is like enough to be meant."""
    return graph.entity(hits[0][0]) if hits and hits[0][1] >= SAME_NAME else None


def not_linked(unknown: Mapping[str, Sequence[str]]) -> tuple[ToolWarning, ...]:
    """Return a warning that lists the names like no entity, with the names of entities that came closest.

    Parameters
    ----------
    unknown : mapping of str to sequence of str
        A name -> the names nearest to it.

    Returns
    -------
    tuple of ToolWarning
        `not_linked`, or none where there are no such names.

    """
    told = [f"{name} (nearest: {', '.join(near)})" if near else name for name, near in unknown.items()]
    message = f"{len(unknown)} of the names are no entity's: {'; '.join(told[:5])}."
    return warned("not_linked", message, unknown, when=unknown)


def near_misses(graph: GraphView, hits: Sequence[tuple[str, float]]) -> list[str]:
    """Return the names of the first of the entities like a name, each once.

    Parameters
    ----------
    graph : GraphView
        The graph.
    hits : sequence of (str, float)
        Entity ids and likenesses, the likest first.

    Returns
    -------
    list of str
        At most three.

    """
    names = dict.fromkeys(graph.entity(id_).name for id_, score in hits if score > 0)
    return list(names)[:NEAR_MISSES]


def named_entities(graph: GraphView, text: str, names: Sequence[str] = ()) -> list[Named]:
    """Return the entities that a text names: the longest known names in it, then those of `names` elsewhere.

    One word names an entity only when it is written as that is, or with a capital: "charge" is no name.

    Parameters
    ----------
    graph : GraphView
        The graph.
    text : str
        A question or passage.
    names : sequence of str
        Names that something else read in it.

    Returns
    -------
    list of Named
        In text order, then those of `names`.

    """
    known = name_index(graph)
    found = list(_longest(known, written_words(nfc(text))))
    inside = " | ".join(spaced(hit.name) for hit in found)
    for name in names:
        ids = _ids(known.bearers(tuple(written_words(nfc(name)))))
        if ids and spaced(name) not in inside:
            found.append(Named(name, ids))
    return found


def link_names(graph: GraphView, text: str) -> tuple[list[Named], dict[str, list[str]]]:
    """Return the entities that a question names, misspelt ones too, and the names in it like no entity.

    The latter come with the names nearest to them. In small letters, or a number, nothing counts as a name
    beside others. A span with known names in it that is no name itself is those names.

    Parameters
    ----------
    graph : GraphView
        The graph.
    text : str
        A question.

    Returns
    -------
    named : list of Named
    unknown : dict of str to list of str
        A name like no entity -> the names nearest to it.

    """
    names = query_names(text)
    found = named_entities(graph, text, names)
    taken = " | ".join(spaced(hit.name) for hit in found)
    unknown: dict[str, list[str]] = {}
    for name in counted(names, "names linked", every=4):
        if spaced(name) in taken:
            continue
        hits = alike(graph, name)
        if entity := _likest(graph, hits):
            found.append(Named(name, (entity.id,)))
        elif not any(spaced(hit.name) in spaced(name) for hit in found):
            unknown[name] = near_misses(graph, hits)
    telling = [hit for hit in found if not says_little(hit.name)]
    return telling or found, unknown


def whole_names(graph: GraphView, text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a text that entities have, whole, and those of `names` apart from these.

    Parameters
    ----------
    graph : GraphView
        The graph.
    text : str
        A question.
    names : sequence of str
        Names that something else read in it.

    Returns
    -------
    tuple of str
        Each once.

    """
    known = [hit.name for hit in named_entities(graph, text) if not says_little(hit.name)]
    inside = [spaced(name) for name in known]
    apart = [
        name for name in names if not any(spaced(name) in whole or whole in spaced(name) for whole in inside)
    ]
    return tuple(dict.fromkeys([*known, *apart]))


def says_little(name: str) -> bool:
    """Tell words in small letters and numbers.

    Parameters
    ----------
    name : str
        A name as written.

    Returns
    -------
    bool
        True also for a name without any letter.

    """
    return name == name.lower() != name.upper() or not any(map(str.isalpha, name))


def bearers(named: Sequence[Named]) -> dict[str, int]:
    """Return entity id -> how many entities bear the name it is named by; the fewest, of several names.

    Parameters
    ----------
    named : sequence of Named
        Names and the entities that bear them.

    Returns
    -------
    dict of str to int
        1 or more; 1 where the name means one entity only.

    """
    found: dict[str, int] = {}
    for hit in named:
        for id_ in hit.entity_ids:
            found[id_] = min(len(hit.entity_ids), found.get(id_, len(hit.entity_ids)))
    return found


def _longest(known: NameIndex, written: Sequence[str]) -> Iterator[Named]:
    folded = [without_accents(word.casefold()) for word in written]
    at = 0
    while at < len(written):
        hit, length = _at(known, written, folded, at)
        if hit:
            yield hit
        at += length


def _at(known: NameIndex, written: Sequence[str], folded: Sequence[str], at: int) -> tuple[Named | None, int]:
    """Return the longest known name at a place and its length in words; (None, 1) where there is none."""
    for length in range(min(known.longest, len(written) - at), 0, -1):
        if tuple(folded[at : at + length]) not in known.by_words:
            continue
        run = tuple(written[at : at + length])
        bearers = known.bearers(run)
        if length == 1 and not run[0][0].isupper():
            bearers = [hit for hit in bearers if hit.name == run[0]]
        if bearers and not all(word.casefold() in STOP_WORDS for word in run):
            return Named(" ".join(run), _ids(bearers)), length
    return None, 1


def _ids(bearers: Sequence[Bearer]) -> tuple[str, ...]:
    return tuple(sorted({bearer.entity_id for bearer in bearers}))


def is_proper(entity: Entity) -> bool:
    """Tell a name from a common noun: its usual spelling is not all in small letters.

    Parameters
    ----------
    entity : Entity
        An entity; where `attributes["aliases"]` counts spellings, the commonest is its usual one.

    Returns
    -------
    bool
        The commonest alias decides, else the name; capitals or a digit make it a name.

    """
    counts = (entity.attributes or {}).get("aliases")
    usual = entity.name
    if counts and isinstance(counts, Mapping):
        usual = max(sorted(counts), key=lambda name: counts[name])
    return usual != usual.lower() or usual == usual.upper() or any(c.isdigit() for c in usual)
