"""Sentences and the relations they state: direction, denial, coordination."""

import pytest

from tests.extraction.given import Triple, found, relations

CAUSAL = [
    ("Contaminated water led to cholera.", ("Contaminated water", "causes", "cholera")),
    ("The pump caused the outbreak.", ("pump", "causes", "outbreak")),
    ("Cholera was caused by bad water.", ("bad water", "causes", "Cholera")),
    ("Cholera caused by bad water killed many.", ("bad water", "causes", "Cholera")),
    ("Because of the drought, the harvest failed.", ("drought", "causes", "harvest")),
    ("The deaths were due to miasma.", ("miasma", "causes", "deaths")),
    ("The flight owing to fear went on.", ("fear", "causes", "flight")),
    ("The war resulted in famine.", ("war", "causes", "famine")),
    ("The famine resulted from the war.", ("war", "causes", "famine")),
    ("The heat gave rise to vapours.", ("heat", "causes", "vapours")),
    ("Filth is the cause of the fever.", ("Filth", "causes", "fever")),
    ("The cause of cholera is contaminated water.", ("contaminated water", "causes", "cholera")),
    ("The effect of poverty on health was large.", ("poverty", "causes", "health")),
    ("Sewage is responsible for the outbreak.", ("Sewage", "causes", "outbreak")),
    ("The cholera-induced panic grew.", ("cholera", "causes", "panic")),
    ("Rehydration prevents deaths.", ("Rehydration", "prevents", "deaths")),
    ("Overcrowding led to illness.", ("Overcrowding", "causes", "illness")),
    ("The water that caused the outbreak stank.", ("water", "causes", "outbreak")),
    ("The outbreak in Soho led to a panic.", ("outbreak", "causes", "panic")),
    ("Snow argued that contaminated water caused cholera.", ("contaminated water", "causes", "cholera")),
    ("The water broke in and caused the outbreak.", ("water", "causes", "outbreak")),
    ("Water is likely to cause cholera.", ("Water", "causes", "cholera")),
    ("The loss of water leads to dehydration.", ("loss of water", "causes", "dehydration")),
    ("The poison caused the greater part of the deaths.", ("poison", "causes", "deaths")),
    ("The passions give birth to factions.", ("passions", "causes", "factions")),
    ("The contests take their origin in passions.", ("passions", "causes", "contests")),
    ("The dangers will in all probability flow from quarrels.", ("quarrels", "causes", "dangers")),
    ("Armies are productive of tyranny.", ("Armies", "causes", "tyranny")),
    ("The war ruined trade, resulting in famine.", ("war", "causes", "famine")),
    ("Vapours that cause no epidemic may cause misery.", ("Vapours", "causes", "misery")),
]
DENIED = [
    ("Foul air did not cause cholera.", ("Foul air", "causes!", "cholera")),
    ("Cholera was never caused by air.", ("air", "causes!", "Cholera")),
    ("There is no evidence that gas causes fever.", ("gas", "causes!", "fever")),
    ("The claim that foul air caused cholera is refuted.", ("foul air", "causes!", "cholera")),
    ("Water, not miasma, caused cholera.", ("miasma", "causes!", "cholera")),
    ("Snow denied that foul air caused cholera.", ("foul air", "causes!", "cholera")),
    ("Snow rejected the idea that foul air caused cholera.", ("foul air", "causes!", "cholera")),
    ("Many doctors doubted that water caused cholera.", ("water", "causes!", "cholera")),
    ("Farr disputed that gas causes fever.", ("gas", "causes!", "fever")),
    ("The report refuted the theory that foul air caused cholera.", ("foul air", "causes!", "cholera")),
    ("Parkes questioned whether water caused cholera.", ("water", "causes!", "cholera")),
    ("There was no proof that water caused cholera.", ("water", "causes!", "cholera")),
    ("There is nothing to show that gas causes fever.", ("gas", "causes!", "fever")),
    ("Trade is by no means the cause of war.", ("Trade", "causes!", "war")),
    ("Gas can hardly cause fever.", ("Gas", "causes!", "fever")),
    ("Gas can never cause fever.", ("Gas", "causes!", "fever")),
    ("Gas cannot cause fever.", ("Gas", "causes!", "fever")),
    ("It is false that gas causes fever.", ("gas", "causes!", "fever")),
    ("It is not true that gas causes fever.", ("gas", "causes!", "fever")),
    ("It was denied that water caused cholera.", ("water", "causes!", "cholera")),
    ("Parkes did not believe that water caused cholera.", ("water", "causes!", "cholera")),
    ("Snow, who rejected the theory that gas caused fever, left.", ("gas", "causes!", "fever")),
    ("Snow rejected miasma as the cause of cholera.", ("miasma", "causes!", "cholera")),
    ("Gas has nothing to do with cholera.", ("Gas", "relates_to!", "cholera")),
    ("The trade failed to cause an epidemic.", ("trade", "causes!", "epidemic")),
]
UPHELD = [
    ("Snow did not deny that foul air caused cholera.", ("foul air", "causes", "cholera")),
    ("It cannot be denied that filth causes fever.", ("filth", "causes", "fever")),
    ("No one can doubt that filth causes fever.", ("filth", "causes", "fever")),
    ("There is no doubt that filth causes fever.", ("filth", "causes", "fever")),
    ("There is no reason to doubt that filth causes fever.", ("filth", "causes", "fever")),
    ("Snow denied that gas caused fever; bad water caused cholera.", ("bad water", "causes", "cholera")),
    ("Snow doubted that gas caused fever, but water caused cholera.", ("water", "causes", "cholera")),
    ("Snow rejected the idea that gas caused fever.", ("Snow", "opposes", "idea")),
    ("Snow regarded water as the cause of cholera.", ("water", "causes", "cholera")),
]
OTHERS = [
    ("The plan implements the law.", ("plan", "implements", "law")),
    ("The law is related to the plan.", ("law", "relates_to", "plan")),
    ("The well is part of the parish.", ("well", "part_of", "parish")),
    ("The board consists of members.", ("members", "part_of", "board")),
    ("The report comprises tables.", ("tables", "part_of", "report")),
    ("The doctrine extends the theory.", ("doctrine", "extends", "theory")),
    ("The station uses steam.", ("station", "uses", "steam")),
    ("The law depends on consent.", ("law", "depends_on", "consent")),
    ("Liberty is essential to progress.", ("progress", "depends_on", "Liberty")),
    ("John Snow was born in York.", ("John Snow", "born_in", "York")),
    ("John Snow was born on 15 March 1813.", ("John Snow", "born_on", "15 March 1813")),
    ("John Snow died in London in 1858.", ("John Snow", "died_on", "1858")),
    ("The Lancet was founded by Thomas Wakley.", ("Lancet", "founded_by", "Thomas Wakley")),
    ("Big Eyes is a film directed by Tim Burton.", ("Big Eyes", "directed_by", "Tim Burton")),
    (
        "Big Eyes is a film directed by Tim Burton and written by Scott Hill.",
        ("Big Eyes", "written_by", "Scott Hill"),
    ),
    ("They stayed in Leith, Scotland.", ("Leith", "located_in", "Scotland")),
    ("They met John Snow, a physician.", ("John Snow", "is_a", "physician")),
    ("Sarah Lewis was the wife of Thomas Lewis.", ("Sarah Lewis", "married_to", "Thomas Lewis")),
    ("John Snow persuaded the Board of Guardians.", ("John Snow", "persuades", "Board of Guardians")),
    ("Bob Nielson (born September 28, 1959) is a coach.", ("Bob Nielson", "born_on", "September 28, 1959")),
    ("Bob Nielson is the head coach at Ripon College.", ("Bob Nielson", "works_for", "Ripon College")),
    ("Anna Smith served as a teacher at Ripon College.", ("Anna Smith", "works_for", "Ripon College")),
    ("Bob Nielson is a player from Brazil.", ("Bob Nielson", "comes_from", "Brazil")),
    ("Kenya's capital Nairobi grew.", ("Nairobi", "capital_of", "Kenya")),
    ("John Snow's father William Snow worked.", ("John Snow", "child_of", "William Snow")),
    ('Tim Burton\'s novel "The Switch" sold.', ("The Switch", "written_by", "Tim Burton")),
    ("The novel by Jane Austen was read.", ("novel", "written_by", "Jane Austen")),
    ("Tim Burton, the founder of the Lancet, left.", ("Lancet", "founded_by", "Tim Burton")),
    ("Big Eyes is a 1956 American film.", ("Big Eyes", "released_on", "1956")),
    ("The lamp was produced by Vodka Company.", ("lamp", "produced_by", "Vodka Company")),
    ("The town has a population of 5,200.", ("town", "has_value", "5,200")),
    ("The tree is 24 metres tall.", ("tree", "has_value", "24 metres")),
    ("He lives in the village of Kinderhook, Iowa.", ("Kinderhook", "located_in", "Iowa")),
    ("The law is an obstacle to trade.", ("law", "prevents", "trade")),
    ("The gate is another part of the wall.", ("gate", "part_of", "wall")),
    ("John Snow left. He was born in York.", ("John Snow", "born_in", "York")),
]


