"""What an index offers the tools: its ports by name, each made when a tool first needs it."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.ports import Embedder, LanguageModel
from corpusgraph.schemas.results import ToolWarning

if TYPE_CHECKING:
    from corpusgraph.flows.resources.filtered import FilteredIndex
    from corpusgraph.flows.resources.opened import OpenIndex

_PORTS = ("graph", "vectors", "embedder", "corpus", "metadata")


class IndexResources(Mapping[str, Any]):
    """The ports of an index by name; with a filter, those of its view of the documents the filter allows.

    The port `llm` is there where a language model is given.
    """

    def __init__(
        self,
        opened: "OpenIndex",
        filter: Mapping[str, Any] | None = None,  # noqa: A002
        llm: LanguageModel | None = None,
    ) -> None:
        self._opened = opened
        self._filter = filter or {}
        self._llm = llm
        self._names = _PORTS if llm is None else (*_PORTS, "llm")

    def __getitem__(self, port: str) -> Any:
        """Return the implementation of a port."""
        if port == "graph":
            return self.index.graph
        if port in {"vectors", "corpus"}:
            return self.index
        if port == "embedder":
            return self._embedder
        if port == "metadata":
            manifest = self._opened.manifest
            return {"index": manifest.index, "generation": manifest.generation}
        if port == "llm" and self._llm is not None:
            return self._llm
        raise KeyError(port)

    @cached_property
    def index(self) -> "OpenIndex | FilteredIndex":
        """The index as the filter lets it be seen: evidence, graph and search."""
        if not self._filter:
            return self._opened
        from corpusgraph.flows.resources.filtered import filtered

        return filtered(self._opened, self._filter, lambda: self._embedder)

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What to tell beside any result: `filter_empty` where no document is allowed."""
        return getattr(self.index, "warnings", ()) if self._filter else ()

    @cached_property
    def _embedder(self) -> Embedder:
        from corpusgraph.flows.resources.embedders import embedder_for

        embedder = embedder_for(self._opened.manifest)
        self._opened.check_embedder(embedder.name, embedder.dimension)
        return embedder

    def __iter__(self) -> Iterator[str]:
        """Iterate over the port names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of ports."""
        return len(self._names)
