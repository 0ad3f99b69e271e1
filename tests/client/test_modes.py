"""The shape of an answer is asked for as the server can take it."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.schemas.llm import Prompt
from tests.client.given import Mark, client, prompts
from tests.client.server import GOOD, Act, Server


def knows(*modes: str) -> Any:
    """Return the script of a server that takes only these ways."""

    def script(_n: int, body: Mapping[str, Any]) -> Act:
        asked = body.get("response_format", {}).get("type") or ("tool" if "tools" in body else "text")
        if asked not in modes:
            return Act(
                status=400, error=f"Unrecognized request argument: {asked} of response_format or tools"
            )
        return Act(tool=GOOD) if asked == "tool" else Act()

    return script


@pytest.mark.parametrize(
    ("modes", "found", "refused"),
    [
        (("json_schema",), "json_schema", 0),
        (("tool", "text"), "tool", 1),
        (("json_object", "text"), "json", 2),
        (("text",), "text", 3),
    ],
)
def test_auto_falls_back_once_and_remembers(
    modes: tuple[str, ...], found: str, refused: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with Server(knows(*modes)) as server, client(server, tmp_path, output="auto") as llm:
        assert llm.ask(prompts(1), Mark)[0].value == Mark(name="Snow", score=0.5)
        assert llm.mode == found
        assert len(server.calls) == refused + 1
        assert all(r.value for r in llm.ask(prompts(5, 1), Mark))
        assert len(server.calls) == refused + 6
        assert llm.usage[0].retried == 0
    assert len([r for r in caplog.records if "asking by" in r.message]) == refused


def test_requests_side_by_side_fall_back_together(tmp_path: Path) -> None:
    with Server(knows("tool")) as server, client(server, tmp_path, output="auto") as llm:
        assert all(r.value for r in llm.ask(prompts(20), Mark))
        assert llm.mode == "tool"


def test_a_prompt_that_is_too_long_is_not_taken_for_a_shape_refused(tmp_path: Path) -> None:
    error = "This model's maximum context length is 9 tokens: 5 in the messages, 9 in the functions."
    with Server(Act(status=400, error=error)) as server, client(server, tmp_path, output="auto") as llm:
        assert llm.ask(prompts(1), Mark)[0].code == "bad_request"
        assert (llm.mode, len(server.calls)) == ("json_schema", 1)


def test_half_a_character_is_sent_as_a_question_mark(tmp_path: Path) -> None:
    with Server() as server, client(server, tmp_path) as llm:
        assert llm.ask([Prompt(system="s", user="a\ud800b")], Mark)[0].value
        assert server.calls[0].messages[1]["content"] == "a?b"


def test_a_way_that_is_set_is_kept_to(tmp_path: Path) -> None:
    with Server(knows("text")) as server, client(server, tmp_path, output="json_schema") as llm:
        [reply] = llm.ask(prompts(1), Mark)
        assert reply.code == "bad_request"
        assert len(server.calls) == 1


def test_what_is_sent(tmp_path: Path) -> None:
    options: dict[str, Any] = {"seed": 7, "temperature": 0.5, "max_tokens": 99, "extra_body": {"top_k": 3}}
    with Server() as server, client(server, tmp_path, **options) as llm:
        llm.ask(prompts(1), Mark)
        body = server.calls[0].body
    assert server.calls[0].path == "/v1/chat/completions"
    assert {k: body[k] for k in ("model", "seed", "temperature", "max_tokens", "top_k")} == {
        "model": "m",
        "seed": 7,
        "temperature": 0.5,
        "max_tokens": 99,
        "top_k": 3,
    }
    wanted = body["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["schema"]["required"] == ["name", "score"]
    assert wanted["schema"]["additionalProperties"] is False
    assert body["messages"] == [
        {"role": "system", "content": "Score the name."},
        {"role": "user", "content": "Name number 0"},
    ]


def test_without_a_schema_on_the_server_it_stands_in_the_prompt(tmp_path: Path) -> None:
    with Server() as server, client(server, tmp_path, output="json", temperature=None) as llm:
        llm.ask(prompts(1), Mark)
        body = server.calls[0].body
    assert body["response_format"] == {"type": "json_object"}
    assert '"score"' in body["messages"][0]["content"]
    assert "temperature" not in body
    assert "seed" not in body


def test_azure_and_openai_are_asked_their_own_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "k1")
    with Server() as server:
        root = server.base_url.removesuffix("/v1")
        azure: dict[str, Any] = {"provider": "azure", "api_version": "2024-10-21", "api_key_env": "SOME_KEY"}
        with client(root, tmp_path, **azure) as llm:
            assert llm.ask(prompts(1), Mark)[0].value
        with client(server, tmp_path, provider="openai", api_key_env="SOME_KEY") as llm:
            assert llm.ask(prompts(1), Mark)[0].value
    first, second = server.calls
    assert first.path == "/openai/deployments/m/chat/completions?api-version=2024-10-21"
    assert {k.lower(): v for k, v in first.headers.items()}["api-key"] == "k1"
    assert {k.lower(): v for k, v in second.headers.items()}["authorization"] == "Bearer k1"
    assert second.body["max_completion_tokens"] == 4096
