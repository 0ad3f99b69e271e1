"""T56: items of any kind, or texts, that are like a query."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from corpusgraph.schemas.answer import SimilarItem
from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError, UnknownItemError
from corpusgraph.schemas.graph import CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.answer.context import held
from corpusgraph.tasks.build.embedded import told_of
from corpusgraph.tasks.digits import cosines
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.ranking import nearest, ranked
from corpusgraph.tasks.registry import tool

Kind = Literal["entity", "relationship", "chunk", "report"]
Noun = Entity | Relationship | Chunk | CommunityReport
Given = str | Chunk | Relationship | CommunityReport | Entity
FIELDS: Mapping[str, type[Any]] = {
    "content": Chunk,
    "source_id": Relationship,
    "community_id": CommunityReport,
    "id": Entity,
}
"""A field that tells which noun a JSON object is: the first of these that it has."""
MANY = 10_000


def _given(values: Any) -> Any:
    """Return texts and nouns; of scored items and JSON the noun inside."""
    return [_one(value) for value in values] if isinstance(values, list | tuple) else values


def _one(value: Any) -> Any:
    inner = held(value)
    if isinstance(inner, SimilarItem):
        return inner.text
    if isinstance(inner, Mapping):
        kind = next((noun for field, noun in FIELDS.items() if field in inner), None)
        return kind.model_validate(inner) if kind else inner
    return inner


class SimilaritySearch(ToolInput):
    """What to look for, and among what."""

    query: Query
    kind: Kind = Field(
        "chunk",
        validation_alias=AliasChoices("kind", "item_type"),
        description="search the index's items of this kind; not used where items are given",
    )
    items: Annotated[list[Given] | None, BeforeValidator(_given)] = Field(
        None, max_length=MANY, description="rank these texts or nouns instead of searching the index"
    )
    top_k: TopK = 10
    threshold: float | None = Field(None, ge=-1, le=1, description="least cosine similarity")

    @model_validator(mode="after")
    def _has_items(self) -> Self:
        if self.items is not None and not self.items:
            raise ValueError("items holds nothing to rank")
        return self


@tool(
    writes="items",
    optional={
        "Entity.name",
        "Entity.description",
        "Relationship.type",
        "Relationship.description",
        "Chunk.content",
        "CommunityReport.title",
        "CommunityReport.summary",
    },
    adds={"Scored.score", "SimilarItem.kind", "SimilarItem.text"},
    cite="cosine of vectors: Salton, Wong & Yang 1975",
    aliases=("T56",),
)
def similarity_search(
    ask: SimilaritySearch, graph: GraphView | None, vectors: Vectors | None, embedder: Embedder
) -> list[Scored[SimilarItem]]:
    """Find the items of one kind, or among those given, that are most like the query (cosine).

    Raises MissingResourceError for a search without an index, MissingAttributeError where no item has a
    vector.
    """
    if ask.items is not None:
        return _among(ask, ask.items, embedder)
    if graph is None or vectors is None:
        raise MissingResourceError(
            "A search needs an index, and none was given.", hint="Give items to rank, or name an index."
        )
    count, find = searched(graph, ask.kind)
    hits = nearest(ask.kind, ask.query, ask.top_k, count, vectors, embedder, ask.threshold)
    return ranked(((similar(find(id_)), score, {}) for id_, score in hits), hits.scorer)


def searched(graph: GraphView, kind: Kind) -> tuple[int, Callable[[str], Noun]]:
    """Return how many items of a kind there are, and how to find one by id.

    Parameters
    ----------
    graph : GraphView
        That ids are of.
    kind : Kind
        entity, relationship, chunk or report.

    Returns
    -------
    tuple of int and callable
        What finds an item raises UnknownItemError, of an entity UnknownEntityError.

    """
    if kind == "report":
        reports = {report.id: report for report in graph.reports}

        def find(id_: str) -> CommunityReport:
            if id_ not in reports:
                raise UnknownItemError(f"Unknown report {id_!r}.", hint="Index the corpus again.")
            return reports[id_]

        return len(reports), find
    found: dict[str, tuple[int, Callable[[str], Noun]]] = {
        "entity": (len(graph.entities), graph.entity),
        "relationship": (len(graph.relationships), graph.relationship),
        "chunk": (len(graph.chunks), graph.chunk),
    }
    return found[kind]


def _among(ask: SimilaritySearch, given: Sequence[Given], embedder: Embedder) -> list[Scored[SimilarItem]]:
    """Rank what was given; what comes twice counts once."""
    items = list({(item.kind, item.id): item for item in map(similar, given)}.values())
    vectors = embedder.embed([ask.query, *(item.text for item in items)])
    if not vectors[0].any():
        raise InvalidInputError(f"There is no word to search for in {ask.query!r}.", hint="Ask in words.")
    scores = cosines(vectors[1:], vectors[0]).tolist()
    least = -1.0 if ask.threshold is None else ask.threshold
    rows: Iterable[tuple[SimilarItem, float, Mapping[str, float]]] = (
        (item, score, {}) for item, score in zip(items, scores, strict=True) if score >= least
    )
    return ranked(rows, "cosine", ask.top_k)


def similar(item: Given) -> SimilarItem:
    """Return a noun or a text as an item of the results, with the text that stands for it.

    Parameters
    ----------
    item : Given
        Whatever a caller gave.

    Returns
    -------
    SimilarItem
        Of the kind that it is.

    """
    if isinstance(item, str):
        return SimilarItem(kind="text", id=stable_id("chk", "text", item), text=item)
    if isinstance(item, Entity):
        return SimilarItem(kind="entity", id=item.id, text=_told(item.name, told_of(item)), entity=item)
    if isinstance(item, Relationship):
        text = _told(item.type.replace("_", " "), item.description)
        return SimilarItem(kind="relationship", id=item.id, text=text, relationship=item)
    if isinstance(item, Chunk):
        return SimilarItem(kind="chunk", id=item.id, text=item.content, chunk=item)
    return SimilarItem(kind="report", id=item.id, text=_told(item.title, item.summary), report=item)


def _told(name: str, description: str | None) -> str:
    return f"{name}: {description}" if description else name
