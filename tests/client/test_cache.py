"""What was paid for once is not paid for again: across runs, processes, crashes and equal prompts."""

import json
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows.llm.client import open_client
from corpusgraph.schemas.llm import Price, Prompt
from tests.client.given import KEY, VARIABLE, Mark, client, profile, prompts
from tests.client.server import Act, Server


def files(outputs: Path) -> list[Path]:
    return sorted((outputs / ".llm").rglob("*.z"))


def test_a_second_run_makes_no_call(tmp_path: Path) -> None:
    with Server() as server:
        with client(server, tmp_path) as llm:
            first = llm.ask(prompts(5), Mark)
        with client(server, tmp_path) as llm:
            assert llm.cached(prompts(7), Mark) == [True] * 5 + [False] * 2
            second = llm.ask(prompts(5), Mark)
            assert (llm.usage[0].calls, llm.usage[0].reused, llm.usage[0].cost) == (0, 5, 0.0)
        assert len(server.calls) == 5
    assert [r.value for r in second] == [r.value for r in first]
    assert all(r.cached and r.usage.calls == 0 for r in second)


def test_where_the_endpoint_is_and_how_hard_it_is_pressed_does_not_matter(tmp_path: Path) -> None:
    with Server() as one, client(one, tmp_path) as llm:
        llm.ask(prompts(1), Mark)
        print_ = llm.fingerprint
    with Server() as two:
        with client(two, tmp_path, {"concurrency": 1}, price=Price(input=9, output=9)) as llm:
            assert llm.fingerprint == print_
            assert llm.ask(prompts(1), Mark)[0].cached
        assert not two.calls


@pytest.mark.parametrize(
    "other",
    [{"model": "n"}, {"temperature": 0.7}, {"seed": 1}, {"max_tokens": 9}, {"extra_body": {"top_k": 1}}],
)
def test_what_decides_a_reply_is_part_of_its_name(other: dict[str, Any], tmp_path: Path) -> None:
    with Server() as server:
        with client(server, tmp_path) as llm:
            llm.ask(prompts(1), Mark)
            print_ = llm.fingerprint
        with client(server, tmp_path, **other) as llm:
            assert llm.fingerprint != print_
            assert llm.cached(prompts(1), Mark) == [False]


