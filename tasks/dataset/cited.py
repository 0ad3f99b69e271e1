"""From a finding of an extractor to the passage a reader can look up."""

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Finding, Mention
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.analysis.checks import Passage


class Cited:
    """Passages and names behind the findings of one corpus.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.documents: dict[str, Document] = {document.id: document for document in corpus.documents}

    @cached_property
    def _mentions(self) -> dict[str, Mention]:
        return {mention.id: mention for mention in self._corpus.mentions}

    @cached_property
    def _names(self) -> dict[str, str]:
        return {entity.id: entity.name for entity in self._corpus.graph.entities}

    def passage(self, finding: Finding, stance: Literal["for", "against"] = "for") -> Passage:
        """Return the sentence around a finding, with its place.

        Parameters
        ----------
        finding : Finding
            Of the corpus.
        stance : {"for", "against"}, default "for"
            Whether it states or denies what it is cited for.

        Returns
        -------
        Passage
            Its text is on one line.

        """
        document = self.documents[finding.document_id]
        start, end = finding.sentence_start, finding.sentence_end
        return Passage(
            evidence_id=finding.id,
            document_id=document.id,
            chunk_id=finding.chunk_id,
            start=start,
            end=end,
            text=" ".join(document.text[start:end].split()),
            stance=stance,
            title=document.title,
            source=document.source,
            page=finding.page,
            confidence=finding.confidence,
        )

    def names(self, mention_ids: Sequence[str]) -> tuple[str, ...]:
        """Return the names of what some mentions mean, each once, in order.

        Parameters
        ----------
        mention_ids : sequence of str
            Ids of mentions.

        Returns
        -------
        tuple of str
            Without blank ones.

        """
        return tuple(dict.fromkeys(name for one in mention_ids if (name := self.name(one))))

    def name(self, mention_id: str) -> str:
        """Return the entity's name, or the mention's own where it was not resolved.

        Parameters
        ----------
        mention_id : str
            Id of a mention.

        Returns
        -------
        str
            Blank for a mention that there is not.

        """
        entity = self._corpus.entity_of(mention_id)
        if entity in self._names:
            return self._names[entity]
        mention = self._mentions.get(mention_id)
        return mention.name if mention else ""


_COLUMNS = (
    Column(name="row", dtype="integer", label="Row of the data, from 1"),
    Column(name="unit", dtype="text", label="First cell of the row"),
    Column(name="chunk_id", dtype="text"),
    Column(name="document_id", dtype="text"),
    Column(name="document", dtype="text", label="Title"),
    Column(name="source", dtype="text", label="File, relative to the corpus"),
    Column(name="start", dtype="integer", label="First character in the document's text, from 0"),
    Column(name="end", dtype="integer", label="Character after the last"),
    Column(name="page", dtype="integer"),
)


def passages(table: Table, corpus: Corpus) -> Table:
    """Return one row for each chunk behind each row: where it is, in which document, on which page.

    Parameters
    ----------
    table : Table
        With the ids of the chunks behind each row as `provenance`.
    corpus : Corpus
        Has these chunks and their documents.

    Returns
    -------
    Table
        `row`, `unit`, `chunk_id`, `document_id`, `document`, `source`, `start`, `end` and `page`.

    """
    documents = {document.id: document for document in corpus.documents}
    chunks = {chunk.id: chunk for chunk in corpus.graph.chunks}
    rows = []
    for at, (row, behind) in enumerate(zip(table.rows, table.provenance or (), strict=False), 1):
        for chunk_id in behind:
            chunk = chunks[chunk_id]
            document = documents[chunk.source_doc]
            place = (document.id, document.title, document.source, chunk.start, chunk.end, chunk.page)
            rows.append((at, str(row[0]), chunk_id, *place))
    return Table(name="provenance", columns=_COLUMNS, rows=tuple(rows))
