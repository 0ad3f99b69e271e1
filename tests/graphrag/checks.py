"""The checks that lines of the contract name; each takes the text of its lines and an engine at work."""

import ast
import inspect
import re
import shutil
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from corpusgraph.flows.interop import engine
from corpusgraph.flows.interop.engine import (
    GraphRAGEngine,
    GraphRAGStorage,
    IndexingError,
    VectorstoreTool,
    format_result,
)
from tests.conftest import TEXTS
from tests.graphrag.given import ASKED, run, tool

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = (Path(__file__).with_name("contract.txt")).read_text(encoding="utf-8").splitlines()


@dataclass
class Case:
    """Lines `first` to `last` of the contract, and an engine that was initialised on the tiny corpus."""

    first: int
    last: int
    engine: GraphRAGEngine
    base: Path
    folder: Path

    @property
    def text(self) -> str:
        return "\n".join(CONTRACT[self.first - 1 : self.last])

    @property
    def storage(self) -> GraphRAGStorage:
        return self.engine.storage

    def copy(self) -> Path:
        """Return another base folder with the same documents and the same index."""
        return Path(shutil.copytree(self.base, self.folder / "copy"))

    @property
    def source(self) -> Path:
        return self.base / "data" / "documents"


def block(language: str, containing: str) -> str:
    """Return the fenced block of the contract that holds a line."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", "\n".join(CONTRACT), re.MULTILINE | re.DOTALL)
    (found,) = [text for text in blocks if containing in text]
    return str(found)


def nothing_to_check(case: Case) -> None:
    """A heading or a remark: it says nothing that could hold or not."""
    assert not re.search(r"\b(must|raises?|returns?)\b", case.text, re.IGNORECASE)


def names_are_importable(case: Case) -> None:
    """What the contract names can be imported from the package that takes its place."""
    del case
    named = {node.name for text in python_blocks() for node in ast.parse(text).body if hasattr(node, "name")}
    named |= {"VectorstoreTool", "IndexMetadata", "SearchResult", "GraphRagConfig", "ExecutionConfig"}
    own = named - {"VectorStoreTool", "_format_result"}  # the application's, and ours without the underscore
    assert own <= set(engine.__all__)
    assert all(inspect.isclass(getattr(engine, name)) or callable(getattr(engine, name)) for name in own)


def python_blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", "\n".join(CONTRACT), re.MULTILINE | re.DOTALL)


# signatures: what the contract's own lines say, read as Python


def signature(case: Case) -> None:
    """A class, method, property or function is declared as its lines say; more may only be by keyword."""
    stub = ast.parse(textwrap.dedent(without_leading(case.text)) + "\n    ...").body[0]
    assert isinstance(stub, ast.FunctionDef | ast.AsyncFunctionDef)
    owner = owner_of(case.first)
    ours = inspect.getattr_static(owner, stub.name) if owner is not None else getattr(engine, stub.name)
    is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in stub.decorator_list)
    assert isinstance(ours, property) == is_property
    function = ours.fget if isinstance(ours, property) else ours
    assert inspect.iscoroutinefunction(function) == isinstance(stub, ast.AsyncFunctionDef)
    assert callable(function)
    compare(stub, inspect.signature(function))


def without_leading(text: str) -> str:
    """Drop what follows the signature: its docstring and body."""
    return re.split(r'^\s*"""|^\s*\.\.\.', text, maxsplit=1, flags=re.MULTILINE)[0]


def owner_of(line: int) -> type | None:
    """Return our class of that name in whose block a line of the contract is."""
    for text in reversed(CONTRACT[:line]):
        if text.startswith("```"):
            return None
        if found := re.match(r"class (\w+)", text):
            owner: type = getattr(engine, found[1])
            return owner
    return None


def compare(stub: ast.FunctionDef | ast.AsyncFunctionDef, ours: inspect.Signature) -> None:
    defaults = dict(zip([a.arg for a in stub.args.args][::-1], stub.args.defaults[::-1], strict=False))
    for place, said in enumerate(stub.args.args):
        parameter = list(ours.parameters.values())[place]
        assert parameter.name == said.arg
        assert parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        wanted = ast.literal_eval(defaults[said.arg]) if said.arg in defaults else inspect.Parameter.empty
        assert parameter.default == wanted
        if said.annotation is not None:
            assert shown(parameter.annotation) == shown(ast.unparse(said.annotation))
    more = list(ours.parameters.values())[len(stub.args.args) :]
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY and p.default is not p.empty for p in more)
    assert stub.returns is not None
    assert shown(ours.return_annotation) == shown(ast.unparse(stub.returns))


def shown(annotation: Any) -> str:
    """Write an annotation as the contract would: without the names of modules."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text).replace("NoneType", "None")


def required_tables(case: Case) -> None:
    """The list is the contract's, word for word, and each name is a table that is there."""
    wanted = ast.literal_eval(case.text.split("=", 1)[1].strip())
    assert wanted == GraphRAGStorage.REQUIRED_TABLES
    for name in wanted:
        whole, bare = (
            case.storage.load_table(name),
            case.storage.load_table(name.removeprefix("create_final_")),
        )
        pd.testing.assert_frame_equal(whole, bare)
        assert len(whole)


