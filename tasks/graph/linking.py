"""Find the entities that a question names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.graph.words import STOP_WORDS, without_accents, words, written_words

Words = tuple[str, ...]


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
    for entity in graph.entities:
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
