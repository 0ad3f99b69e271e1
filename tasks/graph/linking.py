"""Find the entities that a question or a name means: every tool links names here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.graph.name_index import SAME_NAME, Bearer, NameIndex, name_index
from corpusgraph.tasks.graph.words import STOP_WORDS, words, written_words
from corpusgraph.tasks.index.extract import query_names

NEAR_MISSES = 3
"""Names that a warning gives beside one that was not linked: those that came closest."""


@dataclass(frozen=True)
class Named:
    """A name in a text and the ids of the entities that bear it, in id order."""

    name: str
    entity_ids: tuple[str, ...]


def alike(graph: GraphView, name: str) -> list[tuple[str, float]]:
    """Return (entity id, likeness from 0 to 1) of the entities with a name like this, the likest first.

    Of names as much alike the one that more chunks mention is meant, then the first by id.
    """
    chunks = graph.entity_chunks()
    hits = name_index(graph).alike(nfc(name)).items()
    return sorted(hits, key=lambda hit: (-hit[1], -len(chunks.get(hit[0], ())), hit[0]))


def meant(graph: GraphView, name: str) -> Entity | None:
    """Return the entity that a name means, misspelt or not; None where there is none."""
    return _likest(graph, alike(graph, name))


def _likest(graph: GraphView, hits: Sequence[tuple[str, float]]) -> Entity | None:
    """Return the first of the entities like a name, where it is like enough to be meant."""
    return graph.entity(hits[0][0]) if hits and hits[0][1] >= SAME_NAME else None


def not_linked(unknown: Mapping[str, Sequence[str]]) -> tuple[ToolWarning, ...]:
    """Return a warning that lists the names like no entity, with the names of entities that came closest."""
    told = [f"{name} (nearest: {', '.join(near)})" if near else name for name, near in unknown.items()]
    message = f"{len(unknown)} of the names are no entity's: {'; '.join(told[:5])}."
    records = tuple(unknown)
    return (ToolWarning(code="not_linked", message=message, records=records),) if unknown else ()


def near_misses(graph: GraphView, hits: Sequence[tuple[str, float]]) -> list[str]:
    """Return the names of the first of the entities like a name, each once."""
    names = dict.fromkeys(graph.entity(id_).name for id_, score in hits if score > 0)
    return list(names)[:NEAR_MISSES]


def named_entities(graph: GraphView, text: str, names: Sequence[str] = ()) -> list[Named]:
    """Return the entities that a text names: the longest known names in it, then those of `names` elsewhere.

    One word names an entity only when it is written as that is, or with a capital: "charge" is no name.
    """
    known = name_index(graph)
    found = list(_longest(known, written_words(nfc(text))))
    inside = " | ".join(_spaced(hit.name) for hit in found)
    for name in names:
        ids = _ids(known.bearers(tuple(written_words(nfc(name)))))
        if ids and _spaced(name) not in inside:
            found.append(Named(name, ids))
    return found


def link_names(graph: GraphView, text: str) -> tuple[list[Named], dict[str, list[str]]]:
    """Return the entities that a question names, misspelt ones too, and the names in it like no entity.

    The latter come with the names nearest to them. In small letters, or a number, nothing counts as a name
    beside others. A span with known names in it that is no name itself is those names.
    """
    names = query_names(text)
    found = named_entities(graph, text, names)
    taken = " | ".join(_spaced(hit.name) for hit in found)
    unknown: dict[str, list[str]] = {}
    for name in counted(names, "names linked", every=4):
        if _spaced(name) in taken:
            continue
        hits = alike(graph, name)
        if entity := _likest(graph, hits):
            found.append(Named(name, (entity.id,)))
        elif not any(_spaced(hit.name) in _spaced(name) for hit in found):
            unknown[name] = near_misses(graph, hits)
    telling = [hit for hit in found if not says_little(hit.name)]
    return telling or found, unknown


def whole_names(graph: GraphView, text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a text that entities have, whole, and those of `names` apart from these."""
    known = [hit.name for hit in named_entities(graph, text) if not says_little(hit.name)]
    inside = [_spaced(name) for name in known]
    apart = [
        name
        for name in names
        if not any(_spaced(name) in whole or whole in _spaced(name) for whole in inside)
    ]
    return tuple(dict.fromkeys([*known, *apart]))


def says_little(name: str) -> bool:
    """Tell words in small letters and numbers."""
    return name == name.lower() != name.upper() or not any(map(str.isalpha, name))


def bearers(named: Sequence[Named]) -> dict[str, int]:
    """Return entity id -> how many entities bear the name it is named by; the fewest, of several names."""
    found: dict[str, int] = {}
    for hit in named:
        for id_ in hit.entity_ids:
            found[id_] = min(len(hit.entity_ids), found.get(id_, len(hit.entity_ids)))
    return found


def _longest(known: NameIndex, written: Sequence[str]) -> Iterator[Named]:
    at = 0
    while at < len(written):
        hit, length = _at(known, written, at)
        if hit:
            yield hit
        at += length


def _at(known: NameIndex, written: Sequence[str], at: int) -> tuple[Named | None, int]:
    """Return the longest known name at a place and its length in words; (None, 1) where there is none."""
    for length in range(min(known.longest, len(written) - at), 0, -1):
        run = tuple(written[at : at + length])
        bearers = known.bearers(run)
        if length == 1 and not run[0][0].isupper():
            bearers = [hit for hit in bearers if hit.name == run[0]]
        if bearers and not all(word.casefold() in STOP_WORDS for word in run):
            return Named(" ".join(run), _ids(bearers)), length
    return None, 1


def _ids(bearers: Sequence[Bearer]) -> tuple[str, ...]:
    return tuple(sorted({bearer.entity_id for bearer in bearers}))


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def is_proper(entity: Entity) -> bool:
    """Tell a name from a common noun: its usual spelling is not all in small letters."""
    counts = (entity.attributes or {}).get("aliases")
    usual = entity.name
    if counts and isinstance(counts, Mapping):
        usual = max(sorted(counts), key=lambda name: counts[name])
    return usual != usual.lower() or usual == usual.upper() or any(c.isdigit() for c in usual)