def layout(case: Case) -> None:
    """Every entry of the tree is there after indexing, a folder where it ends in a stroke."""
    root, *entries = [line for line in case.text.splitlines() if re.search(r"[─/]", line)]
    named = root.strip().format(tool_name="knowledge_graph")
    assert case.storage.storage_dir == case.base / named.rstrip("/")
    assert len(entries) == 5
    for entry in entries:
        name = entry.split("#")[0].strip("├└─ ")
        there = case.storage.storage_dir / name
        assert there.is_dir() if name.endswith("/") else there.is_file()
    assert sorted(case.storage.output_dir.glob("*.parquet"))
    assert case.storage.lancedb_dir.joinpath(next(iter(case.storage.lancedb_dir.iterdir())).name).exists()
    assert any(path.is_file() for path in case.storage.cache_dir.rglob("*"))
    assert (case.storage.logs_dir / "indexing.log").read_text(encoding="utf-8").count("\n") > 3


# the engine


def other_engine_is_a_value_error(case: Case) -> None:
    theirs = SimpleNamespace(
        name="kg", engine="default", source="data/documents", description="", graphrag=None
    )
    ours = VectorstoreTool(name="kg", source="data/documents")
    for config in (theirs, ours):
        with pytest.raises(ValueError, match="graphrag"):
            GraphRAGEngine(config, str(case.base))  # type: ignore[arg-type]


def missing_library_is_an_import_error(case: Case) -> None:
    """The engine's own libraries stand where the package graphrag stood: it is not needed here."""
    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setattr("corpusgraph.flows.interop.engine.contract.LIBRARIES", ("no_such_library",))
        assert engine.GRAPHRAG_AVAILABLE is False
        with pytest.raises(ImportError, match="no_such_library"):
            GraphRAGEngine(tool(), str(case.base))
    assert engine.GRAPHRAG_AVAILABLE is True


def constructor_arguments(case: Case) -> None:
    """`base_dir` is where paths start; anything with the fields of a tool will do as `config`."""
    theirs = SimpleNamespace(
        name="kg", engine="graphrag", source="data/documents", description="d", graphrag=None
    )
    made = GraphRAGEngine(theirs, str(case.base), execution_config=None)  # type: ignore[arg-type]
    assert made.storage.storage_dir.is_relative_to(case.base)
    assert not made.storage.storage_dir.exists()


def initialised_or_not(case: Case) -> None:
    assert case.engine.is_initialized
    assert not GraphRAGEngine(tool(), str(case.base)).is_initialized


def index_stats(case: Case) -> None:
    keys = re.findall(r"\w+", case.text.partition("keys:")[2])
    assert keys == list(case.engine.index_stats)
    tables = {name: len(case.storage.load_table(name)) for name in keys if name != "files"}
    assert case.engine.index_stats == {**tables, "files": len(TEXTS)}
    assert set(GraphRAGEngine(tool(), str(case.base)).index_stats.values()) == {0}


def steps_of_initialize(case: Case) -> None:
    """The source is resolved from base_dir, folders are made, the index is built or loaded, search works."""
    made = case.engine
    assert made.metadata is not None
    assert made.metadata.source_path == str(case.source)
    assert made.storage.has_valid_index()
    again = GraphRAGEngine(tool(), str(case.copy()))
    run(again.initialize())
    assert again.metadata == made.metadata
    assert run(again.search(ASKED)) == run(made.search(ASKED))


def force_reindex(case: Case) -> None:
    made = GraphRAGEngine(tool(), str(case.copy()))
    before = (made.storage.storage_dir / "manifest.json").read_bytes()
    run(made.initialize())
    assert (made.storage.storage_dir / "manifest.json").read_bytes() == before
    run(made.initialize(force_reindex=True))
    assert (made.storage.storage_dir / "manifest.json").read_bytes() != before


def missing_source_is_file_not_found(case: Case) -> None:
    made = GraphRAGEngine(tool(source="data/nowhere"), str(case.folder))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        run(made.initialize())
    assert not made.is_initialized


def failing_index_is_an_indexing_error(case: Case) -> None:
    empty = case.folder / "empty" / "data"
    empty.mkdir(parents=True)
    made = GraphRAGEngine(tool(source="data"), str(empty.parent))
    with pytest.raises(IndexingError) as caught:
        run(made.initialize())
    assert caught.value.__cause__ is not None
    assert caught.value.hint
    assert not made.is_initialized


def search_answers(case: Case) -> None:
    said = run(case.engine.search(ASKED))
    assert isinstance(said, str)
    assert "contaminated water caused cholera" in said
    result = run(case.engine.result(ASKED))
    assert said == format_result(result)
    assert all((case.source / source).is_file() for source in result.sources)


def search_before_is_a_runtime_error(case: Case) -> None:
    with pytest.raises(RuntimeError, match="not initialized"):
        run(GraphRAGEngine(tool(), str(case.base)).search(ASKED))


def close_cleans_up(case: Case) -> None:
    async def twice() -> None:
        made = GraphRAGEngine(tool(), str(case.base))
        await made.initialize()
        await made.close()
        await made.close()
        assert not made.is_initialized
        with pytest.raises(RuntimeError):
            await made.search(ASKED)

    run(twice())


Check = Callable[[Case], None]
