"""Tables of GraphRAG as people have them: other columns, other types of cells, rows that do not fit."""

import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from corpusgraph.flows.interop.graphrag_read import graphrag_parcel
from corpusgraph.flows.interop.parcel import Parcel
from corpusgraph.flows.interop.sources import import_index
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from tests.interop.shapes import Rows, three, write

Noted = dict[str, list[str]]


def read(tmp_path: Path, rows: Rows) -> tuple[Parcel, Noted]:
    parcel, notes = graphrag_parcel(write(tmp_path, rows))
    return parcel, notes.found


def each(rows: list[JsonDict], **cells: Any) -> None:
    for row in rows:
        row.update(cells)


def test_reports_whose_communities_are_missing_are_made_with_them(tmp_path: Path) -> None:
    rows = three()
    del rows["communities"]
    parcel, noted = read(tmp_path, rows)
    assert parcel.communities is None  # none are known, so that they are found
    assert parcel.reports is None
    assert noted["communities_made"] == ["communities", "community_reports"]


def test_a_community_without_entities_has_those_of_its_relationships(tmp_path: Path) -> None:
    rows = three()
    for row in rows["communities"]:
        del row["entity_ids"]
    parcel, noted = read(tmp_path, rows)
    names = {entity.id: entity.name for entity in parcel.entities}
    members = {one.short_id: {names[id_] for id_ in one.entity_ids} for one in parcel.communities or ()}
    assert members[2] == {"CONTAMINATED WATER", "CHOLERA"}
    assert len(members[0]) == 5
    assert len(noted["value_repaired"]) == 3


def test_nothing_is_above_itself(tmp_path: Path) -> None:
    rows = three()
    rows["communities"][0]["parent"] = 1  # which says that 0 is its parent
    parcel, noted = read(tmp_path, rows)
    above = {one.short_id: one.parent_id for one in parcel.communities or ()}
    ids = {one.short_id: one.id for one in parcel.communities or ()}
    assert above == {0: None, 1: ids[0], 2: ids[0]}
    assert len(noted["unknown_reference"]) == 1


def test_columns_called_like_fields_of_ours_are_kept_beside_them(tmp_path: Path) -> None:
    rows = three()
    each(rows["communities"], keywords="k", rating="high", members="m", parent_id=7)
    parcel, _ = read(tmp_path, rows)
    found = (parcel.communities or [])[0]
    assert len(found.entity_ids) > 0
    assert found.model_extra is not None
    kept = {key: value for key, value in found.model_extra.items() if key.startswith("graphrag_")}
    assert kept.pop("graphrag_id")
    assert kept == {"graphrag_keywords": "k", "graphrag_rating": "high", "graphrag_parent_id": 7}


def test_cells_that_no_json_holds_are_left_out(tmp_path: Path) -> None:
    rows = three()
    more = {
        "blob": b"\xff",
        "score": float("inf"),
        "near": {"by": [float("nan"), 1.5]},
        "__index_level_0__": 4,
    }
    each(rows["entities"], **more)
    parcel, _ = read(tmp_path, rows)
    snow = next(entity for entity in parcel.entities if entity.name == "SNOW")
    assert snow.attributes == {"graphrag_id": "e-0", "colour": "blue", "near": {"by": [None, 1.5]}}


@pytest.mark.parametrize("kind", [str, Decimal])
def test_numbers_may_be_texts_or_decimals(kind: Any, tmp_path: Path) -> None:
    rows = three()
    for row in rows["relationships"]:
        row["weight"] = kind(str(row["weight"]))
    for row in rows["community_reports"]:
        row["rank"] = kind(str(row["rank"]))
    parcel, noted = read(tmp_path, rows)
    assert [edge.weight for edge in parcel.relationships] == [18.0, 8.0, 5.0]
    assert {report.rating for report in parcel.reports or ()} == {8.5}
    assert "value_repaired" not in noted


def test_names_are_the_same_however_their_letters_are_composed(tmp_path: Path) -> None:
    rows = three()
    for entity in rows["entities"]:
        entity["title"] = entity["title"].replace("SNOW", unicodedata.normalize("NFD", "SNÖW"))
    for edge in rows["relationships"]:
        for end in ("source", "target"):
            edge[end] = edge[end].replace("SNOW", "SNÖW")
    parcel, noted = read(tmp_path, rows)
    assert len(parcel.entities) == 5
    assert "missing_entity" not in noted


def test_relationships_without_an_end_are_left_out(tmp_path: Path) -> None:
    rows = three()
    rows["relationships"][0]["source"] = None
    parcel, noted = read(tmp_path, rows)
    assert len(parcel.relationships) == 2
    assert not {"None", "NONE"} & {entity.name for entity in parcel.entities}
    assert noted["broken_row"] == ["relationships, row 1: None -> CHOLERA"]


def test_a_document_that_lists_its_units_is_their_home(tmp_path: Path) -> None:
    rows = three()
    each(rows["text_units"], document_id=None)
    parcel, noted = read(tmp_path, rows)
    assert len(parcel.documents) == 1
    assert "elsewhere_in_document" not in noted


def test_rows_that_occur_again_are_told_for_what_becomes_of_them(tmp_path: Path) -> None:
    rows = three()
    rows["covariates"] = [{**rows["covariates"][0], "id": None}] * 2 + [rows["covariates"][0]] * 2
    rows["community_reports"].append(rows["community_reports"][0])
    rows["relationships"].append({**rows["relationships"][0], "id": "r-5"})
    parcel, noted = read(tmp_path, rows)
    assert len(parcel.claims) == 3
    assert noted["duplicate_row"] == ["report of community 0", "claim v-0"]
    assert noted["duplicate_edge"] == ["CONTAMINATED WATER -> CHOLERA"]
    assert len(parcel.relationships) == 4


def test_many_documents_are_read_in_one_pass(tmp_path: Path) -> None:
    """Each document looked for among all took time that grew with their square."""
    rows = three()
    document, unit = rows["documents"][0], rows["text_units"][0]
    looked = 0

    class Watched(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            nonlocal looked
            looked += key == "text_unit_ids"
            return super().get(key, default)

    from corpusgraph.flows.interop.graphrag_files import Tables
    from corpusgraph.flows.interop.graphrag_read import Reader

    tables = Tables(tmp_path)
    tables.rows["documents"] = [
        Watched({**document, "id": f"d{n}", "text_unit_ids": [f"u{n}"]}) for n in range(60)
    ]
    tables.rows["text_units"] = [
        {**unit, "id": f"{kind}{n}", "document_id": f"d{n}"} for n in range(60) for kind in "uv"
    ]
    assert len(Reader(tables, Parcel("graphrag", "x")).texts()) == 120
    assert looked == 60


def test_what_is_told_of_a_damaged_table_has_a_hint(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", three())
    (folder / "communities.parquet").write_bytes(b"PAR1")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for wrong in (folder, folder / "entities.parquet", tmp_path / "nowhere"):
        with pytest.raises(InvalidInputError) as caught:
            import_index(wrong, "x", outputs=tmp_path / "outputs")
        assert caught.value.hint
        assert ".." not in caught.value.message
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_index_of_a_frame_is_no_attribute(tmp_path: Path) -> None:
    folder = write(tmp_path, three())
    frame = pd.read_parquet(folder / "entities.parquet")
    frame.index = pd.Index([7, 3, 9, 1, 5])
    frame.to_parquet(folder / "entities.parquet")
    parcel, _ = graphrag_parcel(folder)
    assert {key for entity in parcel.entities for key in entity.attributes or ()} == {"graphrag_id", "colour"}
