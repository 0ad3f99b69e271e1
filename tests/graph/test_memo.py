"""What is remembered stays small."""

from corpusgraph.tasks.graph.compiled import Latest


def test_the_oldest_entries_go_when_there_are_too_many() -> None:
    kept: dict[int, int] = Latest(8)
    for number in range(100):
        kept[number] = -number
        assert len(kept) <= 8
        assert kept[number] == -number
    assert list(kept) == list(range(100 - len(kept), 100))
