"""A model's findings in GraphRAG's shape: its words, and the text units they rest on."""

from pathlib import Path

import pyarrow.parquet as pq

from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.graph import CommunityReport, ReportFinding
from tests.store.made import FACTS, ROWS, VECTORS

PLACES = {"chunk_id": "chk_a", "document_id": "doc_a", "start": 0, "end": 9}
SAID = {"summary": "The pump kills.", "explanation": "Snow says so."}
FINDINGS = (
    ReportFinding(text="John Snow", **PLACES, **SAID),
    ReportFinding(text="The Board", **(PLACES | {"chunk_id": "chk_b", "document_id": "doc_b"}), **SAID),
    ReportFinding(text="John Snow", **PLACES, summary="Snow blames."),
)
REPORT = CommunityReport(
    id="com_r0",
    community_id="com_0",
    level=0,
    title="Pump",
    summary="Pumps.",
    findings=FINDINGS,
    method="fake",
)


def publish(outputs: Path) -> Path:
    store = IndexStore(outputs)
    with store.write("snow") as writer:
        for table, given in (ROWS | {"reports": [REPORT]}).items():
            writer.add(table, given, VECTORS.get(table))
        writer.publish(FACTS)
    return store.folder("snow")


def test_rows_of_one_finding_are_one_there_and_stay_apart_here(tmp_path: Path) -> None:
    folder = publish(tmp_path)
    (row,) = pq.read_table(folder / "output" / "community_reports.parquet").to_pylist()
    assert [found["summary"] for found in row["findings"]] == ["The pump kills.", "Snow blames."]
    first, second = (found["explanation"] for found in row["findings"])
    assert first == "Snow says so. [Data: Sources (0, 1)]"
    assert second == "[Data: Sources (0)]"
    assert IndexStore(tmp_path).open("snow").graph.reports[0] == REPORT
