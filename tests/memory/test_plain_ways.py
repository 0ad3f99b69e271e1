"""Tools that read columns and count for many at once tell what the plain way tells, noun by noun."""

import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corpusgraph.tasks.tools.memory.structure
import corpusgraph.tasks.tools.memory.weighing  # noqa: F401 - registers the tools
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.terms import Terms
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.text.words import STOP_WORDS, stem, stems, written_words
from corpusgraph.tasks.tools.memory.structure import keywords
from corpusgraph.tasks.tools.memory.weighing import Independence, belief, denied_or, evidence_of
from tests.examples import tried
from tests.memory.said import ports, related, said

WORDS = ("Pump", "pump", "pumps", "the", "London", "1854", "cholera", "x", "bệnh", "水泵")
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
Classes = dict[str, list[tuple[str, float]]]


def plain_keywords(classes: Classes, top_k: int) -> dict[str, list[tuple[str, float]]]:
    """Class-based TF-IDF, text by text."""
    counts: dict[str, dict[str, float]] = {name: defaultdict(float) for name in classes}
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for name, weighted in classes.items():
        for text, weight in weighted:
            for word in written_words(text):
                tells = word.casefold() not in STOP_WORDS and not word.isdigit()
                if tells and (len(word) > 1 or not word.isascii()):
                    counts[name][stem(word.casefold())] += weight
                    written[stem(word.casefold())][word] += 1
    every = {key: math.fsum(found.get(key, 0.0) for found in counts.values()) for key in written}
    mean = math.fsum(every.values()) / max(1, len(classes))
    told = {}
    for name, found in counts.items():
        weights = {
            key: n / math.fsum(found.values()) * math.log1p(mean / every[key]) for key, n in found.items()
        }
        order = sorted(weights, key=lambda key: (-round(weights[key], 12), key))[:top_k]
        shown = [
            min(written[key], key=lambda form: (-written[key][form], not form.islower(), form))
            for key in order
        ]
        told[name] = [(form, round(weights[key], 6)) for form, key in zip(shown, order, strict=True)]
    return told


@given(
    st.dictionaries(
        st.sampled_from("abcd"), st.lists(st.tuples(texts, st.sampled_from([0.25, 0.5, 1.0])), max_size=5)
    ),
    st.integers(1, 4),
)
@settings(max_examples=tried(30), deadline=None)
def test_keywords(classes: Classes, top_k: int) -> None:
    expected = plain_keywords(classes, top_k)
    assert keywords(classes, top_k) == expected
    some = set(list(classes)[:2])
    assert keywords(classes, top_k, some) == {name: expected[name] for name in classes if name in some}


@given(st.lists(texts, max_size=5))
@settings(max_examples=tried(50), deadline=None)
def test_counted_terms(said_in: list[str]) -> None:
    terms, counts = Terms.of(said_in), [Counter(stems(text)) for text in said_in]
    assert list(terms.vocabulary) == list(dict.fromkeys(word for count in counts for word in count))
    for word, number in terms.vocabulary.items():
        rows, where = terms.postings(number)
        told = dict(zip(rows.tolist(), terms.count[where].tolist(), strict=True))
        assert told == {row: count[word] for row, count in enumerate(counts) if count[word]}
    assert terms.lengths.tolist() == [count.total() for count in counts]


statements = st.builds(
    said,
    st.integers(0, 99),
    st.sampled_from(["d1", "d2"]),
    st.sampled_from([0.1, 0.5, 0.9]),
    negated=st.booleans(),
    ends=st.sampled_from([("a", "b"), ("b", "c"), ("x", "a")]),
    type_=st.sampled_from(["causes", "not_causes"]),
)
TRIPLES = (("a", "causes", "b"), ("a", "uses", "b"), ("b", "not_causes", "c"), ("c", "causes", "a"))


@pytest.mark.parametrize("order", ["surest", "least_sure", "most_changed"])
@pytest.mark.parametrize("asked", [{}, {"relationship_types": ["causes", "not_causes"]}, {"top_k": 2}])
@given(st.lists(statements, max_size=8, unique_by=lambda one: one.id))
@settings(max_examples=tried(15), deadline=None)
def test_confidences(order: str, asked: dict[str, Any], evidence: list[Any]) -> None:
    given_ports = ports(related(*TRIPLES, confidence=0.4), evidence)
    data = TOOLS["score_confidence"].run({"order": order, **asked}, given_ports).data
    rows = []
    wanted = asked.get("relationship_types")
    for one in (r for r in given_ports["graph"].relationships if wanted is None or r.type in wanted):
        found = evidence_of(one, given_ports["corpus"])
        score = denied_or(one, belief(found, Independence())) if found else one.confidence
        key = {"surest": -score, "least_sure": score, "most_changed": -abs(score - one.confidence)}[order]
        rows.append((key, one.id, score))
    expected = [(id_, score) for _, id_, score in sorted(rows)[: asked.get("top_k", 50)]]
    assert [(hit.item.id, hit.score) for hit in data.relationships] == expected
    assert data.relationship_count == len(rows)


@pytest.mark.parametrize("seed", range(3))
def test_chunks_and_bridges_of_topics(seed: int) -> None:
    lot = np.random.default_rng(seed)
    ids = [f"e{i:02}" for i in range(30)]
    ends = [sorted(lot.choice(30, 2, replace=False).tolist()) for _ in range(60)]
    edges = [
        Relationship(id=f"r{i:02}", source_id=ids[a], target_id=ids[b], weight=float(lot.integers(1, 9)))
        for i, (a, b) in enumerate(ends)
    ]
    members = [tuple(ids[i] for i in np.unique(lot.integers(0, 30, 3))) for _ in range(12)]
    chunks = [Chunk(id=f"c{i:02}", content=f"word{i}", entities=some) for i, some in enumerate(members)]
    graph = MemoryGraph([Entity(id=id_, name=id_) for id_ in ids], edges, chunks)
    data = TOOLS["identify_topics"].run({"top_k": 99, "max_bridges": 3, "max_entities": 99}, {"graph": graph})
    home = {hit.item.id: topic.id for topic in data.data.topics for hit in topic.entities}
    for topic in data.data.topics:
        own = {id_ for id_, at in home.items() if at == topic.id}
        assert topic.chunk_count == sum(bool(own & set(some)) for some in members)
    across: dict[frozenset[str], list[Relationship]] = defaultdict(list)
    for edge in edges:
        across[frozenset((home[edge.source_id], home[edge.target_id]))].append(edge)
    heaviest = sorted((-sum(e.weight for e in found) for pair, found in across.items() if len(pair) == 2))
    assert [-bridge.weight for bridge in data.data.bridges] == heaviest[:3]
    for bridge in data.data.bridges:
        found = across[frozenset((bridge.source, bridge.target))]
        order = sorted(found, key=lambda e: (-e.weight, e.id))
        assert bridge.relationships == [e.id for e in order[:5]]
        assert bridge.relationship_count == len(found)
