"""Which passages stand behind each row of a table."""

from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Column, Table

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
    """Return one row for each chunk behind each row: where it is, in which document, on which page."""
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
