"""A corpus of a few sentences whose evidence is written by hand."""

from dataclasses import dataclass, field

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.view import MemoryGraph

EXTRACTOR = "hand"


@dataclass
class SmallCorpus:
    """Sentences become documents' text; evidence points at the sentence it is given with."""

    documents: list[Document] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    assertions: list[Assertion] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    arguments: list[ArgumentRelation] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    entities: dict[str, str] = field(default_factory=dict)

    @property
    def graph(self) -> GraphView:
        """Return a graph of the entities alone."""
        return MemoryGraph([Entity(id=id_, name=name) for name, id_ in self.entities.items()])

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity with the mention's name."""
        name = next((m.name for m in self.mentions if m.id == mention_id), None)
        return self.entities.get(name or "")

    def document(self, title: str, *sentences: str, **metadata: object) -> Document:
        """Add a document."""
        made = Document(
            id=f"doc_{title}",
            title=title,
            text=" ".join(sentences),
            source=f"{title}.txt",
            content_hash="",
            metadata=metadata,
        )
        self.documents.append(made)
        return made

    def span(self, document: Document, sentence: str) -> dict[str, object]:
        """Return the place of a sentence, as fields of a finding."""
        start = document.text.index(sentence)
        end = start + len(sentence)
        return {
            "document_id": document.id,
            "chunk_id": f"chk_{document.title}",
            "start": start,
            "end": end,
            "sentence_start": start,
            "sentence_end": end,
            "extractor": EXTRACTOR,
        }

    def mention(self, document: Document, sentence: str, name: str, type_: str = "concept") -> str:
        """Add a mention and an entity of that name; return the mention's id."""
        start = document.text.index(sentence) + sentence.index(name)
        id_ = Mention.make_id(document.id, start, start + len(name), type_, EXTRACTOR)
        place = {**self.span(document, sentence), "start": start, "end": start + len(name)}
        fields = {**place, "id": id_, "surface": name, "name": name, "type": type_}
        self.mentions.append(Mention.model_validate(fields))
        self.entities.setdefault(name, Entity.make_id(name, type_))
        return id_

    def cause(self, document: Document, sentence: str, source: str, target: str, **more: object) -> Assertion:
        """Add a causal assertion between two names in the sentence."""
        ends = [self.mention(document, sentence, name) for name in (source, target)]
        fields: dict[str, object] = {
            **self.span(document, sentence),
            "id": Assertion.make_id(ends[0], "causes", ends[1], EXTRACTOR),
            "source_mention": ends[0],
            "target_mention": ends[1],
            "source": source,
            "target": target,
            "type": "causes",
            "is_causal": True,
            "confidence": 0.8,
            "description": sentence,
            **more,
        }
        made = Assertion.model_validate(fields)
        self.assertions.append(made)
        return made

    def claim(self, document: Document, sentence: str, **more: object) -> str:
        """Add a claim; return its id."""
        id_ = f"clm_{len(self.claims) + 1}"
        fields = {**self.span(document, sentence), "id": id_, "text": sentence, "confidence": 0.7, **more}
        self.claims.append(Claim.model_validate(fields))
        return id_

    def relate(self, document: Document, sentence: str, source: str, target: str, type_: str) -> None:
        """Add an attack or a support."""
        fields = {**self.span(document, sentence), "source": source, "target": target, "type": type_}
        self.arguments.append(ArgumentRelation.model_validate({**fields, "id": f"arg_{len(self.arguments)}"}))

    def event(self, document: Document, sentence: str, timestamp: str, **more: object) -> None:
        """Add an event."""
        fields: dict[str, object] = {
            **self.span(document, sentence),
            "id": f"evt_{len(self.events) + 1}",
            "case": document.id,
            "activity": sentence.rstrip("."),
            "text": sentence,
            "timestamp": timestamp,
            **more,
        }
        self.events.append(Event.model_validate(fields))
