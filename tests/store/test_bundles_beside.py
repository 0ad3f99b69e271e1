"""A bundle below outputs: it has a manifest.json as an index has, and is none."""

from pathlib import Path

import pytest

from corpusgraph.flows.api import open as open_index
from corpusgraph.flows.cli.indexes import show_status, status_of
from corpusgraph.flows.datasets import write_bundle
from corpusgraph.flows.files.manifest import forget_damaged_manifest, is_index
from corpusgraph.flows.interop.sources import new_memory
from corpusgraph.flows.mcp.confine import below
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.errors import IndexNotFoundError, InvalidInputError, OutputError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import CreateEntity, Named
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.registry import find


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """An outputs folder with a bundle, and an index that cannot be read."""
    (tmp_path / "spoilt").mkdir()
    (tmp_path / "spoilt" / "manifest.json").write_text("{}", encoding="utf-8")
    bundle(tmp_path / "made")
    return tmp_path


def bundle(folder: Path) -> list[str]:
    tool = find("prepare_argument_network")
    noted = tool.run(tool.ask({"claims": [{"id": "a"}, {"id": "b"}]}), {})
    return write_bundle(noted if isinstance(noted, Noted) else Noted(data=noted), folder)


def test_it_is_listed_as_no_index(outputs: Path) -> None:
    assert IndexStore(outputs).list() == ["spoilt"]
    assert not is_index(outputs / "made")


def test_it_is_opened_as_none_and_its_manifest_stays(outputs: Path) -> None:
    with pytest.raises(IndexNotFoundError, match="'made' is the bundle of a dataset, no index"):
        open_index("made", outputs)
    with pytest.raises(IndexNotFoundError, match="bundle"):
        forget_damaged_manifest(outputs / "made")
    forget_damaged_manifest(outputs / "spoilt")
    assert (outputs / "made" / "manifest.json").is_file()
    assert not (outputs / "spoilt" / "manifest.json").exists()


def test_a_client_can_write_it_again(outputs: Path) -> None:
    assert below(outputs, "made") == outputs / "made"
    assert "README.md" in bundle(below(outputs, "made"))
    with pytest.raises(InvalidInputError, match="belongs to the index spoilt"):
        below(outputs, "spoilt/made")


def test_an_index_with_a_readme_is_an_index_and_no_bundle_replaces_it(outputs: Path) -> None:
    (outputs / "spoilt" / "README.md").write_text("mine", encoding="utf-8")
    (outputs / "spoilt" / "lancedb").mkdir()
    assert IndexStore(outputs).list() == ["spoilt"]
    with pytest.raises(InvalidInputError, match="no bundle"):
        bundle(outputs / "spoilt")


def test_an_index_that_is_not_there_is_told_with_those_that_are(outputs: Path) -> None:
    with pytest.raises(IndexNotFoundError) as told:
        open_index("zzz", outputs)
    assert told.value.hint == "There are: spoilt."


def test_the_status_tells_of_each_index_also_of_one_that_is_spoilt(
    outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new_memory("notes", outputs=outputs)
    person = Named(id=Entity.make_id("Ada", "person"), name="Ada", type="person")
    memory = IndexStore(outputs).open("notes").memory
    memory.record((CreateEntity(**person.model_dump()),), by="test", request_id="r", at="2026")
    notes, spoilt = status_of(None, outputs)["indexes"]
    assert (notes["index"], notes["entities"], notes["changes"]) == ("notes", 0, 1)
    assert (spoilt["index"], spoilt["error"]["code"]) == ("spoilt", "manifest_unreadable")
    show_status({"outputs": "out", "indexes": [notes, spoilt]})
    shown = capsys.readouterr().out
    assert "1 changes by hand" in " ".join(shown.split())
    assert "cannot be read" in " ".join(shown.split())


def test_a_bundle_written_again_leaves_what_is_not_the_programs(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    bundle(folder)
    (folder / "drawing.png").write_bytes(b"mine")
    readme = (folder / "README.md").read_bytes()
    (folder / "README.md").write_bytes(b"my words")
    bundle(folder)
    assert (folder / "drawing.png").read_bytes() == b"mine"
    assert (folder / "README.md").read_bytes() == readme
    assert (folder / "previous" / "README.md").read_bytes() == b"my words"


def test_a_folder_is_put_back_where_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "made"
    bundle(folder)
    (folder / "drawing.png").write_bytes(b"mine")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    right = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(5, "Input/output error")
        return right(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OutputError):
        bundle(folder)
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
