"""Claims, who makes them, and what supports or attacks them."""

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.evidence import Claim, Evidence
from corpusgraph.tasks.extract.claims import find_claims
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.offline import OfflineExtractor
from corpusgraph.tasks.extract.rules.reading import read_document
from corpusgraph.tasks.extract.tree import trees
from tests.every import every
from tests.extraction.given import WithoutArcs, document

Link = tuple[str, str, str]


def found(text: str, metadata: JsonDict | None = None) -> Evidence:
    return OfflineExtractor(WithoutArcs()).extract(document(text, metadata=metadata), [])


def links(text: str) -> set[Link]:
    evidence = found(text)
    words = {claim.id: claim.text for claim in evidence.claims}
    return {(words[link.source], link.type, words[link.target]) for link in evidence.arguments}


def claim(text: str, words: str, metadata: JsonDict | None = None) -> Claim:
    claims = {claim.text: claim for claim in found(text, metadata).claims}
    assert words in claims, sorted(claims)
    return claims[words]


@every(
    "text, words, speaker, stance",
    [
        ("John Snow argued that the water was dangerous.", "the water was dangerous", "John Snow", "asserts"),
        ("John Snow denied that the water was clean.", "the water was clean", "John Snow", "denies"),
        ("According to John Snow, the water is dangerous.", "the water is dangerous", "John Snow", "asserts"),
        (
            "In the opinion of William Farr, the air is dangerous.",
            "the air is dangerous",
            "William Farr",
            "asserts",
        ),
        ("It has been objected that the court is too distant.", "the court is too distant", None, "asserts"),
        ("The parish must close the pump.", "The parish must close the pump", None, "asserts"),
        ("The law is not good.", "The law is not good", None, "denies"),
        ("Nobody believes that the law is useful.", "the law is useful", None, "denies"),
        ("It cannot be denied that the law is useful.", "the law is useful", None, "asserts"),
        ("It will not be denied that the law is useful.", "the law is useful", None, "asserts"),
        ("It is evident that the law is useful.", "It is evident that the law is useful", None, "asserts"),
        (
            "Is it not evident that the law is useful?",
            "Is it not evident that the law is useful",
            None,
            "asserts",
        ),
    ],
)
def test_a_claim_has_words_speaker_and_stance(
    text: str, words: str, speaker: str | None, stance: str
) -> None:
    made = claim(text, words)
    assert (made.speaker, made.stance) == (speaker, stance)


@every(
    "text",
    [
        '"The pump must close," said John Snow.',
        'John Snow said: "The law is bad. The pump must close."',
        '"The law is bad," said John Snow. "The pump must close."',
        "“The law is bad,” said John Snow. “The pump must close.”",
        "'The law isn't good,' said John Snow. 'The pump must close.'",
    ],
)
def test_quoted_words_are_claimed_by_who_said_them(text: str) -> None:
    assert claim(text, "The pump must close", {"author": "Edwin Chadwick"}).speaker == "John Snow"


def test_a_quotation_keeps_its_speaker_over_paragraphs() -> None:
    text = 'John Snow said: "The law is bad.\n\n"The pump must close." The town must pay.'
    claims = {claim.text: claim.speaker for claim in found(text).claims}
    assert claims == {
        "The law is bad": "John Snow",
        "The pump must close": "John Snow",
        "The town must pay": None,
    }


@every(
    "text, speaker",
    [
        ("The bridge must stay shut, the council said.", "council"),
        ("The bridge must stay shut, said Anna Reed.", "Anna Reed"),
        ("The new law, critics argue, is a threat to the press.", "critics"),
        ("The law is a danger, according to local officials.", "local officials"),
        ("William Farr blames the fever on the air.", "William Farr"),
    ],
)
def test_speakers_are_named_beside_the_statement(text: str, speaker: str) -> None:
    assert {claim.speaker for claim in found(text).claims} == {speaker}


@every(
    "text",
    [
        "Ruth: The pump must close.\nTom: The parish must close the well.\nRuth: No.\nTom: Yes.",
        "09:14 Ruth: The pump must close.\n09:15 Tom: The parish must close the well.",
        "<Ruth> The pump must close.\n<Tom> The parish must close the well.\n<Ruth> No.\n<Tom> Yes.",
    ],
)
def test_a_line_of_a_chat_is_claimed_by_who_speaks_it(text: str) -> None:
    speakers = {claim.text: claim.speaker for claim in found(text).claims}
    assert speakers == {"The pump must close": "Ruth", "The parish must close the well": "Tom"}


def test_what_begins_other_lines_is_no_speaker() -> None:
    text = "Note: It rained. The pump must close.\nWarning: It snowed. The law is unjust."
    assert {claim.speaker for claim in found(text).claims} == {None}


