"""Argument networks read off a corpus."""

import pytest

from corpusgraph.schemas.study import ArgumentDataset
from corpusgraph.tasks.dataset.argument import build_argument
from corpusgraph.tasks.tools.prepare import prepare_argument_network
from tests.dataset.small_corpus import SmallCorpus

MIASMA = "Foul air causes cholera."
WATER = "Water causes cholera."
PUMP = "The pump was foul."
OTHER = "Taxes are too high."


def dataset(**fields: object) -> ArgumentDataset:
    return ArgumentDataset.model_validate({"kind": "argument", "name": "debate", **fields})


@pytest.fixture
def corpus() -> SmallCorpus:
    made = SmallCorpus()
    board = made.document("board", MIASMA, OTHER)
    snow = made.document("snow", WATER, PUMP, "FOUL AIR causes cholera!")
    made.claim(board, MIASMA, speaker="General Board of Health")
    made.claim(board, OTHER)
    water = made.claim(snow, WATER, speaker="Snow", entities=(made.mention(snow, WATER, "Water"),))
    pump = made.claim(snow, PUMP)
    again = made.claim(snow, "FOUL AIR causes cholera!", confidence=0.9)
    made.relate(snow, WATER, water, again, "attack")
    made.relate(snow, PUMP, pump, water, "support")
    return made


def test_claims_in_a_relation_are_kept_and_duplicates_are_one(corpus: SmallCorpus) -> None:
    asked = build_argument(corpus, dataset())
    assert [c.text for c in asked.claims] == [MIASMA, WATER, PUMP]
    assert [p.title for p in asked.claims[0].passages] == ["board", "snow"]
    assert asked.claims[0].weight == 0.9
    assert [(r.source, r.target, r.type) for r in asked.relations] == [
        ("clm_3", "clm_1", "attack"),
        ("clm_4", "clm_3", "support"),
    ]
    assert [w.code for w in asked.notes] == ["duplicate_identical"]


def test_the_network_says_what_is_accepted(corpus: SmallCorpus) -> None:
    found = prepare_argument_network(build_argument(corpus, dataset())).data
    assert found.extensions.grounded == ("clm_3", "clm_4")
    assert {s.id: s.status for s in found.statuses} == {
        "clm_1": "rejected",
        "clm_3": "accepted",
        "clm_4": "accepted",
    }


def test_the_reading_of_support_is_that_of_the_dataset(corpus: SmallCorpus) -> None:
    """The pump supports the water that attacks the air; who needs its supporter makes no attack of the pump's."""
    for reading, kind in (("general", "supported"), ("deductive", "supported"), ("necessary", None)):
        found = prepare_argument_network(build_argument(corpus, dataset(support=reading))).data
        assert found.support == reading
        assert {d.kind for d in found.derived_attacks if d.in_force} == ({kind} if kind else set())


def test_budget_and_time_limit_are_those_of_the_dataset(corpus: SmallCorpus) -> None:
    asked = build_argument(corpus, dataset(framework="weighted", budget=1, time_limit=5))
    assert (asked.budget, asked.time_limit) == (1, 5)
    assert ("clm_1", "clm_3", "clm_4") in prepare_argument_network(asked).data.budget_extensions["grounded"]


def test_about_keeps_named_claims_with_all_that_bears_on_them(corpus: SmallCorpus) -> None:
    asked = build_argument(corpus, dataset(about=["Water"]))
    assert {c.text: c.model_dump()["names_topic"] for c in asked.claims} == {
        MIASMA: False,
        WATER: True,
        PUMP: False,
    }


def test_about_keeps_an_isolated_claim_and_says_when_no_entity_has_the_name(corpus: SmallCorpus) -> None:
    asked = build_argument(corpus, dataset(about=["taxes"]))
    assert [c.text for c in asked.claims] == [OTHER]
    assert "unknown_entity_name" in [w.code for w in asked.notes]


def test_dung_leaves_supports_out_and_counts_them(corpus: SmallCorpus) -> None:
    noted = prepare_argument_network(build_argument(corpus, dataset(framework="dung")))
    assert [c.text for c in noted.data.claims] == [MIASMA, WATER]
    assert "support_in_dung" in [w.code for w in noted.warnings]


def test_a_corpus_without_arguments_is_an_empty_network() -> None:
    found = prepare_argument_network(build_argument(SmallCorpus(), dataset())).data
    assert found.claims == ()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("foul air did not cause cholera", "foul air did not cause cholera"),
        ("the claim that foul air kills is refuted", "the claim that foul air kills is refuted"),
        ("Der Brunnen war nicht die Ursache", "Der Brunnen war nicht die Ursache"),
        ("water caused cholera", "Denied: water caused cholera"),
        ("the notable pump caused cholera", "Denied: the notable pump caused cholera"),
    ],
)
def test_a_claim_that_denies_in_its_own_words_is_not_called_denied(said: str, told: str) -> None:
    made = SmallCorpus()
    page = made.document("page", said, PUMP)
    denial = made.claim(page, said, stance="denies")
    made.relate(page, PUMP, made.claim(page, PUMP), denial, "support")
    assert build_argument(made, dataset()).claims[0].text == told
