"""Candidates of an agent's choice: entities given, or those that relationships lead to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.ports import Embedder, GraphView
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.compiled import ends
from corpusgraph.tasks.graph.inputs import resolved
from corpusgraph.tasks.query.given import grades
from corpusgraph.tasks.query.likeness import likeness
from corpusgraph.tasks.query.verbal import described, step

Given = list[EntityRef] | dict[EntityRef, float]


@dataclass
class Candidates:
    """What one relation of one entity leads to, each with the relation's score; "" is no relation."""

    relation: str
    tails: list[Entity] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    _at: dict[str, int] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """The candidates in a line each."""
        return [described(tail) for tail in self.tails]

    def add(self, tail: Entity, score: float, text: str) -> None:
        """Add a candidate; one that is there already keeps the better score."""
        at = self._at.setdefault(tail.id, len(self.tails))
        if at < len(self.tails):
            self.scores[at] = max(score, self.scores[at])
            return
        self.tails.append(tail)
        self.scores.append(score)
        self.texts.append(text)

    def only(self, kept: Sequence[int]) -> "Candidates":
        """Return some of the candidates."""
        pick = sorted(kept)
        return Candidates(
            self.relation,
            [self.tails[i] for i in pick],
            [self.scores[i] for i in pick],
            [self.texts[i] for i in pick],
        )


def candidates_of(
    query: str,
    entities: Given | None,
    relationships: Given | None,
    most: int,
    graph: GraphView,
    embedder: Embedder,
) -> tuple[list[Candidates], list[ToolWarning]]:
    """Return the candidates by entity and relation, at most `most` of each, and what was left out."""
    topics = resolved(graph, entities or ())
    if relationships is None:
        alone = Candidates("")
        for entity in topics:
            alone.add(entity, 1.0, described(entity))
        groups = [alone] if topics else []
        return _trimmed(query, groups, most, embedder)
    groups, apart = _led_to(graph, None if entities is None else {t.id for t in topics}, relationships)
    found, warnings = _trimmed(query, groups, most, embedder)
    if apart:
        message = f"{len(apart)} relationships touch none of the entities; they are left out."
        warnings.append(ToolWarning(code="unconnected", message=message, records=tuple(apart)))
    return found, warnings


def _led_to(
    graph: GraphView, topics: set[str] | None, relationships: Given
) -> tuple[list[Candidates], list[str]]:
    """Group what relationships lead to by topic, relation and direction, and list those without a topic."""
    groups: dict[tuple[str, str, bool], Candidates] = {}
    apart = []
    for ref, score in grades(relationships).items():
        edge = graph.relationship(ref)
        ways = [way for way in _ways(edge) if topics is None or way[0] in topics]
        if not ways:
            apart.append(edge.id)
        for topic_id, tail_id, outgoing in ways:
            topic, tail = graph.entity(topic_id), graph.entity(tail_id)
            relation = f"{topic.name} {step(edge.type, outgoing=outgoing)}"
            group = groups.setdefault((topic_id, edge.type, outgoing), Candidates(relation))
            group.add(tail, max(0.0, score), f"{relation} {described(tail)} {edge.description or ''}")
    return list(groups.values()), apart


def _ways(edge: Relationship) -> Iterator[tuple[str, str, bool]]:
    """Yield (from, to, whether that is the relationship's own direction); a self-loop leads nowhere."""
    if len(ends(edge)) == 2:
        yield edge.source_id, edge.target_id, True
        yield edge.target_id, edge.source_id, False


def _trimmed(
    query: str, groups: list[Candidates], most: int, embedder: Embedder
) -> tuple[list[Candidates], list[ToolWarning]]:
    """Keep of each group the candidates most like the question."""
    kept, left = [], 0
    for group in groups:
        if len(group.tails) <= most:
            kept.append(group)
            continue
        alike = likeness(query, group.texts, embedder)
        order = sorted(range(len(alike)), key=lambda i: (-alike[i], group.tails[i].id))
        kept.append(group.only(order[:most]))
        left += len(group.tails) - most
    if not left:
        return kept, []
    message = f"{left} candidates beyond {most} of a relation, those least like the question, are left out."
    return kept, [ToolWarning(code="candidates_cut", message=message)]
