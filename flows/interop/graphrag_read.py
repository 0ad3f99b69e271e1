"""From the tables of a Microsoft GraphRAG index to the rows of a generation of ours.

Entities, relationships, text units, communities, reports, claims and documents stay what they are, with their
numbers; ids that are not ours are kept as the attribute `graphrag_id`. What each rests on is located: a
mention where a title stands in a unit that names the entity, an assertion for each relationship and unit.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from corpusgraph.flows.interop.graphrag_files import (
    OURS,
    Tables,
    foreign,
    known,
    number,
    numbers,
    ours,
    own_id,
    printed,
    read_tables,
    real,
)
from corpusgraph.flows.interop.parcel import Notes, Parcel
from corpusgraph.schemas.base import JsonDict, nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.evidence import Assertion, Claim
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.tasks.build.aggregate import Passage, doubt, noisy_or
from corpusgraph.tasks.build.reports import report_id
from corpusgraph.tasks.text.layout import Layout
from corpusgraph.tasks.text.sentences import sentence_spans
from corpusgraph.tasks.text.tokens import count_tokens

MAX_SOURCES = 5
"""Text units that one finding cites at most; the model cites as many as it likes."""
KEPT = 128
"""Text units whose words are kept at hand: reports on one community cite the same few."""
_DATA = re.compile(r"\s*\[Data:\s*([^\]]*)\]")
_KIND = re.compile(r"(Sources|Entities|Relationships|Claims|Reports)\s*\(([^)]*)\)", re.IGNORECASE)
_WORD = re.compile(r"\w{3,}")


class Sentences:
    """The sentences of a text by their words. Of sentences of the same words the first alone is kept.

    A finding meets only sentences that share a word with it, so that the cost of many findings on one long
    text is not their number times its length.
    """

    def __init__(self, text: str) -> None:
        first: dict[frozenset[str], tuple[int, int]] = {}
        for start, end in sentence_spans(text) or [(0, len(text))]:
            first.setdefault(frozenset(_words(text[start:end])), (start, end))
        self._spans = list(first.values())
        self._holders: dict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(first):
            for word in words:
                self._holders[word].append(place)

    def best(self, words: Iterable[str]) -> tuple[int, int]:
        """Return start and end of the sentence that shares most of the words, the first of equals."""
        shared = Counter[int]()
        for word in words:
            shared.update(self._holders.get(word, ()))
        return self._spans[max(shared, key=lambda place: (shared[place], -place), default=0)]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


class Findings:
    """Reads findings, which cite rows by their numbers: `[Data: Entities (5, 7); Sources (2)]`."""

    def __init__(self, parcel: Parcel) -> None:
        self._chunks = {chunk.id: chunk for chunk in parcel.chunks}
        self._texts = {document.id: document.text for document in parcel.documents}
        self._cited: dict[str, dict[int, list[str]]] = {
            "sources": {chunk.short_id: [chunk.id] for chunk in parcel.chunks if chunk.short_id is not None},
            "entities": defaultdict(list),
            "relationships": {
                edge.short_id: list(edge.chunk_ids or ())
                for edge in parcel.relationships
                if edge.short_id is not None
            },
        }
        numbers = {entity.id: entity.short_id for entity in parcel.entities}
        for row in parcel.incidence:
            at = numbers.get(row["entity_id"])
            if at is not None:
                self._cited["entities"][at].append(row["chunk_id"])
        self._sentences = lru_cache(KEPT)(Sentences)

    def of(self, row: JsonDict, community: Community) -> tuple[list[ReportFinding], list[str]]:
        """Return the findings of a report, and the words of those that no text can be found for."""
        cited: list[ReportFinding] = []
        rest: list[str] = []
        for summary, explanation in _pairs(row):
            said = f"{summary} {explanation}"
            chunks = self._sources(said) or self._of_community(community)
            best = [self._best(chunk, said) for chunk in chunks[:MAX_SOURCES]]
            if not best:
                rest.append(f"{summary}\n{explanation}".strip())
            for chunk, start, end in best if self._stated(said) else best[:1]:
                cited.append(self._finding(chunk, start, end, summary, explanation))
        return cited, rest

    def _stated(self, said: str) -> bool:
        return _DATA.search(said) is not None

    def _sources(self, said: str) -> list[Chunk]:
        """Return the chunks of what a finding cites: text units first, else those of what it names."""
        found: dict[str, list[str]] = defaultdict(list)
        for data in _DATA.finditer(said):
            for kind, listed in _KIND.findall(data[1]):
                for one in listed.split(","):
                    at = number(one.strip().removeprefix("+"))
                    found[kind.lower()] += self._cited.get(kind.lower(), {}).get(
                        at if at is not None else -1, []
                    )
        for kind in ("sources", "relationships", "entities"):
            if found[kind]:
                return [self._chunks[one] for one in dict.fromkeys(found[kind])]
        return []

    def _of_community(self, community: Community) -> list[Chunk]:
        return [self._chunks[one] for one in community.chunk_ids[: 4 * MAX_SOURCES] if one in self._chunks]

    def _best(self, chunk: Chunk, said: str) -> tuple[Chunk, int, int]:
        """Return the sentence of a chunk that shares most words with what is said, the first of equals."""
        start, end = self._sentences(chunk.content).best(_words(_DATA.sub("", said)))
        return chunk, chunk.start + start, chunk.start + end

    def _finding(self, chunk: Chunk, start: int, end: int, summary: str, explanation: str) -> ReportFinding:
        text = self._texts[chunk.source_doc][start:end]
        plain = _DATA.sub("", explanation).strip()
        verbatim = nfc(summary) == text and not plain
        return ReportFinding(
            text=text,
            chunk_id=chunk.id,
            document_id=chunk.source_doc,
            start=start,
            end=end,
            page=chunk.page,
            summary="" if verbatim else summary,
            explanation="" if verbatim else plain,
        )


def _pairs(row: JsonDict) -> Sequence[tuple[str, str]]:
    """Return summary and explanation of each finding, however a version wrote them."""
    found: Any = row.get("findings")
    if found is None and isinstance(row.get("full_content_json"), str):
        found = printed(row["full_content_json"])
        found = found.get("findings") if isinstance(found, dict) else None
    if isinstance(found, str):
        found = printed(found)
    pairs = []
    for one in found if isinstance(found, list) else ():
        value = printed(one) if isinstance(one, str) else one
        if isinstance(value, dict):
            pairs.append((str(value.get("summary") or ""), str(value.get("explanation") or "")))
        elif one:
            pairs.append((str(one), ""))
    return pairs


def community_rows(tables: Tables, titles: Mapping[str, str]) -> list[JsonDict]:
    """Return communities with their numbers, and with members where only the table of nodes has them."""
    members: dict[int, dict[str, None]] = defaultdict(dict)
    levels: dict[int, int] = {}
    for node in tables.of("nodes"):
        at = number(node.get("community"))
        title = nfc(str(node["title"]))
        if at is not None and at >= 0 and title in titles:
            members[at][titles[title]] = None
            levels[at] = number(node.get("level")) or 0
    rows = []
    taken: set[int] = set()
    highest = max(members, default=-1)
    for place, row in enumerate(tables.of("communities")):
        at = number(row.get("community", row.get("id")))
        at = number(row.get("human_readable_id")) if at is None else at
        if at is None or at < 0 or at in taken:
            tables.notes.add("numbers_given_anew", f"communities, row {place + 1}")
            at = highest + 1
        taken.add(at)
        highest = max(highest, at)
        told = {**row, "number": at, "members": None}
        rows.append(told if "entity_ids" in row else {**told, "members": list(members.get(at, ()))})
    # A community without a relationship is in the table of nodes alone.
    rows += [
        {"number": at, "level": levels[at], "members": list(members[at])}
        for at in sorted(set(members) - taken)
    ]
    return rows


def tree(made: Mapping[int, tuple[Community, JsonDict]], notes: Notes) -> list[Community]:
    """Tie parents and children together, by the columns that say so or by who holds whose members (0.5).

    A parent is on a coarser level: what says otherwise is left out, so that nothing is above itself.
    """
    by_number = {at: community for at, (community, _) in made.items()}
    holders: dict[tuple[int, str], int] = {
        (community.level, entity): at
        for at, community in by_number.items()
        for entity in community.entity_ids
    }
    parents: dict[int, int] = {}

    def tie(below: int, above: int) -> None:
        if by_number[above].level < by_number[below].level:
            parents[below] = above
        else:
            notes.add("unknown_reference", f"community {below}: {above} is no parent of it by its level")

    for at, (community, row) in made.items():
        stated = number(row.get("parent"))
        if stated is None and community.entity_ids:
            stated = holders.get((community.level - 1, community.entity_ids[0]))
        if stated is not None and stated in by_number and stated != at:
            tie(at, stated)
    for at, (_, row) in made.items():
        for child in row.get("children") or ():
            below = number(child)
            if below is not None and below in by_number and below not in parents and below != at:
                tie(below, at)
    children: dict[int, list[str]] = defaultdict(list)
    for at, parent in parents.items():
        children[parent].append(by_number[at].id)
    return [
        community.model_copy(
            update={
                "parent_id": by_number[parents[at]].id if at in parents else None,
                "children": tuple(sorted(children[at])),
            }
        )
        for at, community in by_number.items()
    ]


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


_DENIED = frozenset({"FALSE", "DENIES", "DENIED"})
_NAMES = (
    *("community", "level", "parent", "children", "title", "entity_ids", "relationship_ids"),
    *("text_unit_ids", "size", "period"),
)


def add_communities(
    tables: Tables,
    parcel: Parcel,
    ids: Mapping[str, str],
    edges: Mapping[str, str],
    titles: Mapping[str, str],
    units: Units,
) -> None:
    """Add the communities; where there are none the parcel is left without, and they are found anew.

    `ids` and `edges` turn GraphRAG's ids of entities and relationships into ours, `titles` an entity's title.
    """
    rows = community_rows(tables, titles)
    if not rows:
        if not tables.has("communities"):
            tables.notes.add("communities_made", "communities")
        parcel.communities = [] if tables.has("communities") else None
        return
    made: dict[int, tuple[Community, JsonDict]] = {}
    taken: set[str] = set()
    ends = {edge.id: (edge.source_id, edge.target_id) for edge in parcel.relationships}
    for row in rows:
        members = row.get("members")
        if members is None:
            members = [_known(ids, one, "entity", row, tables) for one in row.get("entity_ids") or ()]
        inside = [
            _known(edges, one, "relationship", row, tables) for one in row.get("relationship_ids") or ()
        ]
        chunks = [units[str(one)].id for one in row.get("text_unit_ids") or () if str(one) in units]
        if not any(members):
            members = _at_ends(inside, ends, row, tables)
        entity_ids = tuple(sorted({one for one in members if one}))
        level = max(number(row.get("level")) or 0, 0)
        id_ = own_id(row.get("id"), stable_id("com", level, *entity_ids))
        if id_ in taken:
            id_ = stable_id("com", level, row["number"], *entity_ids)
        taken.add(id_)
        fields: JsonDict = {
            "id": id_,
            "entity_ids": entity_ids,
            "level": level,
            "title": row.get("title") or f"Community {row['number']}",
            "relationship_ids": tuple(sorted({one for one in inside if one})),
            "chunk_ids": tuple(dict.fromkeys(chunks)),
            "size": len(entity_ids),
            "short_id": row["number"],
            **foreign(row, id_),
            **({"period": row["period"]} if row.get("period") else {}),
            **_beside_ours(known(row, *_NAMES, "number", "members")),
        }
        made[row["number"]] = Community.model_validate({**fields, **ours(row)}), row
    parcel.communities = tree(made, tables.notes)


def _at_ends(
    inside: Sequence[str], ends: Mapping[str, tuple[str, str]], row: JsonDict, tables: Tables
) -> list[str]:
    """Return the entities that a community's relationships join, where its own list has none."""
    found = [end for one in inside if one for end in ends[one]]
    if found:
        tables.notes.add("value_repaired", f"community {row['number']}: entities of its relationships")
    return found


