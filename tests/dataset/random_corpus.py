"""Corpora of any size made from a seed: documents of short sentences, entities, relationships, assertions."""

import random
from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Mention
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.dataset.corpus import HandMade

TYPES = ("causes", "uses", "part_of")
Link = tuple[int, int, float, str]


def name_of(at: int) -> str:
    return f"Ent{at}"


def entity_id(at: int) -> str:
    return f"ent_{at:06}"


def random_links(n: int, m: int, seed: int) -> list[Link]:
    """Return m directed links among n nodes, hubs among them; loops and parallel links occur."""
    rng = random.Random(seed)  # noqa: S311 (no secret)
    ends: list[int] = list(range(n))
    links = []
    for _ in range(m if n else 0):
        a, b = rng.choice(ends), rng.randrange(n)
        links.append((a, b, rng.choice((0.5, 1.0, 2.0, 3.0)), rng.choice(TYPES)))
        ends.append(b)
    return links


def corpus_of_links(n: int, links: Sequence[Link], *, sentences: int = 4, years: int = 3) -> HandMade:
    """State each link in a sentence `Ent3 uses Ent7.`; some sentences make a document, each of a year."""
    documents, chunks, mentions, assertions = [], [], [], []
    resolved: dict[str, str] = {}
    for first in range(0, len(links), sentences):
        id_ = f"doc_{first // sentences:05}"
        text = ""
        for at, (a, b, _, kind) in enumerate(links[first : first + sentences], first):
            begin = len(text)
            text += f"{name_of(a)} {kind} {name_of(b)}. "
            place: dict[str, Any] = {"document_id": id_, "chunk_id": f"chk_{id_}", "extractor": "hand"}
            place |= {"sentence_start": begin, "sentence_end": len(text) - 1}
            ids = []
            for end, start in ((a, begin), (b, text.index(kind, begin) + len(kind) + 1)):
                span: dict[str, Any] = {"start": start, "end": start + len(name_of(end))}
                mention = f"men_{at:06}_{start}"
                fields = {"surface": name_of(end), "name": name_of(end), "type": "concept", "id": mention}
                mentions.append(Mention.model_validate({**place, **span, **fields}))
                resolved[mention] = entity_id(end)
                ids.append(mention)
            stated: dict[str, Any] = {
                "source_mention": ids[0],
                "target_mention": ids[1],
                "type": kind,
                "description": "",
            }
            stated |= {"source": name_of(a), "target": name_of(b), "id": f"asr_{at:06}"}
            whole = {"start": begin, "end": len(text) - 1, "confidence": 0.5}
            assertions.append(Assertion.model_validate({**place, **whole, **stated}))
        text = text.rstrip()
        date = {"date": str(1850 + first // sentences % years)}
        documents.append(Document(id=id_, title=id_, text=text, source=id_, content_hash="", metadata=date))
        chunks.append(Chunk(id=f"chk_{id_}", content=text, source_doc=id_, end=len(text)))
    entities = [Entity(id=entity_id(at), name=name_of(at), type="concept") for at in range(n)]
    relationships = [
        Relationship(
            id=f"rel_{at:06}", source_id=entity_id(a), target_id=entity_id(b), weight=w, type=kind,
            chunk_ids=(f"chk_doc_{at // sentences:05}",),
        )
        for at, (a, b, w, kind) in enumerate(links)
    ]  # fmt: skip
    incidence = sorted({(resolved[m.id], m.chunk_id, 1) for m in mentions})
    halves = [entity_id(at) for at in range(n)]
    groups = [halves[: n // 2], halves[n // 2 :]]
    communities = [
        Community(id=f"com_{at}", entity_ids=tuple(group), level=0)
        for at, group in enumerate(groups)
        if group
    ]
    graph = MemoryGraph(entities, relationships, chunks, communities, (), incidence)
    return HandMade(graph, documents, mentions, assertions, resolved=resolved)
