"""How far a call is: what tools tell of it, what of that a client hears, and how it ends when it is dropped."""

import asyncio
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from corpusgraph.flows import api
from corpusgraph.flows.llm.client import Background
from corpusgraph.flows.mcp import threads as progress
from corpusgraph.flows.mcp.threads import Steps
from corpusgraph.flows.store.journal import Journal
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.errors import CallCancelledError
from corpusgraph.schemas.memory import CreateEntity
from corpusgraph.tasks.progress import counted, heard, step
from corpusgraph.tasks.registry import TOOLS, load
from tests.contract.examples import EXAMPLES
from tests.contract.graphs import resources, rich
from tests.mcp.calls import copied
from tests.mcp.serving import ERAS, served
from tests.mcp.slow import PATIENCE, Slow, offer

load()
Told = list[tuple[float, float | None, str | None]]
LONG = (
    "graph_centrality",
    "detect_communities",
    "identify_topics",
    "hybrid_search",
    "extract_all_relationships",
    "entity_similarity_link",
    "entity_query_link",
)
"""Tools that take long on a large graph, and so tell of their steps on a small one too."""
WRITERS = [tool.name for tool in TOOLS.values() if tool.effect != "reads"]


MADE = CreateEntity(id="ent_new", name="Ada Lovelace", type="person")
AT = "2026-01-01T00:00:00Z"


class Heard:
    """Hears steps; the one of a number is the last."""

    def __init__(self, last: int | None = None) -> None:
        self.told: list[tuple[str, int, int | None]] = []
        self._last = last

    def advance(self, what: str, done: int, total: int | None) -> None:
        """Keep a step."""
        self.told.append((what, done, total))
        if len(self.told) == self._last:
            raise CallCancelledError("dropped")


def test_a_loop_tells_of_blocks_of_items() -> None:
    heard_of = Heard()
    with heard(heard_of):
        assert list(counted("abcde", "letters", every=2)) == list("abcde")
        assert list(counted(iter("ab"), "others")) == ["a", "b"]
        step("end")
    letters = [("letters", done, 5) for done in (0, 2, 4)]
    assert heard_of.told == [*letters, ("others", 0, None), ("end", 0, None)]


def test_nobody_is_told_where_nobody_listens() -> None:
    heard_of = Heard()
    with heard(heard_of), heard(None):
        step("alone")
        items = counted([1, 2], "items")
        assert type(items) is type(iter([])), "the loop is over the list itself"
    assert not heard_of.told


@pytest.mark.parametrize("name", LONG)
def test_tools_that_take_long_take_steps_and_find_the_same(name: str) -> None:
    alone = TOOLS[name].run(EXAMPLES[name], resources(rich()))
    heard_of = Heard()
    with heard(heard_of):
        told = TOOLS[name].run(EXAMPLES[name], resources(rich()))
    assert heard_of.told
    assert told == alone


