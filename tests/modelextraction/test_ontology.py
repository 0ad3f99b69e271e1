import pytest

from corpusgraph.schemas.study import Ontology
from corpusgraph.tasks.extract.llm.findings import number_in
from tests.modelextraction.build import PROMPTS, codes, entity, evidence, relationship, run, said

TEXT = "Aspirin relieves headaches in adults. Bayer sold aspirin from 1899. It costs 12 marks. Headaches bother Bayer."
MEDICINE = {
    "entities": {
        "drug": {"description": "a medicine", "attributes": {
            "launched": {"type": "date"}, "price": {"type": "number"},
            "form": {"values": ["tablet", "Powder"]}, "generic": {"type": "boolean"}, "note": {},
        }},
        "symptom": {},
        "drug_company": {},
    },
    "relationships": {
        "relieves": {"source": ["drug"], "target": ["symptom"], "is_causal": True},
        "sells": {"source": ["drug_company"], "target": ["drug"]},
    },
}  # fmt: skip
STRICT = Ontology.model_validate(MEDICINE)
LOOSE = Ontology.model_validate({**MEDICINE, "strict": False})
ASPIRIN, HEADACHE, BAYER = (
    entity("Aspirin", "drug"),
    entity("headaches", "symptom"),
    entity("Bayer", "drug_company"),
)
RELIEVES = "Aspirin relieves headaches"


@pytest.mark.parametrize("said_type", ["drug", "Drug", "DRUGS", " drugs "])
def test_variants_of_a_type_are_the_ontologys(said_type: str) -> None:
    assert (
        evidence(TEXT, said(entities=[entity("Aspirin", said_type)]), ontology=STRICT).mentions[0].type
        == "drug"
    )


@pytest.mark.parametrize("said_type", ["Drug Company", "drug-companies", "DrugCompany", "drug_company"])
def test_variants_of_two_words(said_type: str) -> None:
    assert (
        evidence(TEXT, said(entities=[entity("Bayer", said_type)]), ontology=STRICT).mentions[0].type
        == "drug_company"
    )


def test_without_an_ontology_any_type_is_snake_case_and_usual_ones_are_the_projects() -> None:
    reply = said(
        entities=[
            entity("Bayer", "ORGANIZATION"),
            entity("Aspirin", "Over-the-counter Drug"),
            entity("adults", ""),
        ]
    )
    types = {mention.name: mention.type for mention in evidence(TEXT, reply).mentions}
    assert types == {"Bayer": "organisation", "Aspirin": "over_the_counter_drug", "adults": "concept"}


def test_a_strict_ontology_leaves_out_other_types_and_records_them() -> None:
    reply = said(
        entities=[ASPIRIN, entity("adults", "population")],
        relationships=[relationship("Aspirin", "relieves", "adults", "Aspirin relieves headaches in adults")],
    )
    found = run(TEXT, reply, ontology=STRICT)
    assert [mention.name for mention in found.evidence.mentions] == ["Aspirin"]
    assert not found.evidence.assertions
    assert codes(found.dropped) == ["outside_ontology"]
    assert "2 items left out" in found.dropped[0].message
    assert "adults (population)" in found.dropped[0].message
    assert found.dropped[0].retry is False


def test_a_loose_ontology_keeps_and_records_them() -> None:
    reply = said(
        entities=[ASPIRIN, entity("adults", "population")],
        relationships=[
            relationship("Aspirin", "is taken by", "adults", "Aspirin relieves headaches in adults")
        ],
    )
    found = run(TEXT, reply, ontology=LOOSE)
    assert {mention.type for mention in found.evidence.mentions} == {"drug", "population"}
    assert [stated.type for stated in found.evidence.assertions] == ["is_taken_by"]
    assert "2 items kept" in found.dropped[0].message


def test_relationships_fit_types_and_are_causal_by_the_ontology() -> None:
    reply = said(entities=[ASPIRIN, HEADACHE, BAYER], relationships=[
        relationship("Aspirin", "Relieves", "headaches", RELIEVES),
        relationship("headaches", "relieves", "Bayer", "Headaches bother Bayer"),
        relationship("headaches", "bother", "Bayer", "Headaches bother Bayer"),
    ])  # fmt: skip
    found = run(TEXT, reply, ontology=STRICT)
    assert [(a.type, a.is_causal) for a in found.evidence.assertions] == [("relieves", True)]
    assert codes(found.dropped) == ["outside_ontology"]
    loose = run(TEXT, reply, ontology=LOOSE)
    assert len(loose.evidence.assertions) == 3


def test_an_end_that_is_no_entity_has_the_one_type_there_may_be() -> None:
    reply = said(relationships=[relationship("Aspirin", "relieves", "headaches", RELIEVES)])
    types = {mention.name: mention.type for mention in evidence(TEXT, reply, ontology=STRICT).mentions}
    assert types == {"Aspirin": "drug", "headaches": "symptom"}


def test_an_end_of_unknown_type_is_outside_a_strict_ontology() -> None:
    open_ends = Ontology.model_validate({**MEDICINE, "relationships": {"bothers": {}}})
    reply = said(relationships=[relationship("Headaches", "bothers", "Bayer", "Headaches bother Bayer")])
    found = run(TEXT, reply, ontology=open_ends)
    assert (found.evidence.mentions, codes(found.dropped)) == ((), ["outside_ontology"])


