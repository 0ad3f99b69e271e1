"""The notebook door: plain strings for paths, named errors for bad arguments, nothing raised by `call`."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest

import corpusgraph as cg
from corpusgraph.flows.api import settings
from corpusgraph.flows.studies import folder_study
from corpusgraph.schemas.errors import InvalidInputError
from tests.conftest import write_corpus


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus that was indexed with `outputs` as a string."""
    folder = tmp_path_factory.mktemp("door")
    write_corpus(folder / "corpus")
    cg.index(str(folder / "corpus"), outputs=str(folder / "out"))
    return folder


def test_outputs_may_be_a_string_everywhere(home: Path) -> None:
    out = str(home / "out")
    opened = cg.open("corpus", out)
    assert opened.manifest.counts["documents"] == 3
    assert "London" in cg.ask("Where did John Snow live?", index="corpus", outputs=out).text
    found = cg.tools.chunk_vdb_search(query="cholera", top_k=1, index="corpus", outputs=out)
    assert len(found) == 1
    called = cg.call("chunk_vdb_search", {"query": "cholera", "top_k": 1}, index="corpus", outputs=out)
    assert called.success
    assert called.data[0].item == found[0].item


@pytest.mark.parametrize(
    ("more", "says"),
    [({"wrokers": 2}, "Did you mean 'workers'"), ({"workers": 0}, "workers"), ({"name": "a/b"}, "study")],
)
def test_a_bad_argument_of_index_is_a_named_error(home: Path, more: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        cg.index(home / "corpus", outputs=home / "unused", **more)
    assert not (home / "unused").exists()


def test_a_bad_number_of_passages_is_a_named_error(home: Path) -> None:
    with pytest.raises(InvalidInputError, match="top_k"):
        cg.ask("Who?", index="corpus", outputs=home / "out", top_k=0)


def test_a_bad_environment_is_a_named_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUSGRAPH_WORKERS", "many")
    with pytest.raises(InvalidInputError, match="CORPUSGRAPH_WORKERS is 'many'"):
        settings.__globals__["Settings"].from_environment()


@pytest.mark.parametrize("given", [[1, 2], "text", 3])
def test_call_never_raises_for_arguments_that_are_no_mapping(given: Any) -> None:
    result = cg.call("entity_ppr_rank", given)
    assert not result.success
    assert result.error is not None
    assert result.error.code == "invalid_input"


def test_call_never_raises_for_a_name_that_is_no_text() -> None:
    result = cg.call(None, {})  # type: ignore[arg-type]
    assert result.error is not None
    assert result.error.code == "unknown_tool"


def test_folders_named_in_other_scripts_get_names_of_their_own() -> None:
    names = {folder_study(Path(name)).study for name in ("史料", "档案", "thư mục", "docs")}
    assert len(names) == 4
    assert "docs" in names
    decomposed = unicodedata.normalize("NFD", "thư mục")
    assert folder_study(Path(decomposed)).study in names


def test_the_door_lists_what_it_offers() -> None:
    assert set(dir(cg)) == set(cg.__all__)


def test_a_failed_call_has_a_request_id() -> None:
    assert cg.call("entity_vbd_search").request_id


def test_the_door_runs_inline_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="inline"):
        cg.index(tmp_path, engine="prefect")


def test_an_empty_question_is_a_named_error(home: Path) -> None:
    with pytest.raises(InvalidInputError, match="empty"):
        cg.ask("  ", index="corpus", outputs=str(home / "out"))


def test_entities_of_an_index_say_that_they_have_vectors(home: Path) -> None:
    opened = cg.open("corpus", home / "out")
    assert all(e.has_embedding for e in opened.graph.entities)
