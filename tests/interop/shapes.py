"""GraphRAG's tables by hand, as each version writes them, of one small corpus."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

TEXT = "Dr Snow lived in London. Contaminated water caused cholera. Farr agreed with Snow in the end."
CUT = 60
UNITS = {"tu-0": TEXT[:CUT], "tu-1": TEXT[25:]}
Rows = dict[str, list[dict[str, Any]]]


def _entity(number: int, title: str, kind: str, units: list[str], **more: Any) -> dict[str, Any]:
    head = {"id": f"e-{number}", "human_readable_id": number, "title": title, "type": kind}
    return head | {"description": f"{title} as told", "text_unit_ids": units} | more


def _edge(number: int, source: str, target: str, weight: float, units: list[str]) -> dict[str, Any]:
    head = {"id": f"r-{number}", "human_readable_id": number, "source": source, "target": target}
    told = {"description": f"{source}, {target}", "weight": weight, "combined_degree": 3}
    return head | told | {"text_unit_ids": units}


def _community(
    number: int, level: int, members: list[str], edges: list[str], parent: int, children: list[int]
) -> dict[str, Any]:
    head = {"id": f"c-{number}", "human_readable_id": number, "community": number, "level": level}
    tree = {"parent": parent, "children": children, "title": f"Community {number}"}
    held = {"entity_ids": members, "relationship_ids": edges, "text_unit_ids": ["tu-0", "tu-1"]}
    return head | tree | held | {"period": "2025-01-02", "size": len(members)}


def _report(number: int, level: int) -> dict[str, Any]:
    finding = {
        "summary": "Water",
        "explanation": "Water carried it [Data: Sources (1); Entities (3, 4, +more)].",
    }
    head = {
        "id": f"p-{number}",
        "human_readable_id": number,
        "community": number,
        "level": level,
        "parent": -1,
    }
    told = {
        "children": [],
        "title": "Cholera and its cause",
        "summary": "On cholera.",
        "full_content": "# Cholera",
    }
    rated = {"rank": 8.5, "rating_explanation": "Deaths.", "findings": [finding], "full_content_json": "{}"}
    return head | told | rated | {"period": "2025-01-02", "size": 3}


def three() -> Rows:
    """Return the tables of version 3."""
    everyone = ["e-0", "e-1", "e-2", "e-3", "e-4"]
    both = ["tu-0", "tu-1"]
    claim = {
        "covariate_type": "claim",
        "type": "CAUSATION",
        "description": "Water causes cholera.",
        "status": "TRUE",
    }
    return {
        "documents": [
            {
                "id": "d-0",
                "human_readable_id": 0,
                "title": "snow.txt",
                "text": TEXT,
                "text_unit_ids": both,
                "creation_date": "2025-01-02 03:04:05 -0800",
                "raw_data": '{"author": "Jay"}',
            }
        ],
        "text_units": [
            {
                "id": id_,
                "human_readable_id": number,
                "text": text,
                "n_tokens": 15,
                "document_id": "d-0",
                "entity_ids": [],
                "relationship_ids": [],
                "covariate_ids": [],
            }
            for number, (id_, text) in enumerate(UNITS.items())
        ],
        "entities": [
            _entity(0, "SNOW", "PERSON", both, frequency=2, degree=2, colour="blue"),
            _entity(1, "FARR", "PERSON", ["tu-1"], frequency=1, degree=1, colour=None),
            _entity(2, "LONDON", "GEO", ["tu-0"], frequency=1, degree=1, colour=None),
            _entity(3, "CHOLERA", "EVENT", both, frequency=2, degree=1, colour=None),
            _entity(4, "CONTAMINATED WATER", "", both, frequency=2, degree=1, colour=None),
        ],
        "relationships": [
            _edge(0, "CONTAMINATED WATER", "CHOLERA", 18.0, both),
            _edge(1, "SNOW", "LONDON", 8.0, ["tu-0"]),
            _edge(2, "FARR", "SNOW", 5.0, ["tu-1"]),
        ],
        "communities": [
            _community(0, 0, everyone, ["r-0", "r-1", "r-2"], -1, [1, 2]),
            _community(1, 1, ["e-0", "e-1", "e-2"], ["r-1", "r-2"], 0, []),
            _community(2, 1, ["e-3", "e-4"], ["r-0"], 0, []),
        ],
        "community_reports": [_report(0, 0), _report(2, 1)],
        "covariates": [
            {
                "id": "v-0",
                "human_readable_id": 1,
                **claim,
                "subject_id": "CONTAMINATED WATER",
                "object_id": "CHOLERA",
                "start_date": "1854-09-08T00:00:00",
                "end_date": "NONE",
                "source_text": "Contaminated water caused cholera.",
                "text_unit_id": "tu-0",
            }
        ],
    }


def two() -> Rows:
    """Return the tables of version 2: units list documents, documents have metadata."""
    rows = three()
    for unit in rows["text_units"]:
        unit["document_ids"] = [unit.pop("document_id")]
    for document in rows["documents"]:
        document.pop("raw_data")
        document["metadata"] = {"author": "Jay"}
    return rows


def one() -> Rows:
    """Return the tables of version 1: nodes say who is in which community."""
    rows = two()
    titles = {entity["id"]: entity for entity in rows["entities"]}
    nodes = []
    for community in rows["communities"]:
        for member in community["entity_ids"]:
            entity = titles[member]
            head = {key: entity[key] for key in ("id", "human_readable_id", "title", "degree")}
            nodes.append(
                {**head, "community": community["community"], "level": community["level"], "x": 0, "y": 0}
            )
    _without(rows["entities"], "degree", "frequency")
    _without(rows["communities"], "children")
    _without(rows["community_reports"], "children")
    _without(rows["documents"], "creation_date", "metadata")
    for document in rows["documents"]:
        document["attributes"] = {"author": "Jay"}
    for report in rows["community_reports"]:
        report["rank_explanation"] = report.pop("rating_explanation")
    return {f"create_final_{name}": table for name, table in {**rows, "nodes": nodes}.items()}


def half() -> Rows:
    """Return the tables of version 0.5: no parents, and units of a community joined with commas."""
    rows = one()
    _without(rows["create_final_communities"], "parent")
    _without(rows["create_final_community_reports"], "parent")
    for community in rows["create_final_communities"]:
        community["text_unit_ids"] = [",".join(community["text_unit_ids"])]
    return rows


def older() -> Rows:
    """Return the tables of the versions before: name, rank, communities and numbers as text, vectors."""
    rows = half()
    for entity in rows["create_final_entities"]:
        entity["name"] = entity.pop("title")
        entity["description_embedding"] = [0.1, 0.2]
    for edge in rows["create_final_relationships"]:
        edge["rank"] = edge.pop("combined_degree")
        edge["human_readable_id"] = str(edge["human_readable_id"])
        edge["text_unit_ids"] = ",".join(edge["text_unit_ids"])
    for community in rows["create_final_communities"]:
        community["id"] = str(community.pop("community"))
        del community["entity_ids"], community["human_readable_id"]
    for report in rows["create_final_community_reports"]:
        report["community"] = str(report["community"])
    for node in rows["create_final_nodes"]:
        node["community"] = str(node["community"])
    for document in rows["create_final_documents"]:
        document["raw_content"] = document.pop("text")
    return rows


def _without(rows: list[dict[str, Any]], *names: str) -> None:
    for row in rows:
        for name in names:
            row.pop(name)


def write(folder: Path, rows: Mapping[str, list[dict[str, Any]]]) -> Path:
    """Write the tables as parquet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in rows.items():
        pq.write_table(pa.Table.from_pylist(table), folder / f"{name}.parquet")
    return folder