def _beside_ours(columns: JsonDict) -> JsonDict:
    """Rename columns nobody knows that are called like fields of ours: they mean something else."""
    taken = Community.model_fields
    return {f"graphrag_{name}" if name in taken else name: value for name, value in columns.items()}


def _known(ids: Mapping[str, str], one: Any, what: str, row: JsonDict, tables: Tables) -> str:
    found = ids.get(str(one), "")
    if not found:
        tables.notes.add("unknown_reference", f"community {row['number']}: {what} {one}")
    return found


def add_reports(tables: Tables, parcel: Parcel) -> None:
    """Add the reports with what they rest on; without table or communities they are written anew."""
    if parcel.communities is None or not tables.has("community_reports"):
        if parcel.communities or tables.of("community_reports"):
            tables.notes.add("communities_made", "community_reports")
        return
    by_number = {community.short_id: community for community in parcel.communities}
    findings = Findings(parcel)
    parcel.reports, rated, seen = [], {}, set[str]()
    for row in tables.of("community_reports"):
        community = by_number.get(number(row.get("community")))
        if community is None:
            tables.notes.add("unknown_reference", f"report {row.get('id')}: community {row.get('community')}")
            continue
        id_ = own_id(row.get("id"), report_id(community.id))
        if id_ in seen:
            tables.notes.add("duplicate_row", f"report of community {row.get('community')}")
            continue
        seen.add(id_)
        rank = real(row.get("rank"))
        rating = min(max(rank, 0.0), 10.0) if rank is not None else 0.0
        cited, rest = findings.of(row, community)
        summary = "\n\n".join([str(row.get("summary") or ""), *rest]).strip()
        fields: JsonDict = {
            "id": id_,
            "community_id": community.id,
            "level": community.level,
            "title": str(row.get("title") or community.title),
            "summary": summary,
            "findings": cited,
            "rating": rating,
            "rating_explanation": str(row.get("rating_explanation") or ""),
            "method": "graphrag",
        }
        report = CommunityReport.model_validate({**fields, **ours(row)})
        parcel.reports.append(report)
        rated[community.id] = report
    if OURS not in tables.columns.get("communities", ()):
        found = parcel.communities
        parcel.communities = [_reported(community, rated.get(community.id)) for community in found]


