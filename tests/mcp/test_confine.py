"""No name that a client gives becomes a path that leaves the outputs folder."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.flows import api
from corpusgraph.flows.mcp.confine import below, confined, path_like, plain
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.registry import TOOLS, Tool, load
from tests.every import every

load()

TRAVERSALS = [
    "",
    ".",
    "..",
    "../x",
    "../../etc/passwd",
    "a/../../x",
    "a/./x",
    "a//x",
    "/etc/passwd",
    "//server/share",
    "a/",
    "/",
    "~",
    "~root/x",
    "..\\x",
    "a\\..\\..\\x",
    "C:\\x",
    "C:x",
    "c:/x",
    "\\\\?\\C:\\x",
    "file:///etc/passwd",
    "x\x00.csv",
    "\x00",
    "x\n",
    "x\r\ny",
    "CON",
    "nul.txt",
    "com1",
    "a/LPT9.csv",
    "AUX.",
    "x.",
    "x ",
    " x",
    ".hidden",
    "a/.git/hooks/x",
    "-rf",
    "x:stream",
    "a" * 101,
    "/".join("abcdefghi"),
    "．．/x",
    "a／..／x",
    "x\u202egnp.exe",
    "x\ud800",
    "%2e%2e/%2e%2e/..",
    "$(touch x)/..",
    "*",
    "a|b",
]
"""Names that lead, or could somewhere lead, out of a folder."""


@pytest.mark.parametrize("name", TRAVERSALS, ids=range(len(TRAVERSALS)))
def test_a_traversal_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as error:
        below(tmp_path, name)
    assert error.value.code == "path_refused"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [None, 1, 1.5, True, [], ["a"], {"a": 1}, b"x", Path("x")], ids=repr)
def test_what_is_no_text_is_refused(name: object, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError):
        below(tmp_path, name)


@pytest.mark.parametrize("name", ["x", "a/b/c.csv", "Nguyễn/二.csv", "x.y.z", "conx", "a-b_c (1)", "\u0638"])
def test_plain_names_are_places_below(name: str, tmp_path: Path) -> None:
    assert below(tmp_path, name) == tmp_path.resolve() / name


@given(st.text(alphabet=st.sampled_from("ab./\\:~ \x00．／‥\u2024CON1*"), max_size=12))
def test_whatever_is_let_through_stays_below(name: str) -> None:
    home = Path("/nowhere/outputs")
    try:
        place = below(home, name)
    except InvalidInputError:
        return
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        read = Path(unicodedata.normalize(form, str(place)))
        assert ".." not in read.parts
        assert len(read.parts) == len(place.parts) > len(home.parts)


def test_links_that_lead_out_are_refused(tmp_path: Path) -> None:
    outside, home = tmp_path / "outside", tmp_path / "outputs"
    outside.mkdir()
    home.mkdir()
    (home / "link").symlink_to(outside)
    (home / "inner").symlink_to(home / "real")
    (home / "loop").symlink_to(home / "loop")
    (home / "real").mkdir()
    (home / "file").symlink_to(tmp_path / "not there")
    for name in ("link", "link/x", "link/a/b", "file"):
        with pytest.raises(InvalidInputError, match="link"):
            below(home, name)
    assert below(home, "inner/x") == home / "inner/x"
    with pytest.raises(InvalidInputError, match="link"):
        below(home, "loop/x")


def test_what_an_index_consists_of_is_not_written(tmp_path: Path) -> None:
    for folder, mark in (("one", "manifest.json"), ("two", "memory.jsonl")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / mark).touch()
        for part in ("", "/lancedb/x", "/cache", "/manifest.json", "/memory.jsonl", "/datasets/x", "/bundle"):
            with pytest.raises(InvalidInputError, match="index"):
                below(tmp_path, f"{folder}{part}")
        assert below(tmp_path, f"{folder}/bundles/x").parent.name == "bundles"
    with pytest.raises(InvalidInputError, match="index"):
        below(tmp_path, "one/lancedb/../bundles".replace("../", ""))


def test_names_alone_where_the_command_line_takes_files(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text("method: x", encoding="utf-8")
    for name in ("index", "method", "profile", "prompts", "study"):
        for bad in (*TRAVERSALS, str(tmp_path / "mine.yml"), "mine.yml", "mine.YAML"):
            with pytest.raises(InvalidInputError):
                confined({name: bad}, tmp_path)
        confined({name: "local_search"}, tmp_path)
        confined({name: None}, tmp_path)


@pytest.mark.parametrize(
    "name", ["bundle", "file", "path", "output_dir", "import_file", "url", "export_path"]
)
def test_whatever_is_called_a_file_is_held_to_the_same(name: str, tmp_path: Path) -> None:
    for bad in TRAVERSALS:
        with pytest.raises(InvalidInputError):
            confined({name: bad}, tmp_path)
    confined({name: "studies/x"}, tmp_path)


def test_what_is_no_path_is_left_alone(tmp_path: Path) -> None:
    given = {"query": "../../etc/passwd", "profiles": "/x", "filter": {"path": "/etc"}, "paths": [["a/b"]]}
    assert path_like(given) == ()
    confined(given, tmp_path)


def path_like_of(tool: Tool) -> tuple[str, ...]:
    """Return such arguments of a tool, with the other spellings it takes; a list of steps is no path."""
    fields = tool.input_schema().get("properties", {})
    texts = [name for name in tool.input.model_fields if _takes_text(fields.get(name, {"type": "string"}))]
    spelled = (spelling for name in texts for spelling in (name, *_aliases(tool, name)))
    return path_like(dict.fromkeys(spelled))


def _takes_text(schema: JsonDict) -> bool:
    kinds = [schema, *schema.get("anyOf", ())]
    return any(kind.get("type") == "string" or "$ref" in kind or "enum" in kind for kind in kinds)


def _aliases(tool: Tool, name: str) -> list[str]:
    alias = tool.input.model_fields[name].validation_alias
    choices = getattr(alias, "choices", [alias] if isinstance(alias, str) else [])
    return [choice for choice in choices if isinstance(choice, str)]


@every("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_no_tool_takes_a_path(tool: Tool, tiny: tuple[Path, str], tmp_path: Path) -> None:
    """Every path-like argument there is, with every traversal: an error that is told, and nothing written."""
    outputs, _ = tiny
    names = path_like_of(tool)
    assert "index" in names
    assert set(names) <= {"index", "method"}, "a new argument that could be a path: is it confined?"
    before = sorted((*outputs.parent.iterdir(), *outputs.rglob("*"), *tmp_path.rglob("*")))
    for name in names:
        for bad in TRAVERSALS:
            with pytest.raises(InvalidInputError):
                confined({name: bad}, outputs)
    if tool.ports:
        for bad in ("../tiny", "/etc", "..", "tiny/../tiny", "x\x00", "tiny/lancedb"):
            result = api.call(tool.name, {"index": bad}, outputs=outputs)
            assert not result.success
            assert result.error is not None
            assert result.error.code == "invalid_input"
    assert sorted((*outputs.parent.iterdir(), *outputs.rglob("*"), *tmp_path.rglob("*"))) == before


def test_a_name_is_quoted_in_short() -> None:
    with pytest.raises(InvalidInputError) as error:
        plain("/" * 100_000)
    assert len(str(error.value)) < 500
