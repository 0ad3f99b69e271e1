"""What a graph is about: topics of its communities, and what leads from one domain to another."""

import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, PositiveInt

from corpusgraph.schemas.base import Noun, nfc
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import Noted, Scored, ToolWarning
from corpusgraph.tasks.graph.compiled import Doubles, compiled, mentions
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.graph.ranking import leading, ranked
from corpusgraph.tasks.progress import counted, step
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.words import STOP_WORDS, stem, written_words
from corpusgraph.tasks.tools.memory._columns import contents_of, descriptions_of, names_of
from corpusgraph.tasks.tools.memory._domains import Parting, homes, parted

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WeightedText = tuple[str, float]
"""A text and how much of it is about the class."""
_SLACK = 1e-9
"""Weights are compared to twelve digits; what is this much below the last that is told is not among them."""


def keywords(
    classes: Mapping[str, Iterable[WeightedText]], top_k: int, told: Collection[str] | None = None
) -> dict[str, list[tuple[str, float]]]:
    """Return the words that tell each class from the others with their weights, best first.

    Class-based TF-IDF (Grootendorst 2022, arXiv:2203.05794): share of the word in its class x ln(1 + A / f),
    f how often it is in all classes and A the mean number of words of a class. Words with one stem are one,
    shown as they are mostly written; stop words and bare numbers are left out. `told`, unless all, are the
    classes whose words are returned; the others count for f and A.
    """
    numbers: dict[str, int] = {}
    groups, rows, weights = array("q"), array("q"), array("d")
    for group, texts in enumerate(classes.values()):
        for text, weight in counted(iter(texts), "keywords: texts of groups"):
            groups.append(group)
            rows.append(numbers.setdefault(text, len(numbers)))
            weights.append(weight)
    read = _read(numbers)
    shape = len(classes), len(numbers)
    counts = _summed(np.asarray(weights), groups, rows, shape) @ read.keys
    step("keywords: words counted", len(numbers))
    uses = np.bincount(np.asarray(rows, dtype=np.int64), minlength=len(numbers)).astype(np.float64)
    shown = _Shown(read, read.forms.T @ uses)
    frequency = np.asarray(counts.sum(axis=0)).ravel()
    mean = float(frequency.sum()) / max(1, len(classes))
    wanted = classes if told is None else told
    return {
        name: _best(counts, group, frequency, mean, shown, top_k)
        for group, name in enumerate(counted(list(classes), "keywords: groups", every=16))
        if name in wanted
    }