@pytest.mark.parametrize(("text", "expected"), CAUSAL + DENIED + UPHELD + OTHERS)
def test_a_sentence_states_its_relation(text: str, expected: Triple) -> None:
    assert expected in relations(text)


@pytest.mark.parametrize(("text", "expected"), CAUSAL + UPHELD)
def test_a_statement_is_not_turned_round_or_denied(text: str, expected: Triple) -> None:
    source, type_, target = expected
    assert not {(target, type_, source), (source, type_ + "!", target)} & relations(text)


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Farr argued that gas caused fever.", "en:cause; said by Farr"),
        ("According to Farr, gas caused fever.", "en:cause; said by Farr"),
        ("William Farr wrote. He argued that gas caused fever.", "en:cause; said by William Farr"),
        ("The Board of Health denied that gas caused fever.", "en:cause; denied by Board of Health"),
        ("It was denied that gas caused fever.", "en:cause"),
        ("Gas caused fever.", "en:cause"),
    ],
)
def test_a_reported_statement_names_its_speaker_and_is_trusted_less(text: str, cue: str) -> None:
    (reported,) = [a for a in found(text).assertions if a.type == "causes"]
    assert reported.cue == cue
    assert reported.confidence == (0.65 if " by " in cue else 0.75)


def test_coordinated_ends_give_one_relation_each() -> None:
    pairs = {
        (s, t) for s, type_, t in relations("Dirt and heat led to fever and panic.") if type_ == "causes"
    }
    assert pairs == {("Dirt", "fever"), ("Dirt", "panic"), ("heat", "fever"), ("heat", "panic")}


