"""Budgets are kept, and what is cut is told."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.answer import PieceKind
from corpusgraph.schemas.documents import Chunk
from corpusgraph.tasks.answer.context import KINDS, Budget, Draft, Render, build_context, in_groups
from corpusgraph.tasks.answer.sentences import sentences_in
from corpusgraph.tasks.text.tokens import count_tokens
from tests.examples import tried

WORDS = ["water", 'the "pump"', "cholera,", "北京", "Nguyễn", "a\nline", "[3]", "x-y", "1854"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(lambda w: " ".join(w) + ".")
texts = st.lists(sentences, max_size=6).map(" ".join)
renders: st.SearchStrategy[Render] = st.sampled_from(["prose", "csv", "triples"])


@st.composite
def draft_lists(draw: st.DrawFn) -> list[Draft]:
    kinds = sorted(draw(st.lists(st.sampled_from(list(KINDS)), max_size=12)), key=list(KINDS).index)
    return [_draft(kind, f"{kind}_{n}", draw(texts)) for n, kind in enumerate(kinds)]


def _draft(kind: PieceKind, id_: str, text: str) -> Draft:
    names = {"relationship": ("a", "causes", "b"), "path": (), "entity": ("Snow", "person")}.get(
        kind, ("Title",)
    )
    if kind not in {"chunk", "community"}:
        return Draft(kind, id_, names, text)
    found = tuple(sentences_in(Chunk(id=id_, content=text)))
    return Draft(kind, id_, names, text, found, tuple(s.end for s in found))


@settings(max_examples=tried(150), deadline=None)
@given(
    draft_lists(),
    renders,
    st.integers(1, 120),
    st.one_of(st.none(), st.floats(0.05, 1.0), st.integers(2, 60)),
    st.one_of(st.none(), st.integers(2, 60)),
)
def test_no_budget_is_exceeded_and_nothing_is_lost_unsaid(
    drafts: list[Draft], render: Render, whole: int, chunks: float | None, graph: int | None
) -> None:
    budget = Budget(chunks=chunks, graph=graph, entities=40)
    fit = build_context(drafts, max_tokens=whole, budget=budget, render=render, whole=whole)
    assert count_tokens(fit.text) <= whole
    assert fit.noun().n_tokens <= whole
    spent = dict.fromkeys(KINDS, 0)
    for piece in fit.pieces:
        spent[piece.draft.kind] += piece.n_tokens
    assert spent["entity"] <= 40
    assert graph is None or spent["entity"] + spent["relationship"] + spent["path"] <= graph
    if chunks is not None:
        assert spent["chunk"] <= (chunks * whole if chunks <= 1 else chunks)
    kept, cut = [p.draft.id for p in fit.pieces], [d.id for d in fit.cut]
    assert sorted({*kept, *cut}) == sorted(d.id for d in drafts)
    assert set(kept) & set(cut) == {p.draft.id for p in fit.pieces if not p.whole}
    assert [p.number for p in fit.pieces] == list(range(1, len(kept) + 1))


@settings(max_examples=tried(100), deadline=None)
@given(draft_lists(), renders, st.integers(3, 60), st.booleans())
def test_groups_hold_all_that_fits_into_one(
    drafts: list[Draft], render: Render, size: int, shuffle: bool
) -> None:
    fit = build_context(drafts, max_tokens=None, budget=Budget(), render=render, whole=1000)
    assert not fit.cut
    groups, cut = in_groups(fit, size, shuffle=shuffle)
    assert all(count_tokens(group.text) <= size for group in groups)
    kept = [piece.draft.id for group in groups for piece in group.pieces]
    assert len(kept) == len(set(kept))
    assert sorted({*kept, *(d.id for d in cut)}) == sorted(d.id for d in drafts)
    assert in_groups(fit, size, shuffle=shuffle) == (groups, cut)


def _many(kind: PieceKind, n: int = 30) -> Sequence[Draft]:
    return [
        _draft(kind, f"{kind}_{i}", f"Sentence number {i} about cholera and the water.") for i in range(n)
    ]


def test_without_budgets_every_kind_has_its_share_and_texts_what_is_left() -> None:
    drafts = [*_many("community"), *_many("entity"), *_many("relationship"), *_many("chunk")]
    fit = build_context(drafts, max_tokens=400, budget=Budget(), render="prose", whole=400)
    share = {
        kind: sum(p.n_tokens for p in fit.pieces if p.draft.kind == kind) / 400
        for kind in ("community", "entity", "relationship", "chunk")
    }
    assert 0.1 < share["community"] <= 0.15
    assert 0.1 < share["entity"] <= 0.175
    assert 0.2 < share["relationship"] <= 0.35
    assert share["chunk"] > 0.3


def test_what_one_kind_leaves_the_others_get() -> None:
    drafts = [_draft("community", "c", "Short."), *_many("chunk")]
    fit = build_context(drafts, max_tokens=400, budget=Budget(), render="prose", whole=400)
    assert sum(p.n_tokens for p in fit.pieces if p.draft.kind == "chunk") > 0.9 * 400


def test_a_passage_is_cut_after_a_sentence() -> None:
    text = "Snow mapped the deaths. The pump was closed. Nobody thanked him for it."
    fit = build_context(
        [_draft("chunk", "c", text)], max_tokens=20, budget=Budget(), render="prose", whole=20
    )
    assert fit.pieces[0].line == "[1] Title:\nSnow mapped the deaths. The pump was closed."
    assert not fit.pieces[0].whole
    assert [w.code for w in fit.warnings("20 tokens")] == ["context_cut"]


CSV = """number,entity,type,description
1,Snow,person,a physician
number,source,type,target,description
2,a,causes,b,they say
number,document,text
3,Title,It is so."""


@pytest.mark.parametrize(
    ("render", "text"),
    [
        ("prose", "[1] Snow (person): a physician\n[2] a causes b: they say\n[3] Title:\nIt is so."),
        (
            "csv",
            CSV,
        ),
        ("triples", "[1] Snow\n[2] (a, causes, b)\n[3] Title:\nIt is so."),
    ],
)
def test_renderings(render: Render, text: str) -> None:
    drafts = [
        _draft("entity", "e", "a physician"),
        _draft("relationship", "r", "they say"),
        _draft("chunk", "c", "It is so."),
    ]
    fit = build_context(drafts, max_tokens=400, budget=Budget(), render=render, whole=400)
    assert fit.text == text


def test_other_spellings_of_budgets() -> None:
    assert Budget.model_validate({"relations": 8000, "text": 0.5, "reports": 3200}) == Budget(
        relationships=8000, chunks=0.5, communities=3200
    )
