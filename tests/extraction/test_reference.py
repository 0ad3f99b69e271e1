"""What pronouns and definite descriptions are taken to stand for, seen by the ends of what is stated."""

from tests.every import every
from tests.extraction.given import Triple, document, found, relations


def ends(text: str) -> set[str]:
    return {end for source, _, target in relations(text) for end in (source, target)}


@every(
    "text, antecedent",
    [
        ("John Snow visited the parish. He admired the handle.", "John Snow"),
        ("Mary Snow met John Pike. She wrote the report.", "Mary Snow"),
        ("Mrs. Eley met John Pike. She wrote the report.", "Mrs. Eley"),
        ("The council met on Monday. It closed the bridge.", "council"),
        ("The farmers lost the harvest. They blamed the drought.", "farmers"),
        ("John Snow drew maps. His map changed the debate, and he published the book.", "John Snow"),
    ],
)
def test_a_pronoun_stands_for_what_agrees_with_it(text: str, antecedent: str) -> None:
    told = found(text)
    by_id = {mention.id: mention for mention in told.mentions}
    pronouns = {
        by_id[mention].name
        for a in told.assertions
        for mention, start, end in (
            (a.source_mention, a.source_start, a.source_end),
            (a.target_mention, a.target_start, a.target_end),
        )
        if start is not None and text[start:end].lower() in ("he", "she", "it", "they", "himself")
    }
    assert pronouns == {antecedent}


@every(
    "text",
    [
        "It is clear that the water killed the workers.",
        "It rained. It seems that the river flooded the town.",
        "They closed the bridge.",
        "John Pike met John Snow. He removed him.",
    ],
)
def test_a_doubtful_pronoun_stands_for_nothing(text: str) -> None:
    spans = [
        text[a.source_start : a.source_end].lower()
        for a in found(text).assertions
        if a.source_start is not None
    ]
    assert not {"it", "they", "him"}.intersection(spans)


def test_the_object_of_a_verb_is_not_its_subject() -> None:
    assert ("John Snow", "admire", "John Snow") not in relations("John Snow admired him.")


def test_the_pronoun_keeps_its_own_place() -> None:
    text = "John Snow visited the parish. He admired the handle."
    (admiration,) = (a for a in found(text).assertions if a.source_start == text.index("He"))
    assert (admiration.source, text[admiration.source_start : admiration.source_end]) == ("John Snow", "He")
    certain = found("John Snow admired the handle.").assertions[0]
    assert admiration.confidence < certain.confidence


def test_a_definite_description_stands_for_the_fuller_one_before_it() -> None:
    text = "A steel bridge crossed the river. The storm destroyed the bridge."
    assert "steel bridge" in {
        a.target for a in found(text).assertions if a.target_start == text.index("bridge.")
    }


def test_the_company_is_the_one_that_was_named() -> None:
    assert "Vauxhall Company" in ends("The Vauxhall Company moved in 1854. The company sold the water.")


def test_of_two_companies_none_is_taken() -> None:
    text = "The Vauxhall Company fought the Lambeth Water Company. The company sold the water."
    assert ("Lambeth Water Company", "sell", "water") not in relations(text)


def test_this_as_the_subject_of_a_causal_verb_is_the_clause_before() -> None:
    caused = {
        r for r in relations("The council closed the pump. This prevented an outbreak.") if "prevents" in r
    }
    assert any("closed the pump" in source for source, _, _ in caused)


def authored(text: str, author: object) -> set[Triple]:
    from corpusgraph.flows.annotate.offline import default_extractor

    told = default_extractor().extract(document(text, metadata={"author": author}), [])
    return {(a.source, a.type, a.target) for a in told.assertions}


def test_the_first_person_is_the_one_author_of_the_document() -> None:
    assert ("John Snow", "admire", "handle") in authored("I admired the handle.", "John Snow")
    assert not authored("I admired the handle.", "Hamilton and Madison")
    assert not authored("I admired the handle.", None)


def test_the_first_person_inside_a_quotation_is_its_speaker_not_the_author() -> None:
    text = '"I admired the handle," said Mary Pike.'
    assert ("Mary Pike", "admire", "handle") in authored(text, "John Snow")
    assert ("John Snow", "admire", "handle") not in authored(text, "John Snow")


@every(
    "text, stated",
    [
        # what a name was called, what is named for what happened, and of two the latter
        ("Big Eyes is a film by Tim Burton. The film won a prize.", ("prize", "won_by", "Big Eyes")),
        ("The senator John Pike spoke. The senator blamed the drought.", ("John Pike", "blame", "drought")),
        ("The council closed the bridge. The closure hurt the shops.", "council closed the bridge"),
        (
            "Snow admired the courts and the farmers. The latter blamed the rain.",
            ("farmers", "blame", "rain"),
        ),
        # gender by title, by given name and by what a ship or country is called
        ("Mrs. Bennet met Mr. Bennet. She blamed the rain.", ("Mrs. Bennet", "blame", "rain")),
        ("London praised Mary Snow. She blamed the rain.", ("Mary Snow", "blame", "rain")),
        # the last subject, also of a relative clause, rather than what was named before
        (
            "John Snow met John Pike. John Pike praised the map. He blamed the rain.",
            ("John Pike", "blame", "rain"),
        ),
        (
            "The men who built the bridge left. They blamed the rain.",
            ("men who built the bridge", "blame", "rain"),
        ),
        # who speaks: in a quotation, a letter and a chat
        ('"I broke the pump," said John Pike. "I blame the rain."', ("John Pike", "blame", "rain")),
        ("Dear Sir, I sold the flour.\n\nYours faithfully,\nJames Croft", ("James Croft", "sell", "flour")),
        ("From: Ann Lee <a@b.c>\n\nI lost the key.", ("Ann Lee", "lose", "key")),
        ("Ann: I broke the pump.\nBob: Why?\nAnn: I blame the rain.", ("Ann", "blame", "rain")),
        # a conditional clause, of which "that" is said
        ("If the dam breaks, that will cause a flood.", ("dam breaks", "causes", "flood")),
    ],
)
def test_who_is_who(text: str, stated: Triple | str) -> None:
    assert stated in (ends(text) if isinstance(stated, str) else relations(text))


@every(
    "text, wrong",
    [
        ("The river rose. It cannot be doubted that it rained.", "It"),
        ("John Snow spoke of Heaven, asking His blessing.", "His"),
        ("They sold the mill. Their parents blamed them.", "them"),
        ("The water covered three years. They killed the workers.", "They"),
        ("Note: I like the pump.\nWarning: the pump broke.", "I"),
    ],
)
def test_what_cannot_be_told_is_not_guessed(text: str, wrong: str) -> None:
    stated = [
        text[a.source_start : a.source_end] for a in found(text).assertions if a.source_start is not None
    ]
    assert wrong not in stated


def test_the_surer_link_is_the_one_without_a_rival() -> None:
    alone = "John Snow left. He admired the map."
    rivals = "John Snow met John Pike. He admired the map."
    confidence = {
        text: [
            a.confidence for a in found(text).assertions if text[slice(a.source_start, a.source_end)] == "He"
        ]
        for text in (alone, rivals)
    }
    assert not confidence[rivals] or confidence[alone] > confidence[rivals]