def endings(name: str) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Yield the ports of a call that was dropped at its first step, its second … and whether it was."""
    for last in range(1, 1000):
        ports, heard_of = resources(rich()), Heard(last)
        with heard(heard_of):
            result = TOOLS[name].call(EXAMPLES[name], ports)
        dropped = len(heard_of.told) == last
        assert (result.error.code if result.error else None) == ("cancelled" if dropped else None)
        yield ports, dropped
        if not dropped:
            return


@pytest.mark.parametrize("name", WRITERS)
def test_a_change_is_made_whole_or_not_at_all_at_whichever_step_it_is_dropped(name: str) -> None:
    before = len(resources(rich())["memory"].changes())
    for ports, dropped in endings(name):
        if dropped:
            assert len(ports["memory"].changes()) == before, "it writes after its last step"


async def _told(work: Any) -> Told:
    told: Told = []

    async def report(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    steps = Steps(report)
    async with steps.told():
        await asyncio.to_thread(work, steps)
    return told


def only_up(told: Told) -> bool:
    return all(one[0] < other[0] for one, other in pairwise(told))


def test_many_steps_are_few_notifications_and_the_last_is_told() -> None:
    def work(steps: Steps) -> None:
        for done in range(50_000):
            steps.advance("nodes", done, 50_000)

    told = asyncio.run(_told(work))
    assert len(told) < 40, "some a second"
    assert only_up(told)
    assert told[-2] == (49_999, 50_000, "nodes: 49,999 of 50,000")
    assert told[-1] == (50_000, 50_000, "done")


def test_a_sender_that_is_told_something_as_it_is_ended_ends() -> None:
    async def run() -> None:
        async def report(*_: Any) -> None:
            pass

        for turns in range(6):
            steps = Steps(report)
            sender = asyncio.create_task(steps.send())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            steps.advance("pages", 1, 2)
            for _ in range(turns):  # at one of them the news are there, and the sender is not awake yet
                await asyncio.sleep(0)
            sender.cancel()
            done, _ = await asyncio.wait([sender], timeout=PATIENCE)
            assert done

    asyncio.run(run())


def test_numbers_go_up_from_one_work_to_the_next_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    turns = [
        ("a", 0, 10),
        ("b", 0, None),
        ("b", 7, None),
        ("a", 1, 10),
        ("b", 2, None),
        ("c", 4, 3),
        ("a", 10, 10),
    ]

    def work(steps: Steps) -> None:
        for one in turns:
            steps.advance(*one)
            gate.wait(PATIENCE)
            gate.clear()

    gate, told = threading.Event(), []

    async def run() -> None:
        async def report(*one: Any) -> None:
            told.append(one)
            gate.set()

        steps = Steps(report)
        sender = asyncio.create_task(steps.send())
        await asyncio.to_thread(work, steps)
        sender.cancel()

    asyncio.run(run())
    assert only_up(told)
    assert [done for done, _, _ in told] == [1, 2, 7, 8, 10, 14, 23]
    assert [total for _, total, _ in told] == [10, None, None, 17, None, 14, 23]


@pytest.mark.parametrize("era", ERAS)
def test_a_client_hears_steps_with_their_total_and_nothing_after_the_answer(
    home: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: Told = []
    enough = threading.Event()

    def work(_ask: Slow) -> str:
        step("pages", 3, 8)
        enough.wait(PATIENCE)
        step("pages", 5, 8)
        return "read"

    async def listener(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))
        if message == "pages: 3 of 8":
            enough.set()

    async def call(client: Client) -> int:
        await client.call_tool("slow", {}, progress_callback=listener)
        answered = len(told)
        await asyncio.sleep(0.3)
        return answered

    offer(monkeypatch, work)
    answered = served(home, call, era, groups=("slow",))
    assert told == [(0, None, "begun"), (3, 8, "pages: 3 of 8"), (5, 8, "pages: 5 of 8"), (6, 6, "done")]
    assert answered == len(told)


def test_a_dropped_call_ends_at_its_next_step_and_its_thread_is_free(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def work(_ask: Slow) -> str:
        try:
            while True:
                step("round")
                ended.wait(0.005)
        finally:
            ended.set()

    async def call(client: Client) -> Any:
        found = await client.call_tool("slow", {})
        assert await asyncio.to_thread(ended.wait, PATIENCE), "the thread works on"
        return found

    offer(monkeypatch, work)
    told = served(home, call, seconds=0.2, groups=("slow",)).structured_content
    assert told["error"]["code"] == "time_limit"


SEARCHED: dict[str, dict[str, Any]] = {
    "graph_centrality": {"measures": ["betweenness", "closeness", "eigenvector", "hubs"]},
    "hybrid_search": {"query": "What caused cholera?"},
    "identify_topics": {},
    "extract_all_relationships": {},
    "get_graph_statistics": {},
}


def found(outputs: Path, *, dropped: bool) -> dict[str, Any]:
    """Return what tools find on an index; `dropped`: after calls that were dropped, in each at many a step."""
    answers, drops = {}, 0
    for name, given in SEARCHED.items():
        last = 1 if dropped else 10**9
        while True:
            heard_of = Heard(last)
            with heard(heard_of):
                result = api.call(name, given, index="tiny", outputs=outputs)
            if result.error is None:
                break
            assert result.error.code == "cancelled"
            drops, last = drops + 1, last + 1 + last // 4
        answers[name] = result.model_dump(exclude={"request_id", "execution_time_ms"})
    assert (drops > 10) == dropped
    return answers


def test_an_index_is_as_good_after_calls_that_were_dropped(tiny: tuple[Path, str], tmp_path: Path) -> None:
    one, other = copied(tiny, tmp_path / "one"), copied(tiny, tmp_path / "other")
    assert found(one, dropped=True) == found(other, dropped=False)
    assert len((one / "tiny" / "memory.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_an_index_is_as_good_after_its_opening_was_dropped(tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs = copied(tiny, tmp_path)
    shutil.rmtree(outputs / "tiny" / "compiled")  # so that the graph is made from tables
    store = IndexStore(outputs)
    store.open_corpus("tiny").memory.record([MADE], by="create_entities", request_id="", at=AT)

    def read(opened: OpenIndex) -> tuple[list[str], int, int, int]:
        changes, _ = Journal(opened.folder / "memory.jsonl").read_from()
        names = [entity.name for entity in opened.graph.entities]
        return names, len(opened.mentions), len(opened.documents), len(changes)

    whole = read(store.open_corpus("tiny"))
    for last in range(1, 100, 3):
        opened, heard_of = store.open_corpus("tiny"), Heard(last)
        with suppress(CallCancelledError), heard(heard_of):
            assert read(opened) == whole
        if len(heard_of.told) != last:
            break
        assert read(opened) == whole
    told = {what for what, *_ in heard_of.told}
    assert {"changes read", "stretches of entities read", "stretches of mentions read"} <= told


def test_what_a_memory_does_is_never_cut(tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs = copied(tiny, tmp_path)
    with heard(Heard(1)):
        for number in range(1, 4):
            memory = api.open("tiny", outputs).memory
            if number > 1:
                memory.undo(number - 1, by="undo_change", request_id="", at=AT)
            else:
                memory.record([MADE], by="create_entities", request_id="", at=AT)
            assert len(memory.changes()) == number
            assert bool(memory.undone()) == (number > 1)
    assert api.open("tiny", outputs).graph.entity("Ada Lovelace").id == "ent_new"


def test_a_prompt_that_is_waited_for_is_given_up_with_its_call() -> None:
    ended = threading.Event()

    async def unanswered() -> None:
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            ended.set()

    async def close() -> None:
        pass

    background = Background(close)
    with pytest.raises(CallCancelledError), heard(Heard(1)):
        background.run(unanswered)
    assert ended.wait(PATIENCE)
    background.close()
