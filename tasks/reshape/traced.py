"""From each node, edge, row and event to the passages it rests on."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pydantic import NonNegativeInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.evidence import Event, Finding
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Table
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.reshape.texts import TextCorpus


class TracedPassage(Noun):
    """What a record rests on: `document.text[start:end] == text`, or the title of the document."""

    structure: Literal["node", "edge", "row", "event"]
    record: str
    """Id of the node, edge or event; first cell of the row."""
    document_id: str
    chunk_id: str
    start: NonNegativeInt
    end: NonNegativeInt
    text: str
    place: Literal["text", "title"] = "text"
    stance: Literal["for", "against"] = "for"


class Tracer:
    """Finds the passages of one corpus: sentences for nodes, edges and events, chunks for rows."""

    def __init__(self, corpus: TextCorpus, most: int | None = None) -> None:
        self._corpus = corpus
        self._most = most
        self._documents = {document.id: document for document in corpus.documents}

    def of_graph(self, graph: Graph) -> Iterator[TracedPassage]:
        """Yield the sentences that mention each node, then those that state or deny each edge."""
        of = self._corpus.resolved
        mentions = ((of.get(mention.id), mention) for mention in self._corpus.mentions)
        yield from self._sentences("node", [node.id for node in graph.nodes], mentions)
        stated = self._corpus.stated
        assertions = ((stated.get(one.id), one) for one in self._corpus.assertions)
        yield from self._sentences("edge", [edge.id for edge in graph.edges], assertions)

    def of_events(self, events: Iterable[Event]) -> Iterator[TracedPassage]:
        """Yield the sentence that tells of each event."""
        for event in events:
            yield self._passage("event", event.id, event)

    def of_table(self, table: Table) -> Iterator[TracedPassage]:
        """Yield the chunks behind each row."""
        chunks = {chunk.id: chunk for chunk in self._corpus.graph.chunks}
        for row, behind in zip(table.rows, table.provenance or (), strict=False):
            for chunk in (chunks[id_] for id_ in behind[: self._most]):
                yield TracedPassage(
                    structure="row",
                    record=str(row[0]),
                    document_id=chunk.source_doc,
                    chunk_id=chunk.id,
                    start=chunk.start,
                    end=chunk.end,
                    text=chunk.content,
                )

    def _sentences(
        self,
        structure: Literal["node", "edge"],
        records: Sequence[str],
        found: Iterable[tuple[str | None, Finding]],
    ) -> Iterator[TracedPassage]:
        filed: dict[str, dict[tuple[str, int, str], TracedPassage]] = {record: {} for record in records}
        for record, finding in counted(found, f"passages of each {structure}"):
            if record in filed:
                passage = self._passage(structure, record, finding)
                filed[record].setdefault((passage.document_id, passage.start, passage.stance), passage)
        for record in records:
            yield from (filed[record][key] for key in sorted(filed[record])[: self._most])

    def _passage(
        self, structure: Literal["node", "edge", "event"], record: str, finding: Finding
    ) -> TracedPassage:
        start, end = finding.sentence_start, finding.sentence_end
        document = self._documents[finding.document_id]
        in_title = start == end  # a title that names an entity is no part of the text
        return TracedPassage(
            structure=structure,
            record=record,
            document_id=finding.document_id,
            chunk_id=finding.chunk_id,
            start=start,
            end=end,
            text=document.title if in_title else document.text[start:end],
            place="title" if in_title else "text",
            stance="against" if getattr(finding, "negated", False) else "for",
        )