def test_prompt_and_schema_are_part_of_the_name(tmp_path: Path) -> None:
    class Other(Mark):
        why: str = ""

    with Server() as server, client(server, tmp_path) as llm:
        llm.ask([Prompt(system="ab", user="c")], Mark)
        assert llm.cached([Prompt(system="a", user="bc"), Prompt(system="ab", user="c")], Mark) == [
            False,
            True,
        ]
        assert llm.cached([Prompt(system="ab", user="c")], Other) == [False]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda _data: b"",
        lambda _data: b"garbage",
        lambda _data: zlib.compress(b"{}"),
        lambda _data: zlib.compress(b"not json"),
        lambda data: zlib.compress(zlib.decompress(data).replace(b"0.5", b"7.5")),
    ],
)
def test_a_damaged_file_is_asked_for_again(damage, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    with Server() as server, client(server, tmp_path) as llm:
        llm.ask(prompts(1), Mark)
        [file] = files(tmp_path)
        file.write_bytes(damage(file.read_bytes()))
        [reply] = llm.ask(prompts(1), Mark)
        assert (reply.value, reply.cached) == (Mark(name="Snow", score=0.5), False)
        assert llm.ask(prompts(1), Mark)[0].cached
        assert len(server.calls) == 2


def test_a_reply_that_is_not_accepted_any_more_is_asked_for_anew(tmp_path: Path) -> None:
    with Server(lambda n, _body: Act() if n == 0 else Act('{"name": "Stark", "score": 1}')) as server:
        with client(server, tmp_path) as llm:
            llm.ask(prompts(1), Mark)
            [reply] = llm.ask(prompts(1), Mark, lambda _n, v: "no" if v.name == "Snow" else None)
            assert reply.value == Mark(name="Stark", score=1)
            assert llm.ask(prompts(1), Mark)[0].value == reply.value
        assert len(server.calls) == 2


def test_replies_are_kept_the_moment_they_arrive(tmp_path: Path) -> None:
    """The seventh request never ends; what came before it is there."""
    hold = threading.Event()

    def script(n: int, _body: object) -> Act:
        if n == 6:
            hold.wait(5)
        return Act()

    with Server(script) as server, client(server, tmp_path, {"concurrency": 1}) as llm:
        thread = threading.Thread(target=lambda: llm.ask(prompts(7), Mark))
        thread.start()
        while len(server.calls) < 7:
            thread.join(0.01)
        assert len(files(tmp_path)) == 6
        hold.set()
        thread.join()


def test_equal_prompts_are_one_call(tmp_path: Path) -> None:
    with Server(Act(delay=0.05)) as server, client(server, tmp_path) as llm:
        replies = llm.ask(prompts(1) * 10, Mark)
        assert all(r.value for r in replies)
        assert sum(r.cached for r in replies) == 9
        with ThreadPoolExecutor(6) as pool:
            done = list(pool.map(lambda _n: llm.ask(prompts(3, 1), Mark), range(6)))
        assert all(r.value for reply in done for r in reply)
        assert len(server.calls) == 4


def test_equal_prompts_fail_together_with_one_call(tmp_path: Path) -> None:
    with Server(Act(status=400, delay=0.05)) as server, client(server, tmp_path) as llm:
        assert {r.code for r in llm.ask(prompts(1) * 5, Mark)} == {"bad_request"}
        assert len(server.calls) == 1


def test_the_key_is_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    caplog.set_level("DEBUG", "corpusgraph")

    def script(n: int, _body: object) -> Act:
        return (
            Act() if n % 2 else Act(status=401 if n > 3 else 400, error=f"Incorrect API key provided: {KEY}")
        )

    with Server(script) as server, client(server, tmp_path, {"concurrency": 1}, api_key_env=VARIABLE) as llm:
        replies = llm.ask(prompts(9), Mark)
        assert {r.code for r in replies} == {None, "bad_request", "unauthorized"}
        told = " ".join(r.error or "" for r in replies) + repr(llm.usage) + llm.name + llm.fingerprint
        sent = {k.lower(): v for k, v in server.calls[0].headers.items()}
    assert sent["authorization"] == f"Bearer {KEY}"
    assert KEY not in told
    assert KEY not in caplog.text
    for file in files(tmp_path):
        assert KEY.encode() not in file.read_bytes() + zlib.decompress(file.read_bytes())


SCRIPT = """
import sys
from pathlib import Path
from typing import Any
from corpusgraph.flows.llm.client import open_client
from corpusgraph.flows.llm.client import ResponseCache
from tests.client.given import Mark, client, prompts
llm = client("http://127.0.0.1:9/v1", Path(sys.argv[1]))
heavy = {"openai", "pydantic_ai", "httpx", "httpx2", "genai_prices", "prefect", "lancedb"}
print(sorted(heavy & set(sys.modules)))
print([r.cached for r in llm.ask(prompts(3), Mark)], llm.usage[0].reused)
print(sorted(heavy & set(sys.modules)))
"""


def test_another_process_that_needs_no_call_loads_no_library(tmp_path: Path) -> None:
    with Server() as server, client(server, tmp_path) as llm:
        llm.ask(prompts(3), Mark)
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", "[True, True, True] 3", "[]"]


def test_a_file_says_what_the_model_said(tmp_path: Path) -> None:
    with Server() as server, client(server, tmp_path, model="org/model:7b") as llm:
        llm.ask(prompts(1), Mark)
    [file] = files(tmp_path)
    assert file.parent.parent.name == "org_model_7b"
    kept = json.loads(zlib.decompress(file.read_bytes()))
    assert kept == {
        "text": Act().content,
        "answer": "Mark",
        "characters": len("Score the name.Name number 0"),
        "prompt_tokens": 100,
        "completion_tokens": 20,
    }


def test_profiles_that_differ_in_nothing_that_matters_share_a_fingerprint(tmp_path: Path) -> None:
    one = open_client(profile("http://a/v1", {"concurrency": 3}), tmp_path)
    two = open_client(profile("http://b/v1", {"attempts": 1}, output="text"), tmp_path)
    assert one.fingerprint == two.fingerprint