def _reported(community: Community, report: CommunityReport | None) -> Community:
    """Give a community what its report says of it: GraphRAG calls every community by its number."""
    if report is None:
        return community
    plain = re.fullmatch(r"Community \d+", community.title or "")
    return community.model_copy(
        update={
            "title": report.title if plain else community.title,
            "summary": community.summary or report.summary,
            "rating": community.rating if community.rating is not None else report.rating,
        }
    )


def add_claims(
    tables: Tables, parcel: Parcel, by_title: Mapping[str, Entity], units: Units, located: "Located"
) -> None:
    """Add the claims, each at the words it was taken from, or at its unit."""
    seen: set[str] = set()
    for place, row in enumerate(tables.of("covariates")):
        chunk = units.get(str(row["text_unit_id"]))
        key = f"row {place + 1}" if row["id"] is None else str(row["id"])
        id_ = own_id(row["id"], stable_id("clm", "graphrag", key))
        if chunk is None:
            tables.notes.add("unknown_reference", f"claim {key}: text unit {row['text_unit_id']}")
            continue
        if id_ in seen:
            tables.notes.add("duplicate_row", f"claim {key}")
            continue
        seen.add(id_)
        quoted = nfc(str(row.get("source_text") or "")).strip()
        at = chunk.content.find(quoted) if quoted else -1
        start, end = (
            (chunk.start + at, chunk.start + at + len(quoted)) if at >= 0 else (chunk.start, chunk.end)
        )
        named = [by_title.get(nfc(str(row.get(end_)))) for end_ in ("subject_id", "object_id")]
        status, kind = str(row.get("status") or ""), str(row.get("type") or "")
        denies = status.upper() in _DENIED or kind.upper() in _DENIED
        claim = Claim(
            id=id_,
            document_id=chunk.source_doc,
            chunk_id=chunk.id,
            start=start,
            end=end,
            page=chunk.page,
            extractor="graphrag",
            cue=", ".join(part for part in (kind, status, *_dates(row)) if part) or None,
            sentence_start=start,
            sentence_end=end,
            text=str(row.get("description") or quoted or chunk.content),
            stance="denies" if denies else "asserts",
            entities=tuple(
                dict.fromkeys(located.first(one, chunk)["id"] for one in named if one is not None)
            ),
        )
        parcel.claims.append(Claim.model_validate({**claim.model_dump(), **ours(row)}))


