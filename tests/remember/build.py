"""Small random corpora, and what people say by hand of what is in them."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from hypothesis import strategies as st

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Assertion, Merge
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import Change, Named, Operation
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.overlay.base import Asserted, Base, EntityEvidence, Mentioned
from corpusgraph.tasks.overlay.state import folded
from corpusgraph.tasks.overlay.view import RememberedEvidence, RememberedGraph
from tests.filters.build import MemoryCorpus, document

SENTENCES = (
    "John Snow lived in London.",
    "Contaminated water caused cholera.",
    "Contaminated water did not cause cholera in Manchester.",
    "Henry Whitehead met John Snow in London.",
    "The Board of Guardians removed the pump handle in Broad Street.",
    "Edwin Chadwick argued that miasma caused cholera.",
    "Miasma did not cause cholera.",
    "Snow wrote to Henry Whitehead.",
    "On 8 September 1854 the Board of Guardians met in London.",
)
TYPES = ("causes", "met", "co_occurs_with", "knows")
CONFIDENCES = (0.25, 0.5, 0.8, 1.0)

texts = st.lists(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4), min_size=0, max_size=4)


class Whole(MemoryCorpus):
    """A corpus that also tells which relationship an assertion is evidence for, as an opened index does."""

    merges: Sequence[Merge] = ()

    def relationship_of(self, assertion_id: str) -> str | None:
        return self.links.get(assertion_id)

    @property
    def links(self) -> dict[str, str]:
        return {one.id: id_ for one in self.assertions if (id_ := self._link(one)) is not None}

    def _link(self, one: Assertion) -> str | None:
        source, target = self.entity_of(one.source_mention), self.entity_of(one.target_mention)
        if source is None or target is None:
            return None
        if one.type == "co_occurs_with" and target < source:
            source, target = target, source
        id_ = Relationship.make_id(source, one.type, target)
        return id_ if any(edge.id == id_ for edge in self.graph.relationships) else None

    def told(self, entities: frozenset[str]) -> EntityEvidence:
        """Read what is said of some entities, as an opened index does."""
        mentions = [
            Mentioned(m.id, e, m.document_id, m.chunk_id, m.start, m.end, m.surface, m.name, m.confidence)
            for m in self.mentions
            if (e := self.entity_of(m.id)) in entities and e is not None
        ]
        assertions = []
        for a in self.assertions:
            source, target = self.entity_of(a.source_mention), self.entity_of(a.target_mention)
            if (id_ := self._link(a)) is None or source is None or target is None:
                continue
            ends = a.source_mention, a.target_mention, source, target
            said = a.type, a.confidence, a.is_causal, a.negated, a.chunk_id, a.description
            if {source, target} & entities:
                assertions.append(Asserted._make((a.id, id_, *ends, *said)))
        return EntityEvidence(mentions, assertions)


def corpus(given: Sequence[Sequence[str]]) -> Whole:
    """Index texts in memory."""
    documents: list[Document] = [document(f"d{i}", " ".join(text)) for i, text in enumerate(given)]
    return Whole(documents)


class Remembered(RememberedEvidence):
    """A corpus with what was said by hand: the port Corpus."""

    def __init__(self, whole: Whole, operations: Sequence[Operation]) -> None:
        self._whole, self._graph = whole, over(whole, operations)
        self.claims, self.arguments, self.events = whole.claims, whole.arguments, whole.events

    @property
    def graph(self) -> RememberedGraph:
        return self._graph


def over(whole: Whole, operations: Sequence[Operation]) -> RememberedGraph:
    """Lay what the operations come to, a change each, over a corpus."""
    changes = [Change(number=n, at="", by="", operations=(op,)) for n, op in zip(count(1), operations)]
    return RememberedGraph(folded(changes, Base(whole.graph, whole.told)).frozen())


def named(entity: Any) -> Named:
    """Name an entity as an operation does."""
    return Named(id=entity.id, name=entity.name, type=entity.type)


def made(name: str, type_: str = "concept") -> Named:
    """Name an entity that no text has."""
    return Named(id=Entity.make_id(name, type_), name=name, type=type_)


NEW = [made(f"thing {letter}") for letter in "abc"]


def everyone(graph: GraphView) -> list[Named]:
    """Return all that operations may be about: some of the corpus, and some made by hand."""
    return [*map(named, graph.entities[:6]), *NEW]
