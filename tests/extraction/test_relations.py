"""Sentences and the relations they state: constructions, denial, coordination, who says so, where it stands."""

from pathlib import Path

from corpusgraph.flows.annotate.offline import ReadingOptions, offline_extractor
from corpusgraph.schemas.evidence import Assertion
from tests.annotate.pipelines import rows, text_of, write_pipeline
from tests.every import every
from tests.extraction.given import Triple, document, found, relations, shipped_relations

ACTIVE = [
    ("The pump caused the outbreak.", ("pump", "causes", "outbreak")),
    ("Contaminated water led to cholera.", ("Contaminated water", "causes", "cholera")),
    ("The war resulted in famine.", ("war", "causes", "famine")),
    ("The famine resulted from the war.", ("war", "causes", "famine")),
    ("The heat gave rise to vapours.", ("heat", "causes", "vapours")),
    ("The loss of water leads to dehydration.", ("loss of water", "causes", "dehydration")),
    ("The outbreak in Soho led to a panic.", ("outbreak in Soho", "causes", "panic")),
    ("The water that caused the outbreak stank.", ("water", "causes", "outbreak")),
    ("The water broke in and caused the outbreak.", ("water", "causes", "outbreak")),
    ("Rehydration prevents deaths.", ("Rehydration", "prevents", "deaths")),
    ("The contests take their origin in passions.", ("passions", "causes", "contests")),
    ("The rain prevented the soldiers from leaving.", ("rain", "prevents", "soldiers from leaving")),
]
PASSIVE = [
    ("Cholera was caused by bad water.", ("bad water", "causes", "Cholera")),
    ("The flood was caused by heavy rain.", ("heavy rain", "causes", "flood")),
    ("The fire caused by gas destroyed the mill.", ("gas", "causes", "fire")),
    ("The deaths were prevented by the vaccine.", ("vaccine", "prevents", "deaths")),
    ("The Lancet was founded by Thomas Wakley.", ("Lancet", "founded_by", "Thomas Wakley")),
]
NOMINAL = [
    ("The famine was the result of the war.", ("war", "causes", "famine")),
    ("The law is an obstacle to peace.", ("law", "prevents", "peace")),
    ("The well is a part of the parish.", ("well", "part_of", "parish")),
    ("Sarah Lewis was the wife of Thomas Lewis.", ("Sarah Lewis", "married_to", "Thomas Lewis")),
    ("Tim Burton, the founder of the Lancet, left.", ("Lancet", "founded_by", "Tim Burton")),
]
COPULAR = [
    ("Sewage is responsible for the outbreak.", ("Sewage", "causes", "outbreak")),
    ("Liberty is essential to the state.", ("state", "depends_on", "Liberty")),
    ("The water was harmful to health.", ("water", "prevents", "health")),
    ("John Snow was in London.", ("John Snow", "located_in", "London")),
]
ADVERBIAL = [
    ("Because of the drought, the harvest failed.", ("drought", "causes", "harvest failed")),
    ("The harvest failed owing to the drought.", ("drought", "causes", "harvest failed")),
    ("The town starved as a result of the war.", ("war", "causes", "town starved")),
    ("The delay was due to the fog.", ("fog", "causes", "delay")),
]
CLAUSAL = [
    (
        "The harvest failed because the rain stopped.",
        ("rain stopped", "causes", "harvest failed"),
    ),
    (
        "Because the rain stopped, the harvest failed.",
        ("rain stopped", "causes", "harvest failed"),
    ),
    ("The war forced the farmers to leave.", ("war", "causes", "farmers to leave")),
]
RESULTATIVE = [
    (
        "The storm destroyed the crops, resulting in a famine.",
        ("storm destroyed the crops", "causes", "famine"),
    ),
]
ATTRIBUTED = [
    ("Snow attributed the outbreak to bad water.", ("bad water", "causes", "outbreak")),
    ("The fire was blamed on gas.", ("gas", "causes", "fire")),
]
COORDINATED = [
    ("Fever and panic were caused by bad water.", ("bad water", "causes", "panic")),
    ("Dirt and heat led to fever.", ("heat", "causes", "fever")),
    ("The storm caused a panic and destroyed the harvest.", ("storm", "prevents", "harvest")),
]
OTHERS = [
    ("The plan implements the law.", ("plan", "implements", "law")),
    ("The board consists of lawyers.", ("lawyers", "part_of", "board")),
    ("The report comprises tables.", ("tables", "part_of", "report")),
    ("The doctrine extends the theory.", ("doctrine", "extends", "theory")),
    ("The station uses steam.", ("station", "uses", "steam")),
    ("The law depends on consent.", ("law", "depends_on", "consent")),
    ("The board opposed the plan.", ("board", "opposes", "plan")),
    ("John Snow was born in York.", ("John Snow", "born_in", "York")),
    ("John Snow was born on 15 March 1813.", ("John Snow", "born_on", "15 March 1813")),
    ("John Snow died in London in 1858.", ("John Snow", "died_in", "London")),
    ("John Snow died in London in 1858.", ("John Snow", "died_on", "1858")),
    ("The lamp was produced by Vodka Company.", ("lamp", "produced_by", "Vodka Company")),
    ("John Snow moved to London.", ("John Snow", "moved_to", "London")),
]
OPEN = [
    ("The committee inspected the wells.", ("committee", "inspect", "wells")),
    ("The wells were inspected by the committee.", ("committee", "inspect", "wells")),
    ("John Snow met the Board of Guardians.", ("John Snow", "meet", "Board of Guardians")),
    ("The soldiers marched into the city.", ("soldiers", "march_into", "city")),
]
STATED = [
    *ACTIVE,
    *PASSIVE,
    *NOMINAL,
    *COPULAR,
    *ADVERBIAL,
    *CLAUSAL,
    *RESULTATIVE,
    *ATTRIBUTED,
    *COORDINATED,
    *OTHERS,
    *OPEN,
]
DENIED = [
    ("Foul air did not cause cholera.", ("Foul air", "causes!", "cholera")),
    ("Cholera was never caused by air.", ("air", "causes!", "Cholera")),
    ("Gas cannot cause fever.", ("Gas", "causes!", "fever")),
    ("Gas can never cause fever.", ("Gas", "causes!", "fever")),
    ("Gas can hardly cause fever.", ("Gas", "causes!", "fever")),
    ("Gas is not the cause of the fever.", ("Gas", "causes!", "fever")),
    ("The committee did not inspect the wells.", ("committee", "inspect!", "wells")),
    ("The trade failed to cause an epidemic.", ("trade", "causes!", "epidemic")),
    ("It is false that gas causes fever.", ("gas", "causes!", "fever")),
    ("It is not true that gas causes fever.", ("gas", "causes!", "fever")),
    ("There is no evidence that gas causes fever.", ("gas", "causes!", "fever")),
    ("There was no proof that water caused cholera.", ("water", "causes!", "cholera")),
    ("There is nothing to show that gas causes fever.", ("gas", "causes!", "fever")),
    ("Snow denied that foul air caused cholera.", ("foul air", "causes!", "cholera")),
    ("Many doctors doubted that water caused cholera.", ("water", "causes!", "cholera")),
    ("It was denied that water caused cholera.", ("water", "causes!", "cholera")),
    ("Parkes did not believe that water caused cholera.", ("water", "causes!", "cholera")),
    ("Snow rejected the idea that foul air caused cholera.", ("foul air", "causes!", "cholera")),
    ("The claim that foul air caused cholera is refuted.", ("foul air", "causes!", "cholera")),
    ("Snow did not accept miasma as the cause of cholera.", ("miasma", "causes!", "cholera")),
]
UPHELD = [
    ("Snow did not deny that foul air caused cholera.", ("foul air", "causes", "cholera")),
    ("It cannot be denied that filth causes fever.", ("filth", "causes", "fever")),
    ("No one can doubt that filth causes fever.", ("filth", "causes", "fever")),
    ("There is no doubt that filth causes fever.", ("filth", "causes", "fever")),
    ("There is little reason to doubt that filth causes fever.", ("filth", "causes", "fever")),
    ("Snow denied that gas caused fever; water caused cholera.", ("water", "causes", "cholera")),
    ("Snow doubted that gas caused fever, but water caused cholera.", ("water", "causes", "cholera")),
    ("Snow rejected the idea that gas caused fever.", ("Snow", "opposes", "idea that gas caused fever")),
]


