"""The real package: its query code reads what we write, and what it writes opens here with all our tools."""

from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.interop.graphrag_write import Version
from corpusgraph.flows.interop.sources import export_graphrag, import_index
from tests.interop.oracle import graphrag

NEW: tuple[Version, ...] = ("3", "2")
OLD: tuple[Version, ...] = ("1", "0.5")
pytestmark = [pytest.mark.external, pytest.mark.timeout(600)]

# What search does with the files before it asks a model: adapters, then the contexts of local and global search.
READ = """
import asyncio, json, re, sys
import pandas as pd
from graphrag.data_model import schemas
from graphrag.query import indexer_adapters as adapters
from graphrag.query.structured_search.global_search.community_context import GlobalCommunityContext
from graphrag.query.structured_search.local_search.mixed_context import LocalSearchMixedContext
from TOKENIZER import Tokenizer

class Words(Tokenizer):
    def __init__(self, **_): pass
    def encode(self, text): return re.findall(r"\\w+|\\W", text)
    def decode(self, tokens): return "".join(tokens)
    def num_tokens(self, text): return len(self.encode(text))

names = "entities relationships communities community_reports text_units covariates".split()
tables = {name: pd.read_parquet(f"{sys.argv[1]}/{name}.parquet") for name in names}
missing = {name: [c for c in getattr(schemas, name.upper() + "_FINAL_COLUMNS") if c not in table.columns]
           for name, table in tables.items()}
# With a level they leave out entities that are in no community.
entities = adapters.read_indexer_entities(tables["entities"], tables["communities"], None)
communities = adapters.read_indexer_communities(tables["communities"], tables["community_reports"])
reports = adapters.read_indexer_reports(tables["community_reports"], tables["communities"], 2)
relationships = adapters.read_indexer_relationships(tables["relationships"])
units = adapters.read_indexer_text_units(tables["text_units"])
claims = adapters.read_indexer_covariates(tables["covariates"])
local = LocalSearchMixedContext(
    entities=entities, entity_text_embeddings=None, text_embedder=None, text_units=units,
    community_reports=reports, relationships=relationships, covariates={"claims": claims}, tokenizer=Words())
found = local.build_context(query="", top_k_mapped_entities=5, max_context_tokens=4000,
                            include_community_rank=True, include_relationship_weight=True)
whole = GlobalCommunityContext(community_reports=reports, communities=communities, entities=entities, tokenizer=Words())
wide = asyncio.run(whole.build_context(query="what is there?", include_community_rank=True))
print(json.dumps({
    "missing": {name: columns for name, columns in missing.items() if columns},
    "entities": sorted(e.id for e in entities), "relationships": len(relationships), "units": len(units),
    "claims": len(claims), "communities": len(communities), "reports": len(reports),
    "types": sorted({type(e.short_id).__name__ for e in entities}),
    "local": {key: len(frame) for key, frame in found.context_records.items()},
    "local_text": found.context_chunks, "global": sum(len(f) for f in wide.context_records.values()),
}))
"""
TOKENIZERS = {"3": "graphrag_llm.tokenizer.tokenizer", "2": "graphrag.tokenizer.tokenizer"}

# Versions with create_final_*: their search reads nodes, too.
READ_OLD = """
import json, sys
import pandas as pd
from graphrag.query import indexer_adapters as adapters

names = "entities relationships communities community_reports text_units covariates nodes".split()
tables = {name: pd.read_parquet(f"{sys.argv[1]}/create_final_{name}.parquet") for name in names}
nodes = tables["nodes"]
print(json.dumps({
    "entities": sorted(e.id for e in adapters.read_indexer_entities(nodes.copy(), tables["entities"], None)),
    "communities": len(adapters.read_indexer_communities(tables["communities"], nodes.copy(), tables["community_reports"])),
    "reports": len(adapters.read_indexer_reports(tables["community_reports"].copy(), nodes.copy(), None, True)),
    "relationships": len(adapters.read_indexer_relationships(tables["relationships"])),
    "units": len(adapters.read_indexer_text_units(tables["text_units"])),
    "claims": len(adapters.read_indexer_covariates(tables["covariates"])),
}))
"""


