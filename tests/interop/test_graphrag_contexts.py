"""The real package's search code over our export: DRIFT and basic search of 3, local and global of 1 and 0.5."""

from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.interop.graphrag_write import Version
from corpusgraph.flows.interop.sources import export_graphrag
from tests.interop.oracle import graphrag
from tests.interop.test_graphrag_package import READ, READ_OLD, TOKENIZERS

pytestmark = [pytest.mark.external, pytest.mark.timeout(600)]

# A store that holds ids stands in for LanceDB, and an embedder of one vector for a paid one: neither is ours.
STORE = """
class Store:
    def __init__(self, ids): self.ids = ids
    def similarity_search_by_text(self, text, text_embedder, k=10, **_): return [hit(one) for one in self.ids[:k]]

def hit(id_):
    from types import SimpleNamespace
    return SimpleNamespace(document=SimpleNamespace(id=id_, vector=[0.1, 0.2]), score=0.9)

class Embedder:
    def embedding(self, **_):
        from types import SimpleNamespace
        return SimpleNamespace(first_embedding=[0.1, 0.2], embeddings=[[0.1, 0.2]])
"""
SEARCHES = f"""{READ.rsplit("print(", 1)[0]}{STORE}
from graphrag.config.models.drift_search_config import DRIFTSearchConfig
from graphrag.query.structured_search.basic_search.basic_context import BasicSearchContext
from graphrag.query.structured_search.drift_search.drift_context import DRIFTSearchContextBuilder

basic = BasicSearchContext(text_embedder=Embedder(), text_unit_embeddings=Store([unit.id for unit in units]),
                           text_units=units, tokenizer=Words()).build_context(query="cholera")
for report in reports:
    report.full_content_embedding = [0.1, 0.2]
drift = DRIFTSearchContextBuilder(
    model=None, config=DRIFTSearchConfig(), text_embedder=Embedder(), entities=entities,
    entity_text_embeddings=Store([entity.id for entity in entities]), text_units=units, reports=reports,
    relationships=relationships, covariates={{"claims": claims}}, tokenizer=Words())
frame = drift.convert_reports_to_df(reports)
follow = drift.local_mixed_context.build_context(query="Who?", top_k_mapped_entities=5, max_context_tokens=4000)
print(json.dumps({{
    "basic": {{key: len(rows) for key, rows in basic.context_records.items()}},
    "primer": len(frame), "empty": int((frame["full_content"].str.len() == 0).sum()),
    "follow": {{key: len(rows) for key, rows in follow.context_records.items()}},
}}))
"""
OLDER = f"""{READ_OLD.rsplit("print(", 1)[0]}
import asyncio, inspect, re
from graphrag.query.structured_search.global_search.community_context import GlobalCommunityContext
from graphrag.query.structured_search.local_search.mixed_context import LocalSearchMixedContext

class Words:
    def encode(self, text, **_): return re.findall(r"\\w+|\\W", text)
    def decode(self, tokens): return "".join(tokens)

entities = adapters.read_indexer_entities(nodes.copy(), tables["entities"], None)
communities = adapters.read_indexer_communities(tables["communities"], nodes.copy(), tables["community_reports"])
reports = adapters.read_indexer_reports(tables["community_reports"].copy(), nodes.copy(), None, True)
claims = adapters.read_indexer_covariates(tables["covariates"])
local = LocalSearchMixedContext(
    entities=entities, entity_text_embeddings=None, text_embedder=None,
    text_units=adapters.read_indexer_text_units(tables["text_units"]), community_reports=reports,
    relationships=adapters.read_indexer_relationships(tables["relationships"]),
    covariates={{"claims": claims}}, token_encoder=Words())
found = local.build_context(query="", top_k_mapped_entities=5, max_tokens=4000, include_community_rank=True,
                            include_relationship_weight=True)
wide = GlobalCommunityContext(community_reports=reports, communities=communities, entities=entities,
                              token_encoder=Words()).build_context(query="x", include_community_rank=True)
wide = asyncio.run(wide) if inspect.isawaitable(wide) else wide
print(json.dumps({{
    "local": {{key: len(rows) for key, rows in found.context_records.items()}},
    "global": sum(len(rows) for rows in wide.context_records.values()),
}}))
"""


def test_drift_and_basic_search_have_their_contexts(tiny: tuple[Path, str], tmp_path: Path) -> None:
    export_graphrag(tiny[1], tmp_path, version="3", outputs=tiny[0])
    graph = api.open(tiny[1], tiny[0]).graph
    found = graphrag("3", SEARCHES.replace("TOKENIZER", TOKENIZERS["3"]), str(tmp_path))
    assert 1 <= found["basic"]["sources"] <= len(graph.chunks)
    assert 1 <= found["primer"] <= len(graph.reports)
    assert found["empty"] == 0
    assert {"entities", "relationships", "reports", "sources"} <= set(found["follow"])
    assert min(found["follow"].values()) >= 1


@pytest.mark.parametrize("version", ["1", "0.5"])
def test_older_versions_have_their_contexts(version: Version, tiny: tuple[Path, str], tmp_path: Path) -> None:
    export_graphrag(tiny[1], tmp_path, version=version, outputs=tiny[0])
    found = graphrag(version, OLDER, str(tmp_path))
    # 0.5 looks reports up by the numbers of communities and keeps them by their own ids: it finds none, here as there.
    expected = {"entities", "relationships", "sources"} | ({"reports"} if version == "1" else set())
    assert expected <= set(found["local"])
    assert all(found["local"][name] >= 1 for name in expected)
    assert found["global"] >= 1
