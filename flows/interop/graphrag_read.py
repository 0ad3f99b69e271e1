"""From the tables of a Microsoft GraphRAG index to the rows of a generation of ours.

Entities, relationships, text units, communities, reports, claims and documents stay what they are, with their
numbers; ids that are not ours are kept as the attribute `graphrag_id`. What each rests on is located: a
mention where a title stands in a unit that names the entity, an assertion for each relationship and unit.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from corpusgraph.flows.interop.graphrag_files import (
    OURS,
    Tables,
    made,
    number,
    numbers,
    own_id,
    printed,
    read_tables,
    real,
    unread,
)
from corpusgraph.flows.interop.parcel import Notes, Parcel
from corpusgraph.schemas.base import JsonDict, nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.evidence import Assertion, Claim
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.tasks.build.aggregate import MAX_CHUNKS, Passage, doubt, noisy_or
from corpusgraph.tasks.build.reports import finding_of, report_id
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.text.layout import Layout
from corpusgraph.tasks.text.sentences import sentence_spans
from corpusgraph.tasks.text.tokens import count_tokens

EXTRACTOR = "graphrag"
RELATED = "relates_to"
STRENGTH = 10.0
"""A model of GraphRAG's rates a relationship from 1 to 10; the weight is the sum over its text units."""
MAX_SOURCES = 5
"""Text units that one finding cites at most; the model cites as many as it likes."""
_DATA = re.compile(r"\s*\[Data:\s*([^\]]*)\]")
_KIND = re.compile(r"(Sources|Entities|Relationships|Claims|Reports)\s*\(([^)]*)\)", re.IGNORECASE)
_WORD = re.compile(r"\w{3,}")
_DENIED = frozenset({"FALSE", "DENIES", "DENIED"})
_NO_DATE = "NONE"


def graphrag_parcel(folder: Path, *, strict: bool = False) -> tuple[Parcel, Notes]:
    """Read a GraphRAG index.

    Parameters
    ----------
    folder : Path
        Of its tables, or of a project above them.
    strict : bool, default False
        A reference to a row that is not there is an error.

    Returns
    -------
    tuple of Parcel and Notes
        Rows of a generation, and notes of what was mended or left out.

    Raises
    ------
    InvalidInputError
        `not_an_index`, `table_missing`, `broken_row`, and with `strict` `unknown_reference`.

    """
    tables = read_tables(folder)
    try:
        parcel = Parcel("graphrag", folder.name, facts={"version": tables.version})
        Reader(tables, parcel).read()
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"{error.title}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        hint = "Export it again, or take the column 'corpusgraph' out of its tables."
        raise InvalidInputError(
            f"{shown(folder)} has a row that cannot be read: {problem}.", hint=hint, code="broken_row"
        ) from None
    if strict and (unknown := tables.notes.found.get("unknown_reference")):
        raise InvalidInputError(f"{shown(folder)}: {unknown[0]}.", code="unknown_reference")
    return parcel, tables.notes


Listed = tuple[int, JsonDict, list[str] | None]
"""Number of a community, its row, and its members where only the table of nodes has them."""