class _Numbers(dict[str, int]):
    """Word as written -> its number; -1 for one that tells nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[str] = []
        self.key_of: list[int] = []
        self.stems: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = -1
        if _tells(word):
            number = len(self.forms)
            self.forms.append(word)
            self.key_of.append(self.stems.setdefault(stem(word.casefold()), len(self.stems)))
        self[word] = number
        return number


class _Read(NamedTuple):
    """How often each text has each form (texts, forms) and each stem (texts, stems), and which these are."""

    numbers: _Numbers
    forms: "csr_array"
    keys: "csr_array"


def _read(texts: Collection[str]) -> _Read:
    """Read each text once, in however many classes it is."""
    numbers = _Numbers()
    said, sizes = array("q"), array("q")
    for text in counted(texts, "keywords: texts read", every=64):
        found = [number for word in written_words(nfc(text)) if (number := numbers[word]) >= 0]
        said.extend(found)
        sizes.append(len(found))
    forms = np.asarray(said, dtype=np.int64)
    rows = np.repeat(np.arange(len(sizes)), np.asarray(sizes, dtype=np.int64))
    keys, ones = np.array(numbers.key_of, dtype=np.int64)[forms], np.ones(len(forms))
    return _Read(
        numbers,
        _summed(ones, rows, forms, (len(sizes), len(numbers.forms))),
        _summed(ones, rows, keys, (len(sizes), len(numbers.stems))),
    )


def _summed(values: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> "csr_array":
    from scipy.sparse import coo_array

    at = (np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64))
    return coo_array((values, at), shape=shape).tocsr()


class _Shown:
    """How each stem is mostly written."""

    def __init__(self, read: _Read, times: Doubles) -> None:
        self.keys: Sequence[str] = list(read.numbers.stems)
        self._forms, self._times = read.numbers.forms, times
        key_of = np.array(read.numbers.key_of, dtype=np.int64)
        self._order: Ints = np.argsort(key_of, kind="stable")
        self._key_of = key_of[self._order]

    def form(self, key: int) -> str:
        """Return the form that is most used; of equals, one that does not begin a sentence."""
        start, end = np.searchsorted(self._key_of, [key, key + 1])
        return self._forms[min(self._order[start:end].tolist(), key=self._place)]

    def _place(self, form: int) -> Any:
        written = self._forms[form]
        return -self._times[form], not written.islower(), written

    def best(self, keys: Iterable[int], weights: Iterable[float]) -> Iterator[tuple[float, str, int]]:
        """Yield what a word is ordered by: its weight to twelve digits, then its stem."""
        for key, weight in zip(keys, weights, strict=True):
            yield -round(weight, 12), self.keys[key], key


def _best(
    counts: "csr_array", group: int, frequency: Doubles, mean: float, shown: _Shown, top_k: int
) -> list[tuple[str, float]]:
    where = slice(int(counts.indptr[group]), int(counts.indptr[group + 1]))
    keys, share = counts.indices[where], counts.data[where]
    keys, share = keys[share > 0], share[share > 0]
    weights = share / (share.sum() or 1.0) * np.log1p(mean / frequency[keys])
    if top_k < len(keys):
        near = weights >= np.partition(weights, -top_k)[-top_k] - _SLACK
        keys, weights = keys[near], weights[near]
    held = dict(zip(keys.tolist(), weights.tolist(), strict=True))
    order = sorted(shown.best(held, held.values()))[:top_k]
    return [(shown.form(key), round(held[key], 6)) for _, _, key in order]


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
    mentioned = _mentioned(graph, found)
    texts = {c.id: _texts(graph, c, mentioned, row) for row, c in enumerate(found)}
    words = keywords(texts, ask.max_keywords, {c.id for c in told})
    inside, across = _shared(parts.relationships, home)
    warnings = list(parts.warnings)
    if not found:
        message = "No two entities are related here, or no community is of min_size."
        warnings.append(ToolWarning(code="no_communities", message=message))
    return Noted(
        data=Topics(
            topic_count=len(found),
            truncated=len(told) < len(found),
            topics=[
                _topic(ask, graph, c, words[c.id], inside.get(c.id, []), int(mentioned.sizes[row]))
                for row, c in enumerate(told)
            ],
            bridges=_bridges(across, [c.id for c in found], ask.max_bridges),
            connectors=_connectors(graph, parts.relationships, home, ask.max_bridges),
        ),
        warnings=tuple(warnings),
    )


class _Mentioned(NamedTuple):
    """The chunks that mention each community: row i has item[start[i]:start[i + 1]], each with a share."""

    nodes: Mapping[str, int]
    start: Ints
    item: Ints
    share: Doubles
    content: Sequence[str]

    @property
    def sizes(self) -> Ints:
        """Count the chunks of each community."""
        return np.diff(self.start)


def _mentioned(graph: GraphView, communities: Sequence[Community]) -> _Mentioned:
    """Return which share of the mentions of a chunk are of each community, for all communities at once."""
    from scipy.sparse import coo_array

    lists, nodes = mentions(graph), {id_: node for node, id_ in enumerate(compiled(graph).ids)}
    home = np.full(len(nodes), -1, dtype=np.int64)
    for row, community in enumerate(communities):
        home[[nodes[id_] for id_ in community.entity_ids]] = row
    rows = home[np.repeat(np.arange(len(nodes)), lists.sizes)]
    here = rows >= 0
    every = np.bincount(lists.item, lists.count, minlength=len(graph.chunks))
    shape = len(communities), len(graph.chunks)
    counts = coo_array((lists.count[here].astype(float), (rows[here], lists.item[here])), shape=shape).tocsr()
    return _Mentioned(
        nodes,
        counts.indptr.astype(np.int64),
        counts.indices.astype(np.int64),
        counts.data / every[counts.indices],
        contents_of(graph),
    )


def _texts(graph: GraphView, community: Community, mentioned: _Mentioned, row: int) -> Iterator[WeightedText]:
    nodes = np.array([mentioned.nodes[id_] for id_ in community.entity_ids], dtype=np.int64)
    for name, description in zip(names_of(graph, nodes), descriptions_of(graph, nodes), strict=True):
        yield f"{name} {description or ''}", 1.0
    where = slice(int(mentioned.start[row]), int(mentioned.start[row + 1]))
    for chunk, share in zip(mentioned.item[where].tolist(), mentioned.share[where].tolist(), strict=True):
        yield mentioned.content[chunk], share


def _topic(
    ask: IdentifyTopics,
    graph: GraphView,
    community: Community,
    words: Sequence[tuple[str, float]],
    inside: Sequence[Relationship],
    chunk_count: int,
) -> Topic:
    strength: dict[str, list[float]] = {id_: [] for id_ in community.entity_ids}
    for relationship in inside:
        for end in (relationship.source_id, relationship.target_id):
            strength[end].append(relationship.weight)
    first = leading({id_: math.fsum(weights) for id_, weights in strength.items()}, ask.max_entities)
    rows = ((graph.entity(id_), score, dict[str, float]()) for id_, score in first)
    return Topic(
        id=community.id,
        label=", ".join(word for word, _ in words[:3]) or str(community.title),
        keywords=[Keyword(word=word, weight=weight) for word, weight in words],
        entities=ranked(rows, "strength inside"),
        size=len(community.entity_ids),
        weight=math.fsum(relationship.weight for relationship in inside),
        chunk_count=chunk_count,
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


def _bridges(
    across: Mapping[frozenset[str], list[Relationship]], order: Sequence[str], top_k: int
) -> list[Bridge]:
    place = {id_: at for at, id_ in enumerate(order)}
    pairs = {tuple(sorted(pair, key=place.__getitem__)): found for pair, found in across.items()}
    weights = {pair: math.fsum(r.weight for r in found) for pair, found in pairs.items()}
    made = []
    for pair in sorted(pairs, key=lambda pair: (-weights[pair], pair))[:top_k]:
        heaviest = sorted(pairs[pair], key=lambda r: (-r.weight, r.id))
        made.append(
            Bridge(
                source=pair[0],
                target=pair[1],
                weight=weights[pair],
                relationship_count=len(heaviest),
                relationships=[r.id for r in heaviest[:5]],
            )
        )
    return made


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
    spread: dict[str, float] = {}
    parts: dict[str, dict[str, float]] = {}
    for id_, by_topic in counted(shares.items(), "topics: entities ranked"):
        weights = [math.fsum(some) for some in by_topic.values()]
        total = math.fsum(weights)
        if len(weights) > 1:
            spread[id_] = round(1 - math.fsum((weight / total) ** 2 for weight in weights), 6)
            parts[id_] = {"topics": float(len(weights)), "strength": total}
    rows = ((graph.entity(id_), score, parts[id_]) for id_, score in leading(spread, top_k))
    return ranked(rows, "participation")
