"""Find the entities that a question names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.graph.ranking import near
from corpusgraph.tasks.graph.words import STOP_WORDS, without_accents, words, written_words
from corpusgraph.tasks.index.extract import query_names

Words = tuple[str, ...]
SAME_SPELLING, POOL = 0.88, 50
"""A name that no entity bears is taken for the likest of so many candidates, if it shares so many letters:
"Jon Snow" for "John Snow" (0.94), but not "North Carolina" for "South Carolina" (0.86)."""


@dataclass(frozen=True)
class Named:
    """A name in a text and the ids of the entities that bear it, in id order."""

    name: str
    entity_ids: tuple[str, ...]


@dataclass(frozen=True)
class KnownNames:
    """Every name of every entity by its words without case and accents, and the longest name's length."""

    by_words: Mapping[Words, Sequence[tuple[str, str]]]
    longest: int

    def bearers(self, name: Words) -> list[tuple[str, str]]:
        """Return (name as written, entity id) of the entities so named; accents decide where they can."""
        found = self.by_words.get(tuple(without_accents(word.casefold()) for word in name), ())
        folded = [word.casefold() for word in name]
        return [hit for hit in found if words(hit[0]) == folded] or list(found)


@per_graph
def known_names(graph: GraphView) -> KnownNames:
    """Collect the names and other names of all entities."""
    by_words: dict[Words, list[tuple[str, str]]] = {}
    for entity in counted(graph.entities, "names of entities"):
        for name in dict.fromkeys([entity.name, *aliases_of(entity)]):
            key = tuple(words(without_accents(name)))
            if key:
                by_words.setdefault(key, []).append((name, entity.id))
    return KnownNames(by_words, max(map(len, by_words), default=0))


def named_entities(graph: GraphView, text: str, names: Sequence[str] = ()) -> list[Named]:
    """Return the entities that a text names: the longest known names in it, then those of `names` elsewhere.

    One word names an entity only when it is written as that is, or with a capital: "charge" is no name.
    """
    known = known_names(graph)
    found = list(_longest(known, written_words(nfc(text))))
    inside = " | ".join(_spaced(hit.name) for hit in found)
    for name in names:
        ids = _ids(known.bearers(tuple(written_words(nfc(name)))))
        if ids and _spaced(name) not in inside:
            found.append(Named(name, ids))
    return found


def link_names(
    graph: GraphView, vectors: Vectors, embedder: Embedder, text: str
) -> tuple[list[Named], list[str]]:
    """Return the entities that a question names, misspelt ones too, and the names in it like no entity."""
    names = query_names(text)
    found = named_entities(graph, text, names)
    taken = " | ".join(hit.name.casefold() for hit in found)
    unknown = []
    for name in counted(names, "names linked", every=4):
        if name.casefold() in taken:
            continue
        like = _like(graph, vectors, embedder, name)
        if like:
            found.append(Named(name, like))
        else:
            unknown.append(name)
    return found, unknown


def bearers(named: Sequence[Named]) -> dict[str, int]:
    """Return entity id -> how many entities bear the name it is named by; the fewest, of several names."""
    found: dict[str, int] = {}
    for hit in named:
        for id_ in hit.entity_ids:
            found[id_] = min(len(hit.entity_ids), found.get(id_, len(hit.entity_ids)))
    return found


def _like(graph: GraphView, vectors: Vectors, embedder: Embedder, name: str) -> tuple[str, ...]:
    """Return the entity that a misspelt name means, or none: the likest of those found by vector and word."""
    found = near(vectors, "entity", name, embedder.embed([name])[0], POOL)
    found += vectors.match("entity", name, POOL)
    entities = [graph.entity(id_) for id_ in sorted({id_ for id_, _ in found})]
    compared = [(_likeness(name, entity.name), entity.id) for entity in entities]
    best = min(compared, key=lambda pair: (-pair[0], pair[1]), default=(0.0, ""))
    return (best[1],) if best[0] >= SAME_SPELLING else ()


def _likeness(name: str, other: str) -> float:
    """Return the share of letters that two names have in common in order (Ratcliff & Metzener 1988)."""
    return SequenceMatcher(None, name.casefold(), other.casefold(), autojunk=False).ratio()


def _longest(known: KnownNames, written: Sequence[str]) -> Iterator[Named]:
    at = 0
    while at < len(written):
        hit, length = _at(known, written, at)
        if hit:
            yield hit
        at += length


def _at(known: KnownNames, written: Sequence[str], at: int) -> tuple[Named | None, int]:
    """Return the longest known name at a place and its length in words; (None, 1) where there is none."""
    for length in range(min(known.longest, len(written) - at), 0, -1):
        run = tuple(written[at : at + length])
        bearers = known.bearers(run)
        if length == 1 and not run[0][0].isupper():
            bearers = [hit for hit in bearers if hit[0] == run[0]]
        if bearers and not all(word.casefold() in STOP_WORDS for word in run):
            return Named(" ".join(run), _ids(bearers)), length
    return None, 1


def _ids(bearers: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(sorted({id_ for _, id_ in bearers}))


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def is_proper(entity: Entity) -> bool:
    """Tell a name from a common noun: its usual spelling is not all in small letters."""
    counts = (entity.attributes or {}).get("aliases")
    usual = entity.name
    if counts and isinstance(counts, Mapping):
        usual = max(sorted(counts), key=lambda name: counts[name])
    return usual != usual.lower() or usual == usual.upper() or any(c.isdigit() for c in usual)