class Reader:
    """Turns tables into the rows of a parcel, one table after the other.

    Mentions, incidence and assertions are located in the text units that the tables name.
    """

    def __init__(self, tables: Tables, parcel: Parcel) -> None:
        self._tables, self._parcel, self._notes = tables, parcel, tables.notes
        self._units: dict[str, Chunk] = {}
        """Chunk of each text unit, by GraphRAG's id."""
        self._taken: set[str] = set()
        self._by_title: dict[str, Entity] = {}
        self._ids: dict[str, dict[str, str]] = {"entity": {}, "relationship": {}}
        """Our id of an entity or a relationship, by GraphRAG's."""
        self._first: dict[tuple[str, str], JsonDict] = {}
        """First mention of an entity in a unit's chunk."""

    def read(self) -> None:
        """Fill the parcel with what all tables say."""
        self.texts()
        entities = self._entities()
        relationships = self._relationships()
        chunks = grouped((chunk.source_doc, chunk) for chunk in self._parcel.chunks)
        self._layouts = {text.id: Layout(text, chunks.get(text.id, ())) for text in self._parcel.documents}
        self._mentions(entities)
        self._assertions(relationships)
        self._count_neighbours()
        self._communities()
        self._reports()
        self._claims()

    def _id(
        self, row: JsonDict, id_: str, otherwise: str, *, code: str | None = None, record: str = ""
    ) -> str:
        """Return a row's own id, or the one made; where that is taken, another, which may be noted."""
        id_ = own_id(row.get("id"), id_)
        if id_ in self._taken:
            id_ = otherwise
            if code is not None:
                self._notes.add(code, record)
        self._taken.add(id_)
        return id_

    def _numbered(self, table: str, rows: list[JsonDict]) -> Iterator[tuple[int, JsonDict]]:
        return zip(numbers(rows, table, self._notes), rows, strict=True)

    def texts(self) -> dict[str, Chunk]:
        """Add documents and chunks.

        Returns
        -------
        dict of str to Chunk
            By GraphRAG's id of the text unit.

        """
        tables, documents = self._tables, dict[str, Document]()
        order: dict[str, dict[str, int]] = {}
        lister: dict[str, str] = {}
        for row in tables.of("documents"):
            home = str(row["id"])
            documents[home] = _document(row)
            order[home] = {str(unit): at for at, unit in enumerate(row.get("text_unit_ids") or ())}
            lister |= dict.fromkeys(order[home], home)
        homes: dict[str, list[tuple[int, JsonDict]]] = defaultdict(list)
        for short_id, row in self._numbered("text_units", tables.of("text_units")):
            home = str(row.get("document_id") or "")
            if not home and (listed := row.get("document_ids")):  # one that was cut from several has none
                home = str(listed[0]) if len(listed) == 1 else ""
            elif not home:
                home = lister.get(str(row["id"]), "")
            homes[home].append((short_id, row))
        for home, rows in homes.items():
            document = documents.get(home)
            if document is None and home and not tables.has("documents"):
                text = "\n\n".join(nfc(str(row["text"] or "")) for _, row in rows)
                id_ = stable_id("doc", "graphrag", home)
                document = documents[home] = _text({}, id_, home, home, text, {"graphrag_id": home})
            place = order.get(home, {})
            rows.sort(key=lambda row: place.get(str(row[1]["id"]), len(place)))
            self._place_units(rows, document)
        self._parcel.documents += documents.values()
        return self._units

    def _place_units(self, rows: Sequence[tuple[int, JsonDict]], home: Document | None) -> None:
        """Find the units of one document in it, one after the other: units overlap.

        A unit that is not in its document, or has none, becomes a document of its own.
        """
        searched = position = 0
        for short_id, row in rows:
            text = nfc(str(row["text"] or ""))
            start = home.text.find(text, searched) if home is not None else -1
            start = home.text.find(text) if home is not None and start < 0 else start
            if home is not None and start >= 0:
                searched = start + 1 if text else start
                chunk = self._chunk(row, short_id, home, start, text, position)
                position += 1
            else:
                title = f"{home.title} ({short_id})" if home else f"Text unit {short_id}"
                source = f"{home.source if home else 'text_units'}#{short_id}"
                metadata: JsonDict = {**home.metadata, "part_of": home.id} if home else {}
                id_ = stable_id("doc", "graphrag", "unit", str(row["id"]))
                alone = _text({}, id_, title, source, text, metadata)
                self._parcel.documents.append(alone)
                chunk = self._chunk(row, short_id, alone, 0, text, 0)
                self._notes.add("elsewhere_in_document", str(row["id"]))
            self._units[str(row["id"])] = chunk
            self._parcel.chunks.append(chunk)

    def _chunk(
        self, row: JsonDict, short_id: int, document: Document, start: int, text: str, position: int
    ) -> Chunk:
        end = start + len(text)
        ids = (Chunk.make_id(document.id, start, end, said) for said in (text, f"{text}\x1f{row['id']}"))
        id_ = self._id(row, *ids)
        n_tokens = number(row.get("n_tokens"))
        fields: JsonDict = {
            "id": id_,
            "content": text,
            "source_doc": document.id,
            "position": position,
            "start": start,
            "end": end,
            "page": document.page_of(start),
            "short_id": short_id,
            "n_tokens": n_tokens if n_tokens is not None and n_tokens >= 0 else count_tokens(text),
            "metadata": unread("text_units", row, id_) or None,
        }
        return made(Chunk, row, fields)

    def _entities(self) -> list[tuple[Entity, JsonDict]]:
        """Add the entities; the first of a title is the one that relationships mean."""
        entities: list[tuple[Entity, JsonDict]] = []
        degrees = {row["title"]: row.get("degree") for row in self._tables.of("nodes")}
        for short_id, row in self._numbered("entities", self._tables.of("entities")):
            title = str(row["title"] if row["title"] is not None else row.get("id"))
            type_ = row.get("type") or None
            usual = Entity.make_id(title, type_ or "")
            another = Entity.make_id(title, type_ or "", str(row.get("id")) + str(short_id))
            id_ = self._id(row, usual, another, code="duplicate_title", record=title)
            degree = number(row.get("degree", degrees.get(title)))
            fields: JsonDict = {
                "id": id_,
                "name": _without_qualifier(title, type_, row.get("id")),
                "type": type_,
                "description": row.get("description") or None,
                "attributes": unread("entities", row, id_),
                "short_id": short_id,
                "degree": degree if degree is not None and degree >= 0 else None,
            }
            entities.append((made(Entity, row, fields), row))
        for entity, row in entities:
            title = nfc(str(row["title"])) if row.get("title") is not None else entity.name
            if self._by_title.setdefault(title, entity) is not entity:
                told = f"{title}: its relationships go to the first of that title"
                self._notes.add("duplicate_title", told)
            if row.get("id") is not None:
                self._ids["entity"][str(row["id"])] = entity.id
        self._parcel.entities = [entity for entity, _ in entities]
        return entities

    def _relationships(self) -> list[tuple[Relationship, list[str]]]:
        """Return the relationships with their text units; an entity that is missing is made (C30)."""
        notes, rows = self._notes, list[JsonDict]()
        for place, row in enumerate(self._tables.of("relationships")):
            if None in (row["source"], row["target"]):  # it joins nothing
                ends = f"{row['source']} -> {row['target']}"
                notes.add("broken_row", f"relationships, row {place + 1}: {ends}")
            else:
                rows.append(row)
        relationships = []
        free = count(1 + max((entity.short_id or 0 for entity in self._parcel.entities), default=0))
        for short_id, row in self._numbered("relationships", rows):
            titles = [nfc(str(row[end])) for end in ("source", "target")]
            for title in titles:
                if title not in self._by_title:
                    notes.add("missing_entity", title)
                    id_ = Entity.make_id(title, "")
                    stub = Entity(id=id_, name=title, short_id=next(free), is_stub=True)
                    self._by_title[title] = stub
                    self._parcel.entities.append(stub)
            tail, head = (self._by_title[title].id for title in titles)
            kind, said = str(row.get("type") or RELATED), f"{row['source']} -> {row['target']}"
            ids = (Relationship.make_id(tail, type_, head) for type_ in (kind, f"{kind}#{short_id}"))
            id_ = self._id(row, *ids, code="duplicate_edge", record=said)
            units = [str(unit) for unit in row.get("text_unit_ids") or ()]
            weight = real(row.get("weight", 1.0)) or 0.0
            if weight <= 0:
                notes.add("value_repaired", f"{said}: weight {row.get('weight', 1.0)!r}")
                weight = 1.0
            mean = weight / max(len(units), 1)
            strength = mean if id_ == row.get("id") or mean <= 1 else mean / STRENGTH
            fields: JsonDict = {
                "id": id_,
                "source_id": tail,
                "target_id": head,
                "type": kind,
                "weight": weight,
                # how sure each piece of evidence is: the mean strength, of 10 where a model gave it
                "confidence": round(min(1.0, strength), 6),
                "description": row.get("description") or None,
                "attributes": unread("relationships", row, id_),
                "short_id": short_id,
                "n_evidence": len(units),
            }
            relationship = made(Relationship, row, fields)
            relationships.append((relationship, units))
            if row.get("id") is not None:
                self._ids["relationship"][str(row["id"])] = relationship.id
        return relationships

    def _mentions(self, entities: Sequence[tuple[Entity, JsonDict]]) -> None:
        """Find each entity, by name and title, in the units that name it."""
        parcel = self._parcel
        present: dict[str, dict[str, None]] = defaultdict(dict)
        source: dict[str, str] = {}
        counts = Counter[str]()
        for entity, row in entities:
            pattern = _pattern(dict.fromkeys((entity.name, nfc(str(row.get("title") or entity.name)))))
            for unit in dict.fromkeys(map(str, row.get("text_unit_ids") or ())):
                if (chunk := self._chunk_of(unit, f"entity {entity.name}")) is None:
                    continue
                counts[entity.id] += self._in_chunk(entity, chunk, pattern)
                present[chunk.id][entity.id] = None
                source.setdefault(entity.id, chunk.id)

        for at, chunk in enumerate(parcel.chunks):
            if chunk.entities is None:
                in_text = sorted((self._first[id_, chunk.id]["start"], id_) for id_ in present[chunk.id])
                parcel.chunks[at] = chunk.model_copy(update={"entities": tuple(id_ for _, id_ in in_text)})
        for at, entity in enumerate(parcel.entities):
            n_mentions = entity.n_mentions or counts[entity.id]
            told = {"source_ref": entity.source_ref or source.get(entity.id), "n_mentions": n_mentions}
            parcel.entities[at] = entity.model_copy(update=told)

    def _chunk_of(self, unit: str, what: str) -> Chunk | None:
        if unit not in self._units:
            self._notes.add("unknown_reference", f"{what}: text unit {unit}")
        return self._units.get(unit)

    def _in_chunk(self, entity: Entity, chunk: Chunk, pattern: re.Pattern[str] | None) -> int:
        """Add the mentions of an entity in a chunk, or one of no length at its start; count the new ones."""
        hits = [match.span() for match in pattern.finditer(chunk.content)] if pattern else []
        rows = [self._mention(entity, chunk, *span) for span in hits or [(0, 0)]]
        self._first[entity.id, chunk.id] = first = rows[0]
        ids = {"entity_id": entity.id, "chunk_id": chunk.id}
        self._parcel.incidence.append({**ids, "count": len(rows), "first_start": first["start"]})
        if hits and entity.id not in self._parcel.passages:
            span = first["sentence_start"], first["sentence_end"]
            self._parcel.passages[entity.id] = self._passage(chunk, *span)
        return sum(map(self._add, rows))

    def _add(self, row: JsonDict) -> bool:
        """Add a mention, once."""
        is_new = row["id"] not in self._taken
        if is_new:
            self._taken.add(row["id"])
            self._parcel.mentions.append(row)
        return is_new

    def _passage(self, chunk: Chunk, start: int, end: int) -> Passage:
        text = self._layouts[chunk.source_doc].document.text[start:end]
        return Passage(chunk.source_doc, chunk.id, start, end, chunk.page, text)

    def _mention(self, entity: Entity, chunk: Chunk, start: int, end: int) -> JsonDict:
        layout, start, end = self._layouts[chunk.source_doc], chunk.start + start, chunk.start + end
        sentence = layout.sentence_of(start, end) if end > start else (start, end)
        return {
            **_where(chunk, (start, end), sentence),
            "id": stable_id("men", chunk.source_doc, start, end, entity.id, EXTRACTOR),
            "cue": "title" if end > start else "text unit",
            "surface": layout.document.text[start:end],
            "name": entity.name,
            "type": entity.type or "",
            "entity_id": entity.id,
        }

    def _first_in(self, entity: Entity, chunk: Chunk) -> JsonDict:
        """Return the first mention of an entity in a chunk; one that no table has there is made."""
        at = (entity.id, chunk.id)
        if at not in self._first:
            self._first[at] = self._mention(entity, chunk, 0, 0)
            self._add(self._first[at])
        return self._first[at]

    def _assertions(self, relationships: Sequence[tuple[Relationship, Sequence[str]]]) -> None:
        """Add the relationships, and an assertion for each of them and unit."""
        parcel = self._parcel
        entities = {entity.id: entity for entity in parcel.entities}
        stated: dict[str, dict[str, None]] = defaultdict(dict)
        for relationship, units in relationships:
            ends = entities[relationship.source_id], entities[relationship.target_id]
            chunks: list[str] = []
            for unit in dict.fromkeys(units):
                chunk = self._chunk_of(unit, f"relationship {ends[0].name} -> {ends[1].name}")
                if chunk is not None:
                    parcel.assertions.append(self._assertion(relationship, ends, chunk))
                    stated[chunk.id][relationship.id] = None
                    chunks.append(chunk.id)
            told: JsonDict = {}
            if relationship.chunk_ids is None:
                sure = relationship.confidence
                sure = noisy_or(len(chunks) * doubt(sure)) if len(chunks) > 1 else sure
                told = {"chunk_ids": tuple(sorted(chunks)[:MAX_CHUNKS]), "confidence": sure}
            parcel.relationships.append(relationship.model_copy(update=told))
        for at, chunk in enumerate(parcel.chunks):
            if chunk.relationships is None:
                parcel.chunks[at] = chunk.model_copy(update={"relationships": tuple(stated[chunk.id])})

    def _assertion(self, relationship: Relationship, ends: tuple[Entity, Entity], chunk: Chunk) -> JsonDict:
        tail, head = self._first_in(ends[0], chunk), self._first_in(ends[1], chunk)
        located = [row for row in (tail, head) if row["end"] > row["start"]]
        start = located[0]["sentence_start"] if located else chunk.start
        end = located[0]["sentence_end"] if located else chunk.start
        near = [row for row in located if start <= row["start"] and row["end"] <= end]
        first = min((row["start"] for row in near), default=start)
        last = max((row["end"] for row in near), default=end)
        passage = self._passage(chunk, start, end)
        if located:
            self._parcel.passages.setdefault(relationship.id, passage)
        type_ = f"{relationship.type}:{relationship.id}"
        return {
            **_where(chunk, (first, last), (start, end)),
            "id": Assertion.make_id(tail["id"], type_, head["id"], chunk.id),
            "confidence": relationship.confidence,
            "source_mention": tail["id"],
            "target_mention": head["id"],
            "source": ends[0].name,
            "target": ends[1].name,
            "type": relationship.type,
            "is_causal": relationship.is_causal,
            "description": relationship.description or passage.text,
            "source_id": ends[0].id,
            "target_id": ends[1].id,
            "relationship_id": relationship.id,
        }

    def _count_neighbours(self) -> None:
        """Count neighbours where the tables do not say how many an entity has."""
        parcel, near = self._parcel, defaultdict[str, set[str]](set)
        for edge in parcel.relationships:
            if edge.source_id != edge.target_id and edge.is_stated:
                near[edge.source_id].add(edge.target_id)
                near[edge.target_id].add(edge.source_id)
        for at, entity in enumerate(parcel.entities):
            if entity.degree is None:
                parcel.entities[at] = entity.model_copy(update={"degree": len(near[entity.id])})

    def _listed(self) -> list[Listed]:
        """Return the communities by number, with those that the table of nodes alone has."""
        members: dict[int, dict[str, None]] = defaultdict(dict)
        levels: dict[int, int] = {}
        for node in self._tables.of("nodes"):
            at = number(node.get("community"))
            title = nfc(str(node["title"]))
            if at is not None and at >= 0 and title in self._by_title:
                members[at][self._by_title[title].id] = None
                levels[at] = number(node.get("level")) or 0
        rows: dict[int, Listed] = {}
        highest = max(members, default=-1)
        for place, row in enumerate(self._tables.of("communities")):
            at = number(row.get("community", row.get("id")))
            at = number(row.get("human_readable_id")) if at is None else at
            if at is None or at < 0 or at in rows:
                self._notes.add("numbers_given_anew", f"communities, row {place + 1}")
                at = highest + 1
            highest = max(highest, at)
            rows[at] = at, row, None if "entity_ids" in row else list(members.get(at, ()))
        # A community without a relationship is in the table of nodes alone.
        left = sorted(set(members) - set(rows))
        return [*rows.values(), *((at, {"level": levels[at]}, list(members[at])) for at in left)]

    def _communities(self) -> None:
        """Add the communities; where there are none the parcel is left without, and they are found anew."""
        notes, parcel, ids, units = self._notes, self._parcel, self._ids, self._units
        rows = self._listed()
        if not rows:
            if not self._tables.has("communities"):
                notes.add("communities_made", "communities")
            parcel.communities = [] if self._tables.has("communities") else None
            return

        def known_ids(kind: str, at: int, row: JsonDict) -> list[str]:
            listed = [str(id_) for id_ in row.get(f"{kind}_ids") or ()]
            for id_ in listed:
                if id_ not in ids[kind]:
                    notes.add("unknown_reference", f"community {at}: {kind} {id_}")
            return [ids[kind][id_] for id_ in listed if id_ in ids[kind]]

        communities: dict[int, tuple[Community, JsonDict]] = {}
        ends = {edge.id: (edge.source_id, edge.target_id) for edge in parcel.relationships}
        for at, row, stated in rows:
            members = known_ids("entity", at, row) if stated is None else stated
            inside = known_ids("relationship", at, row)
            chunks = [units[str(unit)].id for unit in row.get("text_unit_ids") or () if str(unit) in units]
            if not members and inside:
                members = [end for edge in inside for end in ends[edge]]
                notes.add("value_repaired", f"community {at}: entities of its relationships")
            entity_ids = tuple(sorted(set(members)))
            level = max(number(row.get("level")) or 0, 0)
            another = stable_id("com", level, at, *entity_ids)
            id_ = self._id(row, stable_id("com", level, *entity_ids), another)
            # columns nobody knows that are called like fields of ours mean something else
            beside = {
                f"graphrag_{name}" if name in Community.model_fields else name: value
                for name, value in unread("communities", row, id_).items()
            }
            fields: JsonDict = {
                "id": id_,
                "entity_ids": entity_ids,
                "level": level,
                "title": row.get("title") or f"Community {at}",
                "relationship_ids": tuple(sorted(set(inside))),
                "chunk_ids": tuple(dict.fromkeys(chunks)),
                "size": len(entity_ids),
                "short_id": at,
                **({"period": row["period"]} if row.get("period") else {}),
                **beside,
            }
            communities[at] = made(Community, row, fields), row
        parcel.communities = _tree(communities, notes)

    def _reports(self) -> None:
        """Add the reports with what they rest on; without table or communities they are written anew."""
        tables, parcel = self._tables, self._parcel
        if parcel.communities is None or not tables.has("community_reports"):
            if parcel.communities or tables.of("community_reports"):
                self._notes.add("communities_made", "community_reports")
            return
        by_number = {community.short_id: community for community in parcel.communities}
        findings = Findings(parcel)
        reports: dict[str, CommunityReport] = {}
        for row in tables.of("community_reports"):
            at = row["community"]
            community = by_number.get(number(at))
            if community is None:
                self._notes.add("unknown_reference", f"report {row.get('id')}: community {at}")
                continue
            id_ = own_id(row.get("id"), report_id(community.id))
            if id_ in reports:
                self._notes.add("duplicate_row", f"report of community {at}")
                continue
            cited, rest = findings.of(row, community)
            fields: JsonDict = {
                "id": id_,
                "community_id": community.id,
                "level": community.level,
                "title": str(row.get("title") or community.title),
                "summary": "\n\n".join([str(row.get("summary") or ""), *rest]).strip(),
                "findings": cited,
                "rating": min(max(real(row.get("rank")) or 0.0, 0.0), 10.0),
                "rating_explanation": str(row.get("rating_explanation") or ""),
                "method": "graphrag",
            }
            reports[id_] = made(CommunityReport, row, fields)
        parcel.reports = list(reports.values())
        if OURS not in tables.columns.get("communities", ()):
            on = {report.community_id: report for report in parcel.reports}
            parcel.communities = [_reported(one, on.get(one.id)) for one in parcel.communities]

    def _claims(self) -> None:
        """Add the claims, each at the words it was taken from, or at its unit."""
        claims: dict[str, Claim] = {}
        for place, row in enumerate(self._tables.of("covariates")):
            chunk = self._units.get(str(row["text_unit_id"]))
            key = f"row {place + 1}" if row["id"] is None else str(row["id"])
            id_ = own_id(row["id"], stable_id("clm", "graphrag", key))
            if chunk is None:
                self._notes.add("unknown_reference", f"claim {key}: text unit {row['text_unit_id']}")
                continue
            if id_ in claims:
                self._notes.add("duplicate_row", f"claim {key}")
                continue
            quoted = nfc(str(row.get("source_text") or "")).strip()
            at = chunk.content.find(quoted) if quoted else -1
            span = (chunk.start + at, chunk.start + at + len(quoted)) if at >= 0 else (chunk.start, chunk.end)
            named = [self._by_title.get(nfc(str(row.get(end)))) for end in ("subject_id", "object_id")]
            status, kind = str(row.get("status") or ""), str(row.get("type") or "")
            # NONE stands for a date that is missing
            dates = [str(row.get(name) or _NO_DATE) for name in ("start_date", "end_date")]
            while dates and dates[-1].upper() == _NO_DATE:
                dates.pop()
            mentions = dict.fromkeys(self._first_in(entity, chunk)["id"] for entity in named if entity)
            fields: JsonDict = {
                **_where(chunk, span, span),
                "id": id_,
                "cue": ", ".join(part for part in (kind, status, *dates) if part) or None,
                "text": str(row.get("description") or quoted or chunk.content),
                "stance": "denies" if _DENIED & {status.upper(), kind.upper()} else "asserts",
                "entities": tuple(mentions),
            }
            claims[id_] = made(Claim, row, fields)
        self._parcel.claims += claims.values()


