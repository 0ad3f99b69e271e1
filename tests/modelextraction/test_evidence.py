import pytest

from corpusgraph.schemas.study import Chunking
from tests.modelextraction.build import SNOW, ByPassage, codes, entity, evidence, relationship, run, said

WATER = "contaminated water causes cholera"


def test_a_name_lies_where_its_quote_has_it() -> None:
    found = evidence(
        SNOW,
        said(
            entities=[
                entity("John Snow", quote="John Snow, a physician", description="An English physician.")
            ]
        ),
    )
    mention = found.mentions[0]
    assert SNOW[mention.start : mention.end] == mention.surface == mention.name == "John Snow"
    assert (mention.type, mention.description, mention.extractor) == (
        "person",
        "An English physician.",
        "llm",
    )
    assert SNOW[mention.sentence_start : mention.sentence_end].startswith("In 1854 John Snow")
    assert SNOW[mention.sentence_start : mention.sentence_end].endswith("Broad Street.")
    assert mention.chunk_id
    assert mention.attributes == {}


def test_the_place_is_the_one_in_the_quote_not_the_first_in_the_text() -> None:
    text = "Mary met Ann. Later Mary left."
    mention = evidence(text, said(entities=[entity("Mary", quote="Later Mary left")])).mentions[0]
    assert mention.start == text.rindex("Mary")


def test_a_name_that_its_quote_lacks_is_found_elsewhere_in_the_chunk() -> None:
    mention = evidence(SNOW, said(entities=[entity("Board of Health", quote=WATER)])).mentions[0]
    assert SNOW[mention.start : mention.end] == "Board of Health"


def test_a_name_that_stands_nowhere_spans_its_quote_and_says_so() -> None:
    mention = evidence(SNOW, said(entities=[entity("Cholera theory", "concept", quote=WATER)])).mentions[0]
    assert SNOW[mention.start : mention.end] == WATER
    assert mention.attributes == {"located": False}
    assert mention.name == "Cholera theory"
    assert mention.confidence < 0.9


def test_what_has_no_quote_in_the_passage_is_left_out_and_counted() -> None:
    reply = said(
        entities=[entity("John Snow"), entity("Robert Koch", quote="Robert Koch found the vibrio")],
        claims=[
            {"text": "Water is guilty.", "quote": WATER},
            {"text": "No.", "quote": "it is not the water"},
        ],
    )
    found = run(SNOW, reply)
    assert [mention.name for mention in found.evidence.mentions] == ["John Snow"]
    assert [claim.text for claim in found.evidence.claims] == ["Water is guilty."]
    (line,) = found.dropped
    assert (line.code, line.stage, line.retry, line.source) == (
        "quote_not_found",
        "extract",
        False,
        "text.txt",
    )
    assert line.item == found.evidence.mentions[0].chunk_id
    assert "2 items" in line.message
    assert "Robert Koch" in line.message


def test_a_relationship_joins_the_mentions_in_its_quote() -> None:
    reply = said(
        entities=[entity("contaminated water", "concept"), entity("cholera", "disease")],
        relationships=[
            relationship(
                "Contaminated Water",
                "Causes",
                "cholera",
                WATER,
                confidence="90 %",
                description="By drinking.",
            )
        ],
    )
    found = evidence(SNOW, reply)
    (stated,) = found.assertions
    by_id = {mention.id: mention for mention in found.mentions}
    assert by_id[stated.source_mention].name == stated.source == "contaminated water"
    assert by_id[stated.target_mention].name == stated.target == "cholera"
    assert (stated.type, stated.is_causal, stated.negated, stated.confidence) == ("causes", True, False, 0.9)
    assert SNOW[stated.start : stated.end] == WATER
    assert stated.description == "By drinking."
    assert len(found.mentions) == 2


@pytest.mark.parametrize(
    ("kind", "causal", "expected"), [("Works For", False, "works_for"), ("led to", True, "led_to")]
)
def test_types_are_lower_snake_case(kind: str, causal: bool, expected: str) -> None:
    quote = "He argued that contaminated water causes cholera"
    reply = said(relationships=[relationship("contaminated water", kind, "cholera", quote, is_causal=causal)])
    (stated,) = evidence(SNOW, reply).assertions
    assert (stated.type, stated.is_causal) == (expected, causal)


def test_negation_and_low_confidence_are_kept() -> None:
    reply = said(
        relationships=[
            relationship(
                "bad air", "spreads", "disease", "bad air spreads the disease", negated="yes", confidence=0.4
            )
        ]
    )
    (stated,) = evidence(SNOW, reply).assertions
    assert (stated.negated, stated.confidence) == (True, 0.4)


