"""A small graph with everything in it, and ways to take away or add what a tool should not mind."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.schemas.memory import Change, Named, Observe
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks.digits import cosines
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.memory import ScratchMemory

KINDS = {
    "Entity": "entities",
    "Relationship": "relationships",
    "Chunk": "chunks",
    "Community": "communities",
    "CommunityReport": "reports",
}
MINIMUM = {
    "Entity": {"id"},
    "Relationship": {"id", "source_id", "target_id"},
    "Chunk": {"id", "content"},
    "Community": {"id", "entity_ids", "level"},
    "CommunityReport": {"id", "community_id", "level", "title", "summary"},
}
"""What an item must have to be one."""

NOTED = Change(
    number=1,
    at="2026-01-01T00:00:00Z",
    by="add_observations",
    operations=(Observe(entity=Named(id="ent_a", name="John Snow"), contents=("Born in York",)),),
)
"""What was noted by hand before any tool is called."""

Items = dict[str, list[Any]]


def rich() -> Items:
    """Return the full graph: four entities, four relationships, three chunks, two levels of communities."""
    entities = [
        Entity(
            id="ent_a", name="John Snow", type="person", description="physician", short_id=0, n_mentions=3
        ),
        Entity(id="ent_b", name="cholera", type="concept", description="disease", short_id=1, n_mentions=2),
        Entity(id="ent_c", name="contaminated water", type="concept", short_id=2, n_mentions=2),
        Entity(id="ent_d", name="London", type="place", short_id=3, n_mentions=1),
    ]
    relationships = [
        _edge(
            "rel_1", "ent_c", "ent_b", "causes", 2.0, short_id=0, is_causal=True, chunk_ids=("chk_1", "chk_2")
        ),
        _edge("rel_2", "ent_a", "ent_d", "lived_in", 1.0, short_id=1, chunk_ids=("chk_3",)),
        _edge("rel_3", "ent_a", "ent_b", "relates_to", 0.5, short_id=2, chunk_ids=("chk_1",)),
        _edge("rel_4", "ent_b", "ent_d", "part_of", 1.0, short_id=3, chunk_ids=("chk_2",)),
    ]
    chunks = [
        _chunk(0, "Snow argued that contaminated water caused cholera.", "abc", ("rel_1", "rel_3")),
        _chunk(1, "Contaminated water led to cholera in London.", "bcd", ("rel_1", "rel_4")),
        _chunk(2, "John Snow lived in London for many years.", "ad", ("rel_2",)),
    ]
    communities = [
        Community(
            id="com_0", entity_ids=("ent_a", "ent_b", "ent_c", "ent_d"), level=0, title="All", short_id=0
        ),
        Community(
            id="com_1", entity_ids=("ent_b", "ent_c"), level=1, parent_id="com_0", title="Water", short_id=1
        ),
    ]
    finding = ReportFinding(
        text="Water caused cholera.", chunk_id="chk_1", document_id="doc_1", start=0, end=21
    )
    reports = [
        CommunityReport(
            id=f"rep_{c.id}",
            community_id=c.id,
            level=c.level,
            title=str(c.title),
            summary="On water and cholera.",
            findings=(finding,),
            rating=5.0,
        )
        for c in communities
    ]
    return {
        "entities": entities,
        "relationships": relationships,
        "chunks": chunks,
        "communities": communities,
        "reports": reports,
    }


def _edge(id_: str, source: str, target: str, kind: str, weight: float, **more: Any) -> Relationship:
    text = f"{source} {kind} {target}"
    return Relationship(
        id=id_, source_id=source, target_id=target, type=kind, weight=weight, description=text, **more
    )


def _chunk(position: int, content: str, entities: str, relationships: tuple[str, ...]) -> Chunk:
    start = position * 100
    return Chunk(
        id=f"chk_{position + 1}",
        content=content,
        source_doc="doc_1",
        position=position,
        start=start,
        end=start + len(content),
        short_id=position,
        entities=tuple(f"ent_{letter}" for letter in entities),
        relationships=relationships,
        n_tokens=8,
    )


def stripped(items: Items, needs: frozenset[str]) -> Items:
    """Keep of each item what makes it one and what the tool needs."""
    kept: Items = {}
    for kind, name in KINDS.items():
        fields = MINIMUM[kind] | {n.partition(".")[2] for n in needs if n.startswith(f"{kind}.")}
        kept[name] = [type(item)(**{f: getattr(item, f) for f in sorted(fields)}) for item in items[name]]
    return kept


def with_unknown(items: Items) -> Items:
    """Give every item that may have one a field nobody knows."""
    return {
        name: [
            type(i)(**{**dict(i), "colour": "blue"}) if i.model_config.get("extra") == "allow" else i
            for i in many
        ]
        for name, many in items.items()
    }


class Vectors:
    """Exact vector search and word overlap over a handful of items."""

    def __init__(self, items: Items, embedder: HashingEmbedder) -> None:
        self._texts = {
            "entity": {e.id: f"{e.name} {e.description or ''}" for e in items["entities"]},
            "relationship": {r.id: f"{r.type} {r.description or ''}" for r in items["relationships"]},
            "chunk": {c.id: c.content for c in items["chunks"]},
            "report": {r.id: f"{r.title} {r.summary}" for r in items["reports"]},
        }
        self._embedder = embedder

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        ids = sorted(self._texts[kind])
        scores = cosines(
            self._embedder.embed([self._texts[kind][i] for i in ids]), np.asarray(vector).ravel()
        )
        ranked = sorted(zip(ids, scores.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0]))
        return ranked[:top_k]

    def match(self, kind: str, query: str, top_k: int) -> list[tuple[str, float]]:
        words = set(query.casefold().split())
        scored = [(i, float(len(words & set(t.casefold().split())))) for i, t in self._texts[kind].items()]
        return sorted((s for s in scored if s[1] > 0), key=lambda pair: (-pair[1], pair[0]))[:top_k]


def resources(items: Items) -> Mapping[str, Any]:
    """Return the ports a tool may ask for, over the items."""
    embedder = HashingEmbedder(64)
    graph = MemoryGraph(
        items["entities"], items["relationships"], items["chunks"], items["communities"], items["reports"]
    )
    return {
        "graph": graph,
        "memory": ScratchMemory(graph, [NOTED]),
        "vectors": Vectors(items, embedder),
        "embedder": embedder,
        "extractor": default_extractor(),
        "metadata": {"index": "contract", "generation": "gen_0"},
    }


def as_json(items: Items) -> JsonDict:
    """Return the items as plain JSON values."""
    return {
        name: [i.model_dump(mode="json", exclude_none=True) for i in many] for name, many in items.items()
    }
