"""Confidence from evidence."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corpusgraph.tasks.tools.memory.weighing  # noqa: F401 - registers the tool
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.tasks.build.aggregate import doubt, noisy_or
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.tools.memory.weighing import Independence, belief
from tests.memory.said import ports, related, said

statements = st.builds(
    said,
    st.integers(0, 99),
    st.sampled_from(["d1", "d2", "d3"]),
    st.sampled_from([0.1, 0.5, 0.9, 1.0]),
    st.sampled_from(["rules/1", "llm:x", "hand"]),
    negated=st.booleans(),
)
IN_FULL = Independence(same_document=1, same_extractor=1)


def scored(assertions: list[Assertion], *triples: tuple[str, str, str], **asked: Any) -> Any:
    graph = related(*(triples or (("a", "causes", "b"),)))
    return TOOLS["score_confidence"].run(asked, ports(graph, assertions))


def test_independent_documents_count_in_full_and_repetition_less() -> None:
    apart = scored([said(1, "d1"), said(2, "d2")]).data.relationships[0]
    assert apart.score == 0.75
    again = scored([said(1, "d1"), said(2, "d1")]).data.relationships[0]
    assert again.score == pytest.approx(1 - 0.5 * 0.5**0.25, abs=1e-6)
    other = scored([said(1, "d1"), said(2, "d1", extractor="llm:m")]).data.relationships[0]
    assert other.score == pytest.approx(1 - 0.5 * 0.5**0.5, abs=1e-6)
    assert again.item.explanation == "2 statements in 1 document by 1 extractor."
    assert other.components["n_extractors"] == 2


def test_denial_by_hand() -> None:
    hit = scored([said(1, confidence=0.8), said(2, "d2", 0.5, negated=True)]).data.relationships[0]
    assert hit.score == pytest.approx(0.8 * 0.5 / (1 - 0.8 * 0.5), abs=1e-6)
    assert (hit.components["support"], hit.components["denial"]) == (0.8, 0.5)
    assert hit.components["change"] == pytest.approx(hit.score - 1.0)
    assert "1 denial against it" in hit.item.explanation


def test_what_is_only_denied_is_as_sure_as_its_denial() -> None:
    hit = scored([said(1, confidence=0.7, negated=True)], ("a", "not_causes", "b")).data.relationships[0]
    assert hit.score == pytest.approx(0.7)


@given(st.lists(statements, max_size=8, unique_by=lambda a: a.id))
def test_without_denial_and_in_full_it_is_the_formula_of_indexing(evidence: list[Assertion]) -> None:
    pro = [one for one in evidence if not one.negated]
    expected = noisy_or(sum(doubt(one.confidence) for one in pro))
    found = belief(pro, IN_FULL)
    assert found.support == pytest.approx(min(expected, 0.999999), abs=2e-6)
    assert found.weight == pytest.approx(math.fsum(min(one.confidence, 0.999999) for one in pro), abs=1e-5)


@given(
    st.lists(statements, max_size=7, unique_by=lambda a: a.id), statements, st.sampled_from([0.0, 0.3, 1.0])
)
def test_order_is_nothing_support_never_lowers_denial_never_raises(
    evidence: list[Assertion], one: Assertion, share: float
) -> None:
    how = Independence(same_document=share, same_extractor=share / 2)
    before = belief(evidence, how)
    assert belief(evidence[::-1], how) == before
    assert 0 <= before.confidence <= 1
    after = belief([*evidence, one.model_copy(update={"id": "asr_new"})], how)
    if one.negated:
        assert after.confidence <= before.confidence + 1e-6
        assert after.weight <= before.weight + 1e-6
    else:
        assert after.confidence >= before.confidence - 1e-6
        assert after.weight >= before.weight - 1e-6


def test_trust_in_an_extractor_scales_what_it_says() -> None:
    hit = scored([said(1, confidence=1.0)], reliability={"rules": 0.5}).data.relationships[0]
    assert hit.score == 0.5
    exact = scored([said(1, confidence=1.0)], reliability={"rules/1": 0.2, "rules": 0.5}).data.relationships[
        0
    ]
    assert exact.score == pytest.approx(0.2)


def test_order_filters_and_what_has_no_evidence() -> None:
    triples = (("a", "causes", "b"), ("b", "causes", "c"), ("a", "part_of", "c"))
    evidence = [said(1, confidence=0.9), said(2, confidence=0.4, ends=("b", "c"))]
    noted = scored(evidence, *triples)
    assert [hit.score for hit in noted.data.relationships] == [1.0, 0.9, 0.4]
    assert noted.data.without_evidence == 1
    assert [w.code for w in noted.warnings] == ["no_evidence"]
    least = scored(evidence, *triples, order="least_sure", relationship_types=["causes"]).data.relationships
    assert [(hit.score, hit.rank) for hit in least] == [(0.4, 1), (0.9, 2)]
    changed = scored(evidence, *triples, order="most_changed", top_k=1).data.relationships
    assert changed[0].score == 0.4


def test_without_a_corpus_all_keep_what_they_have() -> None:
    noted = TOOLS["score_confidence"].run({}, {"graph": related(("a", "causes", "b"), confidence=0.3)})
    assert noted.data.relationships[0].score == 0.3
    assert noted.data.without_evidence == 1
