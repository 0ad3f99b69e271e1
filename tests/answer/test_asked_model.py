"""The model that answers: no call before it is asked, closed afterwards, in a hurry where somebody waits."""

from pathlib import Path

import pytest

from corpusgraph.flows.language import hurried, language_model, stop_warning
from corpusgraph.flows.ports import IndexResources
from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.llm import Limits, ModelOptions, Profile
from corpusgraph.schemas.settings import Settings
from tests.llm.fake import FakeModel

LLM = ModelOptions(model="m", base_url="http://127.0.0.1:9/v1")


def test_nothing_is_opened_that_is_not_asked(tmp_path: Path) -> None:
    with language_model(Settings(outputs=tmp_path), Profile(profile="p", llm=LLM)) as model:
        assert model is not None
        assert model.stopped is None
    assert list(tmp_path.iterdir()) == []


def test_without_a_profile_there_is_no_model(tmp_path: Path) -> None:
    with language_model(Settings(outputs=tmp_path)) as llm:
        assert llm is None


def test_a_key_that_is_not_set_is_an_error_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    path = tmp_path / "p.yml"
    path.write_text(
        "profile: p\nllm: {model: m, base_url: 'http://127.0.0.1:9/v1', api_key_env: NO_SUCH_KEY}\n",
        encoding="utf-8",
    )
    with (
        pytest.raises(MissingResourceError, match="NO_SUCH_KEY"),
        language_model(Settings(profile=str(path))),
    ):
        pass


def test_in_a_hurry_limits_are_never_raised() -> None:
    patient = hurried(Profile(profile="p", llm=LLM)).limits
    assert patient.attempts >= patient.breaker + 3, "one call tries until the breaker gives the endpoint up"
    assert patient.max_wait < Limits().max_wait
    small = Limits(attempts=1, max_wait=0.1, breaker=1, cool_down=0.1)
    assert hurried(Profile(profile="p", llm=LLM, limits=small)).limits == small


@pytest.mark.parametrize("stopped", ["budget_exhausted", "unreachable", "unauthorized"])
def test_why_a_model_is_not_asked_any_more_is_told(stopped: str) -> None:
    model = FakeModel({})
    assert stop_warning(model) == ()
    model.stopped = stopped  # type: ignore[attr-defined]
    assert [warning.code for warning in stop_warning(model)] == [stopped]


def test_the_port_is_there_only_with_a_model() -> None:
    without = IndexResources(None)  # type: ignore[arg-type]
    assert "llm" not in list(without)
    assert without.get("llm") is None
    model = FakeModel({})
    given = IndexResources(None, llm=model)  # type: ignore[arg-type]
    assert given["llm"] is model
    assert len(given) == len(without) + 1 == len(list(given))