def _dates(row: JsonDict) -> list[str]:
    """Return from when to when a claim is said to hold; NONE stands for a date that is missing."""
    start, end = (str(row.get(name) or "NONE") for name in ("start_date", "end_date"))
    if end.upper() != "NONE":
        return [start, end]
    return [start] if start.upper() != "NONE" else []


EXTRACTOR = "graphrag"
MAX_CHUNKS = 50
"""Chunks kept with a relationship, as indexing does; every one has an assertion."""


class Located:
    """Adds mentions, incidence and assertions to a parcel, by the units that the tables name."""

    def __init__(self, parcel: Parcel, units: Units, notes: Notes) -> None:
        self._parcel, self._units, self._notes = parcel, units, notes
        chunks: dict[str, list[Chunk]] = defaultdict(list)
        for chunk in parcel.chunks:
            chunks[chunk.source_doc].append(chunk)
        self._layouts = {document.id: Layout(document, chunks[document.id]) for document in parcel.documents}
        self._first: dict[tuple[str, str], JsonDict] = {}
        """First mention of an entity in a unit's chunk."""
        self._counts: dict[str, int] = defaultdict(int)
        self._seen: set[str] = set()

    def mentions(self, entities: Sequence[tuple[Entity, Sequence[str], Sequence[str]]]) -> None:
        """Find each entity, by its titles, in the units that name it."""
        present: dict[str, dict[str, None]] = defaultdict(dict)
        source: dict[str, str] = {}
        for entity, titles, units in entities:
            pattern = _pattern(titles)
            for unit in dict.fromkeys(units):
                chunk = self._units.get(str(unit))
                if chunk is None:
                    self._notes.add("unknown_reference", f"entity {entity.name}: text unit {unit}")
                    continue
                self._in_chunk(entity, chunk, pattern)
                present[chunk.id][entity.id] = None
                source.setdefault(entity.id, chunk.id)
        self._parcel.chunks = [
            chunk.model_copy(update={"entities": tuple(sorted(present[chunk.id], key=self._in_text(chunk)))})
            if chunk.entities is None
            else chunk
            for chunk in self._parcel.chunks
        ]
        self._parcel.entities = [
            entity.model_copy(
                update={
                    "source_ref": entity.source_ref or source.get(entity.id),
                    "n_mentions": entity.n_mentions or self._counts[entity.id],
                }
            )
            for entity in self._parcel.entities
        ]

    def _in_chunk(self, entity: Entity, chunk: Chunk, pattern: re.Pattern[str] | None) -> None:
        hits = [match.span() for match in pattern.finditer(chunk.content)] if pattern else []
        spans = [(chunk.start + start, chunk.start + end) for start, end in hits]
        rows = [self._mention(entity, chunk, *span) for span in spans or [(chunk.start, chunk.start)]]
        self._first[entity.id, chunk.id] = rows[0]
        for row in rows:
            if row["id"] not in self._seen:
                self._seen.add(row["id"])
                self._counts[entity.id] += 1
                self._parcel.mentions.append(row)
        self._parcel.incidence.append(
            {
                "entity_id": entity.id,
                "chunk_id": chunk.id,
                "count": len(rows),
                "first_start": rows[0]["start"],
            }
        )
        if spans and entity.id not in self._parcel.passages:
            start, end = rows[0]["sentence_start"], rows[0]["sentence_end"]
            self._parcel.passages[entity.id] = self._passage(chunk, start, end)

    def _in_text(self, chunk: Chunk) -> Callable[[str], tuple[int, str]]:
        return lambda entity_id: (self._first[entity_id, chunk.id]["start"], entity_id)

    def _passage(self, chunk: Chunk, start: int, end: int) -> Passage:
        text = self._layouts[chunk.source_doc].document.text[start:end]
        return Passage(chunk.source_doc, chunk.id, start, end, chunk.page, text)

    def _mention(self, entity: Entity, chunk: Chunk, start: int, end: int) -> JsonDict:
        layout = self._layouts[chunk.source_doc]
        sentence = layout.sentence_of(start, end) if end > start else (start, end)
        return {
            "document_id": chunk.source_doc,
            "chunk_id": chunk.id,
            "start": start,
            "end": end,
            "page": chunk.page,
            "id": stable_id("men", chunk.source_doc, start, end, entity.id, EXTRACTOR),
            "extractor": EXTRACTOR,
            "confidence": 1.0,
            "cue": "title" if end > start else "text unit",
            "sentence_start": sentence[0],
            "sentence_end": sentence[1],
            "surface": layout.document.text[start:end],
            "name": entity.name,
            "type": entity.type or "",
            "description": None,
            "attributes": {},
            "entity_id": entity.id,
        }

    def first(self, entity: Entity, chunk: Chunk) -> JsonDict:
        """Return the first mention of an entity in a chunk; one that no table has there is made."""
        at = (entity.id, chunk.id)
        if at not in self._first:
            row = self._first[at] = self._mention(entity, chunk, chunk.start, chunk.start)
            if row["id"] not in self._seen:
                self._seen.add(row["id"])
                self._parcel.mentions.append(row)
        return self._first[at]

    def assertions(self, relationships: Sequence[tuple[Relationship, Sequence[str]]]) -> list[Relationship]:
        """Add an assertion for each relationship and unit; return the relationships with their chunks."""
        entities = {entity.id: entity for entity in self._parcel.entities}
        stated: dict[str, dict[str, None]] = defaultdict(dict)
        made = []
        for relationship, units in relationships:
            ends = entities[relationship.source_id], entities[relationship.target_id]
            chunks: list[str] = []
            for unit in dict.fromkeys(units):
                chunk = self._units.get(unit)
                if chunk is None:
                    self._notes.add(
                        "unknown_reference",
                        f"relationship {ends[0].name} -> {ends[1].name}: text unit {unit}",
                    )
                    continue
                self._parcel.assertions.append(self._assertion(relationship, ends, chunk))
                stated[chunk.id][relationship.id] = None
                chunks.append(chunk.id)
            made.append(_with_chunks(relationship, chunks))
        self._parcel.chunks = [
            chunk.model_copy(update={"relationships": tuple(stated[chunk.id])})
            if chunk.relationships is None
            else chunk
            for chunk in self._parcel.chunks
        ]
        return made

    def _assertion(self, relationship: Relationship, ends: tuple[Entity, Entity], chunk: Chunk) -> JsonDict:
        tail, head = self.first(ends[0], chunk), self.first(ends[1], chunk)
        located = [row for row in (tail, head) if row["end"] > row["start"]]
        start, end = (
            (located[0]["sentence_start"], located[0]["sentence_end"]) if located else (chunk.start,) * 2
        )
        near = [row for row in located if start <= row["start"] and row["end"] <= end]
        span = (
            min((row["start"] for row in near), default=start),
            max((row["end"] for row in near), default=end),
        )
        text = self._layouts[chunk.source_doc].document.text[start:end]
        if located and relationship.id not in self._parcel.passages:
            self._parcel.passages[relationship.id] = self._passage(chunk, start, end)
        return {
            "document_id": chunk.source_doc,
            "chunk_id": chunk.id,
            "start": span[0],
            "end": span[1],
            "page": chunk.page,
            "id": Assertion.make_id(
                tail["id"], f"{relationship.type}:{relationship.id}", head["id"], chunk.id
            ),
            "extractor": EXTRACTOR,
            "confidence": relationship.confidence,
            "cue": None,
            "sentence_start": start,
            "sentence_end": end,
            "source_mention": tail["id"],
            "target_mention": head["id"],
            "source": ends[0].name,
            "target": ends[1].name,
            "type": relationship.type,
            "is_causal": relationship.is_causal,
            "negated": False,
            "description": relationship.description or text,
            "source_id": ends[0].id,
            "target_id": ends[1].id,
            "relationship_id": relationship.id,
        }


