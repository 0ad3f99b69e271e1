"""A date or a quantity is one mention, whoever comes upon it: the sentence, or a phrase that ends in it."""

import pytest

from corpusgraph.tasks.index.rules.findings import Findings
from corpusgraph.tasks.index.rules.mentions import entities, phrase_mention
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.reading import read_document, words_of
from tests.extraction.given import document


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("The pump was closed on 8 September 1854.", "8 September 1854"),
        ("The pump stood 40 metres from the well.", "40 metres"),
        ("The water had 3 percent of salt.", "3 percent"),
    ],
)
def test_a_phrase_that_comes_first_tells_as_much_as_the_sentence(text: str, surface: str) -> None:
    whole = document(text)
    reading = read_document(whole)
    by_sentence, by_phrase = Findings(whole, []), Findings(whole, [])
    entities(reading, by_sentence, 0)
    (expected,) = (m for m in by_sentence.mentions.values() if m.type in {"date", "quantity"})
    assert (expected.surface, bool(expected.attributes)) == (surface, True)
    first, last = words_of(reading.sentences[0], expected.start, expected.end)
    assert phrase_mention(reading, by_phrase, 0, Phrase(first, last)) == expected