def _text(row: JsonDict, id_: str, title: str, source: str, text: str, metadata: JsonDict) -> Document:
    content_hash = stable_id("doc", title, text)
    fields = {"id": id_, "title": title, "text": text, "source": source, "content_hash": content_hash}
    return made(Document, row, {**fields, "metadata": metadata})


def _document(row: JsonDict) -> Document:
    """Return a document with what a version kept of it: metadata, attributes or raw_data, other columns."""
    id_ = own_id(row["id"], stable_id("doc", "graphrag", str(row["id"])))
    metadata = unread("documents", row, id_)
    for name in ("metadata", "raw_data"):
        value = row.get(name)
        if isinstance(value, str) and isinstance(parsed := printed(value), Mapping):
            value = parsed
        if isinstance(value, Mapping):
            metadata |= {str(key): item for key, item in value.items() if item is not None}
        elif value:
            metadata[name] = value
    created = row.get("creation_date")
    if created and "date" not in metadata:
        metadata |= {"creation_date": str(created), "date": str(created)[:10]}
    title = str(row.get("title") or row["id"])
    return _text(row, id_, title, title, nfc(str(row.get("text") or "")), metadata)


def _without_qualifier(title: str, type_: str | None, id_: object) -> str:
    """Return the name of an entity of ours that shares it with another: titles are keys in GraphRAG."""
    for qualifier in (type_, id_):
        ending = f" ({qualifier})"
        if qualifier and title.endswith(ending) and isinstance(id_, str):
            name = title.removesuffix(ending)
            if id_ == Entity.make_id(name, type_ or ""):
                return name
    return title