def _with_chunks(relationship: Relationship, chunks: list[str]) -> Relationship:
    """Return a relationship with its chunks; its pieces of evidence add up to its confidence."""
    sure = (
        noisy_or(len(chunks) * doubt(relationship.confidence)) if len(chunks) > 1 else relationship.confidence
    )
    known = relationship.chunk_ids is not None
    return relationship.model_copy(
        update={
            "chunk_ids": relationship.chunk_ids if known else tuple(sorted(chunks)[:MAX_CHUNKS]),
            "confidence": relationship.confidence if known else sure,
        }
    )


def _pattern(titles: Sequence[str]) -> re.Pattern[str] | None:
    """Return what finds a title in a text in any case: as whole words, where its script has spaces."""
    parts = []
    for title in titles:
        words = title.split()
        if words:
            body = r"\s+".join(map(re.escape, words))
            parts.append(f"{_edge(words[0][0], before=True)}{body}{_edge(words[-1][-1], before=False)}")
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _edge(character: str, *, before: bool) -> str:
    """Return what keeps a word from being found in a longer one; letters of Chinese stand side by side."""
    if not (character.isalnum() or character == "_") or unicodedata.category(character) == "Lo":
        return ""
    return r"(?<!\w)" if before else r"(?!\w)"


RELATED = "relates_to"
STRENGTH = 10.0
"""A model of GraphRAG's rates a relationship from 1 to 10; the weight is the sum over its text units."""