@pytest.mark.parametrize(
    "text", ["Did water cause cholera?", "The cause was unknown.", "It led to nothing known."]
)
def test_questions_and_missing_ends_state_nothing(text: str) -> None:
    assert not [type_ for _, type_, _ in relations(text) if type_ == "causes"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "de",
            "Verunreinigtes Wasser verursachte die Cholera.",
            ("Verunreinigtes Wasser", "causes", "Cholera"),
        ),
        ("de", "Die Cholera wurde nicht durch Miasma verursacht.", ("Miasma", "causes!", "Cholera")),
        ("de", "Armut führt zu Überfüllung.", ("Armut", "causes", "Überfüllung")),
        ("de", "Er sagte, dass das Wasser die Epidemie verursacht hatte.", ("Wasser", "causes", "Epidemie")),
        ("de", "Der Keim führt nicht zur Cholera.", ("Keim", "causes!", "Cholera")),
        ("fr", "L'eau contaminée a causé le choléra.", ("eau contaminée", "causes", "choléra")),
        ("fr", "Le choléra n'est pas causé par le miasme.", ("miasme", "causes!", "choléra")),
        ("fr", "En raison de la pluie, la récolte a échoué.", ("pluie", "causes", "récolte")),
        ("fr", "La famine est due à la sécheresse.", ("sécheresse", "causes", "famine")),
    ],
)
def test_german_and_french_have_causal_patterns(language: str, text: str, expected: Triple) -> None:
    assert expected in relations(text, language)


def test_an_assertion_tells_its_pattern_and_its_sentence() -> None:
    evidence = found("It rained. Bad water led to cholera.")
    (assertion,) = [a for a in evidence.assertions if a.type == "causes"]
    assert assertion.cue == "en:lead to"
    assert assertion.is_causal
    assert assertion.description == "Bad water led to cholera."
    assert {assertion.source_mention, assertion.target_mention} <= {m.id for m in evidence.mentions}


def test_names_of_one_sentence_co_occur_with_the_next_three() -> None:
    evidence = found("They saw Paris, Rome, Berlin, Madrid and Vienna in 1854.")
    pairs = [(a.source, a.target) for a in evidence.assertions if a.type == "co_occurs_with"]
    assert ("Paris", "Madrid") in pairs
    assert ("Paris", "Vienna") not in pairs
    assert not any("1854" in pair for pair in pairs)