def stated(text: str, type_: str = "causes") -> Assertion:
    """Return the only assertion of a type in a text."""
    (assertion,) = [a for a in found(text).assertions if a.type == type_]
    return assertion


@every("text, expected", STATED + DENIED + UPHELD)
def test_a_sentence_states_its_relation(text: str, expected: Triple) -> None:
    assert expected in relations(text)


SHIPPED = [
    ("The farmers blamed the drought for the famine.", ("drought", "causes", "famine")),
    ("The war made the people poor.", ("war", "causes", "people poor")),
    ("The rain was so heavy that the river rose.", ("rain was so heavy", "causes", "river rose")),
]


@every("text, expected", SHIPPED)
def test_the_trained_reader_reads_what_no_pattern_does(text: str, expected: Triple) -> None:
    assert expected in shipped_relations(text)
    assert expected not in relations(text)


@every(
    "text, expected",
    [
        ("Snow regarded water as the cause of cholera.", ("water", "causes", "cholera")),
        ("John Snow was a physician.", ("John Snow", "is_a", "physician")),
        ("They met John Snow, a physician.", ("John Snow", "is_a", "physician")),
    ],
)
def test_the_trained_reader_agrees_with_what_the_tree_says(text: str, expected: Triple) -> None:
    assert expected in shipped_relations(text)


