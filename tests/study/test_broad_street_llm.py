"""The sample texts with an ontology: what reading them by a model would cost, and that it keeps to the types."""

import json
from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.estimate import estimate_index
from corpusgraph.flows.studies import load_study
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import RelationshipKind, Study
from tests.faults.server import FaultServer
from tests.modelruns.corpus import asked, write_profile

FILE = Path(__file__).resolve().parents[2] / "configs" / "studies" / "broad_street_llm.yml"


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study(FILE)[0]


def test_it_has_types_with_attributes_and_ends(study: Study) -> None:
    ontology = study.index.llm.ontology
    assert ontology.strict
    assert ontology.entities["person"].attributes["side"].values == ("air", "water", "undecided")
    assert {k.type for kind in ontology.entities.values() for k in kind.attributes.values()} == {
        "text",
        "number",
        "date",
        "boolean",
    }
    assert ontology.relationships["causes"].is_causal


@pytest.mark.faults
def test_an_estimate_asks_nothing_and_the_run_asks_as_many_chunks(study: Study, tmp_path: Path) -> None:
    with FaultServer() as server:
        settings = Settings(outputs=tmp_path / "out", profile=write_profile(tmp_path, server))
        estimate = estimate_index(study, FILE.parent, settings=settings)
        assert server.calls == []
        extract = estimate.stages[0]
        assert extract.exact
        assert estimate.cost
        made = api.index(FILE, outputs=settings.outputs, profile=settings.profile)
        lines = (tmp_path / "out" / study.study / "failures.jsonl").read_text(encoding="utf-8").splitlines()
        divided = [json.loads(line)["code"] for line in lines].count("asked_in_parts")
        assert extract.calls == made.counts["chunks"]
        assert asked(server).count("extract") == extract.calls + 2 * divided  # a reply was cut at its limit
        told = sum(call.prompt_tokens for call in server.calls if call.kind == "extract")
        assert extract.prompt_tokens == pytest.approx(told, rel=0.2)
    assert made.n_failures == 0
    assert_is_kept_to(study, tmp_path / "out")


def assert_is_kept_to(study: Study, outputs: Path) -> None:
    """Check types and ends of the graph against the ontology, and that the ledger has what is outside."""
    ontology = study.index.llm.ontology
    opened = api.open(study.study, outputs)
    graph = opened.graph
    types = {entity.id: entity.type for entity in graph.entities}
    read = {mention.type for mention in opened.mentions if mention.extractor.startswith("llm")}
    assert len(read) > 2
    assert read <= set(ontology.entities)
    assert graph.relationships
    for relationship in graph.relationships:
        kind = ontology.relationships[relationship.type.removeprefix("not_")]
        assert may_join(kind, types[relationship.source_id], types[relationship.target_id])
    lines = (outputs / study.study / "failures.jsonl").read_text(encoding="utf-8").splitlines()
    assert "outside_ontology" in {json.loads(line)["code"] for line in lines}


def may_join(kind: RelationshipKind, source: str | None, target: str | None) -> bool:
    """Tell whether a relationship may lead from one type to the other."""
    return (not kind.source or source in kind.source) and (not kind.target or target in kind.target)