def test_attributes_are_typed() -> None:
    attributes = {
        "Launched": "1899",
        "PRICE": "12 marks",
        "form": "powder",
        "generic": "Yes",
        "notes": "old  drug",
    }
    reply = said(entities=[entity("Aspirin", "drug", attributes=attributes)])
    (mention,) = evidence(TEXT, reply, ontology=STRICT).mentions
    assert mention.attributes["stated"] == {
        "launched": "1899",
        "price": 12.0,
        "form": "Powder",
        "generic": True,
        "note": "old drug",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("launched", "long ago"),
        ("price", "cheap"),
        ("price", "12 or 13"),
        ("form", "syrup"),
        ("generic", "partly"),
        ("colour", "white"),
    ],
)
def test_attributes_outside_are_left_out_or_kept_and_recorded(name: str, value: str) -> None:
    reply = said(entities=[entity("Aspirin", "drug", attributes=[{"name": name, "value": value}])])
    strict, loose = (run(TEXT, reply, ontology=ontology) for ontology in (STRICT, LOOSE))
    assert strict.evidence.mentions[0].attributes == {}
    assert loose.evidence.mentions[0].attributes == {"stated": {name: value}}
    assert codes(strict.dropped) == codes(loose.dropped) == ["outside_ontology"]
    assert f"drug.{name} = {value}" in strict.dropped[0].message


def test_a_date_attribute_is_iso() -> None:
    reply = said(entities=[entity("Aspirin", "drug", attributes={"launched": "6 March 1899"})])
    assert evidence(TEXT, reply, ontology=STRICT).mentions[0].attributes["stated"] == {
        "launched": "1899-03-06"
    }


def test_an_actor_of_a_type_that_is_not_there_is_no_mention() -> None:
    event = {
        "activity": "sold aspirin",
        "time": "1899",
        "actors": ["Bayer"],
        "quote": "Bayer sold aspirin from 1899",
    }
    found = evidence(TEXT, said(events=[event]), ontology=STRICT)
    assert found.events[0].actors == ()
    with_bayer = evidence(TEXT, said(entities=[BAYER], events=[event]), ontology=STRICT)
    assert len(with_bayer.events[0].actors) == 1


def test_the_prompt_tells_the_ontology_instead_of_the_prompt_sets_types() -> None:
    from corpusgraph.schemas.study import LanguageOptions
    from corpusgraph.tasks.extract.llm.prompts import system

    prompts = PROMPTS.model_copy(update={"entities": {"vessel": "a hull"}, "relationships": {"sails_to": ""}})
    own = system(LanguageOptions(ontology=STRICT, language="French"), prompts)
    assert "Only these entity types: drug (a medicine); symptom; drug_company." in own
    assert "relieves (drug -> symptom; causal)" in own
    assert "launched (date)" in own
    assert "form (tablet | Powder)" in own
    assert "in French" in own
    assert "vessel" not in own
    plain = system(LanguageOptions(), prompts)
    assert "vessel (a hull)" in plain
    assert "in the passage's language" in plain
    assert "Preferably these entity types: drug" in system(LanguageOptions(ontology=LOOSE), prompts)


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("-3.5", -3.5), ("1,854 feet", 1854), ("$5 million", 5e6), ("twelve", 12), ("-5 degrees", -5), ("five million", 5e6), ("5 million", 5e6), ("−4", -4), ("about 7", 7), ("p = 0.03", 0.03), ("3 to 5", None), ("many", None), ("", None), ("9" * 400, None)],
)  # fmt: skip
def test_numbers_in_words(text: str, number: float | None) -> None:
    assert number_in(text) == number


OPEN = Ontology.model_validate({"entities": {"person": {}, "place": {}}, "relationships": {"met": {}}})
MET = "Ada met Bob in Cork in 1840."


def test_an_end_without_a_type_is_outside_the_ontology_and_one_not_there_is_not_found() -> None:
    ada = entity("Ada", "person", MET)
    untyped = run(
        MET, said(entities=[ada], relationships=[relationship("Ada", "met", "Bob", MET)]), ontology=OPEN
    )
    absent = run(
        MET, said(entities=[ada], relationships=[relationship("Ada", "met", "Zeus", MET)]), ontology=OPEN
    )
    assert codes(untyped.dropped) == ["outside_ontology"]
    assert codes(absent.dropped) == ["end_not_found"]


def test_an_event_is_kept_without_those_who_are_not_there_and_that_is_told() -> None:
    event = {
        "activity": "met",
        "time": "1840",
        "actors": ["Ada", "Bob", "Zeus", "he"],
        "places": ["Cork"],
        "quote": MET,
    }
    found = run(MET, said(entities=[entity("Ada", "person", MET)], events=[event]), ontology=OPEN)
    names = {mention.id: mention.name for mention in found.evidence.mentions}
    assert [names[actor] for actor in found.evidence.events[0].actors] == ["Ada"]
    assert [names[place] for place in found.evidence.events[0].places] == ["Cork"]
    told = {failure.code: failure.message for failure in found.dropped}
    assert set(told) == {"outside_ontology", "end_not_found"}
    assert told["outside_ontology"].startswith("1 item kept")
    assert told["outside_ontology"].endswith("met: Bob")
    assert told["end_not_found"].endswith("met: Zeus")