def graphrag_parcel(folder: Path, *, strict: bool = False) -> tuple[Parcel, Notes]:
    """Read a GraphRAG index. If `strict`, a reference to a row that is not there is an error."""
    tables = read_tables(folder)
    _leave_out_loose_ends(tables)
    try:
        parcel = _parcel(folder, tables)
    except ValidationError as error:
        first = error.errors()[0]
        told = f"{error.title}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        hint = "Export it again, or take the column 'corpusgraph' out of its tables."
        raise InvalidInputError(
            f"{shown(folder)} has a row that cannot be read: {told}.", hint=hint, code="broken_row"
        ) from None
    if strict and (unknown := tables.notes.found.get("unknown_reference")):
        raise InvalidInputError(f"{shown(folder)}: {unknown[0]}.", code="unknown_reference")
    return parcel, tables.notes


def _leave_out_loose_ends(tables: Tables) -> None:
    """Leave out relationships of which an end has no name: they join nothing."""
    kept = []
    for place, row in enumerate(tables.of("relationships")):
        if row["source"] is None or row["target"] is None:
            tables.notes.add(
                "broken_row", f"relationships, row {place + 1}: {row['source']} -> {row['target']}"
            )
        else:
            kept.append(row)
    tables.rows["relationships"] = kept


def _parcel(folder: Path, tables: Tables) -> Parcel:
    parcel = Parcel("graphrag", folder.name, facts={"version": tables.version})
    units = add_texts(tables, parcel)
    entities = _entities(tables)
    parcel.entities, by_title = [entity for entity, _ in entities], _by_title(entities, tables.notes)
    relationships = _relationships(tables, parcel, by_title)
    located = Located(parcel, units, tables.notes)
    located.mentions(
        [
            (entity, _titles(entity, row), list(map(str, row.get("text_unit_ids") or ())))
            for entity, row in entities
        ]
    )
    parcel.relationships = located.assertions(relationships)
    _degrees(parcel)
    ids = {str(row["id"]): entity.id for entity, row in entities if row.get("id") is not None}
    edges = {
        str(row["id"]): edge.id
        for edge, row in zip(parcel.relationships, tables.of("relationships"), strict=True)
        if row.get("id") is not None
    }
    add_communities(
        tables, parcel, ids, edges, {title: entity.id for title, entity in by_title.items()}, units
    )
    add_reports(tables, parcel)
    add_claims(tables, parcel, by_title, units, located)
    return parcel


