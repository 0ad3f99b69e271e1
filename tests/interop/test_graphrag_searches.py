"""graphrag 3.3 makes its vectors for our export and answers by all its searches, of an index with a history."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.api import call
from corpusgraph.flows.interop.sources import export_graphrag, import_index
from corpusgraph.schemas.study import Study
from tests.conftest import write_corpus
from tests.interop.endpoint import SIZE, endpoint
from tests.interop.oracle import graphrag
from tests.interop.shapes import three, write

pytestmark = [pytest.mark.external, pytest.mark.timeout(600)]

# As docs/interop.md tells: their one step that makes vectors, then the searches of their command line.
SEARCH = """
import asyncio, json, sys
from pathlib import Path
import pandas as pd
from graphrag import api
from graphrag.config.load_config import load_config
import graphrag_vectors, lancedb

root = Path(sys.argv[1])
config = load_config(root)
made = asyncio.run(api.build_index(config))
failed = [str(one.error) for one in made if one.error is not None]
names = "entities relationships communities community_reports text_units covariates".split()
def tables(*wanted):
    return {name: pd.read_parquet(root / "output" / f"{name}.parquet") for name in wanted}
asked = {"config": config, "query": "What caused cholera, and who kept bees?", "response_type": "a line"}
async def searches():
    found = {}
    for dynamic in (False, True):
        for level in (0, 1, 2, None):
            key = f"global {level} {dynamic}"
            found[key] = await api.global_search(**asked, **tables("entities", "communities", "community_reports"),
                community_level=level, dynamic_community_selection=dynamic)
    found["local"] = await api.local_search(**asked, **tables(*names), community_level=2)
    found["bare"] = await api.local_search(**asked, **tables(*names[:5]), covariates=None, community_level=0)
    found["drift"] = await api.drift_search(**asked, **tables(*names[:5]), community_level=2)
    found["basic"] = await api.basic_search(**asked, **tables("text_units"))
    return found
def size(context):
    if isinstance(context, dict):
        return {key: size(value) for key, value in context.items()}
    return len(context)
found = asyncio.run(searches())
base = lancedb.connect(root / "output" / "lancedb")
stored = {name: sorted(base.open_table(name).to_pandas()["id"]) for name in base.table_names()}
local = found["local"][1]
print(json.dumps({
    "failed": failed, "stored": stored,
    "said": {key: bool(answer) for key, (answer, _) in found.items()},
    "sizes": {key: size(context) for key, (_, context) in found.items()},
    "local": {key: sorted(frame["id"].astype(str)) for key, frame in local.items()},
    "global": {key: sorted(context["reports"]["id"].astype(str)) for key, (_, context) in found.items()
               if key.startswith("global")},
}, default=str))
"""


def settings(address: str) -> dict[str, Any]:
    """Return settings.yaml, which JSON is too."""
    model = {"model_provider": "openai", "api_key": "none", "api_base": address}
    return {
        "completion_models": {"default_completion_model": {**model, "model": "gpt-4o"}},
        "embedding_models": {"default_embedding_model": {**model, "model": "text-embedding-3-small"}},
        "workflows": ["generate_text_embeddings"],
        "vector_store": {"type": "lancedb", "db_uri": "output/lancedb", "vector_size": SIZE},
        "drift_search": {"n_depth": 1, "drift_k_followups": 1, "primer_folds": 1},
    }


def with_history(home: Path) -> Path:
    """Index twice, and add, delete, rename and relate by hand between and after."""
    study = Study.model_validate({"study": "old", "corpus": {"path": str(write_corpus(home / "corpus"))}})
    outputs = home / "outputs"
    api.index(study, outputs=outputs)
    people = [
        {"name": name, "entityType": "person", "observations": [f"{name} kept bees."]}
        for name in ("Ann", "Bob")
    ]
    steps: list[tuple[str, dict[str, Any]]] = [
        (
            "create_entities",
            {"entities": [*people, {"name": "Nil", "entityType": "thing", "observations": []}]},
        ),
        ("add_entity_relationship", {"source_id": "Ann", "target_id": "Nil", "relation_type": "knows"}),
        ("delete_entities", {"entityNames": ["Bob"]}),
    ]
    for tool, asked in steps:
        assert call(tool, asked, "old", outputs).success, tool
    (home / "corpus" / "more.txt").write_text("Ann Smith met William Farr in London.", encoding="utf-8")
    (home / "corpus" / "board.md").unlink()
    api.index(study, outputs=outputs)
    assert call("rename_entity", {"entity": "Nil", "name": "Hive"}, "old", outputs).success
    return outputs


def with_levels(home: Path) -> Path:
    """Open an index of two levels of communities: one without a report, an entity without a description."""
    rows = three()
    rows["entities"][1]["description"] = None
    for row in rows["community_reports"]:
        row["summary"] += " Cholera came of water."
    import_index(write(home / "in", rows), "old", outputs=home / "outputs")
    return home / "outputs"


@pytest.mark.parametrize("made", [with_history, with_levels])
def test_all_searches_of_3_3_answer_from_an_export(made: Callable[[Path], Path], tmp_path: Path) -> None:
    outputs = made(tmp_path)
    index = api.open("old", outputs)
    export_graphrag("old", tmp_path / "theirs" / "output", outputs=outputs)
    with endpoint() as address:
        (tmp_path / "theirs" / "settings.yaml").write_text(json.dumps(settings(address)), encoding="utf-8")
        found = graphrag("3", SEARCH, str(tmp_path / "theirs"))
    assert found["failed"] == []
    assert found["stored"]["entity_description"] == sorted(entity.id for entity in index.graph.entities)
    assert found["stored"]["text_unit_text"] == sorted(chunk.id for chunk in index.graph.chunks)
    assert len(found["stored"]["community_full_content"]) == len(index.graph.reports)
    assert all(found["said"].values()), found["said"]
    local = {"reports", "relationships", "claims", "entities", "sources"}
    assert set(found["local"]) == local
    assert all(found["local"][part] for part in local)
    assert found["sizes"]["basic"]["sources"] == len(index.graph.chunks)
    assert found["sizes"]["drift"]["sources"] >= 1
    if made is with_levels:
        # Dynamic selection goes from the community that is relevant to the child that has a report.
        wanted = {
            "0 False": ["0"],
            "1 False": ["0", "2"],
            "0 True": ["0"],
            "1 True": ["2"],
            "None True": ["2"],
        }
        assert {key: found["global"][f"global {key}"] for key in wanted} == wanted
    else:
        assert all(len(one) == len(index.graph.reports) for one in found["global"].values())
        names = {entity.name for entity in index.graph.entities}
        assert {"Ann", "Hive", "Ann Smith"} <= names
        assert not {"Bob", "Nil"} & names
