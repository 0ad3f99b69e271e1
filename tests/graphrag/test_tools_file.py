"""The tools file: every key, and what is told of one that is wrong: file, line, nearest key."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusgraph.flows.interop.engine import GraphRAGConfig, load_tools
from corpusgraph.flows.interop.engine.contract import ToolsFileError
from tests.examples import tried

HEAD = "tools:\n  - name: kg\n    type: vectorstore\n    engine: graphrag\n    source: data\n"


def read(tmp_path: Path, text: str | bytes) -> list[object]:
    path = tmp_path / "tools.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(load_tools(path))


def wrong(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(ToolsFileError) as caught:
        read(tmp_path, text)
    assert isinstance(caught.value, ValueError)
    assert caught.value.message.partition("tools.yaml:")[1]
    return str(caught.value).partition("tools.yaml:")[2]


SAID = (
    (
        "    graphrag:\n      serch_mode: local\n",
        "7: unknown key 'tools[0].graphrag.serch_mode'",
        "'search_mode'",
    ),
    ("    graphrag:\n      search_mode: lokal\n", "7: tools[0].graphrag.search_mode: there is no", "'local'"),
    ("    graphrag:\n      search_mode: ./mine.yml\n", "7: tools[0].graphrag.search_mode", "not a path"),
    (
        "    graphrag:\n      chunk_size: 0\n",
        "7: tools[0].graphrag.chunk_size: input should be greater",
        None,
    ),
    (
        "    graphrag:\n      chunk_overlap: 300\n",
        "6: tools[0].graphrag: chunk_overlap (300) is not smaller",
        None,
    ),
    ("    graphrag:\n      chunk_size: many\n", "7: tools[0].graphrag.chunk_size", None),
    ("    graphrag:\n      chunk_size: true\n", "7: tools[0].graphrag.chunk_size: a number", "not true"),
    ("    graphrag:\n      entity_types: person\n", "7: tools[0].graphrag.entity_types is no list", "[a, b]"),
    ("    graphrag:\n      community_level: -1\n", "7: tools[0].graphrag.community_level", None),
    ("    graphrag:\n      max_gleanings: 9\n", "7: tools[0].graphrag.max_gleanings", None),
    (
        "    graphrag:\n      entity_types: [person, '…']\n",
        "7: tools[0].graphrag.entity_types",
        "no name of a type",
    ),
    (
        "    graphrag:\n      skip_claim_extraction: perhaps\n",
        "7: tools[0].graphrag.skip_claim_extraction",
        None,
    ),
    (
        "    graphrag:\n      indexing_model:\n        provider: opnai\n",
        "8: tools[0].graphrag.indexing_model.provider cannot be 'opnai'",
        "'openai'",
    ),
    (
        "    graphrag:\n      search_model:\n        api_key: sk-x\n",
        "8: unknown key 'tools[0].graphrag.search_model.api_key'",
        "environment",
    ),
    (
        "    graphrag:\n      search_model:\n        temperature: 3\n",
        "8: tools[0].graphrag.search_model",
        None,
    ),
    (
        "    graphrag:\n      search_model: gpt\n",
        "7: tools[0].graphrag.search_model is no mapping",
        "temperature",
    ),
    ("    top_k: 5\n", "6: unknown key 'tools[0].top_k'", "Valid here"),
    ("  - name: KG\n    engine: graphrag\n    source: x\n", "6: two tools are named 'KG'", "share a folder"),
    ("  - nme: b\n    source: x\n", "6: unknown key 'tools[1].nme'", "'name'"),
    ("  - name: b\n", "6: the key 'tools[1].source' is missing", None),
    ("  - name: ../b\n    source: x\n", "6: tools[1].name", "folder"),
    ("  - name: b\n    source: ''\n", "7: tools[1].source", None),
    (
        "  - name: b\n    source: x\n    engine: grafrag\n",
        "8: tools[1].engine cannot be 'grafrag'",
        "'graphrag'",
    ),
    (
        "  - name: b\n    source: x\n    type: function\n",
        "8: tools[1].type cannot be 'function'",
        "vectorstore",
    ),
    ("  - name: b\n    source: x\n    graphrag: {search_mode: local}\n", "6: tools[1]: the settings", None),
)


@pytest.mark.parametrize(("more", "message", "hint"), SAID, ids=[said[1][:45] for said in SAID])
def test_what_is_wrong_is_told_with_its_line(
    more: str, message: str, hint: str | None, tmp_path: Path
) -> None:
    said = wrong(tmp_path, HEAD + more)
    assert said.startswith(message)
    assert hint is None or hint in said
    assert "?." not in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: the file is empty"),
        ("- a\n", "1: a tools file is a mapping"),
        ("tols:\n  - name: kg\n", "1: unknown key 'tols'. Did you mean 'tools'?"),
        ("tools: kg\n", "1: tools"),
        ("tools:\n  - kg\n", "2: tools[0] is no mapping"),
        ("tools: []\nname: agent\n", "2: unknown key 'name'"),
        ("tools:\n\t- name: kg\n", "2: not YAML"),
        (b"tools:\n  - name: \xff\n", "2: the file is not UTF-8"),
        ("tools:\n  - name: kg\n    name: kg\n", "3: the key 'name' is already on line 2"),
    ],
)
def test_a_file_that_is_none_is_told(text: str | bytes, message: str, tmp_path: Path) -> None:
    assert wrong(tmp_path, text).startswith(message)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text("tools: []\n", encoding="utf-8")
    with pytest.raises(ToolsFileError, match=r"Did you mean 'tools\.yaml'"):
        load_tools(tmp_path / "tool.yaml")


def test_settings_that_are_left_out_have_the_defaults(tmp_path: Path) -> None:
    (path := tmp_path / "tools.yaml").write_text(
        HEAD + "    graphrag: {search_mode: ms_global_dynamic}\n  - {name: plain, source: x}\n",
        encoding="utf-8",
    )
    first, second = load_tools(str(path))
    assert first.graphrag == GraphRAGConfig(search_mode="ms_global_dynamic")
    assert (first.graphrag.chunk_size, first.graphrag.chunk_overlap) == (300, 100)
    assert (GraphRAGConfig(chunk_size=80).chunk_overlap, GraphRAGConfig(chunk_size=100).chunk_overlap) == (
        79,
        99,
    )
    assert (second.engine, second.graphrag, second.type) == ("default", None, "vectorstore")
    assert load_tools(path) == [first, second]


@settings(max_examples=tried(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60) | st.text(alphabet="tols:- \n{}[]'\"&*#é\0", max_size=60).map(str.encode))
def test_no_bytes_give_anything_but_tools_or_a_named_error(data: bytes, tmp_path: Path) -> None:
    try:
        found = read(tmp_path, HEAD.encode() + data)
    except ToolsFileError as error:
        told = error.message
    else:
        told = "tools.yaml" if found else ""
    assert "tools.yaml" in told
