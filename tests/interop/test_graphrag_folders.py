"""Folders of GraphRAG as people have them: runs, updates, parts, JSON, and files of two versions together."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpusgraph.flows.interop.graphrag_read import best_sentence, graphrag_parcel, sentences_of
from corpusgraph.flows.interop.parcel import Parcel
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.text.sentences import sentence_spans
from tests.interop.shapes import TEXT, Rows, half, three, write

PARTS = ("documents", "chunks", "entities", "relationships", "communities", "reports", "claims")


def same(found: Parcel, wanted: Parcel) -> None:
    for part in PARTS:
        assert getattr(found, part) == getattr(wanted, part), part


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> Parcel:
    return graphrag_parcel(write(tmp_path_factory.mktemp("wanted"), three()))[0]


def _json(folder: Path, rows: Rows, *, ending: str, lines: bool) -> None:
    folder.mkdir(parents=True)
    for name, table in rows.items():
        pd.DataFrame(table).to_json(
            folder / f"{name}.{ending}", orient="records", lines=lines, force_ascii=False
        )


@pytest.mark.parametrize(("ending", "lines"), [("json", True), ("json", False), ("jsonl", True)])
def test_tables_as_json_say_what_parquet_says(
    ending: str, lines: bool, wanted: Parcel, tmp_path: Path
) -> None:
    _json(tmp_path / "output", three(), ending=ending, lines=lines)
    found, notes = graphrag_parcel(tmp_path)
    assert notes.found == {}
    same(found, wanted)


@pytest.mark.parametrize("text", ['{"id": 1}\n[2]', '{"id": ', "[" * 5000], ids=["list", "torn", "deep"])
def test_json_that_is_no_table_is_told(text: str, tmp_path: Path) -> None:
    _json(tmp_path / "output", three(), ending="json", lines=True)
    (tmp_path / "output" / "text_units.json").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"text_units\.json cannot be read") as caught:
        graphrag_parcel(tmp_path)
    assert caught.value.code == "table_unreadable"


def test_a_table_may_be_a_folder_of_parts(wanted: Parcel, tmp_path: Path) -> None:
    for name, table in three().items():
        home = tmp_path / "output" / f"{name}.parquet"
        home.mkdir(parents=True)
        (home / "_SUCCESS").touch()
        for place, row in enumerate(table):
            kept = {key: value for key, value in row.items() if value not in (None, [])}
            pq.write_table(pa.Table.from_pylist([kept]), home / f"part-{place:05}.parquet")
    found, notes = graphrag_parcel(tmp_path)
    assert notes.found == {}
    same(found, wanted)


def _large(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_list(kind):
        return pa.large_list(_large(kind.value_type))
    return pa.large_string() if pa.types.is_string(kind) else kind


def _encoded(table: pa.Table) -> pa.Table:
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            table = table.set_column(place, field.name, table.column(place).dictionary_encode())
    return table


@pytest.mark.parametrize("how", ["polars", "categories", "view"])
def test_columns_may_be_of_any_of_arrows_types(how: str, wanted: Parcel, tmp_path: Path) -> None:
    def shaped(table: pa.Table) -> pa.Table:
        if how == "categories":
            return _encoded(table)
        kinds = [
            (f.name, pa.string_view() if how == "view" and pa.types.is_string(f.type) else _large(f.type))
            for f in table.schema
        ]
        return table.cast(pa.schema(kinds))

    for name, table in three().items():
        pq.write_table(shaped(pa.Table.from_pylist(table)), tmp_path / f"{name}.parquet")
    found, notes = graphrag_parcel(tmp_path)
    assert notes.found == {}
    same(found, wanted)


@pytest.mark.parametrize("kind", [int, float])
def test_ids_may_be_numbers(kind: Callable[[str], float], tmp_path: Path) -> None:
    """A column of numbers with a gap is one of floats in pandas."""
    rows = three()
    lists = {"text_unit_ids", "entity_ids", "relationship_ids"}
    for table in rows.values():
        for row in table:
            for key in {"id", "document_id", "text_unit_id"} & set(row):
                row[key] = kind(row[key].split("-")[1])
            for key in lists & set(row):
                row[key] = [int(one.split("-")[1]) for one in row[key]]
    parcel, notes = graphrag_parcel(write(tmp_path, rows))
    assert notes.found == {}
    assert {m["surface"] for m in parcel.mentions} >= {"Snow", "cholera", "Contaminated water"}
    assert [len(one.entity_ids) for one in parcel.communities or ()] == [5, 3, 2]


def test_the_only_folder_below_is_taken_and_of_several_none(tmp_path: Path, wanted: Parcel) -> None:
    write(tmp_path / "blob" / "store" / "latest", three())
    same(graphrag_parcel(tmp_path)[0], wanted)
    update = tmp_path / "project" / "update_output" / "20250101-010101"
    for name in ("delta", "previous"):
        write(update / name, three())
    with pytest.raises(InvalidInputError) as caught:
        graphrag_parcel(tmp_path / "project")
    assert caught.value.code == "not_an_index"
    assert "update_output/20250101-010101/delta, update_output/20250101-010101/previous" in (
        caught.value.hint or ""
    )
    write(tmp_path / "project" / "output", three())  # what both became
    same(graphrag_parcel(tmp_path / "project")[0], wanted)


def test_the_newest_run_that_finished_counts(tmp_path: Path) -> None:
    for run in ("20240101-010101", "20250101-010101"):
        write(tmp_path / "output" / run / "artifacts", half())
    (tmp_path / "output" / "20260101-010101" / "artifacts").mkdir(parents=True)
    newest = tmp_path / "output" / "20250101-010101" / "artifacts" / "create_final_entities.parquet"
    rows = [row for row in half()["create_final_entities"] if row["title"] != "LONDON"]
    pq.write_table(pa.Table.from_pylist(rows), newest)
    parcel, notes = graphrag_parcel(tmp_path)
    assert notes.found["missing_entity"] == ["LONDON"]
    assert len(parcel.entities) == 5


def test_tables_that_an_upgrade_left_behind_are_left_out(wanted: Parcel, tmp_path: Path) -> None:
    older = half()
    older["create_final_nodes"].append({**older["create_final_nodes"][0], "community": 99, "level": 0})
    write(write(tmp_path, older), three())
    found, notes = graphrag_parcel(tmp_path)
    (told,) = notes.warnings()
    assert sorted(told.records) == sorted(notes.found.pop("older_table"))
    assert sorted(told.records) == sorted(f"{name}.parquet" for name in older)
    assert notes.found == {}
    same(found, wanted)


@pytest.mark.parametrize("table", ["documents", "text_units", "entities", "relationships", "communities"])
def test_rows_of_one_id_are_all_accounted_for(table: str, wanted: Parcel, tmp_path: Path) -> None:
    rows = three()
    first = rows[table][0]
    rows[table] += [dict(first), {**first, "period": "later", "human_readable_id": 77, "community": 77}]
    n = len(rows[table])
    found, notes = graphrag_parcel(write(tmp_path, rows))
    assert notes.found["duplicate_row"] == [f"{table}, row {n - 1}: {first['id']}"]
    assert notes.found["duplicate_id"] == [f"{table}, row {n}: {first['id']}"]
    part = "chunks" if table == "text_units" else table
    assert len(getattr(found, part)) == len(getattr(wanted, part)) + 1
    assert "unknown_reference" not in notes.found


def test_many_findings_on_one_long_text_do_not_read_it_again_each() -> None:
    """80 reports on 1.3 MB of a repeated text took 44 s: each finding met each sentence."""
    text = (TEXT + " ") * 40
    spans = sentence_spans(text)
    for said in ({"water", "cholera"}, {"farr", "snow", "london"}, {"nothing"}, set[str]()):

        def shared(span: tuple[int, int], said: set[str] = said) -> tuple[int, int]:
            words = {word.strip(".").casefold() for word in text[slice(*span)].split()}
            return len(said & words), -span[0]

        assert best_sentence(text, " ".join(said)) == max(spans, key=shared)
    assert len(sentences_of(text)) == 3  # not a hundred and twenty
