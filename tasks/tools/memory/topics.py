"""What a graph is about: communities, the topics of these, and what leads from one to another."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Noun, nfc
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import VALUES, find_communities, undirected
from corpusgraph.tasks.digits import settled
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.communities import deepest
from corpusgraph.tasks.graph.compiled import chunk_ids
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.graph.ranking import leading, ranked
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.words import STOP_WORDS, stem, written_words
from corpusgraph.tasks.tools.memory._columns import Least, Types, unknown_types
from corpusgraph.tasks.tools.memory._inputs import ENDS, Done


class Parting(ToolInput):
    """How the graph is parted."""

    resolution: float = Field(1.0, gt=0, le=1000, description="higher: more and smaller communities")
    level: NonNegativeInt | None = Field(
        0, description="0: the coarsest; n: communities above max_size divided n times; null: to the end"
    )
    max_size: PositiveInt = Field(10, description="a larger community is divided on the next level")
    min_size: PositiveInt = Field(2, description="leave out communities of fewer entities")
    seed: int = Field(0xDEADBEEF, description="of the order in which entities are looked at")
    relationship_types: Types = None
    min_weight: Least = 0.0


class Parts(NamedTuple):
    """Communities that share no entity, by size, then id; the relationships they were made from."""

    communities: list[Community]
    relationships: list[Relationship]
    n_levels: int
    warnings: tuple[ToolWarning, ...]


def parted(ask: Parting, graph: GraphView) -> Parts:
    """Part the graph by hierarchical Leiden, in steps of a fixed order; dates and quantities are in none."""
    options = CommunityOptions(
        max_size=ask.max_size, resolution=ask.resolution, seed=ask.seed, algorithm="stable"
    )
    types = ask.relationship_types
    used = [
        r
        for r in counted(graph.relationships, "relationships read")
        if r.is_stated and r.weight >= ask.min_weight and (types is None or r.type in types)
    ]
    every = find_communities(graph.entities, used, options)
    levels = max((community.level for community in every), default=-1) + 1
    lowest = deepest(c for c in every if ask.level is None or c.level <= ask.level)
    large = [c for c in lowest if len(c.entity_ids) >= ask.min_size]
    return Parts(
        communities=sorted(large, key=lambda c: (-len(c.entity_ids), c.id)),
        relationships=used,
        n_levels=levels,
        warnings=unknown_types(graph, ask.relationship_types),
    )


class DetectCommunities(Parting):
    """How the graph is parted, and how many communities are told."""

    top_k: TopK = 50


class Group(Community):
    """A community with the names of its members, in the order of their ids."""

    names: tuple[str, ...]


class Communities(Done):
    """A partition of the connected entities, the largest community first."""

    community_count: int = Field(description="communities of at least min_size entities")
    level_count: int = Field(description="levels there are; `level` goes down to the last of them")
    modularity: float = Field(description="of the communities counted, others as entities of their own")
    covered: int = Field(description="entities in a community")
    truncated: bool
    communities: list[Group]


@tool(
    writes="detected_communities",
    needs=ENDS,
    optional="Relationship.weight type, Entity.name type",
    adds="Group.names",
    cite="Traag, Waltman & van Eck 2019; modularity: Newman & Girvan 2004",
)
def detect_communities(ask: DetectCommunities, graph: GraphView) -> Noted[Communities]:
    """Find communities by hierarchical Leiden in the graph with all that was added by hand; none is stored.

    Dates and quantities are left out, and so is an entity without a relationship.
    """
    parts = parted(ask, graph)
    communities = parts.communities
    message = "No two entities are related here."
    if parts.n_levels:
        message = f"No community has {ask.min_size} entities; lower min_size."
    names = {entity.id: entity.name for entity in graph.entities}
    shown = communities[: ask.top_k]
    return Noted(
        data=Communities(
            community_count=len(communities),
            level_count=parts.n_levels,
            modularity=_modularity(communities, parts.relationships, graph, ask.resolution),
            covered=sum(len(community.entity_ids) for community in communities),
            truncated=len(shown) < len(communities),
            communities=[
                Group(**dict(community), names=tuple(names[id_] for id_ in community.entity_ids))
                for community in shown
            ],
        ),
        warnings=(*parts.warnings, *warned("no_communities", message, when=not communities)),
    )


def _modularity(
    communities: Sequence[Community],
    relationships: Sequence[Relationship],
    graph: GraphView,
    resolution: float,
) -> float:
    """Return how much more weight lies inside communities than chance puts there (Newman & Girvan 2004).

    An entity in no community is one of its own, and a relationship of one with itself does not count. 0
    without relationships.
    """
    from networkx import Graph
    from networkx.algorithms.community import modularity

    among = {entity.id for entity in graph.entities if entity.type not in VALUES}
    edges = undirected(
        r
        for r in counted(relationships, "modularity: relationships counted")
        if r.source_id != r.target_id and {r.source_id, r.target_id} <= among
    )
    joined = Graph()
    joined.add_weighted_edges_from((*ends, weight) for ends, weight in edges.items())
    members = [joined.nodes & set(community.entity_ids) for community in communities]
    alone = [{id_} for id_ in joined.nodes - set().union(*members)]
    return round(modularity(joined, [*members, *alone], resolution=resolution), 6) if edges else 0.0


WeightedText = tuple[str, float]
"""A text and how much of it is about the class."""


def keywords(
    classes: Mapping[str, Iterable[WeightedText]], top_k: int, wanted: Collection[str] | None = None
) -> dict[str, list[tuple[str, float]]]:
    """Return the words that tell each class from the others with their weights, best first.

    Class-based TF-IDF (Grootendorst 2022, arXiv:2203.05794): share of the word in its class x ln(1 + A / f),
    f how often it is in all classes and A the mean number of words of a class. Words with one stem are one,
    shown as they are mostly written; stop words and bare numbers are left out. `wanted`, unless all, are the
    classes whose words are returned; the others count for f and A.
    """
    words_of = cache(_words)  # a text may be about several classes
    written: dict[str, Counter[str]] = defaultdict(Counter)
    total: dict[str, float] = defaultdict(float)
    by_class: dict[str, dict[str, float]] = {name: defaultdict(float) for name in classes}
    for name, texts in classes.items():
        for text, weight in counted(iter(texts), "keywords: texts of groups", every=64):
            for (key, form), n in words_of(text).items():
                written[key][form] += n
                total[key] += weight * n
                by_class[name][key] += weight * n
    mean = math.fsum(total.values()) / max(1, len(classes))
    rows: dict[str, list[tuple[str, float]]] = {}
    for name in by_class if wanted is None else (name for name in by_class if name in wanted):
        counts = by_class[name]
        size = math.fsum(counts.values())
        weights = {key: n / size * math.log1p(mean / total[key]) for key, n in counts.items()}
        best = sorted((-round(weight, 12), key) for key, weight in weights.items())[:top_k]
        rows[name] = [(_mostly(written[key]), round(weights[key], 6)) for _, key in best]
    return rows


def _words(text: str) -> Counter[tuple[str, str]]:
    """Count the words of a text that tell something: stem, and the word as it is written."""
    return Counter((stem(word.casefold()), word) for word in written_words(nfc(text)) if _tells(word))


def _tells(word: str) -> bool:
    return word.casefold() not in STOP_WORDS and not word.isdigit() and (len(word) > 1 or not word.isascii())


def _mostly(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], not form.islower(), form))


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


class Topics(Done):
    """Topics, the largest first, and what connects them."""

    topic_count: int
    truncated: bool
    topics: list[Topic]
    bridges: list[Bridge]
    connectors: list[Scored[Entity]] = Field(
        description="entities whose relationships spread over topics: 1 - sum of squared shares"
    )


@tool(
    writes="topics",
    needs=ENDS,
    optional="Relationship.weight, Entity.name description, Chunk.content entities",
    adds="Scored.score, Keyword.word weight",
    cite="keywords: Grootendorst 2022, arXiv:2203.05794; communities: Traag, Waltman & van Eck 2019; "
    "participation coefficient: Guimerà & Amaral 2005",
)
def identify_topics(ask: IdentifyTopics, graph: GraphView) -> Noted[Topics]:
    """Name the topics of the graph by keywords and entities, and the bridges between those domains.

    A topic is a community; its words are those of its entities' names and descriptions, and of the chunks
    that mention them, each chunk counting by the share of its mentions that are of the topic.
    """
    parts = parted(ask, graph)
    communities = parts.communities
    shown, chunks = communities[: ask.top_k], _chunks(graph, communities)
    texts = {community.id: _texts(graph, community, chunks[community.id]) for community in communities}
    words = keywords(texts, ask.max_keywords, {community.id for community in shown})
    ties, bridges = _ties(parts.relationships, communities)
    inside = {id_: ties[id_].get(c.id, 0.0) for c in communities for id_ in c.entity_ids}
    message = "No two entities are related here, or no community is of min_size."
    return Noted(
        data=Topics(
            topic_count=len(communities),
            truncated=len(shown) < len(communities),
            topics=[
                Topic(
                    id=community.id,
                    label=", ".join(word for word, _ in words[community.id][:3]) or str(community.title),
                    keywords=[Keyword(word=word, weight=weight) for word, weight in words[community.id]],
                    entities=_strongest(graph, {id_: inside[id_] for id_ in community.entity_ids}, ask),
                    size=len(community.entity_ids),
                    weight=settled(sum(inside[id_] for id_ in community.entity_ids) / 2),
                    chunk_count=len(chunks[community.id]),
                )
                for community in shown
            ],
            bridges=bridges[: ask.max_bridges],
            connectors=_connectors(graph, ties, ask.max_bridges),
        ),
        warnings=(*parts.warnings, *warned("no_communities", message, when=not communities)),
    )


def _chunks(graph: GraphView, communities: Sequence[Community]) -> dict[str, dict[str, float]]:
    """Return community -> chunk that mentions it -> share of the chunk's mentions that are of it."""
    counts, every = graph.mention_counts(), Counter[str]()
    for of_entity in counts.values():
        every.update(of_entity)
    shares: dict[str, dict[str, float]] = {}
    for community in communities:
        own = Counter[str]()
        for id_ in community.entity_ids:
            own.update(counts[id_])
        shares[community.id] = {chunk: n / every[chunk] for chunk, n in own.items()}
    return shares


