"""Turn what was retrieved into pieces of context, each with the sentences it rests on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from corpusgraph.schemas.answer import SimilarItem
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import (
    Community,
    CommunityReport,
    Entity,
    EntityRef,
    Graph,
    Path,
    Relationship,
    ReportFinding,
)
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.answer.context import Draft
from corpusgraph.tasks.answer.provenance import Provenance
from corpusgraph.tasks.answer.sentences import Sentence
from corpusgraph.tasks.graph.communities import report_of, reported


@dataclass
class Retrieved:
    """What was given, kind by kind, best first."""

    chunks: Sequence[EntityRef | Chunk] = ()
    entities: Sequence[EntityRef | Entity] = ()
    relationships: Sequence[EntityRef | Relationship] = ()
    communities: Sequence[EntityRef | Community | CommunityReport] = ()
    paths: Sequence[Path] = ()
    subgraph: Graph | None = None
    items: Sequence[SimilarItem] = field(default=())

    def __bool__(self) -> bool:
        """Tell whether anything was given."""
        lists = (self.chunks, self.entities, self.relationships, self.communities, self.paths, self.items)
        return any(lists) or bool(self.subgraph and (self.subgraph.nodes or self.subgraph.edges))


def drafts_of(given: Retrieved, provenance: Provenance) -> list[Draft]:
    """Return the pieces: reports, entities, relationships, paths, chunks; each item of a kind once.

    An unknown id is an error; a noun that the graph does not hold is taken as it is.
    """
    graph, items = provenance.graph, given.items
    subgraph = given.subgraph or Graph()
    names = {node.id: node.name for node in subgraph.nodes}
    reports = _reported(graph, [*given.communities, *(i.report for i in items if i.report)])
    entities = [*given.entities, *subgraph.nodes, *(i.entity for i in items if i.entity)]
    edges = [*given.relationships, *subgraph.edges, *(i.relationship for i in items if i.relationship)]
    texts = (i.chunk or Chunk(id=i.id, content=i.text) for i in items if i.chunk or i.kind == "text")
    known_entities = (e if isinstance(e, Entity) else graph.entity(e) for e in entities)
    known_edges = (r if isinstance(r, Relationship) else graph.relationship(r) for r in edges)
    known_chunks = (c if isinstance(c, Chunk) else graph.chunk(c) for c in [*given.chunks, *texts])
    made = [
        *(_community(pair, n, provenance) for n, pair in enumerate(reports)),
        *(_entity(entity, n, provenance) for n, entity in enumerate(known_entities)),
        *(_relationship(edge, n, provenance, names) for n, edge in enumerate(known_edges)),
        *(_path(path, n, provenance) for n, path in enumerate(given.paths)),
        *(_chunk(chunk, n, provenance) for n, chunk in enumerate(known_chunks)),
    ]
    return list({(draft.kind, draft.id): draft for draft in reversed(made)}.values())[::-1]


def _reported(
    graph: GraphView, given: Iterable[EntityRef | Community | CommunityReport]
) -> list[tuple[Community, CommunityReport | None]]:
    by_id = {community.id: community for community in graph.communities}
    by_short_id = {str(c.short_id): c for c in graph.communities if c.short_id is not None}
    found: list[tuple[Community, CommunityReport | None]] = []
    for one in given:
        if isinstance(one, CommunityReport):
            bare = Community(id=one.community_id, entity_ids=(), level=one.level, title=one.title)
            told = {"title": one.title, "summary": one.summary, "rating": one.rating}
            found.append((by_id.get(one.community_id, bare).model_copy(update=told), one))
            continue
        community = one if isinstance(one, Community) else by_id.get(str(one)) or by_short_id.get(str(one))
        if community is None:
            raise UnknownItemError(f"Unknown community {one!r}.", hint="`community_by_layer` lists them.")
        found.append((community, report_of(graph).get(community.id)))
    return found


def _community(known: tuple[Community, CommunityReport | None], rank: int, provenance: Provenance) -> Draft:
    community, report = known
    told = community if community.summary else reported(provenance.graph, community)
    findings = report.findings if report else ()
    summary = told.summary or ""
    # A report whose summary is not made of its findings says something of its own: it is read too.
    own = not findings or (report is not None and report.method != "extractive")
    text, cuts = summary if own else "", list[int]()
    cited: dict[tuple[str, int, int], Sentence] = {}
    for finding, line in _lines(findings):
        place = (finding.document_id or finding.chunk_id, finding.start, finding.end)
        text = f"{text} {line}".strip()
        if place in cited:  # what another finding says of it is cut with what was read before
            cuts[-1] = len(text)
        else:
            cited[place] = provenance.of_finding(finding, rank, len(cited))
            cuts.append(len(text))
    sentences = tuple(cited.values())
    if not sentences:  # a summary written elsewhere: its passages are what it can be checked against
        sentences = tuple(provenance.of_community(community, rank))
    return Draft(
        "community",
        community.id,
        (told.title or (report.title if report else "") or community.id,),
        text,
        sentences,
        tuple(cuts),
        rating=float(told.rating or (report.rating if report else 0.0)),
        members=frozenset(community.entity_ids),
    )


def _lines(findings: Sequence[ReportFinding]) -> Iterator[tuple[ReportFinding, str]]:
    """Yield how each finding is read: its sentence, or once for all its sentences what a model found."""
    read: set[str] = set()
    for finding in findings:
        told = " ".join(filter(None, (finding.summary, finding.explanation)))
        line = " ".join((told or finding.text).split())
        yield finding, "" if line in read else line
        read.add(line)


def _entity(entity: Entity, rank: int, provenance: Provenance) -> Draft:
    names = (entity.name, entity.type or "")
    draft = Draft("entity", entity.id, names, entity.description or "")

    def look_up() -> Draft:
        sentences = tuple(provenance.of_entity(entity, rank))
        passage = None if sentences else provenance.first_passage(provenance.chunks_of_entity(entity), rank)
        return replace(draft, sentences=sentences, passage=passage)

    return replace(draft, look_up=look_up)


def _relationship(r: Relationship, rank: int, provenance: Provenance, names: Mapping[str, str]) -> Draft:
    source, target = (names.get(end) or provenance.entity(end).name for end in (r.source_id, r.target_id))
    draft = Draft("relationship", r.id, (source, r.type, target), r.description or "")

    def look_up() -> Draft:
        sentences = tuple(provenance.of_relationship(r, rank))
        passage = None if sentences else provenance.first_passage(provenance.chunks_of_relationship(r), rank)
        return replace(draft, sentences=sentences, passage=passage)

    return replace(draft, look_up=look_up)


def _path(path: Path, rank: int, provenance: Provenance) -> Draft:
    edges = [provenance.graph.relationship(id_) for id_ in path.edge_ids]
    text = provenance.entity(path.node_ids[0]).name if path.node_ids else ""
    for edge, node in zip(edges, path.node_ids[1:], strict=False):
        name, kind = provenance.entity(node).name, edge.type.replace("_", " ")
        text += f" -[{kind}]-> {name}" if edge.target_id == node else f" <-[{kind}]- {name}"
    sentences = [s for edge in edges for s in provenance.of_relationship(edge, rank)[:1]]
    return Draft("path", " ".join(path.edge_ids or path.node_ids), (), text, tuple(sentences))


def _chunk(chunk: Chunk, rank: int, provenance: Provenance) -> Draft:
    sentences = tuple(provenance.of_chunk(chunk, rank))
    cuts = tuple(sentence.end - chunk.start for sentence in sentences)
    passage = None if sentences else provenance.whole(chunk, rank)
    names = (provenance.title(chunk),)
    return Draft("chunk", chunk.id, names, chunk.content, sentences, cuts, passage=passage)
