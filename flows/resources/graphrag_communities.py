"""Communities, their reports and the claims in GraphRAG's shapes."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from corpusgraph.flows.resources.graphrag_shapes import SHAPES, Source, to_json

UNKNOWN = "NONE"
"""What GraphRAG writes for a claim's missing subject or object."""

_NO_PARENT = -1
_STATUS = {"asserts": "SUSPECTED", "denies": "FALSE"}
"""Nobody has checked what a text puts forward, so it is not TRUE in GraphRAG's sense."""

_CHECKED = frozenset({"TRUE", "FALSE", "SUSPECTED"})
_CLAIM = ["id", "text", "stance", "entities", "chunk_id", "extractor", "cue"]

Row = Mapping[str, Any]


def communities(source: Source) -> Iterator[Row]:
    """Yield the table of communities."""
    rows = [
        {
            **_tree(source, row),
            "id": row["id"],
            "entity_ids": row["entity_ids"],
            "relationship_ids": row["relationship_ids"],
            "text_unit_ids": row["chunk_ids"],
        }
        for row in source.communities.values()
    ]
    yield _columns("communities", rows)


def _tree(source: Source, row: Row) -> dict[str, Any]:
    known = source.communities
    parent = known.get(row["parent_id"])
    return {
        "human_readable_id": row["number"],
        "community": row["number"],
        "level": row["level"],
        "parent": parent["number"] if parent else _NO_PARENT,
        "children": [known[child]["number"] for child in row["children"] if child in known],
        "title": row["title"],
        "period": "",
        "size": len(row["entity_ids"]),
    }


def community_reports(source: Source) -> Iterator[Row]:
    """Yield the table of reports; each finding cites its text unit by human-readable id.

    Findings from what was added by hand are left out, and reports on communities of nothing else.
    """
    names = ["id", "community_id", "level", "title", "summary", "findings", "rating", "rating_explanation"]
    reports = [row for batch in source.scan("reports", names, 4096) for row in pa.table(batch).to_pylist()]
    all_by_hand = set(source.columns("communities", "id")[0].to_pylist()) - set(source.communities)
    reports = [report for report in reports if report["community_id"] not in all_by_hand]
    for report in reports:
        found = json.loads(report["findings"])
        report["findings"] = [one for one in found if one["chunk_id"] not in source.left_out]
    cited = {finding["chunk_id"] for report in reports for finding in report["findings"]}
    numbers = _numbers(source, cited)
    yield _columns("community_reports", [_report(source, report, numbers) for report in reports])


def _numbers(source: Source, chunk_ids: set[str]) -> dict[str, int]:
    """Return the human-readable ids of some chunks."""
    wanted = pa.array(sorted(chunk_ids), pa.string())
    found: dict[str, int] = {}
    for batch in source.scan("chunks", ["id", "short_id"], 65_536):
        known = pc.is_in(batch["id"], value_set=wanted)
        ids, numbers = batch["id"].filter(known), batch["number"].filter(known)
        found |= dict(zip(ids.to_pylist(), numbers.to_pylist(), strict=True))
    return found


def _report(source: Source, report: Row, numbers: Mapping[str, int]) -> dict[str, Any]:
    findings = _findings(report["findings"], numbers)
    head = {"title": report["title"], "summary": report["summary"], "rating": report["rating"]}
    reasons = {"rating_explanation": report["rating_explanation"], "findings": findings}
    sections = [f"## {finding['summary']}\n\n{finding['explanation']}" for finding in findings]
    community = source.communities.get(report["community_id"])
    tree = _tree(source, community) if community else _no_tree(report)
    return {
        **tree,
        **head,
        **reasons,
        "id": report["id"],
        "rank": report["rating"],
        "full_content": "\n\n".join([f"# {report['title']}", report["summary"], *sections]),
        "full_content_json": to_json(head | reasons),
    }