def test_nobody_is_taken_for_who_says_what_names_them() -> None:
    text = 'Marta Gil spoke to reporters. "Lena must rest, for Lena is ill," she said.'
    assert {claim.speaker for claim in found(text).claims} == {"Marta Gil"}


def test_what_nobody_else_says_is_claimed_by_the_author() -> None:
    text = "The parish must close the pump. John Snow argued that the water was dangerous."
    author: JsonDict = {"author": "Edwin Chadwick"}
    assert claim(text, "The parish must close the pump", author).speaker == "Edwin Chadwick"
    assert claim(text, "the water was dangerous", author).speaker == "John Snow"


def test_he_is_the_person_named_last() -> None:
    text = "William Farr argued that the air is dangerous. He also claimed that the water is clean."
    assert claim(text, "the water is clean").speaker == "William Farr"


@every(
    "text",
    [
        "John Snow went to the town in 1854.",
        "The people left the town on 3 May 1854.",
        "What is the law of the town?",
        "Let us suppose that the town is small.",
    ],
)
def test_reports_and_plain_questions_are_no_claims(text: str) -> None:
    assert found(text).claims == ()


@every(
    "text, reason, conclusion",
    [
        ("The pump must close because the water is bad.", "the water is bad", "The pump must close"),
        ("Because the water is bad, the pump must close.", "the water is bad", "the pump must close"),
        ("Since the water is bad, the pump must close.", "the water is bad", "the pump must close"),
        ("The pump must close, for it is dangerous.", "it is dangerous", "The pump must close"),
        ("The pump must close, as it is dangerous.", "it is dangerous", "The pump must close"),
        ("The water is bad. Therefore the pump must close.", "The water is bad", "the pump must close"),
        ("The water is bad; therefore the pump must close.", "The water is bad", "the pump must close"),
        (
            "The water is bad. The pump must therefore close.",
            "The water is bad",
            "The pump must therefore close",
        ),
        ("The water is bad. Hence the pump must close.", "The water is bad", "the pump must close"),
        ("The water is bad. Consequently, the pump must close.", "The water is bad", "the pump must close"),
        ("The water is bad, so the pump must close.", "The water is bad", "the pump must close"),
        ("The water is bad. As a result, the pump must close.", "The water is bad", "the pump must close"),
        (
            "The pump must close. The reason is obvious. The water is bad.",
            "The water is bad",
            "The pump must close",
        ),
        ("The water is bad. So the pump must close.", "The water is bad", "the pump must close"),
        (
            "The water is bad. It follows that the well must be closed.",
            "The water is bad",
            "the well must be closed",
        ),
        ("The water is bad. This shows that the pump must close.", "The water is bad", "the pump must close"),
        (
            "The pump must close. The reason is that the water is bad.",
            "the water is bad",
            "The pump must close",
        ),
    ],
)
def test_a_reason_supports_its_conclusion(text: str, reason: str, conclusion: str) -> None:
    assert links(text) == {(reason, "support", conclusion)}


def test_reasons_that_are_counted_support_one_conclusion() -> None:
    text = "First, the law is fair. Secondly, the law is cheap. For these reasons the law must stay."
    assert links(text) == {
        ("First, the law is fair", "support", "the law must stay"),
        ("Secondly, the law is cheap", "support", "the law must stay"),
    }


@every(
    "text",
    [
        "The law is useful. But the people are not happy.",
        "The law is useful. However, the people are not happy.",
        "Although the law is useful, the people are not happy.",
        "The law is useful, yet the people are not happy.",
        "The pump must close because of the smell.",
        "Since the war, the town has been unhappy.",
        "Since the pump was closed, the town has been happy.",
        "The town must pay for the pump.",
        "For many years, the law has been unjust.",
        "The law is so good that the people must keep it.",
        "As the sun rose, the people left the town.",
        "The law must stay as long as the people want it.",
        "The pump must close. So far the town has paid.",
        "The people left the town because the water was bad.",
        "The law is not useful. On the contrary, it is dangerous.",
        "I pass over the law, because it is old.",
        "It is no less true that the law is useful.",
        "William Farr argued that the law is useful. Therefore John Snow left the town.",
    ],
)
def test_no_link_where_no_reason_and_no_rebuttal_is_stated(text: str) -> None:
    assert links(text) == set()