def test_an_end_that_is_no_entity_becomes_one_if_the_passage_has_it() -> None:
    reply = said(
        relationships=[
            relationship("the parish", "removed", "handle", "the parish removed the handle of the pump")
        ]
    )
    found = evidence(SNOW, reply)
    assert [mention.name for mention in found.mentions] == ["the parish", "handle"]
    assert {mention.type for mention in found.mentions} == {"concept"}
    assert len(found.assertions) == 1


def test_a_relationship_to_what_the_passage_does_not_name_is_left_out() -> None:
    reply = said(
        entities=[entity("John Snow")],
        relationships=[relationship("John Snow", "met", "Henry Whitehead", "John Snow, a physician")],
    )
    found = run(SNOW, reply)
    assert not found.evidence.assertions
    assert codes(found.dropped) == ["end_not_found"]


def test_the_type_of_an_end_is_that_of_the_entity_in_another_chunk() -> None:
    text = (
        "Ada Lovelace wrote notes. "
        + "Filler words stand here. " * 8
        + "Ada Lovelace admired Charles Babbage."
    )
    replies = ByPassage(
        {
            "notes": said(entities=[entity("Ada Lovelace", "person")]),
            "admired": said(
                relationships=[
                    relationship(
                        "Ada Lovelace", "admires", "Charles Babbage", "Ada Lovelace admired Charles Babbage"
                    )
                ]
            ),
        }
    )
    found = evidence(text, replies, chunking=Chunking(unit="sentences", size=3, overlap=0))
    assert {m.type for m in found.mentions if m.name == "Ada Lovelace"} == {"person"}


def test_overlapping_chunks_state_a_thing_once() -> None:
    text = "Alpha founded Beta in 1901. Gamma bought Beta in 1950. Delta sold Beta in 1999."
    quote = "Gamma bought Beta in 1950"
    reply = ByPassage(
        {
            "Gamma": said(
                entities=[entity("Gamma", "organisation", quote), entity("Beta", "organisation", quote)],
                relationships=[relationship("Gamma", "buys", "Beta", quote)],
                events=[{"activity": "bought Beta", "time": "1950", "actors": ["Gamma"], "quote": quote}],
                claims=[{"text": "Gamma owns Beta.", "quote": quote}],
            )
        }
    )
    one = evidence(text, reply, chunking=Chunking(unit="sentences", size=3, overlap=0))
    two = evidence(text, reply, chunking=Chunking(unit="sentences", size=2, overlap=1))
    for kind in ("mentions", "assertions", "events", "claims"):
        assert [item.id for item in getattr(one, kind)] == [item.id for item in getattr(two, kind)]
    assert (len(two.mentions), len(two.assertions), len(two.events), len(two.claims)) == (2, 1, 1, 1)


def test_a_claim_worded_otherwise_in_the_overlap_is_the_same_claim() -> None:
    text = "One stands. Taxes should fall. Two stands."
    first = {"text": "Taxes should fall.", "quote": "Taxes should fall."}
    second = {"text": "There should be lower taxes.", "quote": "Taxes should fall."}
    third = {"text": "Two stands.", "quote": "Two stands.", "supports": [1]}
    reply = ByPassage({"One": said(claims=[first]), "Two": said(claims=[second, third])})
    found = evidence(text, reply, chunking=Chunking(unit="sentences", size=2, overlap=1))
    assert [claim.text for claim in found.claims] == ["Taxes should fall.", "Two stands."]
    assert found.arguments[0].target == found.claims[0].id


def test_two_claims_of_one_reply_may_share_a_quote() -> None:
    quote = "bad air spreads the disease"
    reply = said(
        claims=[
            {"text": "Air is bad.", "quote": quote},
            {"text": "It spreads disease.", "quote": quote, "supports": ["[1]", 9]},
        ]
    )
    found = evidence(SNOW, reply)
    assert {claim.text for claim in found.claims} == {"Air is bad.", "It spreads disease."}
    assert len(found.arguments) == 1


def test_claims_have_speaker_stance_entities_and_relations() -> None:
    reply = said(
        entities=[entity("cholera", "disease")],
        claims=[
            {
                "text": "Water causes cholera.",
                "speaker": "John Snow",
                "stance": "asserts",
                "quote": WATER,
                "supports": [1],
            },
            {
                "text": "Air causes it.",
                "speaker": "Board of Health",
                "stance": "DENIES",
                "quote": "bad air spreads the disease",
                "attacks": "1",
            },
            {"text": "Who knows.", "speaker": None, "stance": "wonders", "quote": "He argued"},
        ],
    )
    found = evidence(SNOW, reply)
    water, air = (next(c for c in found.claims if c.text.startswith(word)) for word in ("Water", "Air"))
    assert (water.speaker, water.stance, air.stance) == ("John Snow", "asserts", "denies")
    assert next(c for c in found.claims if c.text == "Who knows.").stance == "asserts"
    assert next(c for c in found.claims if c.text == "Who knows.").speaker is None
    assert water.entities == (found.mentions[0].id,)
    (attack,) = found.arguments
    assert (attack.source, attack.target, attack.type) == (air.id, water.id, "attack")