def _where(chunk: Chunk, span: tuple[int, int], sentence: tuple[int, int]) -> JsonDict:
    """Return the place of a row of evidence."""
    return {
        "document_id": chunk.source_doc,
        "chunk_id": chunk.id,
        "start": span[0],
        "end": span[1],
        "page": chunk.page,
        "extractor": EXTRACTOR,
        "sentence_start": sentence[0],
        "sentence_end": sentence[1],
    }


def _pattern(titles: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds a title in a text in any case: as whole words, where its script has spaces."""
    parts = []
    for title in titles:
        if words := title.split():
            body = r"\s+".join(map(re.escape, words))
            before = r"(?<!\w)" if _is_spaced(words[0][0]) else ""
            parts.append(f"{before}{body}" + (r"(?!\w)" if _is_spaced(words[-1][-1]) else ""))
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _is_spaced(character: str) -> bool:
    """Tell whether a word may be found in a longer one here; letters of Chinese stand side by side."""
    return (character.isalnum() or character == "_") and unicodedata.category(character) != "Lo"


def _tree(rows: Mapping[int, tuple[Community, JsonDict]], notes: Notes) -> list[Community]:
    """Tie parents and children together, by the columns that say so or by who holds whose members (0.5).

    A parent is on a coarser level: what says otherwise is left out, so that nothing is above itself.
    """
    communities = {at: community for at, (community, _) in rows.items()}
    holders = {(c.level, entity): at for at, c in communities.items() for entity in c.entity_ids}
    stated: list[tuple[int | None, int | None]] = []
    for at, (community, row) in rows.items():
        above = number(row.get("parent"))
        if above is None and community.entity_ids:
            above = holders.get((community.level - 1, community.entity_ids[0]))
        stated.append((at, above))
    stated += [(number(child), at) for at, (_, row) in rows.items() for child in row.get("children") or ()]
    parents: dict[int, int] = {}
    for below, above in stated:
        if below in parents or below == above:
            continue
        if below in communities and above in communities:
            if communities[above].level < communities[below].level:
                parents[below] = above
            else:
                notes.add("unknown_reference", f"community {below}: {above} is no parent of it by its level")
    children = grouped((parent, communities[at].id) for at, parent in parents.items())
    tied = []
    for at, community in communities.items():
        parent_id = communities[parents[at]].id if at in parents else None
        update = {"parent_id": parent_id, "children": tuple(sorted(children.get(at, ())))}
        tied.append(community.model_copy(update=update))
    return tied


def _reported(community: Community, report: CommunityReport | None) -> Community:
    """Give a community what its report says of it: GraphRAG calls every community by its number."""
    if report is None:
        return community
    is_numbered = re.fullmatch(r"Community \d+", community.title or "")
    update = {
        "title": report.title if is_numbered else community.title,
        "summary": community.summary or report.summary,
        "rating": community.rating if community.rating is not None else report.rating,
    }
    return community.model_copy(update=update)


@lru_cache(maxsize=128)  # reports on one community cite the same few units
def sentences_of(text: str) -> Mapping[frozenset[str], tuple[int, int]]:
    """Return the sentences of a text by their words. Of sentences of the same words the first alone is kept.

    Parameters
    ----------
    text : str
        Of a text unit.

    Returns
    -------
    mapping of frozenset of str to tuple of int
        Words -> start and end, in the order of the text.

    """
    spans: dict[frozenset[str], tuple[int, int]] = {}
    for start, end in sentence_spans(text) or [(0, len(text))]:
        spans.setdefault(_words(text[start:end]), (start, end))
    return spans


def best_sentence(text: str, said: str) -> tuple[int, int]:
    """Return start and end of the sentence that shares most words with what is said, the first of equals.

    Parameters
    ----------
    text : str
        Of a text unit.
    said : str
        Of a finding.

    Returns
    -------
    tuple of int
        Offsets in the text.

    """
    words, spans = _words(said), sentences_of(text)
    return spans[max(spans, key=lambda own: len(own & words))]


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


class Findings:
    """Reads findings, which cite rows by their numbers: `[Data: Entities (5, 7); Sources (2)]`."""

    def __init__(self, parcel: Parcel) -> None:
        self._chunks = {chunk.id: chunk for chunk in parcel.chunks}
        self._texts = {document.id: document.text for document in parcel.documents}
        occurs = grouped((row["entity_id"], row["chunk_id"]) for row in parcel.incidence)
        self._cited: dict[str, dict[int | None, Sequence[str]]] = {
            "sources": {chunk.short_id: [chunk.id] for chunk in parcel.chunks},
            "relationships": {edge.short_id: edge.chunk_ids or () for edge in parcel.relationships},
            "entities": {entity.short_id: occurs.get(entity.id, ()) for entity in parcel.entities},
        }

    def of(self, row: JsonDict, community: Community) -> tuple[list[ReportFinding], list[str]]:
        """Return the findings of a report, and the words of those that no text can be found for.

        Parameters
        ----------
        row : JsonDict
            Of the report.
        community : Community
            Its chunks are looked through where the report names no sources.

        Returns
        -------
        tuple of list of ReportFinding and list of str
            Each finding with the sentence it rests on.

        """
        cited: list[ReportFinding] = []
        rest: list[str] = []
        for summary, explanation in _pairs(row):
            words = f"{summary} {explanation}"
            chunks = self._sources(words) or [
                self._chunks[id_] for id_ in community.chunk_ids[: 4 * MAX_SOURCES] if id_ in self._chunks
            ]
            if not chunks:
                rest.append(f"{summary}\n{explanation}".strip())
            for chunk in chunks[: MAX_SOURCES if _DATA.search(words) else 1]:
                start, end = best_sentence(chunk.content, _DATA.sub("", words))
                start, end = chunk.start + start, chunk.start + end
                text = self._texts[chunk.source_doc][start:end]
                passage = Passage(chunk.source_doc, chunk.id, start, end, chunk.page, text)
                plain = _DATA.sub("", explanation).strip()
                if nfc(summary) == text and not plain:  # word for word
                    cited.append(finding_of(passage))
                else:
                    cited.append(finding_of(passage, summary=summary, explanation=plain))
        return cited, rest

    def _sources(self, words: str) -> list[Chunk]:
        """Return the chunks of what a finding cites: text units first, else those of what it names."""
        cited: dict[str, dict[str, None]] = defaultdict(dict)
        for data in _DATA.finditer(words):
            for kind, listed in _KIND.findall(data[1]):
                rows = self._cited.get(kind.lower(), {})
                for item in listed.split(","):
                    at = number(item.strip().removeprefix("+"))
                    cited[kind.lower()] |= dict.fromkeys(rows.get(at, ()) if at is not None else ())
        chunks = next((cited[kind] for kind in self._cited if cited[kind]), {})
        return [self._chunks[id_] for id_ in chunks]


def _pairs(row: JsonDict) -> Sequence[tuple[str, str]]:
    """Return summary and explanation of each finding, however a version wrote them."""
    findings: Any = row.get("findings")
    if findings is None and isinstance(row.get("full_content_json"), str):
        content = printed(row["full_content_json"])
        findings = content.get("findings") if isinstance(content, dict) else None
    if isinstance(findings, str):
        findings = printed(findings)
    pairs = []
    for item in findings if isinstance(findings, list) else ():
        value = printed(item) if isinstance(item, str) else item
        if isinstance(value, dict):
            pairs.append((str(value.get("summary") or ""), str(value.get("explanation") or "")))
        elif item:
            pairs.append((str(item), ""))
    return pairs