def _entities(tables: Tables) -> list[tuple[Entity, JsonDict]]:
    rows = tables.of("entities")
    found: list[tuple[Entity, JsonDict]] = []
    taken: set[str] = set()
    degrees = {row["title"]: row.get("degree") for row in tables.of("nodes")}
    for row, short_id in zip(rows, numbers(rows, "entities", tables.notes), strict=True):
        title = str(row.get("title") if row.get("title") is not None else row.get("id"))
        type_ = row.get("type") or None
        id_ = own_id(row.get("id"), Entity.make_id(title, type_ or ""))
        if id_ in taken:
            tables.notes.add("duplicate_title", title)
            id_ = Entity.make_id(title, type_ or "", str(row.get("id")) + str(short_id))
        taken.add(id_)
        degree = row.get("degree", degrees.get(title))
        named = {"title", "type", "description", "text_unit_ids", "frequency", "degree"}
        fields: JsonDict = {
            "id": id_,
            "name": _without_qualifier(title, type_, row.get("id")),
            "type": type_,
            "description": row.get("description") or None,
            "attributes": {**foreign(row, id_), **known(row, *named)},
            "short_id": short_id,
            "degree": degree if isinstance(degree, int) and degree >= 0 else None,
        }
        found.append((Entity.model_validate({**fields, **ours(row)}), row))
    return found


