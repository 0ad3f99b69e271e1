"""The checks of the contract's sections 7 to 11: an application, the tools file, the response, concurrency."""

import asyncio
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from corpusgraph.flows.interop import engine
from corpusgraph.flows.interop.engine import (
    GraphRAGConfig,
    GraphRAGEngine,
    SearchResult,
    VectorstoreTool,
    format_result,
    load_tools,
)
from tests.examples import tried
from tests.graphrag.checks import ROOT, Case, block
from tests.graphrag.given import ASKED, run

IMPORT = "from holodeck.lib.graphrag.engine import GraphRAGEngine"
OURS = "from corpusgraph.flows.interop.engine.engine import GraphRAGEngine"


def application(available: bool = True) -> Any:
    """Return the application's class: the contract's own code, with its one import changed."""
    code = block("python", "class VectorStoreTool")
    assert code.count(IMPORT) == 1
    names: dict[str, Any] = {"GRAPHRAG_AVAILABLE": available, "GraphRAGEngine": GraphRAGEngine}
    exec(compile(code.replace(IMPORT, OURS), "contract.txt", "exec"), names)  # noqa: S102 - the contract's code
    return names["VectorStoreTool"]


def made_application(config: Any, base: Path, *, available: bool = True) -> Any:
    """Return the application's tool as it would make it."""
    app = application(available)()
    app.config, app._base_dir, app.is_initialized = config, str(base), False
    return app


def application_works(case: Case) -> None:
    config = VectorstoreTool(name="knowledge_graph", engine="graphrag", source="data/documents")
    app = made_application(config, case.base)
    with pytest.raises(RuntimeError, match="not initialized"):
        run(app.search(ASKED))
    run(app.initialize(force_ingest=False, provider_type="openai"))
    assert app.is_initialized
    assert isinstance(app._graphrag_engine, GraphRAGEngine)
    assert "contaminated water caused cholera" in run(app.search(ASKED))


def application_branches(case: Case) -> None:
    """Another engine's tool never reaches this one."""
    app = made_application(VectorstoreTool(name="app", source="data/documents"), case.base)
    assert run(app.initialize()) is None
    assert app._graphrag_engine is None
    assert not app.is_initialized


def application_without_the_engine(case: Case) -> None:
    config = VectorstoreTool(name="app", engine="graphrag", source="data/documents")
    with pytest.raises(ImportError, match="GraphRAG requires"):
        run(made_application(config, case.base, available=False).initialize())
    assert engine.GRAPHRAG_AVAILABLE


def loaded(case: Case, containing: str) -> tuple[dict[str, Any], VectorstoreTool]:
    """Return a YAML block of the contract as it is written, and as it is read."""
    text = block("yaml", containing)
    path = case.folder / "tools.yaml"
    path.write_text(text, encoding="utf-8")
    (tool,) = load_tools(path)
    return yaml.safe_load(text)["tools"][0], tool


def minimal_yaml(case: Case) -> None:
    written, tool = loaded(case, "knowledge_graph")
    assert tool.model_dump(exclude={"graphrag"}) == written
    assert tool.graphrag is None
    made = GraphRAGEngine(tool, str(case.copy()))
    run(made.initialize())
    assert "contaminated water" in run(made.search(ASKED))


def full_yaml(case: Case) -> None:
    """Every key of the full example is read, and has the value that is written."""
    written, tool = loaded(case, "entity_search")
    read = tool.model_dump(mode="json", exclude_unset=True)
    assert read == written
    assert set(written["graphrag"]) == set(GraphRAGConfig.model_fields)


def defaults(case: Case) -> None:
    """What the full example writes for numbers, mode and claims is what is meant when nothing is written."""
    written, _ = loaded(case, "entity_search")
    plain = GraphRAGConfig().model_dump()
    for key in ("search_mode", "community_level", "chunk_size", "chunk_overlap", "max_gleanings"):
        assert plain[key] == written["graphrag"][key]
    assert plain["skip_claim_extraction"] is True
    assert engine.GraphRAGModelConfig().model_dump(exclude_none=True) == written["graphrag"]["indexing_model"]


results = st.builds(
    SearchResult,
    response=st.text(),
    sources=st.lists(st.text(max_size=8), max_size=8).map(tuple),
    entities_used=st.integers(0, 10**6),
    communities_used=st.integers(0, 10**6),
    search_mode=st.sampled_from(["local", "global", "drift", "basic", "ms_global_dynamic"])
    | st.text(max_size=9),
)


def response_format(case: Case) -> None:
    """Our formatting is the contract's function, run beside it on any result."""
    del case
    names: dict[str, Any] = {"SearchResult": SearchResult}
    code = block("python", "def _format_result")
    exec(compile(code, "contract.txt", "exec"), names)  # noqa: S102 - the contract's code
    theirs = names["_format_result"]

    @settings(max_examples=tried(25), deadline=None)
    @given(results)
    def same(result: SearchResult) -> None:
        assert format_result(result) == theirs(result)

    same()
    many = SimpleNamespace(
        search_mode="local", response="r", entities_used=1, communities_used=2, sources=list("abcdef")
    )
    assert theirs(many).endswith("\n- e")


def public_methods_are_async(case: Case) -> None:
    """Many tasks of one loop share an engine, and the loop goes on turning while it works."""

    async def together() -> tuple[list[str], int]:
        turns = 0

        async def turning() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0.001)
                turns += 1

        clock = asyncio.create_task(turning())
        said = await asyncio.gather(*(case.engine.search(ASKED) for _ in range(8)))
        clock.cancel()
        return said, turns

    said, turns = run(together())
    assert len(set(said)) == 1
    assert turns >= 1


def versions(case: Case) -> None:
    """Python, pandas and pydantic are at least as new as the contract asks; graphrag is needed no more."""
    wanted = dict(re.findall(r"^\| (\w+) \| ([<>=.,\d]+) \|$", case.text, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = {r.name: r.specifier for r in map(Requirement, project["dependencies"])}
    ours["Python"] = SpecifierSet(project["requires-python"])
    assert set(wanted) == {"graphrag", "Python", "pandas", "pydantic"}
    assert "graphrag" not in ours
    for name in set(wanted) - {"graphrag"}:
        (least,) = [s.version for s in ours[name] if s.operator == ">="]
        assert SpecifierSet(wanted[name]).contains(least)
