"""What is added by hand is evidence: the view is what indexing the corpus and the memory documents gives."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.memory import CreateEntity, Named, Observe, Operation, Relate
from corpusgraph.tasks.filter.corpus import FilteredCorpus
from corpusgraph.tasks.graph.compiled import chunk_ids, compiled, mentions, relationship_ids, stated
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.examples import tried
from tests.remember.build import CONFIDENCES, NEW, TYPES, Remembered, corpus, everyone, texts


@st.composite
def additions(draw: st.DrawFn, people: Sequence[Named]) -> list[Operation]:
    """Everyone new is made, then things are said of anyone."""
    who = st.sampled_from(people)
    found: list[Operation] = [CreateEntity(**one.model_dump()) for one in NEW]
    for _ in range(draw(st.integers(0, 6))):
        one, other = draw(who), draw(who)
        if draw(st.booleans()) or one == other:
            said = draw(
                st.sampled_from([f"{one.name} was there", "was seen", "naïve\nlines", "Čapek’s «水»"])
            )
            found.append(Observe(entity=one, contents=(said,)))
        else:
            sure, cause = draw(st.sampled_from(CONFIDENCES)), draw(st.booleans())
            type_ = draw(st.sampled_from(TYPES))
            found.append(Relate(source=one, target=other, type=type_, confidence=sure, is_causal=cause))
    return found


@settings(max_examples=tried(25), deadline=None)
@given(st.data(), texts)
def test_the_view_is_what_deriving_all_evidence_gives(
    data: st.DataObject, given_texts: list[list[str]]
) -> None:
    whole = corpus(given_texts)
    said = data.draw(additions(everyone(whole.graph)))
    seen = Remembered(whole, said)
    derived = FilteredCorpus(seen, frozenset(document.id for document in seen.documents)).graph
    values = {e.id for e in derived.entities if e.type in {"date", "quantity"}}
    view = {edge.id: edge for edge in seen.graph.relationships}
    expected = {edge.id: edge for edge in derived.relationships}
    beside = {  # a value that co-occurs means nothing to indexing, but somebody said so
        id_ for id_, e in view.items() if e.type == "co_occurs_with" and {e.source_id, e.target_id} & values
    }
    assert view.keys() - beside == expected.keys()
    for id_, edge in expected.items():
        now = view[id_]
        assert (now.source_id, now.type, now.target_id) == (edge.source_id, edge.type, edge.target_id)
        assert now.weight == pytest.approx(edge.weight, abs=1e-6)
        assert now.confidence == pytest.approx(edge.confidence, abs=2e-6)
        assert (now.is_causal, now.n_evidence, now.chunk_ids) == (
            edge.is_causal,
            edge.n_evidence,
            edge.chunk_ids,
        )
        assert now.negated_weight == pytest.approx(edge.negated_weight, abs=1e-6)
        assert (now.attributes or {})["n_documents"] == (edge.attributes or {})["n_documents"]
    told = {entity.id: entity for entity in derived.entities}
    for entity in seen.graph.entities:
        if (other := told.get(entity.id)) is None:
            assert entity.n_mentions == 0
            continue
        assert (entity.n_mentions, entity.source_ref) == (other.n_mentions, other.source_ref)
        assert entity.confidence == other.confidence
        assert (entity.attributes or {})["n_documents"] == (other.attributes or {})["n_documents"]
        if not beside:
            assert entity.degree == other.degree
        assert seen.graph.mention_counts()[entity.id] == derived.mention_counts()[entity.id]


@settings(max_examples=tried(25), deadline=None)
@given(st.data(), texts)
def test_arrays_are_those_of_the_same_rows(data: st.DataObject, given_texts: list[list[str]]) -> None:
    whole = corpus(given_texts)
    same_arrays(Remembered(whole, data.draw(additions(everyone(whole.graph)))))


def same_arrays(seen: Remembered) -> None:
    """Compare a view with a graph that holds the view's rows as lists."""
    view = seen.graph
    rows = [(e, c, n) for e, counts in view.mention_counts().items() for c, n in counts.items()]
    plain = MemoryGraph(view.entities, view.relationships, view.chunks, view.communities, view.reports, rows)
    assert not plain.warnings
    one, other = compiled(view), compiled(plain)
    assert list(one.ids) == list(other.ids) == [e.id for e in view.entities]
    assert one.type_names == other.type_names
    for name in ("source", "target", "weight", "type_code", "denied", "degrees"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for ours, theirs in zip(one.edge_lists, other.edge_lists, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert list(relationship_ids(view)) == list(relationship_ids(plain))
    assert list(chunk_ids(view)) == list(chunk_ids(plain))
    for read in (mentions, stated):
        for name in ("start", "item", "count"):
            np.testing.assert_array_equal(getattr(read(view), name), getattr(read(plain), name))
    assert view.entity_chunks() == plain.entity_chunks()
    by_place = [view.entities[i] for i in range(len(view.entities))]
    assert by_place == list(plain.entities)
    assert [view.relationships[i] for i in range(len(view.relationships))] == list(plain.relationships)
    assert [view.chunks[i] for i in range(len(view.chunks))] == list(plain.chunks)


@settings(max_examples=tried(15), deadline=None)
@given(st.data(), texts)
def test_spans_point_into_the_memory_documents(data: st.DataObject, given_texts: list[list[str]]) -> None:
    whole = corpus(given_texts)
    seen = Remembered(whole, data.draw(additions(everyone(whole.graph))))
    documents = {document.id: document for document in seen.documents}
    for chunk in seen.graph.chunks:
        assert documents[chunk.source_doc].text[chunk.start : chunk.end] == chunk.content
    for mention in seen.mentions:
        assert documents[mention.document_id].text[mention.start : mention.end] == mention.surface
    ids = [one.id for found in (seen.documents, seen.mentions, seen.assertions) for one in found]
    assert len(ids) == len(set(ids))
    known = {mention.id for mention in seen.mentions}
    for assertion in seen.assertions:
        assert {assertion.source_mention, assertion.target_mention} <= known
