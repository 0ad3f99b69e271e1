"""Causal graphs read off a corpus."""

import pytest

from corpusgraph.schemas.study import CausalDataset
from corpusgraph.tasks.dataset.causal import build_causal
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.dataset.small_corpus import SmallCorpus

WATER = "Contaminated water causes cholera."
DENIED = "Contaminated water does not cause cholera."
FILTER = "Filtering prevents cholera."
POVERTY = "cholera causes poverty."
BACK = "poverty causes cholera."


def dataset(**fields: object) -> CausalDataset:
    return CausalDataset.model_validate({"kind": "causal", "name": "why", **fields})


@pytest.fixture
def corpus() -> SmallCorpus:
    made = SmallCorpus()
    snow = made.document("snow", WATER, FILTER, POVERTY)
    board = made.document("board", DENIED, WATER)
    made.cause(snow, WATER, "Contaminated water", "cholera")
    made.cause(snow, FILTER, "Filtering", "cholera", type="prevents")
    made.cause(snow, POVERTY, "cholera", "poverty")
    made.cause(board, DENIED, "Contaminated water", "cholera", negated=True, confidence=0.4)
    made.cause(board, WATER, "Contaminated water", "cholera", confidence=0.5)
    return made


def test_arrows_carry_passages_for_and_against(corpus: SmallCorpus) -> None:
    asked = build_causal(corpus, dataset())
    names = {node.id: node.name for node in asked.entities}
    edges = {(names[e.source_id], names[e.target_id]): e for e in asked.relationships}
    water = edges["Contaminated water", "cholera"]
    assert (water.n_for, water.n_against) == (2, 1)
    assert [(p.stance, p.text, p.title) for p in water.passages] == [
        ("for", WATER, "board"),
        ("for", WATER, "snow"),
        ("against", DENIED, "board"),
    ]
    assert water.confidence == pytest.approx((1 - 0.2 * 0.5) * 1.3 / 1.7)
    assert corpus.documents[0].text[water.passages[1].start : water.passages[1].end] == WATER


def test_preventing_arrows_keep_their_sign(corpus: SmallCorpus) -> None:
    asked = build_causal(corpus, dataset())
    signs = {e.type: e.sign for e in asked.relationships}
    assert signs == {"causes": 1, "prevents": -1}


def test_variables_gather_names_and_other_entities_are_left_out(corpus: SmallCorpus) -> None:
    variables = {"Water": ["Contaminated water", "Filtering"], "Disease": ["cholera", "typhus"]}
    asked = build_causal(corpus, dataset(variables=variables, exposure="Water", outcome="Disease"))
    assert [(e.source_id, e.target_id, e.n_for, e.sign) for e in asked.relationships] == [
        ("Water", "Disease", 3, 0)
    ]
    assert [w.code for w in asked.notes] == ["unknown_entity_name", "sign_conflict", "denied_and_stated"]
    assert asked.notes[1].records == ("Water -> Disease",)
    assert asked.notes[0].records == ("typhus",)
    assert prepare_causal_model(asked).data.minimal_adjustment_sets == ((),)


def test_weak_and_denied_arrows_are_left_out_and_named(corpus: SmallCorpus) -> None:
    denied = corpus.document("denial", "Ghosts do not cause poverty.")
    corpus.cause(denied, "Ghosts do not cause poverty.", "Ghosts", "poverty", negated=True)
    asked = build_causal(corpus, dataset(min_evidence=2))
    assert len(asked.relationships) == 1
    assert {w.code: w.records for w in asked.notes} == {
        "denied_only": ("Ghosts -> poverty",),
        "below_min_evidence": ("Filtering -> cholera", "cholera -> poverty"),
        "denied_and_stated": ("Contaminated water -> cholera",),
    }


def test_a_cycle_is_reported_until_the_study_drops_an_arrow(corpus: SmallCorpus) -> None:
    again = corpus.document("farr", BACK)
    corpus.cause(again, BACK, "poverty", "cholera")
    noted = prepare_causal_model(build_causal(corpus, dataset(exposure="cholera", outcome="poverty")))
    assert not noted.data.acyclic
    told = {w.code: w for w in noted.warnings}
    assert told.keys() == {"direction_conflict", "denied_and_stated", "cyclic_graph"}
    assert told["direction_conflict"].records[0] in {"cholera <-> poverty", "poverty <-> cholera"}
    assert "cholera -> poverty -> cholera" in told["cyclic_graph"].message
    dropped = dataset(drop_edges=[["poverty", "cholera"]], exposure="cholera", outcome="poverty")
    assert prepare_causal_model(build_causal(corpus, dropped)).data.acyclic


def test_the_order_of_evidence_does_not_matter(corpus: SmallCorpus) -> None:
    before = build_causal(corpus, dataset())
    corpus.assertions.reverse()
    corpus.mentions.reverse()
    after = build_causal(corpus, dataset())
    assert before.relationships == after.relationships
    assert before.entities == after.entities


def test_a_bayesian_network_counts_documents_that_name_its_variables(corpus: SmallCorpus) -> None:
    corpus.document("empty", "Nothing to see.")
    asked = build_causal(corpus, dataset(model_type="bayesian"))
    noted = prepare_causal_model(asked)
    tables = {t.node: t for t in noted.data.cpts}
    names = {node.name: node.id for node in noted.data.nodes}
    water = tables[names["Contaminated water"]]
    assert water.states == ("absent", "named")
    assert water.rows[0].p == pytest.approx((2 / 5, 3 / 5))
    assert "counts_of_mentions" in [w.code for w in noted.warnings]
    assert noted.data.data is not None
    assert noted.data.data.column("document_id") == ("doc_snow", "doc_board", "doc_empty")


def test_a_study_may_state_the_prior_and_ask_for_a_conditional_effect(corpus: SmallCorpus) -> None:
    stated = build_causal(corpus, dataset(model_type="bayesian", prior="bdeu", equivalent_sample_size=4))
    assert {table.prior for table in prepare_causal_model(stated).data.cpts} == {"bdeu"}
    asked = dataset(exposure="Filtering", outcome="poverty", given=["cholera"])
    found = prepare_causal_model(build_causal(corpus, asked)).data.conditional
    assert found is not None
    assert found.estimand == "P(poverty | do(Filtering), cholera) = P(poverty | cholera)"
