"""Knowledge graphs of three kinds: names alone (kg), with descriptions (tkg), with keywords too (rkg)."""

from collections.abc import Iterator, Mapping, Sequence

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.method import GraphKind
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.synonyms import synonym_pairs
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.graph.words import STOP_WORDS, words
from corpusgraph.tasks.method.shapes_options import AlikeEdges, KnowledgeOptions

SYNONYM, IDENTITY = "synonym_of", "same_as"
GENERIC = frozenset({"relates_to", "co_occurs_with"})
"""Types that say nothing of what a relationship is about."""
KEYWORDS = 8
"""Keywords made for a relationship at most."""


def knowledge_graph(graph: GraphView, kind: GraphKind, options: KnowledgeOptions) -> MemoryGraph:
    """Return the graph with what the kind has of descriptions and keywords, and the edges asked for."""
    entities: Sequence[Entity] = graph.entities
    relationships: Sequence[Relationship] = graph.relationships
    if kind == "kg":
        entities = [_name_alone(entity) for entity in entities]
        relationships = [r.model_copy(update={"description": None, "keywords": None}) for r in relationships]
    if kind == "rkg":
        names = {entity.id: entity.name for entity in entities}
        relationships = [_with_keywords(r, names) for r in relationships]
    extra = [*_alike(graph, SYNONYM, options.synonym_edges)]
    extra += [*_alike(graph, IDENTITY, options.identity_edges)]
    counts = graph.mention_counts()
    incidence = [(id_, chunk, n) for id_, chunks in counts.items() for chunk, n in chunks.items()]
    known = {r.id for r in relationships}
    return MemoryGraph(
        entities,
        [*relationships, *(edge for edge in extra if edge.id not in known)],
        graph.chunks,
        graph.communities,
        graph.reports,
        incidence,
    )


def _name_alone(entity: Entity) -> Entity:
    aliases = (entity.attributes or {}).get("aliases")
    kept = {"aliases": aliases} if aliases else None
    return entity.model_copy(update={"description": None, "attributes": kept})


def _with_keywords(relationship: Relationship, names: Mapping[str, str]) -> Relationship:
    """Return the relationship with keywords: its own, or the words of its type and description."""
    if relationship.keywords:
        return relationship
    ends = {word for id_ in (relationship.source_id, relationship.target_id) for word in words(names[id_])}
    said = "" if relationship.type in GENERIC else relationship.type.replace("_", " ")
    told = [w for w in words(f"{said} {relationship.description or ''}") if w not in STOP_WORDS | ends]
    return relationship.model_copy(update={"keywords": tuple(dict.fromkeys(told))[:KEYWORDS]})


def _alike(graph: GraphView, type_: str, options: AlikeEdges | None) -> Iterator[Relationship]:
    """Yield edges between names that are alike, with their cosine as weight and no chunk that states them.

    Names are compared by their letters: embedding all of them would cost more than any question.
    """
    if options is None:
        return
    ids = [entity.id for entity in graph.entities]
    names = [entity.name for entity in graph.entities]
    for pair in synonym_pairs(names, options.threshold, options.top_k):
        one, other = ids[pair.one], ids[pair.other]
        yield Relationship(
            id=Relationship.make_id(one, type_, other),
            source_id=one,
            target_id=other,
            type=type_,
            weight=pair.score,
            chunk_ids=(),
        )


def entity_texts(graph: GraphView) -> dict[str, str]:
    """Return what an entity of a kg is found by: its name."""
    return {entity.id: entity.name for entity in graph.entities}


def relationship_texts(graph: GraphView) -> dict[str, str]:
    """Return what a relationship is found by: keywords, the two names around the type, and description."""
    names = {entity.id: entity.name for entity in graph.entities}
    return {r.id: _text(r, names) for r in graph.relationships}


def _text(r: Relationship, names: Mapping[str, str]) -> str:
    fact = f"{names[r.source_id]} {r.type.replace('_', ' ')} {names[r.target_id]}"
    return ". ".join(part for part in (", ".join(r.keywords or ()), fact, r.description) if part)
