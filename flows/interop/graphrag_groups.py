"""Communities, their reports and the claims of a GraphRAG index. Level 0 is the coarsest in both."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.interop.graphrag_cells import OURS, foreign, known, number, ours, own_id, real
from corpusgraph.flows.interop.graphrag_files import Tables
from corpusgraph.flows.interop.graphrag_findings import Findings
from corpusgraph.flows.interop.graphrag_texts import Units
from corpusgraph.flows.interop.graphrag_tree import community_rows, tree
from corpusgraph.flows.interop.parcel import Parcel
from corpusgraph.schemas.base import JsonDict, nfc, stable_id
from corpusgraph.schemas.evidence import Claim
from corpusgraph.schemas.graph import Community, CommunityReport, Entity
from corpusgraph.tasks.index.reports import report_id

if TYPE_CHECKING:
    from corpusgraph.flows.interop.graphrag_located import Located

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
