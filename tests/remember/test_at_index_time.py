"""Indexing again takes what was added by hand into the communities, and a study may bring it along."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from corpusgraph.flows import api
from corpusgraph.schemas.errors import MemoryFileError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.study import Study
from tests.conftest import write_corpus

BY_HAND = {"source_id": "William Farr", "target_id": "Henry Whitehead", "relation_type": "wrote_to"}


def study_of(home: Path, memory: str | None = None) -> Study:
    corpus = str(write_corpus(home / "corpus"))
    return Study.model_validate({"study": "tiny", "corpus": {"path": corpus}, "memory": memory})


def call(outputs: Path, name: str, **arguments: object) -> object:
    result = api.call(name, arguments, index="tiny", outputs=outputs)
    assert result.success, result.error
    return result.data


def add(outputs: Path) -> None:
    call(
        outputs,
        "create_entities",
        entities=[{"name": "Henry Whitehead", "entityType": "person", "observations": []}],
    )
    call(outputs, "add_entity_relationship", **BY_HAND)


def members(outputs: Path) -> set[str]:
    graph = api.open("tiny", outputs).graph
    return {graph.entity(id_).name for community in graph.communities for id_ in community.entity_ids}


def test_communities_know_of_it_once_the_corpus_is_indexed_again(tmp_path: Path) -> None:
    study, outputs = study_of(tmp_path), tmp_path / "outputs"
    api.index(study, outputs=outputs)
    assert api.index(study, outputs=outputs).up_to_date
    add(outputs)
    assert "Henry Whitehead" not in members(outputs)
    again = api.index(study, outputs=outputs)
    assert (again.up_to_date, again.n_extracted) == (False, 0)
    assert "Henry Whitehead" in members(outputs)
    assert api.index(study, outputs=outputs).up_to_date


def test_tables_for_graphrag_name_nothing_that_they_do_not_have(tmp_path: Path) -> None:
    study, outputs = study_of(tmp_path), tmp_path / "outputs"
    api.index(study, outputs=outputs)
    add(outputs)
    alone = [{"name": name, "entityType": "ship", "observations": [f"{name} sank"]} for name in ("Aa", "Bb")]
    call(outputs, "create_entities", entities=alone)
    call(outputs, "add_entity_relationship", source_id="Aa", target_id="Bb", relation_type="rammed")
    api.index(study, outputs=outputs)
    assert {"Henry Whitehead", "Aa", "Bb"} <= members(outputs)
    tables = {path.stem: pq.read_table(path).to_pylist() for path in (outputs / "tiny" / "output").iterdir()}
    ids = {name: {row["id"] for row in rows} for name, rows in tables.items()}
    for row in tables["communities"]:
        assert row["size"] == len(row["entity_ids"]) > 0
        assert set(row["entity_ids"]) <= ids["entities"]
        assert set(row["relationship_ids"]) <= ids["relationships"]
        assert set(row["text_unit_ids"]) <= ids["text_units"]
    numbers = {row["community"] for row in tables["communities"]}
    assert {child for row in tables["communities"] for child in row["children"]} <= numbers
    assert {row["parent"] for row in tables["communities"]} <= numbers | {-1}
    assert {row["community"] for row in tables["community_reports"]} <= numbers
    assert "chk_" not in str(tables["community_reports"])
    assert len(numbers) < len(api.open("tiny", outputs).graph.communities), "one is of nothing else"


def test_who_is_unmade_afterwards_is_in_no_community(tmp_path: Path) -> None:
    study, outputs = study_of(tmp_path), tmp_path / "outputs"
    api.index(study, outputs=outputs)
    add(outputs)
    api.index(study, outputs=outputs)
    call(outputs, "undo_change", change=1)
    assert Entity.make_id("Henry Whitehead", "person") not in {
        id_ for community in api.open("tiny", outputs).graph.communities for id_ in community.entity_ids
    }
    assert call(outputs, "community_by_entities", entities=["William Farr"])


def test_communities_know_who_was_split_off(tmp_path: Path) -> None:
    study, outputs = study_of(tmp_path), tmp_path / "outputs"
    api.index(study, outputs=outputs)
    opened = api.open("tiny", outputs)
    snow = opened.graph.entity("Dr. John Snow")
    first = next(m.document_id for m in opened.mentions if opened.entity_of(m.id) == snow.id)
    call(outputs, "split_entity", entity="Dr. John Snow", new_name="Snow the younger", documents=[first])
    split = api.open("tiny", outputs).graph.entity("Snow the younger")
    assert split.degree
    api.index(study, outputs=outputs)
    assert "Snow the younger" in members(outputs)


def test_a_study_brings_changes_to_an_index_that_has_none(tmp_path: Path) -> None:
    first = tmp_path / "first"
    api.index(study_of(tmp_path), outputs=first)
    add(first)
    kept = first / "tiny" / "memory.jsonl"
    second = tmp_path / "second"
    api.index(study_of(tmp_path, memory=str(kept)), outputs=second)
    assert "Henry Whitehead" in members(second)
    call(
        second, "add_observations", observations=[{"entityName": "Henry Whitehead", "contents": ["a curate"]}]
    )
    longer = (second / "tiny" / "memory.jsonl").read_bytes()
    assert longer.startswith(kept.read_bytes())
    api.index(study_of(tmp_path, memory=str(kept)), outputs=second, rebuild=True)
    assert (second / "tiny" / "memory.jsonl").read_bytes() == longer


def test_a_file_of_changes_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MemoryFileError, match=r"gone\.jsonl"):
        api.index(study_of(tmp_path, memory="gone.jsonl"), outputs=tmp_path / "outputs")
    assert not (tmp_path / "outputs" / "tiny").exists()