def _findings(rows: Iterable[Row], numbers: Mapping[str, int]) -> list[dict[str, str]]:
    """Return findings; one that a model wrote has a row for each of its sources, one after the other."""
    found = []
    for (summary, explanation, _), sources in groupby(rows, key=_said):
        cited = dict.fromkeys(str(numbers.get(row["chunk_id"], row["chunk_id"])) for row in sources)
        data = f"[Data: Sources ({', '.join(cited)})]"
        found.append({"summary": summary, "explanation": f"{explanation} {data}".lstrip()})
    return found


def _said(row: Row) -> tuple[str, str, Any]:
    """Return a model's words, or the sentence that stands for itself and its place."""
    if row.get("summary"):
        return row["summary"], row["explanation"], None
    return row["text"], "", (row["document_id"], row["start"])


def _no_tree(report: Row) -> dict[str, Any]:
    """Stand in for a community that is not in the index."""
    lone = {"human_readable_id": _NO_PARENT, "community": _NO_PARENT, "level": report["level"]}
    return {**lone, "parent": _NO_PARENT, "children": [], "period": "", "size": 0}


def covariates(source: Source) -> Iterator[Row]:
    """Yield the table of claims: subject and object are the first two entities a claim names."""
    known, titles = _entity_titles(source)
    for batch in source.scan("claims", _CLAIM, 2048):
        named = pc.unique(pc.list_flatten(batch["entities"]))
        found = titles.take(pc.index_in(named, value_set=known))
        mentioned = dict(zip(named.to_pylist(), found.to_pylist(), strict=True))
        yield _columns("covariates", [_claim(claim, mentioned) for claim in pa.table(batch).to_pylist()])


def _entity_titles(source: Source) -> tuple[pa.Array, pa.Array]:
    """Return the mentions that claims refer to, and for each its entity's title or null."""
    ids, titles, _ = source.entities
    (lists,) = source.columns("claims", "entities")
    wanted = pc.unique(pc.list_flatten(lists))
    mentions, places = [wanted.slice(0, 0)], [pa.array([], pa.int32())]
    for batch in source.scan("mentions", ["id", "entity_id"], 65_536):
        known = pc.is_in(batch["id"], value_set=wanted)
        mentions.append(batch["id"].filter(known))
        places.append(pc.index_in(batch["entity_id"].filter(known), value_set=ids))
    return pa.concat_arrays(mentions), titles.take(pa.concat_arrays(places))


def _claim(claim: Row, mentioned: Mapping[str, str | None]) -> dict[str, Any]:
    named = filter(None, (mentioned[mention] for mention in claim["entities"]))
    subject, object_, *_ = [*dict.fromkeys(named), UNKNOWN, UNKNOWN]
    return {
        "id": claim["id"],
        "human_readable_id": claim["number"],
        "covariate_type": "claim",
        "description": claim["text"],
        "subject_id": subject,
        "object_id": object_,
        **_judged(claim),
        "source_text": claim["text"],
        "text_unit_id": claim["chunk_id"],
    }


def _judged(claim: Row) -> dict[str, str]:
    """Return type, status and dates: those that GraphRAG gave, where the claim is one of its own."""
    stance: str = claim["stance"]
    made = {"type": stance.upper(), "status": _STATUS[stance], "start_date": UNKNOWN, "end_date": UNKNOWN}
    parts = (claim["cue"] or "").split(", ") if claim["extractor"] == "graphrag" else []
    at = max((place for place, part in enumerate(parts) if part in _CHECKED), default=None)
    if at is None:
        return made
    dates = dict(zip(("start_date", "end_date"), parts[at + 1 :], strict=False))
    kind = ", ".join(parts[:at]) or made["type"]
    return {**made, "type": kind, "status": parts[at], **dates}


def _columns(name: str, rows: list[dict[str, Any]]) -> Row:
    return {field.name: pa.array([row[field.name] for row in rows], field.type) for field in SHAPES[name]}
