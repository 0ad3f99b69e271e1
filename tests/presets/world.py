"""A world small enough to work every preset out by hand, and an embedder whose cosines can be counted.

    ada -met-> bob -wrote_to-> cara -married (2)-> dan -knows-> eve        fay -taught-> gus

Degrees: bob, cara, dan 2, all others 1. Chunk cN states relationship rN and mentions its two ends.
Communities: k0 {ada … eve} with the parts k1 {ada, bob, cara} and k2 {dan, eve}; k3 {fay, gus}.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from corpusgraph.flows.methods import load_method
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.schemas.method import MethodResult
from corpusgraph.schemas.ports import Floats, LanguageModel
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.method.run import run_method
from corpusgraph.tasks.text.words import words

EDGES = {
    "r1": ("ada", "met", "bob", 1.0, "Ada met Bob."),
    "r2": ("bob", "wrote_to", "cara", 1.0, "Bob wrote to Cara."),
    "r3": ("cara", "married", "dan", 2.0, "Cara married Dan."),
    "r4": ("dan", "knows", "eve", 1.0, "Dan knows Eve."),
    "r5": ("fay", "taught", "gus", 1.0, "Fay taught Gus."),
}
MEMBERS = {
    "k0": (("ada", "bob", "cara", "dan", "eve"), 0, None, "friends"),
    "k1": (("ada", "bob", "cara"), 1, "k0", "letters"),
    "k2": (("dan", "eve"), 1, "k0", "marriage"),
    "k3": (("fay", "gus"), 0, None, "school"),
}


class WordEmbedder:
    """A text is the bag of its words: the cosine of two is shared / sqrt(words of one x words of the other)."""

    name = "words"

    def __init__(self, texts: Sequence[str]) -> None:
        known = dict.fromkeys(word for text in texts for word in words(text))
        self._axis = {word: i for i, word in enumerate(known)}

    @property
    def dimension(self) -> int:
        return len(self._axis) + 1

    def embed(self, texts: Sequence[str]) -> Floats:
        """Words that no text of the world has share one axis that nothing else is on."""
        rows = np.zeros((len(texts), self.dimension), np.float64)
        for row, text in zip(rows, texts, strict=True):
            inside = set(words(text))
            for word in inside:
                row[self._axis.get(word, self.dimension - 1)] = 1
            strange = len([word for word in inside if word not in self._axis])
            row[-1] = strange**0.5
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Floats = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return unit


class ExactVectors:
    """Exact search over what an index would embed."""

    def __init__(self, graph: MemoryGraph) -> None:
        names = {e.id: e.name for e in graph.entities}
        self.texts: dict[str, dict[str, str]] = {
            "entity": {e.id: f"{e.name}. {e.description or ''}" for e in graph.entities},
            "relationship": {
                r.id: f"{names[r.source_id]} {r.type.replace('_', ' ')} {names[r.target_id]}. {r.description or ''}"
                for r in graph.relationships
            },
            "chunk": {c.id: c.content for c in graph.chunks},
            "report": {r.id: f"{r.title}. {r.summary}" for r in graph.reports},
        }
        self.embedder = WordEmbedder([t for kind in self.texts.values() for t in kind.values()])

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        texts = self.texts[kind]
        scores = np.round(self.embedder.embed(list(texts.values())) @ vector, 6).tolist()
        found = zip(texts, scores, strict=True)
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:top_k]

    def match(self, kind: str, query: str, top_k: int) -> list[tuple[str, float]]:
        asked = set(words(query))
        hits = [(i, float(len(asked & set(words(text))))) for i, text in self.texts[kind].items()]
        return sorted(((i, s) for i, s in hits if s), key=lambda hit: (-hit[1], hit[0]))[:top_k]


def graph(edges: Sequence[str] = tuple(EDGES), **descriptions: str) -> MemoryGraph:
    """Return the world, or as much of it as some edges hold; entities described as told."""
    ends = dict.fromkeys(end for id_ in edges for end in (EDGES[id_][0], EDGES[id_][2]))
    chunks = [
        Chunk(
            id=f"c{id_[1:]}",
            content=EDGES[id_][4],
            source_doc=f"d{id_[1:]}",
            end=len(EDGES[id_][4]),
            entities=(EDGES[id_][0], EDGES[id_][2]),
            relationships=(id_,),
        )
        for id_ in edges
    ]
    whole = len(edges) == len(EDGES)
    return MemoryGraph(
        [Entity(id=end, name=end.title(), description=descriptions.get(end)) for end in ends],
        [
            Relationship(id=i, source_id=s, type=t, target_id=o, weight=w, chunk_ids=(f"c{i[1:]}",))
            for i, (s, t, o, w, _) in EDGES.items()
            if i in edges
        ],
        chunks,
        [_community(id_) for id_ in MEMBERS] if whole else [],
        [_report(id_) for id_ in MEMBERS] if whole else [],
    )


def _community(id_: str) -> Community:
    members, level, parent, title = MEMBERS[id_]
    return Community(id=id_, entity_ids=members, level=level, parent_id=parent, title=title)


def _report(id_: str) -> CommunityReport:
    members, level, _, title = MEMBERS[id_]
    first = next(i for i, edge in EDGES.items() if edge[0] in members)
    text = EDGES[first][4]
    finding = ReportFinding(
        text=text, chunk_id=f"c{first[1:]}", document_id=f"d{first[1:]}", start=0, end=len(text)
    )
    return CommunityReport(
        id=f"p{id_[1:]}",
        community_id=id_,
        level=level,
        title=title,
        summary=f"On {title}.",
        findings=(finding,),
        rating=5,
    )


def ports(made: MemoryGraph | None = None, llm: LanguageModel | None = None) -> dict[str, Any]:
    """Return the ports of a method over the world."""
    made = made or graph()
    vectors = ExactVectors(made)
    return {"graph": made, "vectors": vectors, "embedder": vectors.embedder, "llm": llm}


def run(
    name: str, question: str, made: MemoryGraph | None = None, llm: LanguageModel | None = None
) -> MethodResult:
    """Run a preset for a question."""
    return run_method(load_method(name), question, ports(made, llm))


def ids(found: Any) -> list[str]:
    """Return the ids of ranked items; of links, those of the entities."""
    return [getattr(hit.item, "entity", hit.item).id for hit in found]


def scores(found: Any) -> dict[str, float]:
    """Return id -> score of ranked items."""
    return {getattr(hit.item, "entity", hit.item).id: hit.score for hit in found}


def pagerank(made: MemoryGraph, reset: Mapping[str, float], damping: float) -> dict[str, float]:
    """Solve s = (1 - d) v + d Pᵀ s for s, without iterating: what the walk must come to."""
    at = {entity.id: i for i, entity in enumerate(made.entities)}
    weights = np.zeros((len(at), len(at)))
    for r in made.relationships:
        weights[at[r.source_id], at[r.target_id]] += r.weight
        weights[at[r.target_id], at[r.source_id]] += r.weight
    start = np.array([reset.get(id_, 0.0) for id_ in at])
    start /= start.sum()
    steps = weights / weights.sum(axis=1, keepdims=True)
    solved = np.linalg.solve(np.eye(len(at)) - damping * steps.T, (1 - damping) * start)
    return dict(zip(at, solved.tolist(), strict=True))