def _without_qualifier(title: str, type_: str | None, id_: object) -> str:
    """Return the name of an entity of ours that shares it with another: titles are keys in GraphRAG."""
    for qualifier in (type_, id_):
        ending = f" ({qualifier})"
        if qualifier and title.endswith(ending) and isinstance(id_, str):
            name = title.removesuffix(ending)
            if id_ == Entity.make_id(name, type_ or ""):
                return name
    return title


def _titles(entity: Entity, row: JsonDict) -> list[str]:
    return list(dict.fromkeys((entity.name, nfc(str(row.get("title") or entity.name)))))


def _by_title(entities: list[tuple[Entity, JsonDict]], notes: Notes) -> dict[str, Entity]:
    found: dict[str, Entity] = {}
    for entity, row in entities:
        title = nfc(str(row.get("title") if row.get("title") is not None else entity.name))
        if title in found:
            notes.add("duplicate_title", f"{title}: its relationships go to the first of that title")
        found.setdefault(title, entity)
    return found


def _relationships(
    tables: Tables, parcel: Parcel, by_title: dict[str, Entity]
) -> list[tuple[Relationship, list[str]]]:
    rows = tables.of("relationships")
    taken: set[str] = set()
    found = []
    free = count(1 + max((entity.short_id or 0 for entity in parcel.entities), default=0))
    for row, short_id in zip(rows, numbers(rows, "relationships", tables.notes), strict=True):
        ends = [
            _end(nfc(str(row[end])), parcel, by_title, free, tables.notes) for end in ("source", "target")
        ]
        kind = str(row.get("type") or RELATED)
        id_ = own_id(row.get("id"), Relationship.make_id(ends[0].id, kind, ends[1].id))
        if id_ in taken:
            tables.notes.add("duplicate_edge", f"{row['source']} -> {row['target']}")
            id_ = Relationship.make_id(ends[0].id, f"{kind}#{short_id}", ends[1].id)
        taken.add(id_)
        units = [str(unit) for unit in row.get("text_unit_ids") or ()]
        named = {"source", "target", "type", "description", "weight", "combined_degree", "text_unit_ids"}
        weight = _weight(row, tables.notes)
        fields: JsonDict = {
            "id": id_,
            "source_id": ends[0].id,
            "target_id": ends[1].id,
            "type": kind,
            "weight": weight,
            "confidence": _confidence(weight, len(units), is_ours=id_ == row.get("id")),
            "description": row.get("description") or None,
            "attributes": {**foreign(row, id_), **known(row, *named)},
            "short_id": short_id,
            "n_evidence": len(units),
        }
        found.append((Relationship.model_validate({**fields, **ours(row)}), units))
    return found


def _end(
    title: str, parcel: Parcel, by_title: dict[str, Entity], free: Iterator[int], notes: Notes
) -> Entity:
    """Return the entity of a title; one that is missing is made (C30), with the next free number."""
    if title not in by_title:
        notes.add("missing_entity", title)
        made = Entity(id=Entity.make_id(title, ""), name=title, short_id=next(free), is_stub=True)
        by_title[title] = made
        parcel.entities.append(made)
    return by_title[title]


def _weight(row: JsonDict, notes: Notes) -> float:
    given = row.get("weight", 1.0)
    weight = real(given)
    if weight is not None and weight > 0:
        return weight
    notes.add("value_repaired", f"{row['source']} -> {row['target']}: weight {given!r}")
    return 1.0


def _confidence(weight: float, n_units: int, *, is_ours: bool) -> float:
    """Return how sure each piece of evidence is: the mean strength, of 10 where a model gave it."""
    mean = weight / max(n_units, 1)
    return round(min(1.0, mean if is_ours or mean <= 1 else mean / STRENGTH), 6)


def _degrees(parcel: Parcel) -> None:
    """Count neighbours where the tables do not say how many an entity has."""
    near: dict[str, set[str]] = defaultdict(set)
    for edge in parcel.relationships:
        if edge.source_id != edge.target_id and edge.is_stated:
            near[edge.source_id].add(edge.target_id)
            near[edge.target_id].add(edge.source_id)
    parcel.entities = [
        entity if entity.degree is not None else entity.model_copy(update={"degree": len(near[entity.id])})
        for entity in parcel.entities
    ]