def test_attributes_and_descriptions_reach_the_mention() -> None:
    reply = said(
        entities=[
            entity(
                "John Snow",
                attributes=[{"name": "Field of Work", "value": "medicine"}, {"name": "age", "value": 41}],
            ),
            entity("John Snow", attributes={"age": "50", "city": "London"}, description="A doctor."),
        ]
    )
    (mention,) = evidence(SNOW, reply).mentions
    assert mention.attributes == {"stated": {"field_of_work": "medicine", "age": 41, "city": "London"}}
    assert mention.description == "A doctor."


def test_dates_and_quantities_have_values() -> None:
    text = "On 8 September 1854 there were 616 deaths, at a cost of $5 million."
    reply = said(
        entities=[
            entity("8 September 1854", "Date"),
            entity("616 deaths", "number"),
            entity("$5 million", "amount"),
        ]
    )
    date, number, money = evidence(text, reply).mentions
    assert money.attributes == {"value": 5e6, "unit": "dollars"}
    assert (date.type, date.attributes) == ("date", {"iso": "1854-09-08"})
    assert (number.type, number.attributes) == ("quantity", {"value": 616.0, "unit": "deaths"})


def test_spans_lie_in_the_document_whatever_the_chunk() -> None:
    text = " ".join(f"Person{n} met Person{n + 1} in Town{n}." for n in range(60))
    names = [f"Person{n}" for n in range(60)]

    def reply(prompt, _answer):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        here = [name for name in names if f"{name} met" in prompt.user]
        return said(entities=[entity(name, quote=f"{name} met") for name in here])

    found = evidence(text, reply, chunking=Chunking(size=40, overlap=10))
    assert {mention.name for mention in found.mentions} == set(names)
    for mention in found.mentions:
        assert text[mention.start : mention.end] == mention.surface


def test_lower_words_are_those_of_the_rules() -> None:
    from corpusgraph.flows.annotate.offline import default_extractor
    from tests.modelextraction.build import document

    assert evidence(SNOW, said()).lower_words == default_extractor().extract(document(SNOW), []).lower_words


def test_a_document_without_text_has_no_evidence() -> None:
    found = run("  \n ", said(entities=[entity("x")]))
    assert found.evidence.mentions == ()
    assert found.failures == ()


def test_an_overlap_that_cuts_a_sentence_does_not_double_what_it_says() -> None:
    text = "In 1901 Alpha founded Beta in the old town of Gent, where it still is. Others came."
    short, long = "In 1901 Alpha founded Beta", "In 1901 Alpha founded Beta in the old town of Gent"
    replies = {
        "Others": [
            said(
                relationships=[relationship("Alpha", "founded", "Beta", quote)],
                events=[{"activity": "founded Beta", "time": "1901", "quote": quote}],
                claims=[{"text": "Alpha founded Beta.", "quote": quote}],
            )
            for quote in (short, long)
        ]
    }
    found = evidence(text, ByPassage(replies), gleanings=1)
    assert (len(found.assertions), len(found.events), len(found.claims)) == (1, 1, 1)
    assert (found.events[0].end, found.claims[0].end) == (len(short), len(short))


@pytest.mark.parametrize(
    ("name", "kept"), [("He", False), ("it", False), ("US", True), ("Who", False), ("Her Majesty", True)]
)
def test_pronouns_are_no_names(name: str, kept: bool) -> None:
    text = f"{name} went home to Gent."
    reply = said(entities=[entity(name)], relationships=[relationship(name, "lives_in", "Gent", text)])
    found = run(text, reply)
    assert ([m.name for m in found.evidence.mentions] == [name, "Gent"]) is kept
    assert bool(found.evidence.assertions) is kept
    assert ("unnamed" in codes(found.dropped)) is not kept


def test_a_relationship_of_a_thing_to_itself_is_counted_out() -> None:
    reply = said(relationships=[relationship("John Snow", "is", "john snow", "John Snow, a physician")])
    found = run(SNOW, reply)
    assert (found.evidence.assertions, codes(found.dropped)) == ((), ["same_ends"])


@pytest.mark.parametrize("odd", ["\ud800", "\x00", "\u202e", "a" * 5000, "😀", "ﷺ"])
def test_odd_characters_break_nothing(odd: str) -> None:
    text = f"Ann met {odd} there.".encode("utf-8", "replace").decode()
    model_says = said(
        entities=[entity("Ann"), entity(odd, quote=text), entity(f"Ann {odd}", quote="Ann met")]
    )
    found = run(text, lambda _prompt, _answer: model_says)
    assert found.failures or found.evidence.mentions
