"""Merging, splitting, renaming, deleting and the rest, against a model that rewrites plain rows."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import (
    CreateEntity,
    DeleteEntity,
    MergeEntities,
    Named,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unrelate,
)
from corpusgraph.tasks.overlay.memory import Names, ScratchMemory
from corpusgraph.tasks.overlay.state import MemoryState
from tests.examples import tried
from tests.remember.build import CONFIDENCES, NEW, TYPES, Remembered, Whole, corpus, everyone, made, texts
from tests.remember.model import Plain
from tests.remember.test_evidence_counts import same_arrays


class Finding(ScratchMemory):
    """The port over a state."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state.base.graph)
        self._laid_over = state.base
        self._state_names = Names(state)

    def _current(self) -> Names:
        return self._state_names


KINDS = ("observe", "relate", "unrelate", "reweigh", "rename", "merge", "delete")


class Drawing:
    """Draws operations that make sense when their turn comes, and keeps the model up to date."""

    def __init__(self, draw: Callable[..., Any], whole: Whole) -> None:
        self._draw, self.plain, self.done = draw, Plain.of(whole), list[Operation]()
        self.called = {one.id: one for one in everyone(whole.graph)}
        for edge in whole.graph.relationships:
            for end in (edge.source_id, edge.target_id):
                entity = whole.graph.entity(end)
                self.called.setdefault(end, Named(id=end, name=entity.name, type=entity.type))

    def add(self, op: Operation) -> None:
        """Do an operation."""
        self.plain.do(op)
        self.done.append(op)

    def someone(self) -> Named:
        """Draw an entity that is there."""
        return self.called[
            self._draw(st.sampled_from(sorted(self.called.keys() & self.plain.entities.keys())))
        ]

    def step(self, kind: str) -> None:
        """Draw an operation of a kind and do it; nothing where there is no way to."""
        one, other = self.someone(), self.someone()
        if kind == "observe":
            self.add(Observe(entity=one, contents=(self._draw(st.sampled_from(["was seen", "is near"])),)))
        elif kind == "rename":
            self.add(Rename(entity=one, name=f"{one.name} renamed"))
        elif kind == "delete" and len(self.plain.entities) > 3:
            self.add(DeleteEntity(entity=one))
        elif kind in {"unrelate", "reweigh"}:
            self._edge(kind)
        elif kind == "merge" and one.id != other.id:
            self.add(MergeEntities(sources=(one,), into=other))
        elif kind == "relate":
            sure, cause = self._draw(st.sampled_from(CONFIDENCES)), self._draw(st.booleans())
            type_ = self._draw(st.sampled_from(TYPES))
            self.add(Relate(source=one, target=other, type=type_, confidence=sure, is_causal=cause))

    def _edge(self, kind: str) -> None:
        known = sorted(t for t in self.plain.edges() if t[0] in self.called and t[2] in self.called)
        if not known:
            return
        source, type_, target = self._draw(st.sampled_from(known))
        ends = {"source": self.called[source], "target": self.called[target], "type": type_}
        if kind == "unrelate":
            self.add(Unrelate(**ends))
        else:
            self.add(Reweigh(**ends, weight=3.5, confidence=0.125))

    def split(self) -> None:
        """Make two of an entity, by spelling, by document, by relationship, or by some of these."""
        one = self.someone()
        rows = [row for row in self.plain.mentions.values() if row.entity == one.id]
        names = self._draw(
            st.lists(st.sampled_from(sorted({n for r in rows for n in r.spelled} or {"none"})), max_size=2)
        )
        found = self._draw(
            st.lists(st.sampled_from(sorted({r.document for r in rows} or {"none"})), max_size=2)
        )
        noted = self.plain.observations.get(one.id, [])[:1]
        known = {t for t in self.plain.edges() if one.id in {t[0], t[2]}}
        edges = self._draw(st.lists(st.sampled_from(sorted(known)), max_size=2)) if known else []
        into = made(f"other {one.name} {len(self.done)}")
        self.called[into.id] = into
        lists = {
            "names": tuple(names),
            "documents": tuple(found),
            "observations": tuple(noted),
            "relationships": tuple(Relationship.make_id(*edge) for edge in edges),
        }
        self.add(SplitEntity(entity=one, into=into, **lists))


@settings(max_examples=tried(25), deadline=None)
@given(st.data(), texts)
def test_any_changes_come_to_what_rewriting_all_rows_comes_to(
    data: st.DataObject, texts_: list[list[str]]
) -> None:
    whole = corpus(texts_)
    drawing = Drawing(data.draw, whole)
    for one in NEW:
        drawing.add(CreateEntity(**one.model_dump()))
    for kind in data.draw(st.lists(st.sampled_from(KINDS), max_size=8)):
        drawing.step(kind)
    for _ in range(data.draw(st.integers(0, 2))):
        drawing.split()
        for kind in data.draw(st.lists(st.sampled_from(KINDS), max_size=4)):
            drawing.step(kind)
    seen = Remembered(whole, drawing.done)
    agrees(seen, drawing.plain, whole)
    same_arrays(seen)


def agrees(seen: Remembered, plain: Plain, whole: Whole) -> None:
    """Compare a view with the model's rows."""
    view = seen.graph
    assert {e.id: e.name for e in view.entities} == plain.entities
    for id_, noted in plain.observations.items():
        assert list((view.entity(id_).attributes or {}).get("observations", [])) == noted
    for id_, row in plain.mentions.items():
        assert seen.entity_of(id_) == row.entity
    in_corpus = {document.id for document in whole.documents}
    counts = Counter((row.entity, row.chunk) for row in plain.mentions.values() if row.entity)
    chunks = {chunk.id: chunk for chunk in view.chunks}
    found = {
        (entity, chunk): n
        for entity, by_chunk in view.mention_counts().items()
        for chunk, n in by_chunk.items()
        if chunks[chunk].source_doc in in_corpus
    }
    assert found == counts
    expected = plain.edges()
    edges = {(e.source_id, e.type.removeprefix("not_"), e.target_id): e for e in view.relationships}
    assert len(edges) == len(view.relationships)
    assert edges.keys() == expected.keys()
    for triple, (type_, weight, sure, causal, n) in expected.items():
        edge = edges[triple]
        assert (edge.type, edge.is_causal, edge.n_evidence) == (type_, causal, n)
        assert edge.weight == pytest.approx(weight, abs=2e-6)
        assert edge.confidence == pytest.approx(sure, abs=3e-6)
    memory = Finding(view.state)
    for edge in edges.values():
        known = memory.relationship(edge.id)
        assert known.id == edge.id
        assert (known.source_id, known.type, known.target_id) == (edge.source_id, edge.type, edge.target_id)
        assert (known.is_causal, known.n_evidence) == (edge.is_causal, edge.n_evidence)
        assert known.weight == pytest.approx(edge.weight, abs=2e-6)
        assert known.confidence == pytest.approx(edge.confidence, abs=3e-6)
    kept = {id_ for community in view.communities for id_ in community.entity_ids}
    assert kept <= plain.entities.keys()
    for one in seen.assertions:
        ends = {seen.entity_of(one.source_mention), seen.entity_of(one.target_mention)}
        counts_for = seen.relationship_of(one.id)
        if counts_for is not None:
            edge = view.relationship(counts_for)
            assert ends == {edge.source_id, edge.target_id}