@every("text, expected", STATED + UPHELD)
def test_a_statement_is_not_turned_round_or_denied(text: str, expected: Triple) -> None:
    source, type_, target = expected
    assert not {(target, type_, source), (source, type_ + "!", target)} & relations(text)


@every("text, expected", DENIED)
def test_what_is_denied_is_not_stated_too(text: str, expected: Triple) -> None:
    source, type_, target = expected
    assert (source, type_.removesuffix("!"), target) not in relations(text)


def test_coordinated_ends_give_one_relation_each() -> None:
    pairs = {
        (s, t)
        for s, type_, t in shipped_relations("Dirt and heat caused fever and panic.")
        if type_ == "causes"
    }
    assert pairs == {("Dirt", "fever"), ("Dirt", "panic"), ("heat", "fever"), ("heat", "panic")}


@every(
    "text, stands, contrasted",
    [
        ("Cholera was caused by water, not by air.", "water", "air"),
        ("Cholera was caused not by air but by water.", "water", "air"),
        ("Fever is caused by gas rather than by water.", "gas", "water"),
    ],
)
def test_of_two_contrasted_causes_one_stands(text: str, stands: str, contrasted: str) -> None:
    causes = {a.source: a.negated for a in found(text).assertions if a.type == "causes"}
    assert causes.get(stands) is False
    assert causes.get(contrasted) is not False


@every(
    "text, modality",
    [
        ("Gas caused fever.", "fact"),
        ("Gas may cause fever.", "modal"),
        ("Gas could have caused the fever.", "modal"),
        ("If gas causes fever, the board will act.", "hypothetical"),
        ("If the board had acted, gas would have caused no fever.", "hypothetical"),
        ("Did the water cause the fever?", "asked"),
        ("The board asked whether water caused cholera.", "asked"),
        ("Is it the gas that causes fever?", "asked"),
        ("Suppose that gas causes fever.", "hypothetical"),
        ("Gas would tend to cause fever.", "hypothetical"),
        ("Gas almost caused a fever.", "hypothetical"),
        ("The doctor kept the gas from causing a fever.", "hypothetical"),
        ("They fled, as if gas had caused the fever.", "hypothetical"),
        ("Perhaps gas caused the fever.", "modal"),
        ("Gas is believed to cause fever.", "modal"),
        ("It is alleged that gas causes fever.", "hypothetical"),
        ("It may be contended that gas causes fever.", "hypothetical"),
        ("There is a danger that gas will cause fever.", "modal"),
        ("The alleged cause of the fever was gas.", "modal"),
        ("We hope to find a gas that will cause fever.", "modal"),
        ("They saw that gas had caused fever.", "fact"),
        ("The gas conspired with the heat to cause a fever.", "fact"),
    ],
)
def test_an_assertion_tells_how_the_text_puts_it(text: str, modality: str) -> None:
    (assertion,) = [
        a for a in found(text).assertions if a.type == "causes" and a.target in ("fever", "cholera")
    ]
    assert assertion.modality == modality
    assert assertion.is_put_forward == (modality in ("fact", "modal"))


@every(
    "text, denied",
    [
        ("The gas did not fail to cause fever.", False),
        ("Gas seldom fails to cause fever.", False),
        ("It cannot be doubted that gas causes fever.", False),
        ("It is not unlikely that gas causes fever.", False),
        ("Gas will not improbably cause fever.", False),
        ("They failed to notice that gas caused the fever.", False),
        ("The report describes a fever caused by gas, and not the plague.", False),
        ("The gas failed to cause fever.", True),
        ("Nobody believes that gas causes fever.", True),
        ("The fever was in no way caused by gas.", True),
        ("Gas no longer causes fever.", True),
        ("Gas rarely causes fever.", True),
        ("The fever was not caused by gas so much as by water.", True),
        ("The gas was too weak to cause fever.", True),
        ("The town used gas without causing fever.", True),
    ],
)
def test_what_is_denied_twice_is_affirmed(text: str, denied: bool) -> None:
    causes = [a for a in found(text).assertions if a.type == "causes" and a.target == "fever"]
    assert [a.negated for a in causes if a.source in ("gas", "Gas", "town")] == [denied]


