"""GraphRAG's parquet files of every version open as an index."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpusgraph.flows import api
from corpusgraph.flows.interop.graphrag_read import graphrag_parcel
from corpusgraph.flows.interop.parcel import completed
from corpusgraph.flows.interop.sources import import_index
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import IndexOptions
from tests.interop.shapes import TEXT, Rows, half, older, one, three, two, write


def as_csv(folder: Path, rows: Rows, *, numpy: bool) -> Path:
    """Write the tables as GraphRAG 3 does where they are configured as CSV: by rows, or by pandas."""
    folder.mkdir(parents=True)
    for name, table in rows.items():
        frame = pd.DataFrame(table)
        for column in frame.columns:
            if numpy and isinstance(frame[column][0], list):
                cells = [np.array(one, object if column == "findings" else None) for one in frame[column]]
                frame[column] = pd.Series(cells, dtype=object)
        frame.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.mark.parametrize("numpy", [False, True])
def test_tables_as_csv_say_what_parquet_says(numpy: bool, tmp_path: Path) -> None:
    rows = three()
    rows["communities"][0]["entity_ids"] *= 30  # numpy breaks long lists into lines, but not into dots here
    as_csv(tmp_path / "output", rows, numpy=numpy)
    (tmp_path / "documents.csv").write_text("id,text\n1,an input\n", encoding="utf-8")
    found, notes = graphrag_parcel(tmp_path)
    wanted, told = graphrag_parcel(write(tmp_path / "parquet", rows))
    assert notes.found == told.found
    for part in ("documents", "chunks", "entities", "relationships", "communities", "reports", "claims"):
        assert getattr(found, part) == getattr(wanted, part), part


VERSIONS: dict[str, Callable[[], Rows]] = {"3": three, "2": two, "1": one, "0.5": half, "older": older}


@pytest.mark.parametrize("name", VERSIONS)
def test_every_version_says_the_same(name: str, tmp_path: Path) -> None:
    parcel, notes = graphrag_parcel(write(tmp_path, VERSIONS[name]()))
    assert {entity.name: entity.short_id for entity in parcel.entities} == {
        "SNOW": 0,
        "FARR": 1,
        "LONDON": 2,
        "CHOLERA": 3,
        "CONTAMINATED WATER": 4,
    }
    degrees = {entity.name: entity.degree for entity in parcel.entities}
    assert degrees == {"SNOW": 2, "FARR": 1, "LONDON": 1, "CHOLERA": 1, "CONTAMINATED WATER": 1}
    by_id = {entity.id: entity.name for entity in parcel.entities}
    told = {(by_id[r.source_id], by_id[r.target_id]): (r.weight, r.n_evidence) for r in parcel.relationships}
    assert told == {
        ("CONTAMINATED WATER", "CHOLERA"): (18.0, 2),
        ("SNOW", "LONDON"): (8.0, 1),
        ("FARR", "SNOW"): (5.0, 1),
    }
    (document,) = parcel.documents
    assert (document.title, document.text, document.metadata["author"]) == ("snow.txt", TEXT, "Jay")
    assert [(c.start, c.end, c.short_id) for c in parcel.chunks] == [(0, 60, 0), (25, len(TEXT), 1)]
    assert parcel.communities is not None
    levels = {c.short_id: (c.level, len(c.entity_ids), len(c.relationship_ids)) for c in parcel.communities}
    assert levels == {0: (0, 5, 3), 1: (1, 3, 2), 2: (1, 2, 1)}
    top, left, right = sorted(parcel.communities, key=lambda c: c.short_id or 0)
    assert (top.parent_id, left.parent_id, right.parent_id) == (None, top.id, top.id)
    assert top.children == tuple(sorted((left.id, right.id)))
    assert len(top.chunk_ids) == 2
    assert parcel.reports is not None
    (wide, _) = sorted(parcel.reports, key=lambda report: report.level)
    assert (wide.title, wide.rating, wide.rating_explanation) == ("Cholera and its cause", 8.5, "Deaths.")
    assert top.title == "Cholera and its cause"
    expected = {"embeddings_left_out"} if name == "older" else set()
    assert set(notes.found) == expected


def test_evidence_is_where_the_words_are(tmp_path: Path) -> None:
    parcel, _ = graphrag_parcel(write(tmp_path, three()))
    names = {entity.id: entity.name for entity in parcel.entities}
    spots = {(names[m["entity_id"]], m["start"], m["surface"]) for m in parcel.mentions}
    assert {
        ("SNOW", 3, "Snow"),
        ("SNOW", 77, "Snow"),
        ("CONTAMINATED WATER", 25, "Contaminated water"),
    } <= spots
    assert all(TEXT[m["start"] : m["end"]] == m["surface"] for m in parcel.mentions)
    counts = {(names[row["entity_id"]], row["chunk_id"]): row["count"] for row in parcel.incidence}
    assert len(counts) == 8  # as their text_unit_ids say, no more
    causes = [row for row in parcel.assertions if row["source"] == "CONTAMINATED WATER"]
    assert len(causes) == 2
    assert {TEXT[row["sentence_start"] : row["sentence_end"]] for row in causes} == {
        "Contaminated water caused cholera."
    }
    (edge,) = [r for r in parcel.relationships if r.weight == 18.0]
    assert (edge.confidence, causes[0]["confidence"]) == (0.99, 0.9)  # 9 of 10, twice


def test_findings_cite_the_sentence(tmp_path: Path) -> None:
    parcel, _ = graphrag_parcel(write(tmp_path, three()))
    finding = (parcel.reports or [])[0].findings[0]
    assert finding.text == "Contaminated water caused cholera."
    assert TEXT[finding.start : finding.end] == finding.text
    assert finding.explanation == "Water carried it."


def test_claims_keep_their_words_ends_and_dates(tmp_path: Path) -> None:
    parcel, _ = graphrag_parcel(write(tmp_path, three()))
    (claim,) = parcel.claims
    assert TEXT[claim.start : claim.end] == "Contaminated water caused cholera."
    assert claim.text == "Water causes cholera."
    assert claim.cue == "CAUSATION, TRUE, 1854-09-08T00:00:00"
    surfaces = {m["id"]: m["surface"] for m in parcel.mentions}
    assert [surfaces[mention] for mention in claim.entities] == ["Contaminated water", "cholera"]


def test_unknown_columns_and_their_ids_are_kept(tmp_path: Path) -> None:
    parcel, _ = graphrag_parcel(write(tmp_path, three()))
    snow = next(entity for entity in parcel.entities if entity.name == "SNOW")
    assert snow.attributes == {"graphrag_id": "e-0", "colour": "blue"}
    assert snow.id == type(snow).make_id("SNOW", "PERSON")


def test_an_index_of_theirs_is_searched(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    report = import_index(write(tmp_path / "project" / "output", three()).parent, "theirs", outputs=outputs)
    assert report.warnings == ()
    assert import_index(tmp_path / "project", "again", outputs=outputs).generation == report.generation
    with pytest.raises(InvalidInputError, match="already") as error:
        import_index(tmp_path / "project", "theirs", outputs=outputs)
    assert error.value.code == "index_exists"
    calls: dict[str, dict[str, Any]] = {
        "entity_vdb_search": {"query": "cholera"},
        "chunk_vdb_search": {"query": "Who lived in London?"},
        "community_vdb_search": {"query": "cholera"},
        "entity_onehop_neighbors": {"entities": ["SNOW"]},
        "entity_ppr_rank": {"seed_entities": ["SNOW", 3]},
        "relationship_onehop_extract": {"entities": ["CHOLERA"]},
        "chunk_entity_occurrence": {"entities": ["CHOLERA", "CONTAMINATED WATER"]},
        "community_by_entities": {"entities": ["FARR"]},
        "community_by_layer": {"max_layer": 1},
        "local_search": {"query": "What caused cholera?"},
        "global_search": {},
        "subgraph_khop_paths": {"start_entities": ["FARR"], "end_entities": ["LONDON"], "k": 2},
        "get_entity_neighbors": {"entity_id": 0},
        "get_graph_statistics": {},
    }
    for tool, arguments in calls.items():
        found = api.call(tool, arguments, index="theirs", outputs=outputs)
        assert found.success, (tool, found.error)
        assert found.data, tool
    answer = api.ask("What caused cholera?", index="theirs", outputs=outputs)
    assert "Contaminated water caused cholera." in answer.text


def test_optional_tables_may_be_missing(tmp_path: Path) -> None:
    rows = {name: three()[name] for name in ("entities", "relationships", "text_units")}
    parcel, notes = graphrag_parcel(write(tmp_path / "in", rows))
    assert notes.found["missing_table"] == ["documents", "communities", "community_reports", "covariates"]
    completed(parcel, IndexOptions())
    assert len(parcel.communities or ()) == len(parcel.reports or ()) >= 1
    texts = {document.id: document.text for document in parcel.documents}
    assert all(texts[c.source_doc][c.start : c.end] == c.content for c in parcel.chunks)
    bare = {name: three()[name] for name in ("entities", "relationships")}
    parcel, _ = graphrag_parcel(write(tmp_path / "bare", bare))
    assert (len(parcel.entities), len(parcel.chunks)) == (5, 0)


@pytest.mark.parametrize(
    ("spoil", "code", "told"),
    [
        (lambda folder: [one_.unlink() for one_ in folder.glob("*")], "not_an_index", "no GraphRAG index"),
        (lambda folder: (folder / "entities.parquet").unlink(), "table_missing", "entities.parquet"),
        (
            lambda folder: (folder / "relationships.parquet").write_bytes(b"PAR1 no"),
            "table_unreadable",
            "relationships",
        ),
        (
            lambda folder: pq.write_table(
                pa.table({"id": ["x"], "source": ["y"]}), folder / "relationships.parquet"
            ),
            "column_missing",
            "'target'",
        ),
        (
            lambda folder: pq.write_table(pa.table({"song": ["x"]}), folder / "text_units.parquet"),
            "column_missing",
            "'id'",
        ),
    ],
    ids=["empty", "no entities", "torn", "no target", "foreign"],
)
def test_a_broken_folder_says_what_is_missing(
    spoil: Callable[[Path], Any], code: str, told: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "in", three())
    spoil(folder)
    with pytest.raises(InvalidInputError, match=told) as error:
        import_index(folder, "x", outputs=tmp_path / "outputs")
    assert error.value.code == code
    assert not (tmp_path / "outputs").exists()


def test_odd_rows_are_repaired_and_told(tmp_path: Path) -> None:
    rows = three()
    rows["relationships"] += [
        {
            **rows["relationships"][0],
            "id": "r-9",
            "human_readable_id": 9,
            "target": "NOBODY",
            "weight": float("nan"),
        },
        {**rows["relationships"][0], "id": "r-10", "human_readable_id": 9, "text_unit_ids": ["tu-9"]},
    ]
    rows["entities"].append({**rows["entities"][0], "id": "e-9", "human_readable_id": 9, "type": "ORG"})
    rows["text_units"][1]["text"] = "title: snow\n" + rows["text_units"][1]["text"]
    rows["communities"][1]["entity_ids"] = ["e-0", "e-77"]
    parcel, notes = graphrag_parcel(write(tmp_path, rows))
    assert set(notes.found) == {
        "duplicate_edge",
        "duplicate_title",
        "elsewhere_in_document",
        "missing_entity",
        "numbers_given_anew",
        "unknown_reference",
        "value_repaired",
    }
    assert [entity.name for entity in parcel.entities if entity.is_stub] == ["NOBODY"]
    assert len({entity.id for entity in parcel.entities}) == len(parcel.entities) == 7
    assert len(parcel.documents) == 2
    alone = parcel.documents[0] if parcel.documents[0].metadata.get("part_of") else parcel.documents[1]
    assert alone.metadata["author"] == "Jay"
    with pytest.raises(InvalidInputError, match=r"tu-9|e-77"):
        graphrag_parcel(tmp_path, strict=True)


def test_titles_in_scripts_without_spaces_are_found(tmp_path: Path) -> None:
    rows = three()
    text = "武松在景阳冈打虎。Nguyễn Huệ đọc."
    rows["documents"][0]["text"] = text
    rows["text_units"] = [{**rows["text_units"][0], "text": text}]
    names = ["武松", "NGUYỄN HUỆ", "虎", "OC", "Snow"]
    for entity, name in zip(rows["entities"], names, strict=True):
        entity |= {"title": name, "text_unit_ids": ["tu-0"]}
    rows["relationships"] = [
        {**rows["relationships"][0], "source": "武松", "target": "虎", "text_unit_ids": ["tu-0"]}
    ]
    for table in ("communities", "community_reports", "covariates"):
        del rows[table]
    parcel, _ = graphrag_parcel(write(tmp_path, rows))
    by_id = {entity.id: entity.name for entity in parcel.entities}
    found = {by_id[m["entity_id"]]: m["surface"] for m in parcel.mentions}
    assert found == {"武松": "武松", "NGUYỄN HUỆ": "Nguyễn Huệ", "虎": "虎", "OC": "", "Snow": ""}
