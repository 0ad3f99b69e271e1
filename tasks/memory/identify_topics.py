"""What a graph is about: topics of its communities, and what leads from one domain to another."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import Field, PositiveInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolWarning
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.memory._domains import Parting, homes, parted
from corpusgraph.tasks.memory._keywords import WeightedText, keywords
from corpusgraph.tasks.memory._mentions import mentions_of_chunks


class IdentifyTopics(Parting):
    """How the graph is parted, and how much is told of each topic."""

    top_k: TopK = 20
    max_keywords: PositiveInt = Field(10, le=100, description="keywords of a topic at most")
    max_entities: PositiveInt = Field(5, description="entities that stand for a topic at most")
    max_bridges: PositiveInt = Field(20, description="bridges, and entities that connect, at most")


class Keyword(Noun):
    """A word that tells a topic from the others, with its class-based TF-IDF."""

    word: str
    weight: float


class Topic(Noun):
    """A domain of knowledge: what a community of entities is about."""

    id: str = Field(description="id of the community; the same entities have the same id")
    label: str = Field(description="its first three keywords")
    keywords: list[Keyword]
    entities: list[Scored[Entity]] = Field(description="by the weight of their relationships inside")
    size: int = Field(description="entities in it")
    weight: float = Field(description="of the relationships inside")
    chunk_count: int = Field(description="chunks that mention an entity of it")


class Bridge(Noun):
    """Relationships that lead between two topics."""

    source: str = Field(description="id of the larger topic")
    target: str
    weight: float = Field(description="of all relationships between the two")
    relationship_count: int
    relationships: list[str] = Field(description="ids of the heaviest five")


class Topics(Noun):
    """Topics, the largest first, and what connects them."""

    success: Literal[True] = True
    topic_count: int
    truncated: bool
    topics: list[Topic]
    bridges: list[Bridge]
    connectors: list[Scored[Entity]] = Field(
        description="entities whose relationships spread over topics: 1 - sum of squared shares"
    )


@tool(
    writes="topics",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Entity.name", "Entity.description", "Chunk.content", "Chunk.entities"},
    adds={"Scored.score", "Keyword.word", "Keyword.weight"},
    cite="keywords: Grootendorst 2022, arXiv:2203.05794; communities: Traag, Waltman & van Eck 2019; "
    "participation coefficient: Guimerà & Amaral 2005",
)
def identify_topics(ask: IdentifyTopics, graph: GraphView) -> Noted[Topics]:
    """Name the topics of the graph by keywords and entities, and the bridges between those domains.

    A topic is a community; its words are those of its entities' names and descriptions, and of the chunks
    that mention them, each chunk counting by the share of its mentions that are of the topic.
    """
    parts = parted(ask, graph)
    found, home = parts.communities, homes(parts.communities)
    told = found[: ask.top_k]
    words = keywords({c.id: _texts(graph, c) for c in found}, ask.max_keywords)
    inside, across = _shared(parts.relationships, home)
    warnings = list(parts.warnings)
    if not found:
        message = "No two entities are related here, or no community is of min_size."
        warnings.append(ToolWarning(code="no_communities", message=message))
    return Noted(
        data=Topics(
            topic_count=len(found),
            truncated=len(told) < len(found),
            topics=[_topic(ask, graph, c, words[c.id], inside.get(c.id, [])) for c in told],
            bridges=_bridges(across, [c.id for c in found])[: ask.max_bridges],
            connectors=_connectors(graph, parts.relationships, home, ask.max_bridges),
        ),
        warnings=tuple(warnings),
    )


def _texts(graph: GraphView, community: Community) -> Iterable[WeightedText]:
    for id_ in community.entity_ids:
        entity = graph.entity(id_)
        yield f"{entity.name} {entity.description or ''}", 1.0
    mentioned, every = graph.mention_counts(), mentions_of_chunks(graph)
    counts: dict[str, int] = defaultdict(int)
    for id_ in community.entity_ids:
        for chunk, count in mentioned.get(id_, {}).items():
            counts[chunk] += count
    for chunk in sorted(counts):
        yield graph.chunk(chunk).content, counts[chunk] / every[chunk]


def _topic(
    ask: IdentifyTopics,
    graph: GraphView,
    community: Community,
    words: Sequence[tuple[str, float]],
    inside: Sequence[Relationship],
) -> Topic:
    strength: dict[str, list[float]] = {id_: [] for id_ in community.entity_ids}
    for relationship in inside:
        for end in (relationship.source_id, relationship.target_id):
            strength[end].append(relationship.weight)
    rows = ((graph.entity(id_), math.fsum(weights), dict[str, float]()) for id_, weights in strength.items())
    chunks = {chunk for id_ in community.entity_ids for chunk in graph.entity_chunks().get(id_, ())}
    return Topic(
        id=community.id,
        label=", ".join(word for word, _ in words[:3]) or str(community.title),
        keywords=[Keyword(word=word, weight=weight) for word, weight in words],
        entities=ranked(rows, "strength inside", ask.max_entities),
        size=len(community.entity_ids),
        weight=math.fsum(relationship.weight for relationship in inside),
        chunk_count=len(chunks),
    )


def _shared(
    relationships: Sequence[Relationship], home: Mapping[str, str]
) -> tuple[dict[str, list[Relationship]], dict[frozenset[str], list[Relationship]]]:
    """Return the relationships inside each topic, and between each two."""
    inside: dict[str, list[Relationship]] = defaultdict(list)
    across: dict[frozenset[str], list[Relationship]] = defaultdict(list)
    for relationship in counted(relationships, "topics: relationships placed"):
        ends = home.get(relationship.source_id), home.get(relationship.target_id)
        if None in ends or relationship.source_id == relationship.target_id:
            continue
        if ends[0] == ends[1]:
            inside[str(ends[0])].append(relationship)
        else:
            across[frozenset(map(str, ends))].append(relationship)
    return inside, across


def _bridges(across: Mapping[frozenset[str], list[Relationship]], order: Sequence[str]) -> list[Bridge]:
    place = {id_: at for at, id_ in enumerate(order)}
    made = []
    for pair, found in counted(across.items(), "topics: bridges"):
        source, target = sorted(pair, key=place.__getitem__)
        heaviest = sorted(found, key=lambda r: (-r.weight, r.id))
        made.append(
            Bridge(
                source=source,
                target=target,
                weight=math.fsum(r.weight for r in found),
                relationship_count=len(found),
                relationships=[r.id for r in heaviest[:5]],
            )
        )
    return sorted(made, key=lambda bridge: (-bridge.weight, bridge.source, bridge.target))


def _connectors(
    graph: GraphView, relationships: Sequence[Relationship], home: Mapping[str, str], top_k: int
) -> list[Scored[Entity]]:
    """Rank entities by the participation coefficient 1 - sum (k_c / k)^2 over topics c (Guimerà & Amaral)."""
    shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for r in counted(relationships, "topics: relationships counted"):
        if r.source_id == r.target_id or r.source_id not in home or r.target_id not in home:
            continue
        shares[r.source_id][home[r.target_id]].append(r.weight)
        shares[r.target_id][home[r.source_id]].append(r.weight)
    rows: list[tuple[Entity, float, dict[str, float]]] = []
    for id_, by_topic in counted(shares.items(), "topics: entities ranked"):
        weights = [math.fsum(some) for some in by_topic.values()]
        total = math.fsum(weights)
        if len(weights) > 1:
            spread = 1 - math.fsum((weight / total) ** 2 for weight in weights)
            parts = {"topics": float(len(weights)), "strength": total}
            rows.append((graph.entity(id_), round(spread, 6), parts))
    return ranked(rows, "participation", top_k)