def _texts(graph: GraphView, community: Community, chunks: Mapping[str, float]) -> Iterator[WeightedText]:
    for entity in map(graph.entity, community.entity_ids):
        yield f"{entity.name} {entity.description or ''}", 1.0
    places = np.array([chunk_ids(graph).find(id_) for id_ in chunks], dtype=np.int64)
    yield from zip(values_of(graph.chunks, "content", places), chunks.values(), strict=True)


def _ties(
    relationships: Iterable[Relationship], communities: Sequence[Community]
) -> tuple[dict[str, dict[str, float]], list[Bridge]]:
    """Return entity -> topic -> weight of the relationships that lead there, and bridges, heaviest first."""
    order = {id_: place for place, community in enumerate(communities) for id_ in community.entity_ids}
    ties: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    across: dict[tuple[int, int], list[Relationship]] = defaultdict(list)
    for r in counted(relationships, "topics: relationships placed"):
        own, other = order.get(r.source_id), order.get(r.target_id)
        if own is None or other is None or r.source_id == r.target_id:
            continue
        ties[r.source_id][communities[other].id] += r.weight
        ties[r.target_id][communities[own].id] += r.weight
        if own != other:
            across[min(own, other), max(own, other)].append(r)
    bridges = [
        Bridge(
            source=communities[own].id,
            target=communities[other].id,
            weight=settled(sum(r.weight for r in some)),
            relationship_count=len(some),
            relationships=[r.id for r in sorted(some, key=lambda r: (-r.weight, r.id))[:5]],
        )
        for (own, other), some in across.items()
    ]
    return ties, sorted(bridges, key=lambda bridge: (-bridge.weight, bridge.source, bridge.target))


def _strongest(graph: GraphView, inside: Mapping[str, float], ask: IdentifyTopics) -> list[Scored[Entity]]:
    first = leading(inside, ask.max_entities)
    return ranked(((graph.entity(id_), score, {}) for id_, score in first), "strength inside")


def _connectors(
    graph: GraphView, ties: Mapping[str, Mapping[str, float]], top_k: int
) -> list[Scored[Entity]]:
    """Rank entities by the participation coefficient 1 - sum (k_c / k)^2 over topics c (Guimerà & Amaral)."""
    strength = {id_: sum(to.values()) for id_, to in ties.items() if len(to) > 1}
    spread = {
        id_: round(1 - sum((k / total) ** 2 for k in ties[id_].values()), 6)
        for id_, total in strength.items()
    }
    rows = (
        (graph.entity(id_), score, {"topics": float(len(ties[id_])), "strength": strength[id_]})
        for id_, score in leading(spread, top_k)
    )
    return ranked(rows, "participation")
