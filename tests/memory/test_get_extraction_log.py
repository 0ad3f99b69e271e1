"""The extraction log."""

from tests.memory.conftest import AT, World


def test_lines_come_last_first_with_what_was_found(empty: World) -> None:
    empty.make(("Redis", "x", "uses Postgres"), ("Postgres", "x"))
    empty.json("extract_entity_relationships", entity_id="Redis")
    empty.json("extract_entity_relationships", entity_id="Postgres")
    data = empty.json("get_extraction_log")
    assert [(line["id"], line["entity_name"], line["relationships_found"]) for line in data["log"]] == [
        (2, "Postgres", 0),
        (1, "Redis", 1),
    ]
    assert (data["total"], data["log"][0]["extracted_at"], data["log"][0]["change"]) == (2, AT, 3)


def test_of_one_entity_also_after_it_was_merged(empty: World) -> None:
    empty.make(("A1", "x", "uses B2"), ("B2", "x"), ("C3", "x"))
    empty.json("extract_all_relationships")
    assert [line["entity_name"] for line in empty.json("get_extraction_log", entity_id="A1")["log"]] == ["A1"]
    empty.json("merge_entities", sources=["A1"], into="C3")
    assert empty.json("get_extraction_log", entity_id="C3")["total"] == 2


def test_the_limit_keeps_the_last(empty: World) -> None:
    empty.make(*((f"N{i}", "x") for i in range(5)))
    empty.json("extract_all_relationships")
    data = empty.json("get_extraction_log", limit=2)
    assert ([line["id"] for line in data["log"]], data["total"]) == ([5, 4], 5)


def test_of_an_entity_that_is_gone_the_line_stays(empty: World) -> None:
    empty.make(("A1", "x"))
    empty.json("extract_entity_relationships", entity_id="A1")
    empty.json("delete_entities", entityNames=["A1"])
    (line,) = empty.json("get_extraction_log")["log"]
    assert (line["entity_name"], line["entity_id"]) == ("A1", None)
