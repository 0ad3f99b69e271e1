"""The graph a method walks, made from the index: names alone, with keywords, passages, or a tree.

Made when a tool first asks for it and remembered for as long as the index's own graph lives.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol, TypeVar, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.method import GraphShape
from corpusgraph.schemas.ports import Embedder, Floats, GraphView, Vectors
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.method.shapes_knowledge import entity_texts, knowledge_graph, relationship_texts
from corpusgraph.tasks.method.shapes_options import (
    KnowledgeOptions,
    Options,
    PassageOptions,
    TreeOptions,
    options_of,
)
from corpusgraph.tasks.method.shapes_passages import passage_graph
from corpusgraph.tasks.method.shapes_tree import tree
from corpusgraph.tasks.method.shapes_vectors import ShapeVectors, TextMatrix

T = TypeVar("T")
MANY = 200_000
"""Texts beyond which a kg searches the index's own vectors: others would take seconds and half a gigabyte."""
_MADE: "WeakKeyDictionary[GraphView, dict[tuple[str, ...], Any]]" = WeakKeyDictionary()
"""Graph of the index -> what was made from it, by shape. Nothing in it may hold that graph itself."""


@runtime_checkable
class StoredVectors(Protocol):
    """Vectors that can be read back: a shape need not embed the chunks again."""

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        ...


def shaped(resources: Mapping[str, Any], shape: GraphShape) -> Mapping[str, Any]:
    """Return the ports with graph and vectors in the shape the method asks for.

    Kind `tkg` without options is the index as it is. An option that the kind does not know is
    InvalidInputError.
    """
    options = options_of(shape)
    if shape.kind == "tkg" and options == KnowledgeOptions():
        return resources
    return ShapedResources(resources, shape, options)


class ShapedResources(Mapping[str, Any]):
    """The ports of an index, with graph and vectors of a shape; each is made when it is first asked for."""

    def __init__(self, resources: Mapping[str, Any], shape: GraphShape, options: Options) -> None:
        self._base = resources
        self._kind = shape.kind
        self._options = options

    def __getitem__(self, port: str) -> Any:
        """Return the implementation of a port."""
        if port == "graph":
            return self._graph
        return self._vectors if port == "vectors" else self._base[port]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the port names."""
        return iter(self._base)

    def __len__(self) -> int:
        """Return the number of ports."""
        return len(self._base)

    def _once(self, what: str, make: Callable[[], T], *, by: str = "") -> T:
        made = _MADE.setdefault(self._base["graph"], {})
        key = (what, self._kind, self._options.model_dump_json(), by)
        if key not in made:
            made[key] = make()
        found: T = made[key]
        return found

    def _need(self, port: str) -> Any:
        found = self._base.get(port)
        if found is None:
            raise MissingResourceError(f"A graph of kind {self._kind} needs {port}, and none was given.")
        return found

    @cached_property
    def _graph(self) -> MemoryGraph:
        base: GraphView = self._base["graph"]
        options, kind = self._options, self._kind
        if isinstance(options, TreeOptions):
            return self._tree[0]
        if isinstance(options, PassageOptions):
            return self._once("graph", lambda: passage_graph(base, options))
        if isinstance(options, KnowledgeOptions):
            return self._once("graph", lambda: knowledge_graph(base, kind, options))
        return self._once("graph", lambda: MemoryGraph((), (), map(_alone, base.chunks)))

    @cached_property
    def _tree(self) -> tuple[MemoryGraph, TextMatrix]:
        options = self._options
        assert isinstance(options, TreeOptions)  # noqa: S101 - asked for by kind tree alone
        llm = self._base.get("llm") if options.summaries == "llm" else None
        embedder, base = self._need("embedder"), self._base["graph"]
        by = f"{embedder.name} {llm.name if llm else ''}"
        return self._once("tree", lambda: tree(base, options, self._chunk_rows(), embedder, llm), by=by)

    def _chunk_rows(self) -> Floats:
        """Return the chunks' vectors, in id order: those of the index, or made anew where it gives none."""
        chunks, stored = self._base["graph"].chunks, self._base.get("vectors")
        if isinstance(stored, StoredVectors):
            ids, rows = stored.matrix("chunk")
            at = {id_: i for i, id_ in enumerate(ids)}
            if all(chunk.id in at for chunk in chunks):
                return rows[np.array([at[chunk.id] for chunk in chunks], dtype=np.int64)]
        made: Floats = self._need("embedder").embed([chunk.content for chunk in chunks])
        return made

    @cached_property
    def _vectors(self) -> Vectors:
        base: Vectors = self._need("vectors")
        hidden = frozenset({"relationship", "report"})
        if self._kind == "none":
            return ShapeVectors(base, {}, hidden=hidden | {"entity"})
        if self._kind == "tree":
            return ShapeVectors(base, {"entity": lambda: self._tree[1]}, hidden=hidden)
        if self._kind == "passage":
            return ShapeVectors(base, {}, stored_as={"entity": "chunk"}, hidden=hidden)
        if self._kind == "tkg":
            return base
        made = {}
        if self._apart("relationships"):
            made["relationship"] = lambda: self._embedded("relationship", relationship_texts)
        if self._kind == "kg" and self._apart("entities"):
            made["entity"] = lambda: self._embedded("entity", entity_texts)
        return ShapeVectors(base, made)

    def _apart(self, what: str) -> bool:
        """Tell whether the texts are not the index's: keywords are added, or descriptions left out.

        A trained embedder's vectors are of names and facts alone already (see tasks/index/embedded.py).
        """
        if isinstance(self._options, KnowledgeOptions) and self._options.stored_vectors:
            return False
        if self._kind == "rkg":
            return True
        items = getattr(self._base["graph"], what)
        if not is_lexical(self._need("embedder")) or len(items) > MANY:
            return False
        return any(item.description for item in items)

    def _embedded(self, kind: str, texts: Callable[[GraphView], dict[str, str]]) -> TextMatrix:
        embedder: Embedder = self._need("embedder")
        return self._once(kind, lambda: TextMatrix.of(texts(self._graph), embedder), by=embedder.name)


def _alone(chunk: Chunk) -> Chunk:
    """Return a chunk that knows of no graph."""
    return chunk.model_copy(update={"entities": None, "relationships": None})