@every(
    "text, type_, denied, modality",
    [
        ("We will build a wall, so that the town is spared.", "causes", False, "modal"),
        ("They built a wall, so that the tide might not return.", "causes", False, "modal"),
        ("The river rose, so that the town was flooded.", "causes", False, "fact"),
        ("They closed the port, lest the sailors bring the plague.", "prevents", False, "modal"),
        ("It must not be assumed that the people fled because the river rose.", "causes", True, "fact"),
    ],
)
def test_a_link_of_clauses_is_put_as_its_clauses_are(
    text: str, type_: str, denied: bool, modality: str
) -> None:
    (link,) = [
        a for a in found(text).assertions if a.type == type_ and a.cue != "same sentence" and a.is_causal
    ]
    assert (link.negated, link.modality) == (denied, modality)


def test_what_may_be_so_is_trusted_less() -> None:
    assert stated("Gas may cause fever.").confidence < stated("Gas causes fever.").confidence


@every(
    "text, speaker, negated",
    [
        ("Farr argued that gas caused fever.", "Farr", False),
        ("According to Farr, gas caused fever.", "Farr", False),
        ("Gas caused fever, Farr argued.", "Farr", False),
        ("William Farr wrote. He argued that gas caused fever.", "William Farr", False),
        ("The Board of Health denied that gas caused fever.", "Board of Health", True),
        ("Farr attributed the fever to gas.", "Farr", False),
        ("It was denied that gas caused fever.", None, True),
        ("Gas caused fever.", None, False),
    ],
)
def test_a_reported_statement_names_its_speaker(text: str, speaker: str | None, negated: bool) -> None:
    assertion = stated(text)
    assert (assertion.speaker, assertion.negated) == (speaker, negated)


@every("text", ["The cause was unknown.", "It led to nothing known.", "Something led to it."])
def test_missing_ends_state_nothing(text: str) -> None:
    assert not [type_ for _, type_, _ in relations(text) if type_ == "causes"]


@every("language, text", [("de", "Armut verursacht Not."), ("fr", "L'eau a causé la mort.")])
def test_a_language_without_a_pipeline_states_no_relation(language: str, text: str) -> None:
    assert relations(text, language) == set()


def test_an_assertion_tells_its_pattern_and_its_sentence() -> None:
    evidence = found("It rained. Bad water led to cholera.")
    (assertion,) = [a for a in evidence.assertions if a.type == "causes"]
    assert assertion.cue == "en:lead to"
    assert assertion.is_causal
    assert assertion.description == "Bad water led to cholera."
    assert {assertion.source_mention, assertion.target_mention} <= {m.id for m in evidence.mentions}


@every(
    "text, type_, source, cue, target",
    [
        ("It rained. Bad water led to cholera.", "causes", "Bad water", "led", "cholera"),
        ("It rained. The heat gave rise to vapours.", "causes", "heat", "gave rise", "vapours"),
        ("It rained. The fever was caused by foul gas.", "causes", "foul gas", "caused", "fever"),
        ("It rained. The committee inspected the wells.", "inspect", "committee", "inspected", "wells"),
    ],
)
def test_ends_and_cue_stand_where_they_say(text: str, type_: str, source: str, cue: str, target: str) -> None:
    a = stated(text, type_)
    places = (a.source_start, a.source_end), (a.cue_start, a.cue_end), (a.target_start, a.target_end)
    assert tuple(text[start:end] for start, end in places) == (source, cue, target)
    assert (a.source, a.target) == (source, target)
    assert text[a.sentence_start : a.sentence_end] == a.description


def test_an_end_that_is_a_pronoun_stands_at_the_pronoun_and_bears_the_name() -> None:
    text = "John Snow left. He founded the Lancet."
    assertion = stated(text, "founded_by")
    assert assertion.target == "John Snow"
    assert text[assertion.target_start : assertion.target_end] == "He"


def test_an_open_relation_bears_the_lemma_of_its_verb_and_is_not_causal() -> None:
    assertion = stated("The committee inspected the wells.", "inspect")
    assert assertion.cue == "en:open inspect"
    assert not assertion.is_causal


