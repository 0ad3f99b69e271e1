"""What an index offers the tools: its ports by name, each made when a tool first needs it."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.ports import Embedder, GraphView, LanguageModel, Memory, Reranker
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.stages import Extractor

if TYPE_CHECKING:
    from corpusgraph.flows.store.filtered import FilteredIndex
    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.flows.store.vectors import WatchedVectors

_PORTS = ("graph", "vectors", "embedder", "corpus", "memory", "reranker", "extractor", "metadata")


class IndexResources(Mapping[str, Any]):
    """The ports of an index by name; with a filter, those of its view of the documents the filter allows.

    Parameters
    ----------
    opened : OpenIndex
        With its memory.
    filter : mapping of str to Any, optional
        Field -> condition.
    llm : LanguageModel, optional
        Serves the port `llm`, which is there where one is given.

    """

    def __init__(
        self,
        opened: "OpenIndex",
        filter: Mapping[str, Any] | None = None,  # noqa: A002
        llm: LanguageModel | None = None,
    ) -> None:
        self._opened = opened
        self._filter = filter or {}
        self.llm = llm
        self._reading_warnings: tuple[ToolWarning, ...] = ()
        self._names = _PORTS if llm is None else (*_PORTS, "llm")

    def __getitem__(self, port: str) -> Any:
        """Return the implementation of a port."""
        if port not in self._names:
            raise KeyError(port)
        return getattr(self, port)

    @cached_property
    def index(self) -> "OpenIndex | FilteredIndex":
        """The index as the filter lets it be seen: evidence, graph and search."""
        if not self._filter:
            return self._opened
        from corpusgraph.flows.store.filtered import filtered

        return filtered(self._opened, self._filter, lambda: self.embedder)

    @property
    def corpus(self) -> "OpenIndex | FilteredIndex":
        """The index again: its evidence."""
        return self.index

    @property
    def graph(self) -> GraphView:
        """The graph of what the filter allows."""
        return self.index.graph

    @property
    def memory(self) -> Memory:
        """What was added by hand, whatever the filter allows."""
        return self._opened.memory

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What to tell beside any result: `filter_empty` where no document is allowed."""
        return getattr(self.index, "warnings", ()) if self._filter else ()

    @cached_property
    def vectors(self) -> "WatchedVectors":
        """The search in vectors, watched for what answers in their place."""
        from corpusgraph.flows.store.vectors import WatchedVectors

        return WatchedVectors(self.index)

    @property
    def metadata(self) -> JsonDict:
        """Return what is told beside any result; how vectors were searched, where they were in this call."""
        manifest = self._opened.manifest
        mode = self.vectors.mode if "vectors" in vars(self) else None
        told = {"index": manifest.index, "generation": manifest.generation}
        return told if mode is None else {**told, "retrieval_mode": mode}

    @property
    def fallen_back(self) -> tuple[ToolWarning, ...]:
        """What to tell after a call: what answered in the place of vectors or a pipeline out of reach."""
        vectors = self.vectors.warnings if "vectors" in vars(self) else ()
        return (*vectors, *self._reading_warnings)

    @cached_property
    def embedder(self) -> Embedder:
        """What made the vectors of the index."""
        from corpusgraph.flows.embed.embedders import embedder_for

        return embedder_for(self._opened.manifest)

    @cached_property
    def extractor(self) -> Extractor:
        """What reads a text as the documents of the index were read."""
        from corpusgraph.flows.annotate.offline import (
            ReadingOptions,
            default_extractor,
            offline_extractor,
            without_missing,
        )

        kept = self._opened.manifest.facts.get("reading")
        if kept is None:
            return default_extractor()
        reading, self._reading_warnings = without_missing(ReadingOptions.model_validate(kept))
        return offline_extractor(reading)

    @cached_property
    def reranker(self) -> Reranker:
        """What ranks passages anew."""
        from corpusgraph.flows.embed.trained import CrossEncoderReranker
        from corpusgraph.schemas.settings import Settings

        return CrossEncoderReranker(Settings.environment().get("reranker"))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the port names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of ports."""
        return len(self._names)
