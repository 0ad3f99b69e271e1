"""A graph small enough to work every number out by hand, and a search over it.

    snow -studies 2-> cholera <-causes 1- pump -part_of 3-> soho <-lived_in 1- snow -visits 1-> pump      farr

Degrees: snow 3, pump 3, cholera 2, soho 2, farr 0. Chunks c1, c2, c3 are document d1, c4 is d2.
"""

from typing import Any

from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.graph.view import MemoryGraph

TEXTS = {
    "c1": "John Snow studied cholera. Snow was a physician.",
    "c2": "The pump spread cholera, and Snow proved it. Cholera followed the water.",
    "c3": "The pump stood in Soho.",
    "c4": "Soho is crowded.",
}


def small_graph() -> MemoryGraph:
    """Build the graph."""
    return MemoryGraph(
        [
            Entity(id="snow", name="John Snow", type="person", description="a physician", short_id=1),
            Entity(id="cholera", name="cholera", type="concept", description="a disease", short_id=2),
            Entity(id="pump", name="Broad Street pump", type="place", short_id=3),
            Entity(id="soho", name="Soho", type="place", description="a parish of London", short_id=4),
            Entity(id="farr", name="William Farr", type="person", description="a physician", short_id=5),
        ],
        [
            _edge("r1", "snow", "studies", "cholera", 2, ("c1", "c2")),
            _edge("r2", "pump", "causes", "cholera", 1, ("c2",)),
            _edge("r3", "pump", "part_of", "soho", 3, ("c3",)),
            _edge("r4", "snow", "lived_in", "soho", 1, ()),
            _edge("r5", "snow", "visits", "pump", 1, ("c2",)),
        ],
        [
            Chunk(id=id_, content=text, source_doc="d2" if id_ == "c4" else "d1", position=position)
            for (id_, text), position in zip(TEXTS.items(), (0, 1, 2, 0), strict=True)
        ],
        [
            Community(id="k0", entity_ids=("cholera", "pump", "snow", "soho"), level=0),
            Community(id="k1", entity_ids=("cholera", "snow"), level=1, parent_id="k0"),
            Community(id="k2", entity_ids=("pump", "soho"), level=1, parent_id="k0", title="Own title"),
        ],
        [_report("p0", "k0", 0, "All of it", 5.0), _report("p1", "k1", 1, "Cholera studied", 8.0)],
        [
            ("snow", "c1", 2),
            ("snow", "c2", 1),
            ("cholera", "c1", 1),
            ("cholera", "c2", 2),
            ("pump", "c2", 1),
            ("pump", "c3", 1),
            ("soho", "c3", 1),
            ("soho", "c4", 1),
        ],
    )


def _edge(
    id_: str, source: str, kind: str, target: str, weight: float, chunks: tuple[str, ...]
) -> Relationship:
    return Relationship(
        id=id_, source_id=source, target_id=target, type=kind, weight=weight, chunk_ids=chunks
    )


def _report(id_: str, community: str, level: int, title: str, rating: float) -> CommunityReport:
    return CommunityReport(
        id=id_, community_id=community, level=level, title=title, summary=f"On {title}.", rating=rating
    )


class SmallVectors:
    """Exact search over the texts of a graph; no items of `without` have vectors."""

    def __init__(self, graph: MemoryGraph, without: str = "") -> None:
        self.embedder = HashingEmbedder(256)
        self._texts = {
            "entity": {e.id: f"{e.name} {e.description or ''}" for e in graph.entities},
            "relationship": {r.id: f"{r.source_id} {r.type} {r.target_id}" for r in graph.relationships},
            "chunk": {c.id: c.content for c in graph.chunks},
            "report": {r.id: f"{r.title} {r.summary}" for r in graph.reports},
        }
        self._texts[without] = {}

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        """Search by cosine."""
        texts = self._texts[kind]
        scores = self.embedder.embed(list(texts.values())) @ vector
        hits = zip(texts, scores.tolist(), strict=True)
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:top_k]

    def match(self, kind: str, query: str, top_k: int) -> list[tuple[str, float]]:
        """Search by shared words."""
        asked = set(query.casefold().split())
        hits = [(i, float(len(asked & set(t.casefold().split())))) for i, t in self._texts[kind].items()]
        return sorted(((i, s) for i, s in hits if s), key=lambda hit: (-hit[1], hit[0]))[:top_k]


def run(tool: str, graph: MemoryGraph | None = None, without: str = "", **arguments: Any) -> Any:
    """Call a tool on the small graph and return what it notes: data and warnings."""
    graph = graph or small_graph()
    vectors = SmallVectors(graph, without)
    ports = {"graph": graph, "vectors": vectors, "embedder": vectors.embedder}
    return _tool.TOOLS[tool].run(arguments, ports)


def ids(noted: Any) -> list[str]:
    """Return the ids of the ranked items."""
    return [scored.item.id for scored in noted.data]


def scores(noted: Any) -> dict[str, float]:
    """Return id -> score."""
    return {scored.item.id: scored.score for scored in noted.data}