@every(
    "text, attacker, attacked",
    [
        (
            "It has been objected that the court is too distant. But this objection is groundless.",
            "this objection is groundless",
            "the court is too distant",
        ),
        (
            "It may be said that the court is too distant. This argument has no weight.",
            "This argument has no weight",
            "the court is too distant",
        ),
        (
            "If it should be observed that the law is bad, it may be answered that the law is old.",
            "the law is old",
            "the law is bad",
        ),
        (
            "It has been objected that the court is too distant. The answer is that the judges will travel.",
            "the judges will travel",
            "the court is too distant",
        ),
        (
            "William Farr argued that the law is useful. William Farr is mistaken.",
            "William Farr is mistaken",
            "the law is useful",
        ),
        (
            "William Farr claims that the law is useful. The opposite is true.",
            "The opposite is true",
            "the law is useful",
        ),
        (
            "William Farr claims that the law is useful. On the contrary, the law is dangerous.",
            "the law is dangerous",
            "the law is useful",
        ),
        (
            "William Farr argued that the law is useful. It is not true that the law is useful.",
            "It is not true that the law is useful",
            "the law is useful",
        ),
        (
            "William Farr said that the law is useful. Not so. The law is dangerous.",
            "The law is dangerous",
            "the law is useful",
        ),
        (
            "Some people say that the law is useful. This is an error.",
            "This is an error",
            "the law is useful",
        ),
        (
            "It is absurd to suppose that the law is useful.",
            "It is absurd to suppose that the law is useful",
            "the law is useful",
        ),
        (
            "Those people are mistaken who suppose that the law is useful.",
            "Those people are mistaken who suppose that the law is useful",
            "the law is useful",
        ),
        (
            "Some say that the court is far. This objection is repelled by one fact. The judges will travel.",
            "The judges will travel",
            "the court is far",
        ),
        (
            "William Farr argued that the law is useful. John Snow objected that the law must go.",
            "the law must go",
            "the law is useful",
        ),
    ],
)
def test_a_rebuttal_attacks_one_way(text: str, attacker: str, attacked: str) -> None:
    assert links(text) == {(attacker, "attack", attacked)}


def test_a_statement_and_its_denial_attack_each_other_anywhere_in_the_document() -> None:
    text = "The bad air caused the disease. It rained all day. The bad air did not cause the disease."
    assert links(text) == {
        ("The bad air caused the disease", "attack", "The bad air did not cause the disease"),
        ("The bad air did not cause the disease", "attack", "The bad air caused the disease"),
    }


def test_two_who_contradict_each_other_attack_each_other() -> None:
    text = "William Farr argued that the water is clean. John Snow argued that the water is not clean."
    assert links(text) == {
        ("the water is clean", "attack", "the water is not clean"),
        ("the water is not clean", "attack", "the water is clean"),
    }


@every(
    "text",
    [
        "William Farr argued that the water is clean. It rained. The water is not clean.",
        "William Farr wrongly claimed that the water is clean. John Snow argued that the water is not clean.",
    ],
)
def test_a_contradiction_goes_one_way_where_the_text_takes_sides(text: str) -> None:
    between = {(source.lower(), target) for source, _, target in links(text) if "claimed" not in source}
    assert between == {("the water is not clean", "the water is clean")}


RELATED = (
    "The bad air caused the disease. The bad air did not cause the disease. Bad air prevents the disease."
)


def related(*relations: tuple[str, str, bool]) -> set[Link]:
    """Return the links of a text whose relations are given: (source, type, denied), one a sentence."""
    given = document(RELATED)
    sentences = trees(given.text, WithoutArcs().annotate([given.text], "en")[0])
    reading = read_document(given, [(tree.start, tree.end) for tree in sentences])
    context = Context.of(given, [], reading, sentences)
    context.names = [[] for _ in sentences]
    for sentence, (source, type_, denied) in zip(reading.sentences, relations, strict=True):
        ends = []
        for name, words in ((source, "air"), ("disease", "disease")):
            start = given.text.index(words, sentence.start)
            ends.append(
                context.findings.mention(
                    start,
                    start + len(words),
                    "concept",
                    sentence,
                    confidence=1,
                    cue="",
                    name=name,
                    attributes={"head": words},
                )
            )
        context.findings.assertion(
            ends[0],
            ends[1],
            type_,
            sentence,
            cue=type_,
            span=(ends[0].start, ends[1].end),
            confidence=0.7,
            negated=denied,
        )
    claims, arguments = find_claims(context)
    number = {
        claim.id: sum(claim.start >= sentence.start for sentence in reading.sentences) for claim in claims
    }
    return {(str(number[link.source]), link.type, str(number[link.target])) for link in arguments}


def test_to_prevent_contradicts_to_cause() -> None:
    links_found = related(
        ("bad air", "causes", False), ("bad air", "studied", True), ("air", "prevents", False)
    )
    assert {("1", "attack", "3"), ("3", "attack", "1")} <= links_found


def test_what_is_said_of_different_things_is_no_contradiction() -> None:
    links_found = related(
        ("bad air", "causes", False), ("bad air", "studied", True), ("good air", "prevents", False)
    )
    assert not {("1", "attack", "3"), ("3", "attack", "1")} & links_found
