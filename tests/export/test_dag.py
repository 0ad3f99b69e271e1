"""The causal bundle: its files parse, say the same as the model, and never change."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import networkx as nx
import polars as pl
import pytest

from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.analysis.causal.models import CausalModel, PrepareCausalModel
from corpusgraph.tasks.export.causal.bundle import causal_bundle
from corpusgraph.tasks.export.folder import MEASURED
from corpusgraph.tasks.tools.prepare import prepare_causal_model

ALWAYS = {"codebook.json", "name_map.csv", "provenance.parquet", "manifest.json", "README.md"}
PASSAGE = {"evidence_id": "asr_1", "document_id": "doc_1", "chunk_id": "chk_1", "start": 0, "end": 9}


def run(**more: object) -> Noted[CausalModel]:
    fields: dict[str, object] = {
        "entities": [
            {"id": "e1", "name": "Nước bẩn"},
            {"id": "e2", "name": 'dịch "tả"'},
            {"id": "e3", "name": "poverty & dirt", "latent": True},
            {"id": "e4", "name": "if"},
        ],
        "relationships": [
            {"id": "r1", "source_id": "e1", "target_id": "e2", "confidence": 0.9, "n_for": 1, "n_against": 0,
             "passages": [{**PASSAGE, "text": "=Nước bẩn gây dịch tả.", "title": "Báo cáo"}]},
            {"id": "r2", "source_id": "e3", "target_id": "e1"},
            {"id": "r3", "source_id": "e3", "target_id": "e2"},
            {"id": "r4", "source_id": "e4", "target_id": "e2", "type": "prevents", "sign": -1},
            {"id": "r5", "source_id": "e1", "target_id": "e4", "type": "bidirected"},
        ],
        "exposure": "e1",
        "outcome": "e2",
        **more,
    }  # fmt: skip
    return prepare_causal_model(PrepareCausalModel.model_validate(fields))


@pytest.fixture
def bundle() -> dict[str, bytes]:
    noted = run()
    return causal_bundle(noted.data, noted.warnings, name="why", title="Why?")


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_every_bundle_has_codebook_names_provenance_manifest_and_readme(bundle: dict[str, bytes]) -> None:
    assert bundle.keys() >= ALWAYS
    described = {entry["file"] for entry in json.loads(bundle["codebook.json"])}
    assert described == {"nodes.csv", "edges.csv", "independencies.csv"}
    manifest = json.loads(bundle["manifest.json"])
    assert set(manifest["files"]) == bundle.keys() - {"manifest.json"}
    readme = bundle["README.md"].decode()
    assert all(f"`{name}`" in readme for name in bundle if name != "README.md")


def test_the_same_model_gives_the_same_bytes(bundle: dict[str, bytes]) -> None:
    noted = run()
    assert causal_bundle(noted.data, noted.warnings, name="why", title="Why?") == bundle


def test_networkx_reads_the_gml_and_finds_the_same_graph(bundle: dict[str, bytes]) -> None:
    graph = nx.parse_gml(bundle["dag.gml"].decode())
    assert isinstance(graph, nx.DiGraph)
    assert nx.is_directed_acyclic_graph(graph)
    assert graph.nodes["Nước_bẩn"]["name"] == "Nước bẩn"
    assert graph.nodes["dịch_tả_"]["name"] == 'dịch "tả"'
    assert {name for name, told in graph.nodes(data=True) if told["observed"] == "no"} == {
        "poverty_dirt",
        "U_Nước_bẩn_if_",
    }
    assert graph.edges["if_", "dịch_tả_"]["sign"] == -1
    assert graph.edges["Nước_bẩn", "dịch_tả_"]["confidence"] == 0.9


def test_dagitty_text_has_roles_and_both_kinds_of_edges(bundle: dict[str, bytes]) -> None:
    text = bundle["dagitty.txt"].decode()
    assert text.startswith("dag {\n")
    assert '"Nước_bẩn" [exposure]' in text
    assert '"dịch_tả_" [outcome]' in text
    assert '"poverty_dirt" [latent]' in text
    assert '"Nước_bẩn" <-> "if_"' in text


def test_answers_tell_no_set_from_the_empty_set(bundle: dict[str, bytes]) -> None:
    assert json.loads(bundle["answers.json"])["minimal_adjustment_sets"] == []
    simple = prepare_causal_model(
        PrepareCausalModel.model_validate(
            {
                "entities": [{"id": "x"}, {"id": "y"}],
                "relationships": [{"source_id": "x", "target_id": "y"}],
                "exposure": "x",
                "outcome": "y",
            }
        )
    ).data
    assert json.loads(causal_bundle(simple)["answers.json"])["minimal_adjustment_sets"] == [[]]


def test_the_readme_says_what_is_known_of_the_effect(bundle: dict[str, bytes]) -> None:
    readme = bundle["README.md"].decode()
    assert "The effect of Nước_bẩn on dịch_tả_ is not identifiable." in readme
    assert "No set to adjust for exists." in readme


def test_every_arrow_leads_to_its_passages(bundle: dict[str, bytes]) -> None:
    found = pl.read_parquet(bundle["provenance.parquet"])
    assert found.select("record", "chunk_id", "text").rows() == [("r1", "chk_1", "=Nước bẩn gây dịch tả.")]
    assert rows(bundle["edges.csv"])[0]["for"] == "=Nước bẩn gây dịch tả."
    assert rows(bundle["passages.csv"])[0]["text"].startswith("'=")


def test_the_readme_says_how_often_what_was_read_is_right(bundle: dict[str, bytes]) -> None:
    row = MEASURED["causal"]
    readme = bundle["README.md"].decode()
    assert (
        f"| {row.what} | {row.precision:.2f} [{row.low:.2f}, {row.high:.2f}] | {row.recall:.2f} |" in readme
    )
    assert "python -m benchmarks.extraction.run --folder YOUR_TEXTS --sample causal 50" in readme
    by_hand = [edge.model_copy(update={"passages": ()}) for edge in run().data.edges]
    without_texts = causal_bundle(run().data.model_copy(update={"edges": tuple(by_hand)}))
    assert "precision" not in without_texts["README.md"].decode()


def test_a_cyclic_network_has_its_cycles_and_no_dag() -> None:
    fields = {
        "entities": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
        "relationships": [
            {"id": "r1", "source_id": "a", "target_id": "b", "n_for": 2,
             "passages": [{**PASSAGE, "text": "a causes b"}]},
            {"source_id": "b", "target_id": "a"},
            {"source_id": "b", "target_id": "c"},
        ],
        "on_cycle": "report",
    }  # fmt: skip
    noted = prepare_causal_model(PrepareCausalModel.model_validate(fields))
    bundle = causal_bundle(noted.data, noted.warnings)
    assert bundle.keys() >= ALWAYS | {"network.gml", "network.dot", "edges.csv", "cycles.csv"}
    assert not bundle.keys() & {"dag.gml", "dagitty.txt", "answers.json", "analysis.py"}
    assert [(r["source"], r["target"], r["passage"]) for r in rows(bundle["cycles.csv"])] == [
        ("a", "b", "a causes b"),
        ("b", "a", ""),
    ]
    assert nx.parse_gml(bundle["network.gml"].decode()).number_of_edges() == 3
    assert "drop_edges" in bundle["README.md"].decode()


def test_dropped_arrows_are_recorded() -> None:
    bundle = causal_bundle(run(drop_edges=["r4"]).data)
    assert json.loads(bundle["query.json"])["dropped_edges"] == [["e4", "e2"]]
    assert [r["source"] for r in rows(bundle["edges.csv"]) if r["kept"] == "FALSE"] == ["if_"]


def test_the_script_reads_the_graph(tmp_path: Path) -> None:
    bundle = causal_bundle(run(exposure=None, outcome=None).data)
    for name, content in bundle.items():
        (tmp_path / name).write_bytes(content)
    done = subprocess.run(
        [sys.executable, tmp_path / "analysis.py"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "5 nodes, 6 arrows"


@pytest.mark.external
def test_dowhy_finds_a_set_as_well(tmp_path: Path) -> None:
    fields = {
        "entities": [{"id": "x"}, {"id": "y"}, {"id": "z"}, {"id": "u", "latent": True}],
        "relationships": [
            {"source_id": a, "target_id": b} for a, b in (("u", "x"), ("u", "z"), ("z", "y"), ("x", "y"))
        ],
        "exposure": "x",
        "outcome": "y",
    }
    found = prepare_causal_model(PrepareCausalModel.model_validate(fields)).data
    assert found.minimal_adjustment_sets == (("z",),)
    for name, content in causal_bundle(found).items():
        (tmp_path / name).write_bytes(content)
    done = subprocess.run(
        [sys.executable, tmp_path / "analysis.py"], capture_output=True, text=True, check=True
    )
    assert "dowhy finds: backdoor" in done.stdout
