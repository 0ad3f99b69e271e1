"""What a graph is about: communities, the topics of these, and what leads from one to another."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Noun, nfc
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import VALUES, find_communities, undirected
from corpusgraph.tasks.digits import settled
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.communities import deepest
from corpusgraph.tasks.graph.compiled import Doubles, compiled, mentions
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.graph.ranking import leading, ranked
from corpusgraph.tasks.progress import counted, step
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.words import STOP_WORDS, stem, written_words
from corpusgraph.tasks.tools.memory._columns import Least, Types, unknown_types
from corpusgraph.tasks.tools.memory._inputs import ENDS, Done

if TYPE_CHECKING:
    import polars as pl


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
    optional={"Relationship.weight", "Relationship.type", "Entity.name", "Entity.type"},
    adds={"Group.names"},
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
    import polars as pl

    numbers: dict[str, int] = {}
    uses = pl.DataFrame(
        [
            (name, numbers.setdefault(text, len(numbers)), weight)
            for name, texts in classes.items()
            for text, weight in counted(iter(texts), "keywords: texts of groups")
        ],
        schema={"class": pl.String, "text": pl.Int64, "weight": pl.Float64},
        orient="row",
    )
    words = _words(numbers)
    step("keywords: words counted", len(numbers))
    written = (
        words.join(uses.group_by("text").len("uses"), on="text")
        .group_by("stem", "form", "is_lower")
        .agg((pl.col("n") * pl.col("uses")).sum())
        .sort(["stem", "n", "is_lower", "form"], descending=[False, True, True, False])
        .unique("stem", keep="first", maintain_order=True)
    )
    counts = (
        uses.join(words, on="text", maintain_order="left")
        .group_by("class", "stem")
        .agg((pl.col("weight") * pl.col("n")).sum())
        .filter(pl.col("weight") > 0)
    )
    mean = counts["weight"].sum() / max(1, len(classes))
    share = pl.col("weight") / pl.col("weight").sum().over("class")
    best = (
        counts.with_columns(share * (mean / pl.col("weight").sum().over("stem")).log1p())
        .sort("class", -pl.col("weight").round(12), "stem")
        .group_by("class", maintain_order=True)
        .head(top_k)
        .join(written.select("stem", "form"), on="stem", maintain_order="left")
    )
    rows: dict[str, list[tuple[str, float]]] = {c: [] for c in classes if wanted is None or c in wanted}
    for name, weight, form in best.select("class", "weight", "form").iter_rows():
        if name in rows:
            rows[name].append((form, round(weight, 6)))
    return rows


def _words(texts: Collection[str]) -> "pl.DataFrame":
    """Count in each text the words that tell something, as they are written."""
    import polars as pl

    forms: dict[str, int] = {}
    rows, said = array("q"), array("q")
    for row, text in enumerate(counted(texts, "keywords: texts read", every=64)):
        read = [forms.setdefault(word, len(forms)) for word in written_words(nfc(text))]
        said.extend(read)
        rows.extend([row] * len(read))
    known = [(at, w, w.islower(), stem(w.casefold())) for w, at in forms.items() if _tells(w)]
    schema = {"word": pl.Int64, "form": pl.String, "is_lower": pl.Boolean, "stem": pl.String}
    counts = pl.DataFrame({"text": np.asarray(rows, np.int64), "word": np.asarray(said, np.int64)})
    counts = counts.group_by("text", "word", maintain_order=True).len("n")
    return counts.join(pl.DataFrame(known, schema=schema, orient="row"), on="word", maintain_order="left")


def _tells(word: str) -> bool:
    return word.casefold() not in STOP_WORDS and not word.isdigit() and (len(word) > 1 or not word.isascii())


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
    communities = parts.communities
    shown, mentioned = communities[: ask.top_k], _mentioned(graph, communities)
    texts = {c.id: _texts(graph, c, *chunks) for c, chunks in zip(communities, mentioned, strict=True)}
    words = keywords(texts, ask.max_keywords, {c.id for c in shown})
    ties = _ties(parts.relationships, communities)
    inside = _inside(ties)
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
                    entities=_strongest(graph, community, inside, ask.max_entities),
                    size=len(community.entity_ids),
                    weight=settled(sum(inside.get(id_, 0.0) for id_ in community.entity_ids) / 2),
                    chunk_count=len(chunks[0]),
                )
                for community, chunks in zip(shown, mentioned, strict=False)
            ],
            bridges=_bridges(ties, [c.id for c in communities], ask.max_bridges),
            connectors=_connectors(graph, ties, ask.max_bridges),
        ),
        warnings=(*parts.warnings, *warned("no_communities", message, when=not communities)),
    )


def _mentioned(graph: GraphView, communities: Sequence[Community]) -> list[tuple[Ints, Doubles]]:
    """Return the chunks that mention each community, and the share of a chunk's mentions that are of it."""
    from scipy.sparse import coo_array

    lists, n = mentions(graph), len(graph.chunks)
    place = {id_: row for row, community in enumerate(communities) for id_ in community.entity_ids}
    home = np.array([place.get(id_, -1) for id_ in compiled(graph).ids], dtype=np.int64)
    rows = np.repeat(home, lists.sizes)
    here = rows >= 0
    every = np.bincount(lists.item, lists.count, minlength=n)
    at = rows[here], lists.item[here]
    counts = coo_array((lists.count[here].astype(float), at), shape=(len(communities), n)).tocsr()
    item, ends = counts.indices.astype(np.int64), counts.indptr[1:-1]
    shares = counts.data / every[item]
    return list(zip(np.split(item, ends), np.split(shares, ends), strict=True))[: len(communities)]


