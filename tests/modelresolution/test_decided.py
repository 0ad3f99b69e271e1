"""What decisions of a model do to entities: chains, contradictions, and what a hand says against them."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.evidence import Merge
from corpusgraph.schemas.study import Resolution
from corpusgraph.tasks.build.llm.same import decide, same_pairs
from corpusgraph.tasks.build.resolve import EntityKey, Resolved, resolve
from tests.derive.build import Made, Name, resolved
from tests.examples import tried
from tests.llm.fake import FAULTS, Fault
from tests.modelresolution.build import OPTIONS, always, corpus_of, entities, judged, judging, surveyed

ALIKE: list[Name] = [*[("Dostoevsky", "person")] * 3, ("Dostoyevsky", "person"), ("Dostojevsky", "person")]
MIXED: list[Name] = [
    *ALIKE, ("John Snow", "person"), ("James Snow", "person"), ("J. Snow", "person"), ("Snow", "person"),
    ("Washington", "person"), ("Washington", "place"), ("WHO", "organisation"), ("Malmø", "place"),
    ("World Health Organization", "organisation"), ("World Health Organisation", "organisation"),
    ("Malmo", "place"), ("Nguyễn Văn An", "person"), ("Nguyễn Văn Ân", "person"), ("1854", "date", {"iso": "1854"}),
]  # fmt: skip


def by_llm(decided: Resolved) -> list[Merge]:
    return [merge for merge in decided.merges if merge.rule == "llm"]


def test_a_merge_is_recorded_with_confidence_and_reason() -> None:
    decided, _ = judged(corpus_of(*ALIKE[2:4]), judging(always(same=True, confidence=0.8)))
    (merge,) = by_llm(decided)
    assert (merge.confidence, merge.why, merge.documents, merge.n_mentions) == (
        0.8,
        "they are told so",
        (),
        1,
    )


def test_the_rare_spelling_is_taken_for_the_frequent_one() -> None:
    corpus = corpus_of(*ALIKE)
    decided, _ = judged(corpus, judging(always(same=True)))
    assert set(entities(corpus, decided).values()) == {"Dostoevsky/person"}
    assert {(merge.name, merge.into_name) for merge in by_llm(decided)} == {
        ("Dostoyevsky", "Dostoevsky"),
        ("Dostojevsky", "Dostoevsky"),
    }


def test_a_chain_ends_in_the_name_that_is_most_often_met() -> None:
    """The second spelling is surely the first; that it is the third too makes the third the first."""
    corpus = corpus_of(*[ALIKE[0]] * 3, ALIKE[3], *[ALIKE[4]] * 2)

    def judge(one: str, other: str) -> tuple[bool, float] | None:
        sure = {frozenset({"Dostoevsky", "Dostoyevsky"}): 1.0, frozenset({"Dostoyevsky", "Dostojevsky"}): 0.9}
        confidence = sure.get(frozenset({one, other}))
        return (True, confidence) if confidence else None

    decided, decisions = judged(corpus, judging(judge))
    assert len(decisions) == 2
    assert set(entities(corpus, decided).values()) == {"Dostoevsky/person"}


def test_a_short_name_is_taken_for_the_whole() -> None:
    corpus = corpus_of(*[("WHO", "organisation")] * 3, ("World Health Organization", "organisation"))
    decided, _ = judged(corpus, judging(always(same=True)))
    assert entities(corpus, decided)["WHO"] == "World Health Organization/organisation"


def test_one_title_of_two_types_becomes_one_entity() -> None:
    corpus = corpus_of(("Lancet", "organisation"), ("Lancet", "place"), ("Lancet", "organisation"))
    assert len({key.id for key in _keys(corpus, resolved(*corpus))}) == 2
    decided, _ = judged(corpus, judging(always(same=True)))
    assert {(key.name, key.type) for key in _keys(corpus, decided)} == {("Lancet", "organisation")}


def _keys(corpus: list[Made], decided: Resolved) -> list[EntityKey]:
    found = [decided.entity_of(one.evidence.mentions[0], one.document.id) for one in corpus]
    return [key for key in found if key]


def test_too_little_confidence_merges_nothing() -> None:
    for confidence, merged in ((0.69, 0), (0.7, 2)):
        decided, _ = judged(corpus_of(*ALIKE), judging(always(same=True, confidence=confidence)))
        assert len(by_llm(decided)) == merged


def test_one_surname_is_one_person_whatever_the_model_says() -> None:
    """It takes Snow for both John and James: the first decision holds, the other is told."""
    names: list[Name] = [("John Snow", "person"), ("James Snow", "person"), ("Snow", "person")]
    corpus = corpus_of(*names)
    decided, decisions = judged(corpus, judging(always(same=True)))
    assert len(decisions) == 2
    assert len(by_llm(decided)) == 1
    found = entities(corpus, decided)
    assert found["John Snow"] == "John Snow/person"
    assert found["James Snow"] == "James Snow/person"
    (warning,) = decided.warnings
    assert warning.code == "contradicting_decisions"


def test_the_surer_of_two_that_contradict_wins() -> None:
    """Three spellings in a triangle: two sides are the same, the third is not."""
    corpus = corpus_of(*ALIKE)
    for no, merges in ((0.95, 1), (0.8, 2)):

        def judge(one: str, other: str, no: float = no) -> tuple[bool, float]:
            apart = {one, other} == {"Dostoyevsky", "Dostojevsky"}
            return (False, no) if apart else (True, 0.9)

        decided, decisions = judged(corpus, judging(judge))
        assert len(decisions) == 3
        assert len(by_llm(decided)) == merges
        (warning,) = decided.warnings
        assert warning.code == "contradicting_decisions"
        assert len(warning.records) == 1


def test_at_equal_confidence_names_stay_apart() -> None:
    corpus = corpus_of(*ALIKE)

    def judge(one: str, other: str) -> tuple[bool, float]:
        return {one, other} != {"Dostoyevsky", "Dostojevsky"}, 0.9

    assert len(by_llm(judged(corpus, judging(judge))[0])) == 1


def test_a_chain_never_leads_across_what_a_hand_keeps_apart() -> None:
    corpus = corpus_of(*ALIKE)
    apart = (("Dostoyevsky", "Dostojevsky"),)
    decided, _ = judged(corpus, judging(always(same=True)), different=apart)
    found = entities(corpus, decided)
    assert found["Dostoyevsky"] != found["Dostojevsky"]
    assert len(by_llm(decided)) == 1


def test_a_no_to_everything_is_what_the_rules_say() -> None:
    corpus = corpus_of(*MIXED)
    by_rules = resolved(*corpus)
    decided, decisions = judged(corpus, judging(always(same=False)))
    assert decisions
    assert decided.merges == by_rules.merges
    assert decided.warnings == by_rules.warnings
    assert decided.names() == by_rules.names()
    assert entities(corpus, decided) == entities(corpus, by_rules)


def test_without_resolution_decisions_do_nothing() -> None:
    gathered = surveyed(corpus_of(*ALIKE))
    decided, _ = decide(judging(always(same=True)), same_pairs(gathered, Resolution()), OPTIONS)
    assert not resolve(gathered, Resolution(enabled=False), decided).merges


def test_decisions_on_names_that_are_gone_do_nothing() -> None:
    gathered = surveyed(corpus_of(*ALIKE))
    decided, _ = decide(judging(always(same=True)), same_pairs(gathered, Resolution()), OPTIONS)
    less = surveyed(corpus_of(*ALIKE[:3]))
    assert resolve(less, Resolution(), decided).merges == resolve(less, Resolution()).merges


def test_every_merge_can_be_undone_and_is_not_asked_anew() -> None:
    corpus = corpus_of(*MIXED)
    decided, _ = judged(corpus, judging(always(same=True)))
    merges = by_llm(decided)
    assert len(merges) >= 6
    asked = judging(always(same=True))
    judged(corpus, asked)
    for merge in merges:
        model = judging(always(same=True))
        without, _ = judged(corpus, model, undo=(merge.id,))
        assert merge.id not in {other.id for other in without.merges}
        assert "unknown_merge" not in {warning.code for warning in without.warnings}
        assert model.prompts == asked.prompts
    none, _ = judged(corpus, judging(always(same=True)), undo=tuple(merge.id for merge in merges))
    assert not {merge.id for merge in merges} & {merge.id for merge in none.merges}


def test_an_undone_merge_does_not_come_back_through_a_chain() -> None:
    corpus = corpus_of(*ALIKE)
    decided, _ = judged(corpus, judging(always(same=True)))
    merge = by_llm(decided)[0]
    without, _ = judged(corpus, judging(always(same=True)), undo=(merge.id,))
    found = entities(corpus, without)
    assert found[merge.name] != found[merge.into_name]


def test_an_undone_merge_stays_undone_when_counts_turn_round() -> None:
    few, many = corpus_of(*ALIKE[1:4]), corpus_of(ALIKE[2], *[ALIKE[3]] * 4)
    (merge,) = by_llm(judged(few, judging(always(same=True)))[0])
    (turned,) = by_llm(judged(many, judging(always(same=True)))[0])
    assert (turned.name, turned.into_name) == (merge.into_name, merge.name)
    decided, _ = judged(many, judging(always(same=True)), undo=(merge.id,))
    assert not by_llm(decided)
    assert not decided.warnings


def _answer(seed: int, one: str, other: str) -> tuple[bool, float]:
    pick = random.Random(f"{seed} {one} {other}")  # noqa: S311
    return pick.random() < 0.7, pick.choice((0.5, 0.7, 0.8, 0.9, 1.0))


@settings(max_examples=tried(25), deadline=None)
@given(st.integers(), st.permutations(range(len(MIXED))), st.sampled_from([None, *FAULTS]))
def test_any_order_of_documents_and_answers(seed: int, order: list[int], fault: Fault | None) -> None:
    """Whatever a model answers: the order is nothing, and what a hand or a given name tells apart stays so."""
    corpus = corpus_of(*MIXED)
    apart = (("Dostoevsky", "Dostojevsky"), ("John Snow", "J. Snow"))
    results = []
    for documents in (corpus, [corpus[n] for n in order]):
        model = judging(lambda one, other: _answer(seed, one, other), fault=fault)
        decided, decisions = judged(documents, model, different=apart)
        again = resolve(surveyed(documents), Resolution(different=apart), reversed(decisions))
        assert again.merges == decided.merges
        found = entities(documents, decided)
        assert all(found[one] != found[other] for one, other in apart)
        assert found["John Snow"] != found["James Snow"]
        results.append((decided.merges, decided.warnings, found))
    assert results[0] == results[1]
