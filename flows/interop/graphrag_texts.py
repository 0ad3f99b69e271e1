"""Documents and text units: each unit becomes a chunk at its place in its document.

A unit whose text does not stand in its document as it is (metadata were put before it, or it was cut from
several) becomes a document of its own, with the metadata of the document it is from.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from corpusgraph.flows.interop.graphrag_cells import foreign, known, numbers, ours, own_id
from corpusgraph.flows.interop.graphrag_csv import printed
from corpusgraph.flows.interop.graphrag_files import Tables
from corpusgraph.flows.interop.parcel import Parcel
from corpusgraph.schemas.base import JsonDict, nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.tasks.index.tokens import count_tokens

Units = dict[str, Chunk]
"""Chunk of each text unit, by GraphRAG's id."""


def add_texts(tables: Tables, parcel: Parcel) -> Units:
    """Add documents and chunks, and return the chunk of each text unit."""
    documents = {
        str(row["id"]): _document(row, own_id(row["id"], stable_id("doc", "graphrag", str(row["id"]))))
        for row in tables.of("documents")
    }
    units = tables.of("text_units")
    short_ids = dict(zip(map(id, units), numbers(units, "text_units", tables.notes), strict=True))
    listed = {
        str(row["id"]): list(map(str, row.get("text_unit_ids") or ())) for row in tables.of("documents")
    }
    lister = {unit: home for home, its in listed.items() for unit in its}
    homes: dict[str, list[JsonDict]] = defaultdict(list)
    for row in units:
        homes[_home(row) or _listing(row, lister)].append(row)
    found: Units = {}
    for home, rows in homes.items():
        document = documents.get(home)
        if document is None and home and not tables.has("documents"):
            document = documents[home] = _joined(home, rows)
        work = _Placing(parcel, found, short_ids, document)
        for row in _in_order(rows, listed.get(home, [])):
            if not work.place(row):
                tables.notes.add("elsewhere_in_document", str(row["id"]))
    parcel.documents += documents.values()
    return found


def _home(row: JsonDict) -> str:
    """Return the document of a unit; one that was cut from several has none."""
    if row.get("document_id"):
        return str(row["document_id"])
    listed: list[object] = list(row.get("document_ids") or ())
    return str(listed[0]) if len(listed) == 1 else ""


def _listing(row: JsonDict, lister: Mapping[str, str]) -> str:
    """Return the document that lists a unit, where the unit itself names none."""
    return "" if row.get("document_ids") else lister.get(str(row["id"]), "")


def _in_order(rows: list[JsonDict], listed: list[str]) -> list[JsonDict]:
    """Return units in the order in which their document lists them."""
    if not listed or len(rows) < 2:
        return rows
    place = {unit: at for at, unit in enumerate(listed)}
    return sorted(rows, key=lambda row: place.get(str(row["id"]), len(place)))


def _document(row: JsonDict, id_: str) -> Document:
    metadata = _metadata(row)
    if id_ != row["id"]:
        metadata["graphrag_id"] = str(row["id"])
    created = row.get("creation_date")
    if created and "date" not in metadata:
        metadata |= {"creation_date": str(created), "date": str(created)[:10]}
    title, text = str(row.get("title") or row["id"]), nfc(str(row.get("text") or ""))
    fields = {
        "id": id_,
        "title": title,
        "text": text,
        "source": title,
        "content_hash": stable_id("doc", title, text),
        "metadata": metadata,
    }
    return Document.model_validate({**fields, **ours(row)})


def _metadata(row: JsonDict) -> JsonDict:
    """Return what a version kept of a document: metadata, attributes or raw_data, and other columns."""
    found = known(row, "title", "text", "text_unit_ids", "creation_date", "raw_data", "metadata")
    for name in ("metadata", "raw_data"):
        value = row.get(name)
        if isinstance(value, str) and isinstance(said := printed(value), Mapping):
            value = said
        if isinstance(value, Mapping):
            found |= {str(key): one for key, one in value.items() if one is not None}
        elif value:
            found[name] = value
    return found


def _joined(home: str, rows: list[JsonDict]) -> Document:
    """Make a document of its units, where the table of documents is missing."""
    text = "\n\n".join(nfc(str(row["text"] or "")) for row in rows)
    id_ = stable_id("doc", "graphrag", home)
    return Document(
        id=id_,
        title=home,
        text=text,
        source=home,
        content_hash=stable_id("doc", home, text),
        metadata={"graphrag_id": home},
    )


class _Placing:
    """Finds the units of one document in it, one after the other: units overlap."""

    def __init__(
        self, parcel: Parcel, found: Units, short_ids: Mapping[int, int], document: Document | None
    ) -> None:
        self._parcel, self._found, self._short_ids = parcel, found, short_ids
        self._document = document
        self._taken: set[str] = set()
        self._from = self._position = 0

    def place(self, row: JsonDict) -> bool:
        """Add the chunk of a unit; return whether it stands in the document."""
        text, document = nfc(str(row["text"] or "")), self._document
        if document is not None:
            start = document.text.find(text, self._from)
            start = document.text.find(text) if start < 0 else start
            if start >= 0:
                self._from = start + 1 if text else start
                self._add(row, document, start, text, self._position)
                self._position += 1
                return True
        alone = self._alone(row, text)
        self._parcel.documents.append(alone)
        self._add(row, alone, 0, text, 0)
        return False

    def _alone(self, row: JsonDict, text: str) -> Document:
        parent, number = self._document, self._short_ids[id(row)]
        title = f"{parent.title} ({number})" if parent else f"Text unit {number}"
        metadata: JsonDict = {**parent.metadata, "part_of": parent.id} if parent else {}
        return Document(
            id=stable_id("doc", "graphrag", "unit", str(row["id"])),
            title=title,
            text=text,
            source=f"{parent.source if parent else 'text_units'}#{number}",
            content_hash=stable_id("doc", title, text),
            metadata=metadata,
        )

    def _add(self, row: JsonDict, document: Document, start: int, text: str, position: int) -> None:
        end = start + len(text)
        id_ = own_id(row["id"], Chunk.make_id(document.id, start, end, text))
        if id_ in self._taken:
            id_ = Chunk.make_id(document.id, start, end, f"{text}\x1f{row['id']}")
        self._taken.add(id_)
        count: Any = row.get("n_tokens")
        named = ("text", "n_tokens", "document_id", "document_ids")
        lists = ("entity_ids", "relationship_ids", "covariate_ids")
        fields: JsonDict = {
            "id": id_,
            "content": text,
            "source_doc": document.id,
            "position": position,
            "start": start,
            "end": end,
            "page": document.page_of(start),
            "short_id": self._short_ids[id(row)],
            "n_tokens": count if isinstance(count, int) and count >= 0 else count_tokens(text),
            "metadata": {**foreign(row, id_), **known(row, *named, *lists)} or None,
        }
        self._found[str(row["id"])] = Chunk.model_validate({**fields, **ours(row)})
        self._parcel.chunks.append(self._found[str(row["id"])])