def _texts(graph: GraphView, community: Community, chunks: Ints, shares: Doubles) -> Iterator[WeightedText]:
    at = compiled(graph).at
    nodes = np.array([at[id_] for id_ in community.entity_ids], dtype=np.int64)
    columns = (values_of(graph.entities, name, nodes) for name in ("name", "description"))
    for name, description in zip(*columns, strict=True):
        yield f"{name} {description or ''}", 1.0
    yield from zip(values_of(graph.chunks, "content", chunks), shares.tolist(), strict=True)


def _ties(relationships: Sequence[Relationship], communities: Sequence[Community]) -> "pl.DataFrame":
    """Return the relationships between entities in topics, both ways round, with the places of the topics."""
    import polars as pl

    place = {id_: row for row, community in enumerate(communities) for id_ in community.entity_ids}
    rows = [
        (r.id, r.weight, end, place[end], place[other])
        for r in counted(relationships, "topics: relationships placed")
        if r.source_id != r.target_id and r.source_id in place and r.target_id in place
        for end, other in ((r.source_id, r.target_id), (r.target_id, r.source_id))
    ]
    types = {"id": pl.String, "weight": pl.Float64, "end": pl.String, "own": pl.Int64, "other": pl.Int64}
    return pl.DataFrame(rows, schema=types, orient="row")


def _inside(ties: "pl.DataFrame") -> dict[str, float]:
    """Return the weight of each entity's relationships inside its topic."""
    import polars as pl

    return dict(
        ties.filter(pl.col("own") == pl.col("other"))
        .group_by("end", maintain_order=True)
        .agg(pl.col("weight").sum())
        .iter_rows()
    )


def _strongest(
    graph: GraphView, community: Community, inside: Mapping[str, float], top_k: int
) -> list[Scored[Entity]]:
    first = leading({id_: inside.get(id_, 0.0) for id_ in community.entity_ids}, top_k)
    rows = ((graph.entity(id_), score, dict[str, float]()) for id_, score in first)
    return ranked(rows, "strength inside")


def _bridges(ties: "pl.DataFrame", topics: Sequence[str], top_k: int) -> list[Bridge]:
    import polars as pl

    pairs = (
        ties.filter(pl.col("own") < pl.col("other"))
        .sort(-pl.col("weight"), "id")
        .group_by("own", "other", maintain_order=True)
        .agg(pl.col("weight").sum(), pl.len().alias("n"), pl.col("id").head(5))
    )
    rows = [(-settled(w), topics[a], topics[b], n, ids) for a, b, w, n, ids in pairs.iter_rows()]
    return [
        Bridge(source=source, target=target, weight=-weight, relationship_count=n, relationships=ids)
        for weight, source, target, n, ids in sorted(rows)[:top_k]
    ]


def _connectors(graph: GraphView, ties: "pl.DataFrame", top_k: int) -> list[Scored[Entity]]:
    """Rank entities by the participation coefficient 1 - sum (k_c / k)^2 over topics c (Guimerà & Amaral)."""
    import polars as pl

    weight = pl.col("weight")
    by_topic = ties.group_by("end", "other", maintain_order=True).agg(weight.sum())
    spread = 1 - ((weight / weight.sum()) ** 2).sum()
    spreads = by_topic.group_by("end", maintain_order=True).agg(
        spread.round(6).alias("spread"), pl.len().alias("topics"), weight.sum()
    )
    parts = {id_: row for id_, *row in spreads.filter(pl.col("topics") > 1).iter_rows()}
    first = leading({id_: row[0] for id_, row in parts.items()}, top_k)
    rows = (
        (graph.entity(id_), score, {"topics": float(parts[id_][1]), "strength": parts[id_][2]})
        for id_, score in first
    )
    return ranked(rows, "participation")
