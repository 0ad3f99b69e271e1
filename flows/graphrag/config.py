"""From a tool's configuration to what is run, key by key, with GraphRAG's own names beside ours."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from corpusgraph.flows.graphrag.adapting import settings_of, tool_of
from corpusgraph.flows.graphrag.errors import EngineConfigError
from corpusgraph.flows.graphrag.models import GraphRAGModelConfig, VectorstoreTool
from corpusgraph.flows.graphrag.modes import MODES
from corpusgraph.flows.resources.manifest import OUTPUT
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import (
    Chunking,
    Corpus,
    EntityKind,
    IndexOptions,
    LanguageOptions,
    Ontology,
    Study,
)

CACHE, LOGS = "cache", "logs"
GLEANINGS = 3
"""Most rounds that are asked again for what was missed."""


class ExtractGraph(Noun):
    """What is looked for."""

    entity_types: tuple[str, ...] | None = Field(default=None, description="as given; none: any")
    max_gleanings: int = 1


class GraphRagConfig(Noun):
    """What the engine runs for a tool. Each field says where it comes from and what it becomes here.

    `to_study` is what indexing runs, `method` and `community_level` are what search runs, `to_settings` is
    the same in the names of GraphRAG's settings.yaml, for whoever runs the same tool there.
    """

    tool_name: str = Field(description="`name` of the tool; name of the index")
    root_dir: Path = Field(description="folder of the tool's artefacts; its parent is the outputs folder")
    input_dir: Path = Field(description="`source`; Study.corpus.path")
    indexing_model: GraphRAGModelConfig | None = Field(
        default=None, description="`indexing_model`; a profile that reads documents and writes reports"
    )
    search_model: GraphRAGModelConfig | None = Field(
        default=None, description="`search_model`; a profile that writes answers"
    )
    chunk_size: int = Field(default=300, description="`chunk_size`; Study.index.chunking.size, in tokens")
    chunk_overlap: int = Field(default=100, description="`chunk_overlap`; Study.index.chunking.overlap")
    extract_graph: ExtractGraph = Field(
        default=ExtractGraph(),
        description="`entity_types`, `max_gleanings`; Study.index.llm.ontology and .gleanings",
    )
    extract_claims: bool = Field(
        default=False, description="`skip_claim_extraction`, reversed; Study.index.claims"
    )
    search_mode: str = Field(default="local", description="`search_mode`; the method of that name")
    community_level: int = Field(
        default=2, description="`community_level`; max_layer or community_level of the method's steps"
    )

    @property
    def method(self) -> str:
        """Name of the method that answers."""
        return MODES.get(self.search_mode, self.search_mode)

    @property
    def output_dir(self) -> Path:
        """Folder of the parquet tables."""
        return self.root_dir / OUTPUT

    def to_study(self) -> Study:
        """Return the study that indexing runs; its language model is given beside it, as a profile."""
        from corpusgraph.tasks.index.llm.ontology import snake

        kinds = {snake(name): EntityKind() for name in self.extract_graph.entity_types or ()}
        asked = LanguageOptions(
            gleanings=min(self.extract_graph.max_gleanings, GLEANINGS), ontology=Ontology(entities=kinds)
        )
        options = IndexOptions(
            chunking=Chunking(unit="tokens", size=self.chunk_size, overlap=self.chunk_overlap),
            llm=asked,
            claims=self.extract_claims,
        )
        return Study(study=self.tool_name, corpus=Corpus(path=str(self.input_dir)), index=options)

    def notes(self, *, reads: bool) -> tuple[ToolWarning, ...]:
        """Return what of the configuration has no effect; `reads`: a language model reads the documents."""
        told = []
        if self.extract_graph.entity_types and not reads:
            message = (
                "entity_types is what a language model looks for; rules find the types that they know, "
                "and all of them are kept."
            )
            told.append(ToolWarning(code="entity_types_unused", message=message))
        if self.extract_graph.max_gleanings > GLEANINGS:
            message = (
                f"max_gleanings is {self.extract_graph.max_gleanings}; at most {GLEANINGS} rounds are asked."
            )
            told.append(ToolWarning(code="gleanings_capped", message=message))
        return tuple(told)

    def to_settings(self, version: Literal["0.5", "3"] = "3") -> JsonDict:
        """Return the mapping that settings.yaml of GraphRAG 0.5, or 3, holds for the same tool."""
        from corpusgraph.flows.graphrag.settingsfile import settings_0_5, settings_3

        return settings_3(self) if version == "3" else settings_0_5(self)


def build_graphrag_config(tool_config: VectorstoreTool, storage_dir: Path, input_dir: Path) -> GraphRagConfig:
    """Return what the engine runs for a tool, from its configuration and the two folders.

    Raises EngineConfigError, a ValueError, where something required is missing or cannot be run.
    """
    tool = tool_of(tool_config)
    _require(tool_config=tool, storage_dir=storage_dir, input_dir=input_dir)
    settings = settings_of(tool)
    return GraphRagConfig(
        tool_name=tool.name,
        root_dir=Path(storage_dir),
        input_dir=Path(input_dir),
        indexing_model=settings.indexing_model,
        search_model=settings.search_model,
        chunk_size=settings.chunk_size,
        chunk_overlap=settings.chunk_overlap,
        extract_graph=ExtractGraph(entity_types=settings.entity_types, max_gleanings=settings.max_gleanings),
        extract_claims=not settings.skip_claim_extraction,
        search_mode=settings.search_mode,
        community_level=settings.community_level,
    )


def _require(**given: Any) -> None:
    for name, value in given.items():
        if value is None or (name.endswith("_dir") and not str(value).strip()):
            raise EngineConfigError(f"{name} is missing.", hint="A tool needs a name, a source and a folder.")
