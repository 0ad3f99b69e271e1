"""An index of texts that state one thing, suppose another and deny a third."""

from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.files.manifest import DATABASE, read_manifest, write_manifest
from corpusgraph.flows.store.lance import open_table
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.evidence import Assertion, Event
from corpusgraph.schemas.graph import Relationship
from corpusgraph.tasks.extract.offline import OfflineExtractor

TEXTS = {
    "a.txt": "Contaminated water caused cholera in 1854.",
    "b.txt": "Contaminated water caused cholera. Foul air caused fever.",
    "c.txt": "Bad smells did not cause cholera.",
}
SUPPOSED = {"Contaminated water caused cholera.", "Foul air caused fever."}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    extract = OfflineExtractor.extract

    def supposing(self: OfflineExtractor, *given: Any) -> Any:
        found = extract(self, *given)
        return found.model_copy(
            update={
                "assertions": tuple(
                    one.model_copy(update={"modality": "hypothetical", "speaker": "Snow", "cue_start": 19})
                    if one.description in SUPPOSED
                    else one
                    for one in found.assertions
                ),
                "events": tuple(one.model_copy(update={"approximate": True}) for one in found.events),
            }
        )

    monkeypatch.setattr(OfflineExtractor, "extract", supposing)
    (tmp_path / "corpus").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "corpus" / name).write_text(text, encoding="utf-8")
    api.index(tmp_path / "corpus", outputs=tmp_path / "outputs")
    return tmp_path / "outputs"


def edges(index: OpenIndex) -> dict[tuple[str, str, str], Relationship]:
    names = {entity.id: entity.name.casefold() for entity in index.graph.entities}
    return {(names[r.source_id], r.type, names[r.target_id]): r for r in index.graph.relationships}


def causes(index: OpenIndex) -> list[Assertion]:
    return [one for one in index.assertions if one.type == "causes"]


def test_what_is_supposed_is_kept_as_evidence_of_nothing(home: Path) -> None:
    index = api.open("corpus", home)
    found = edges(index)
    water = found["contaminated water", "causes", "cholera"]
    assert (water.n_evidence, (water.attributes or {})["n_hypothetical"]) == (1, 1)
    assert water.chunk_ids is not None
    assert len(water.chunk_ids) == 1
    assert not any("fever" in ends for ends in found if ends[1] == "causes")
    assert {r.type for r in found.values() if not r.is_stated} == {"not_causes"}
    supposed = [one for one in causes(index) if one.modality == "hypothetical"]
    assert {(one.speaker, one.cue_start) for one in supposed} == {("Snow", 19)}
    assert {index.relationship_of(one.id) for one in supposed} == {water.id, None}
    stating = {id_ for chunk in index.graph.chunks for id_ in chunk.relationships or ()}
    assert stating == {r.id for r in found.values()}


def test_an_index_from_before_reads_with_what_it_says_as_facts(home: Path) -> None:
    folder = home / "corpus"
    manifest = read_manifest(folder)
    assert manifest is not None
    tables = dict(manifest.tables)
    of_then = {"assertions": Assertion, "events": Event}
    new = {
        "assertions": [
            *("modality", "speaker", "doubtful", "cue_start", "cue_end"),
            *("source_start", "source_end", "target_start", "target_end"),
        ],
        "events": ["approximate", "roles"],
    }
    before = api.open("corpus", home)
    n_assertions, events = len(before.assertions), before.events
    for name in of_then:
        table = open_table(folder / DATABASE, tables[name])
        table.checkout_latest()
        table.drop_columns(new[name])
        tables[name] = tables[name].model_copy(update={"version": table.version})
    write_manifest(folder, manifest.model_copy(update={"tables": tables}))
    for array in (folder / "compiled").glob("*/denied.npy"):
        array.unlink()
    index = api.open("corpus", home)
    assert len(index.assertions) == n_assertions
    assert {(one.modality, one.speaker, one.cue_start) for one in index.assertions} == {("fact", None, None)}
    assert [(one.timestamp, one.approximate, one.roles) for one in index.events] == [
        (one.timestamp, False, {}) for one in events
    ]
    water = edges(index)["contaminated water", "causes", "cholera"]
    asked = {"source_entities": ["bad smells"], "target_entities": ["contaminated water"]}
    assert water.is_stated
    assert api.call("shortest_paths", asked, index="corpus", outputs=home).data == []