@pytest.fixture(scope="module")
def home(tiny: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Return a folder for exports and the index they are of."""
    return tmp_path_factory.mktemp("exports"), api.open(tiny[1], tiny[0])


def expected(index: Any) -> dict[str, Any]:
    return {
        "entities": sorted(entity.id for entity in index.graph.entities),
        "relationships": len(index.graph.relationships),
        "units": len(index.graph.chunks),
        "claims": len(index.claims),
        "communities": len(index.graph.communities),
    }


@pytest.mark.parametrize("version", NEW)
def test_their_contexts_are_built_from_our_export(
    version: Version, home: tuple[Path, Any], tiny: tuple[Path, str]
) -> None:
    folder, index = home[0] / version, home[1]
    export_graphrag(tiny[1], folder, version=version, outputs=tiny[0])
    found = graphrag(version, READ.replace("TOKENIZER", TOKENIZERS[version]), str(folder))
    assert found["missing"] == {}
    assert {key: found[key] for key in expected(index)} == expected(index)
    assert found["types"] == ["str"]
    assert found["reports"] >= 1
    assert {"entities", "relationships", "reports", "sources"} <= set(found["local"])
    assert all(count >= 1 for count in found["local"].values())
    assert found["global"] >= 1
    titles = {entity.name for entity in index.graph.entities}
    assert any(title in found["local_text"] for title in titles)
    assert "cholera" in found["local_text"]


def test_their_contexts_are_built_from_what_indexing_writes(tiny: tuple[Path, str]) -> None:
    found = graphrag("3", READ.replace("TOKENIZER", TOKENIZERS["3"]), str(tiny[0] / tiny[1] / "output"))
    assert found["missing"] == {}
    assert found["local"]["sources"] >= 1
    assert found["global"] >= 1


@pytest.mark.parametrize("version", OLD)
def test_their_older_adapters_read_our_export(
    version: Version, home: tuple[Path, Any], tiny: tuple[Path, str]
) -> None:
    folder, index = home[0] / version, home[1]
    export_graphrag(tiny[1], folder, version=version, outputs=tiny[0])
    found = graphrag(version, READ_OLD, str(folder))
    assert {key: found[key] for key in expected(index)} == expected(index)
    assert found["reports"] == len(index.graph.reports)


# Their own steps, from what their extraction would have found to the files a query reads. No model is asked.
WRITE = """
import asyncio, json, sys
from types import SimpleNamespace
import pandas as pd
from graphrag_storage.file_storage import FileStorage
from graphrag_storage.tables.parquet_table_provider import ParquetTableProvider
from graphrag.data_model.data_reader import DataReader
from graphrag.data_model.row_transformers import *
from graphrag.data_model import row_transformers as rows
from graphrag.index.operations.finalize_community_reports import finalize_community_reports
from graphrag.index.workflows.create_communities import create_communities
from graphrag.index.workflows.create_final_documents import create_final_documents
from graphrag.index.workflows.create_final_text_units import create_final_text_units
from graphrag.index.workflows.finalize_graph import finalize_graph
from graphrag.index.utils.hashing import gen_sha512_hash

given = json.loads(sys.argv[2])
provider = ParquetTableProvider(FileStorage(base_dir=sys.argv[1]))

async def main():
    documents = pd.DataFrame(given["documents"])
    documents["id"] = [gen_sha512_hash(row, ["text"]) for row in given["documents"]]
    documents["human_readable_id"] = range(len(documents))
    documents["creation_date"], documents["raw_data"] = "2025-01-02 03:04:05 -0800", None
    units = [{"id": gen_sha512_hash({"chunk": text}, ["chunk"]), "text": text, "n_tokens": len(text.split()),
              "document_id": documents["id"][at]}
             for at, row in enumerate(given["documents"]) for text in given["units"][row["title"]]]
    unit = {text["text"]: text["id"] for text in units}
    def located(row):
        return {**row, "text_unit_ids": [unit[text] for text in row["units"]], "frequency": len(row["units"])}
    await provider.write_dataframe("documents", documents)
    await provider.write_dataframe("text_units", pd.DataFrame(units))
    for name in ("entities", "relationships"):
        await provider.write_dataframe(name, pd.DataFrame([located(row) for row in given[name]]).drop(columns=["units"]))
    opened = provider.open
    async with opened("entities", transformer=rows.transform_entity_row) as e, opened("relationships", transformer=rows.transform_relationship_row) as r:
        await finalize_graph(e, r)
    reader = DataReader(provider)
    async with opened("entities") as e, opened("communities") as c:
        await create_communities(c, e, await reader.relationships(), max_cluster_size=10, use_lcc=False, seed=7)
    async with opened("text_units", transformer=rows.transform_text_unit_row) as t, opened("entities", transformer=rows.transform_entity_row) as e, opened("relationships", transformer=rows.transform_relationship_row) as r, opened("text_units") as o:
        await create_final_text_units(t, e, r, o, None)
    async with opened("text_units", transformer=rows.transform_text_unit_row) as t, opened("documents", transformer=rows.transform_document_row) as d, opened("documents") as o:
        await create_final_documents(t, d, o)
    communities = await reader.communities()
    reports = pd.DataFrame([{"community": row["community"], "level": row["level"], "title": f"About {row['community']}",
        "summary": "What is told here.", "full_content": f"# About {row['community']}", "rank": 7.5,
        "rating_explanation": "It matters.", "findings": [{"summary": "A finding", "explanation": "Water caused it [Data: Sources (0)]."}],
        "full_content_json": "{}"} for _, row in communities.iterrows()])
    await provider.write_dataframe("community_reports", finalize_community_reports(reports, communities))
    print(json.dumps({"communities": len(communities), "entities": len(await reader.entities())}))

asyncio.run(main())
"""
TEXT = "Dr Snow lived in London. Contaminated water caused cholera. Farr agreed with Snow in the end. Farr lived in London."
UNITS = [TEXT[:60], TEXT[40:]]


def raw() -> dict[str, Any]:
    def entity(title: str, kind: str, *units: str) -> dict[str, Any]:
        return {"title": title, "type": kind, "description": f"{title} as told", "units": units}

    def edge(source: str, target: str, weight: float, *units: str) -> dict[str, Any]:
        return {
            "source": source,
            "target": target,
            "description": f"{source}, {target}",
            "weight": weight,
            "units": units,
        }

    return {
        "documents": [{"title": "snow.txt", "text": TEXT}],
        "units": {"snow.txt": UNITS},
        "entities": [
            entity("SNOW", "PERSON", *UNITS),
            entity("FARR", "PERSON", UNITS[1]),
            entity("LONDON", "GEO", *UNITS),
            entity("CHOLERA", "EVENT", UNITS[1]),
            entity("CONTAMINATED WATER", "CONCEPT", *UNITS),
        ],
        "relationships": [
            edge("CONTAMINATED WATER", "CHOLERA", 9.0, UNITS[1]),
            edge("SNOW", "LONDON", 8.0, *UNITS),
            edge("FARR", "SNOW", 5.0, UNITS[1]),
            edge("FARR", "LONDON", 2.0, UNITS[1]),
        ],
    }


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_what_they_write_opens_with_all_tools(kind: str, tmp_path: Path) -> None:
    import json

    given = raw()
    write = WRITE
    if kind == "csv":
        write = WRITE.replace("parquet_table_provider", "csv_table_provider").replace("Parquet", "CSV")
    made = graphrag("3", write, str(tmp_path / "output"), json.dumps(given))
    assert len(list((tmp_path / "output").glob(f"*.{kind}"))) == 6
    report = import_index(tmp_path, "theirs", outputs=tmp_path / "outputs")
    assert report.counts["entities"] == made["entities"] == 5
    assert report.counts["communities"] == made["communities"] >= 1
    assert [warning.code for warning in report.warnings] == ["missing_table"]  # no covariates were asked for
    index = api.open("theirs", tmp_path / "outputs")
    snow = index.graph.entity("SNOW")
    assert (
        index.documents[0].text[index.mentions[0].start : index.mentions[0].end] == index.mentions[0].surface
    )
    spots = [m.surface for m in index.mentions if index.entity_of(m.id) == snow.id]
    assert spots == ["Snow", "Snow"]
    (edge,) = [r for r in index.graph.relationships if r.description == "SNOW, LONDON"]
    assert (edge.weight, edge.n_evidence, len(edge.chunk_ids or ())) == (8.0, 2, 2)
    assert index.graph.reports[0].findings[0].text in TEXT
    found = api.call(
        "local_search", {"query": "What caused cholera?"}, index="theirs", outputs=tmp_path / "outputs"
    )
    assert found.success, found.error
    asked = api.ask("What caused cholera?", index="theirs", outputs=tmp_path / "outputs")
    assert "cholera" in asked.text.casefold()