def test_names_of_one_sentence_co_occur_with_the_next_three() -> None:
    evidence = found("They saw Paris, Rome, Berlin, Madrid and Vienna in 1854.")
    pairs = [(a.source, a.target) for a in evidence.assertions if a.type == "co_occurs_with"]
    assert ("Paris", "Madrid") in pairs
    assert ("Paris", "Vienna") not in pairs
    assert not any("1854" in pair for pair in pairs)


@every(
    "text, unsaid",
    [
        ("There are others, which take their origin in private passions.", "others"),
        ("The report was written in a manner.", "manner"),
        ("Our union, fellow-citizens, is old.", "fellow-citizens"),
        ("They walked arm in arm.", "arm"),
        ("The Senate had no method of raising money.", "method"),
        ("The nation kept its faith in the world.", "world"),
    ],
)
def test_an_end_is_a_thing_that_the_sentence_says_so_of(text: str, unsaid: str) -> None:
    assert not any(unsaid in (source, target) for source, _, target in relations(text))


@every(
    "text, type_, denied",
    [
        ("The poet was no member of the party.", "part_of", True),
        ("The officers of the army did not march.", "part_of", False),
        ("Why did the people reject the plan which the convention made?", "make", False),
    ],
)
def test_a_denial_or_question_reaches_no_further_than_its_clause(text: str, type_: str, denied: bool) -> None:
    assertion = stated(text, type_)
    assert assertion.negated is denied
    assert assertion.modality == "fact"


def test_what_a_person_is_the_target_of_is_no_effect() -> None:
    said = relations("The singer comes from Paris.") | shipped_relations(
        "The soldiers were led to the river."
    )
    assert not any(type_ == "causes" for _, type_, _ in said)


@every(
    "text, modality",
    [
        ("The law would raise prices.", "hypothetical"),
        ("If the dam breaks, the water will flood the town.", "hypothetical"),
        ("The council tried to prevent the fire.", "modal"),
        ("The storm will destroy the harvest.", "fact"),
    ],
)
def test_what_is_tried_or_conditional_is_no_fact(text: str, modality: str) -> None:
    assert {
        assertion.modality for assertion in found(text).assertions if assertion.cue != "same sentence"
    } == {modality}


def test_a_person_is_one_speaker_however_he_is_named() -> None:
    text = "William Farr was a doctor. Mr. Farr said that dirt caused cholera. Farr said that rain caused floods."
    said = {assertion.speaker for assertion in found(text).assertions if assertion.type == "causes"}
    assert said == {"William Farr"}


@every(
    "text, relation",
    [
        ("Rome is a city.", ("Rome", "is_a", "city")),
        ("Mary Shelley, a novelist, lived in London.", ("Mary Shelley", "is_a", "novelist")),
        ("Ann Lee is not a doctor.", ("Ann Lee", "is_a!", "doctor")),
        ("Copper is a metal and a conductor.", ("Copper", "is_a", "conductor")),
    ],
)
def test_without_a_trained_reader_copulas_and_appositions_say_what_a_thing_is(
    text: str, relation: Triple
) -> None:
    assert relation in relations(text)


GERMAN = """
Rom Rom PROPN - 4 nsubj
ist sein AUX fin 4 cop
eine ein DET - 4 det
Stadt Stadt NOUN - 0 ROOT
. . PUNCT - 4 punct
"""


def test_another_language_with_a_pipeline_says_what_a_thing_is(tmp_path: Path) -> None:
    sentence = rows(GERMAN)
    write_pipeline(tmp_path / "de", "de", {text_of(sentence): sentence}, ["nsubj", "obj", "obl"])
    extractor = offline_extractor(ReadingOptions(pipelines={"de": str(tmp_path / "de")}))
    read = extractor.extract(document(text_of(sentence), language="de"), [])
    assert [(a.source, a.type, a.target) for a in read.assertions] == [("Rom", "is_a", "Stadt")]


@every(
    "text, is_a",
    [
        ("The capital of the colony was Georgetown.", ("Georgetown", "is_a", "capital of the colony")),
        (
            "Low serum vitamin D is a marker of the disease.",
            ("Low serum vitamin D", "is_a", "marker of the disease"),
        ),
        ("The winner was a Dutchman.", ("winner", "is_a", "Dutchman")),
    ],
)
def test_a_name_is_what_a_description_says(text: str, is_a: Triple) -> None:
    assert is_a in shipped_relations(text)
