"""An archive holds what was added to an index by hand, and gives the same results with it."""

import zipfile
from pathlib import Path

import pytest

import corpusgraph as cg
from corpusgraph.flows import api
from corpusgraph.schemas.run import ReplicationReport
from tests.conftest import write_corpus

STUDY = """study: small
corpus: {path: corpus}
datasets:
  - name: who
    unit: entity
    kind: descriptive
    variables: [{name: neighbours, measure: degree}]
    formats: [r]
"""
BY_HAND = {"source_id": "William Farr", "target_id": "Dr. John Snow", "relation_type": "corresponded_with"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "corpus")
    (tmp_path / "small.yml").write_text(STUDY)
    api.run(tmp_path / "small.yml", outputs=tmp_path / "outputs")
    added = api.call("add_entity_relationship", BY_HAND, index="small", outputs=tmp_path / "outputs")
    assert added.success, added.error
    return tmp_path


def test_what_was_added_by_hand_is_in_the_archive_and_in_its_results(home: Path) -> None:
    study, outputs, archive = home / "small.yml", home / "outputs", home / "small.zip"
    before = (outputs / "small/datasets/who/r/data.csv").read_bytes()
    api.run(study, outputs=outputs)
    after = (outputs / "small/datasets/who/r/data.csv").read_bytes()
    assert after != before
    packed: ReplicationReport = cg.replicate(study, outputs=outputs, to=archive)
    assert (packed.same, packed.differences) == (True, ())
    with zipfile.ZipFile(archive) as held:
        journal = [name for name in held.namelist() if name.endswith("memory.jsonl")]
        assert [held.read(name) for name in journal] == [(outputs / "small/memory.jsonl").read_bytes()]
        told = [name for name in held.namelist() if name.endswith("who/r/data.csv")]
        assert [held.read(name) for name in told] == [after]
    checked: ReplicationReport = cg.replicate(archive, check=True)
    assert (checked.same, checked.differences) == (True, ())
