"""Profiles: found by name or file, and told what is wrong with them."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from corpusgraph.flows.cli.main import main
from corpusgraph.flows.llm.client import open_client
from corpusgraph.flows.llm.profiles import all_profiles, base_url, load_profile
from corpusgraph.schemas.errors import (
    InvalidInputError,
    MissingResourceError,
    ProfileFileError,
    UnknownProfileError,
)
from tests.client.given import profile
from tests.client.server import Act, Server


def test_the_profiles_of_the_package() -> None:
    found = {p.profile: p for p in all_profiles()}
    assert set(found) == {"azure", "compatible", "ollama", "openai", "vllm"}
    assert all(p.about and load_profile(name) == p for name, p in found.items())
    assert all(p.llm.max_tokens < p.llm.context_tokens for p in found.values())
    assert {n for n, p in found.items() if p.llm.price} == {"ollama", "vllm"}


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text("llm: {model: m, base_url: http://h/v1}\nlimits: {concurrency: 3}\n")
    found = load_profile("mine.yml", tmp_path)
    assert (found.profile, found.llm.model, found.limits.concurrency) == ("mine", "m", 3)
    assert load_profile(str(tmp_path / "mine.yml")) == found


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("llm:\n  model: m\n  base_ulr: x\n", ":3: unknown key 'llm.base_ulr'", "'base_url'"),
        ("llm:\n  model: m\n  api_key: sk-1\n", ":3: unknown key 'llm.api_key'", "api_key_env"),
        ("llm: {model: m, base_url: x}\nlimit: {}\n", ":2: unknown key 'limit'", "'limits'"),
        ("llm:\n  model: m\n", ":1: llm: provider compatible needs base_url", None),
        ("llm:\n  provider: opnai\n  model: m\n", ":2: llm.provider cannot be 'opnai'", "'openai'"),
        ("llm: {model: m, base_url: x}\nlimits:\n  timeout: -1\n", ":3: limits.timeout: ", None),
        ("llm: 3\n", ":1: llm is no mapping of keys", "model"),
        ("- a\n", ":1: a profile is a mapping", "llm"),
        ("", ":1: the file is empty", "llm"),
        ("llm: [\n", "not YAML", None),
        ("about: x\n", "the key 'llm' is missing", None),
        ("llm: {model: '', base_url: x}\n", "llm.model: string should have at least 1 character", None),
    ],
)
def test_what_is_wrong_is_told_with_line_and_nearest_key(
    text: str, told: str, hint: str | None, tmp_path: Path
) -> None:
    (tmp_path / "bad.yml").write_text(text)
    with pytest.raises(ProfileFileError) as error:
        load_profile("bad.yml", tmp_path)
    assert "bad.yml" in error.value.message
    assert told in error.value.message
    assert hint is None or hint in str(error.value.hint)
    assert "sk-1" not in str(error.value)


def test_unknown_names_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(UnknownProfileError, match="Did you mean 'ollama'"):
        load_profile("olama")
    with pytest.raises(ProfileFileError, match="No profile at"):
        load_profile("none.yml", tmp_path)


def test_the_environment_fills_in_address_and_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = profile("http://${SOME_HOST}:8000/v1", api_key_env="SOME_KEY")
    monkeypatch.setenv("SOME_HOST", "h")
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(MissingResourceError, match="SOME_KEY is not set"):
        open_client(one, tmp_path)
    monkeypatch.setenv("SOME_KEY", "k")
    monkeypatch.delenv("SOME_HOST")
    with pytest.raises(MissingResourceError, match="SOME_HOST is not set"):
        open_client(one, tmp_path)
    assert open_client(one, tmp_path, needs_key=False).fingerprint
    monkeypatch.setenv("SOME_HOST", "h")
    assert base_url(one) == "http://h:8000/v1"
    assert open_client(one, tmp_path).name == "m"


def test_azure_needs_a_version(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no api_version"):
        open_client(profile("https://x", provider="azure"), tmp_path)
    open_client(profile("https://x/openai/v1", provider="azure"), tmp_path)


Told = tuple[int, str, str]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    def run(*arguments: str) -> Told:
        monkeypatch.setattr(sys, "argv", ["corpusgraph", "profile", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return int(str(stop.value.code)), out, err

    return run


def test_the_commands(told: Callable[..., Told]) -> None:
    code, out, _ = told("list")
    assert (code, len(out.splitlines())) == (0, 5)
    assert {p["profile"] for p in json.loads(told("list", "--json")[1])} >= {"openai", "ollama"}
    assert told("show", "vllm")[1].startswith("# vLLM")
    assert json.loads(told("show", "vllm", "--json")[1])["llm"]["seed"] == 0
    code, _, err = told("show", "vlm")
    assert (code, "Did you mean 'vllm'" in err) == (2, True)


def test_check_makes_one_call_and_tells_how_it_went(told: Callable[..., Told], tmp_path: Path) -> None:
    file = tmp_path / "p.yml"
    with Server(Act('{"word": "snow", "letters": 4}')) as server:
        file.write_text(f"llm: {{model: m, base_url: '{server.base_url}', price: {{input: 1, output: 2}}}}")
        code, out, _ = told("check", str(file), "--outputs", str(tmp_path))
        assert code == 0
        assert "shape asked for by: json_schema" in out
        assert "$1 in, $2 out" in out
        assert "no reply of this model" in out
        found = json.loads(told("check", str(file), "--json")[1])
        assert (found["success"], found["mode"], found["price"]) == (
            True,
            "json_schema",
            {"input": 1, "output": 2},
        )
        assert len(server.calls) == 2
    with Server(Act(status=401, error="no such key")) as server:
        file.write_text(f"llm: {{model: m, base_url: '{server.base_url}'}}")
        code, _, err = told("check", str(file))
        assert (code, "HTTP 401: no such key" in err) == (1, True)
        found = json.loads(told("check", str(file), "--json")[1])
        assert (found["success"], found["code"], found["price"]) == (False, "unauthorized", None)
    assert not (tmp_path / ".llm").exists()
