"""`output/` has GraphRAG 3's shapes, the right content, and the same bytes for the same rows."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from corpusgraph.flows.store.graphrag_tables import unique_titles
from corpusgraph.flows.store.store import IndexStore
from tests.store.made import FACTS, ROWS, TEXTS, fill

# Final columns of graphrag 3.1.2 (graphrag/data_model/schemas.py).
COLUMNS = {
    "documents": "id human_readable_id title text text_unit_ids creation_date raw_data",
    "text_units": "id human_readable_id text n_tokens document_id entity_ids relationship_ids covariate_ids",
    "entities": "id human_readable_id title type description text_unit_ids frequency degree",
    "relationships": "id human_readable_id source target description weight combined_degree text_unit_ids",
    "communities": "id human_readable_id community level parent children title entity_ids relationship_ids "
    "text_unit_ids period size",
    "community_reports": "id human_readable_id community level parent children title summary full_content rank "
    "rating_explanation findings full_content_json period size",
    "covariates": "id human_readable_id covariate_type type description subject_id object_id status start_date "
    "end_date source_text text_unit_id",
}


def publish(outputs: Path, batch: int = 100) -> Path:
    store = IndexStore(outputs)
    with store.write("snow") as writer:
        fill(writer, batch=batch)
        writer.publish(FACTS)
    return store.folder("snow") / "output"


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("outputs"))


def rows(output: Path, table: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in pq.read_table(output / f"{table}.parquet").to_pylist()}


def test_the_columns_are_graphrags(output: Path) -> None:
    found = {path.stem: " ".join(pq.read_schema(path).names) for path in output.iterdir()}
    assert found == COLUMNS


def test_documents_and_text_units_point_at_each_other(output: Path) -> None:
    documents, units = rows(output, "documents"), rows(output, "text_units")
    assert {id_: row["text"] for id_, row in documents.items()} == TEXTS
    assert documents["doc_a"]["text_unit_ids"] == ["chk_a"]
    assert units["chk_a"] == {
        "id": "chk_a",
        "human_readable_id": 0,
        "text": TEXTS["doc_a"],
        "n_tokens": 9,
        "document_id": "doc_a",
        "entity_ids": ["ent_snow", "ent_pump"],
        "relationship_ids": ["rel_1"],
        "covariate_ids": ["clm_1"],
    }
    assert units["chk_b"]["relationship_ids"] == []


def test_entities_have_titles_that_are_keys(output: Path) -> None:
    entities = rows(output, "entities")
    assert {id_: row["title"] for id_, row in entities.items()} == {
        "ent_pump": "pump",
        "ent_snow": "John Snow (person)",
        "ent_snow_tv": "John Snow (character)",
    }
    assert entities["ent_pump"]["text_unit_ids"] == ["chk_a", "chk_b"]
    assert [row["frequency"] for row in entities.values()] == [2, 1, 0]
    assert entities["ent_snow"]["description"] == ""


def test_relationships_name_their_ends_by_title(output: Path) -> None:
    edges = rows(output, "relationships")
    ends = {id_: (row["source"], row["target"], row["combined_degree"]) for id_, row in edges.items()}
    assert ends == {"rel_1": ("John Snow (person)", "pump", 2), "rel_2": ("pump", "ent_gone", 1)}
    assert (edges["rel_1"]["weight"], edges["rel_2"]["text_unit_ids"]) == (2.0, [])


def test_communities_are_numbered_and_reports_join_them(output: Path) -> None:
    communities, reports = rows(output, "communities"), rows(output, "community_reports")
    tree = {id_: (row["community"], row["parent"], row["children"]) for id_, row in communities.items()}
    assert tree == {"com_0": (0, -1, [7]), "com_1": (7, 0, [])}
    assert len({row["title"] for row in communities.values()}) == 2
    report = reports["com_r0"]
    assert (report["community"], report["rank"], report["size"], report["period"]) == (0, 5.0, 2, "")
    finding = {"summary": "The pump caused cholera.", "explanation": "[Data: Sources (1)]"}
    assert report["findings"] == json.loads(report["full_content_json"])["findings"] == [finding]
    assert report["full_content"].startswith("# Pump\n\nPumps.\n\n## The pump caused cholera.")


def test_claims_name_the_entities_they_mention(output: Path) -> None:
    claims = rows(output, "covariates")
    told = {id_: (row["subject_id"], row["object_id"], row["status"]) for id_, row in claims.items()}
    assert told == {"clm_1": ("pump", "NONE", "SUSPECTED"), "clm_2": ("NONE", "NONE", "FALSE")}


def test_the_same_rows_give_the_same_bytes(output: Path, tmp_path: Path) -> None:
    again = publish(tmp_path, batch=1)
    for name in COLUMNS:
        assert (again / f"{name}.parquet").read_bytes() == (output / f"{name}.parquet").read_bytes(), name


def test_an_empty_index_has_every_table(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    with store.write("none") as writer:
        writer.publish()
    for name, columns in COLUMNS.items():
        table = pq.read_table(store.folder("none") / "output" / f"{name}.parquet")
        assert (table.num_rows, " ".join(table.column_names)) == (0, columns)


def test_row_groups_do_not_depend_on_batches(tmp_path: Path) -> None:
    texts = [
        row.model_copy(update={"id": f"doc_{i:03}"}) for i in range(150) for row in ROWS["documents"][:1]
    ]
    made = []
    for name, batch in (("one", 7), ("other", 150)):
        store = IndexStore(tmp_path)
        with store.write(name) as writer:
            for at in range(0, len(texts), batch):
                writer.add("documents", texts[at : at + batch])
            writer.publish()
        made.append((store.folder(name) / "output" / "documents.parquet").read_bytes())
    assert made[0] == made[1]


def test_titles_differ_even_when_a_qualified_one_is_a_name() -> None:
    titles = unique_titles(["1", "2", "3", "4"], ["A", "A", "A (x)", "A"], ["x", "y", "z", None])
    assert titles == ["A (1)", "A (y)", "A (x)", "A (4)"]
