"""What pronouns and definite descriptions are taken to stand for, seen by the ends of what is stated."""

import pytest

from tests.extraction.given import Triple, document, found, relations


def ends(text: str) -> set[str]:
    return {end for source, _, target in relations(text) for end in (source, target)}


@pytest.mark.parametrize(
    ("text", "antecedent"),
    [
        ("John Snow visited the parish. He admired the handle.", "John Snow"),
        ("Mary Snow met John Pike. She wrote the report.", "Mary Snow"),
        ("Mrs. Eley met John Pike. She wrote the report.", "Mrs. Eley"),
        ("The council met on Monday. It closed the bridge.", "council"),
        ("The farmers lost the harvest. They blamed the drought.", "farmers"),
        ("John Snow drew maps. His map changed the debate, and he published the book.", "John Snow"),
        ("When he admired the map, John Snow smiled.", "John Snow"),
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


@pytest.mark.parametrize(
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
