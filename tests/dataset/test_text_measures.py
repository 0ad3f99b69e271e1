"""Measures of text against published examples, counts by hand and brute force."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.dataset.measures.text import factors, mattr_of, mtld_of, reading_ease_of, syllables
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.dataset.corpus import HandMade
from tests.dataset.test_measures import built
from tests.examples import tried

words = st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), max_size=150)


def of_text(text: str, measure: str, of: Any = None, **metadata: Any) -> Any:
    document = Document(id="doc", title="T", text=text, source="t", content_hash="", metadata=metadata)
    chunk = Chunk(id="chk", content=text, source_doc="doc", end=len(text))
    corpus = HandMade(MemoryGraph((), (), (chunk,)), (document,), ())
    table, _ = built(corpus, "document", {"name": "x", "measure": measure, "of": of})
    return table.column("x")[0]


def test_a_factor_ends_where_mccarthy_and_jarvis_end_it() -> None:
    """Their example (2010): the sixth word brings the ratio to .667 and completes the first factor."""
    example = ["of", "the", "people", "by", "the", "people", "for", "the", "people"]
    assert factors(example[:5]) == pytest.approx((1 - 0.8) / 0.28)
    assert factors(example[:6]) == 1
    assert factors(example) == 1  # the remainder, `for the people`, has a ratio of 1


def brute_factors(words: list[str]) -> float:
    start, found = 0, 0.0
    for end in range(1, len(words) + 1):
        part = words[start:end]
        if len(set(part)) / len(part) < 0.72:
            start, found = end, found + 1
    rest = words[start:]
    return found + ((1 - len(set(rest)) / len(rest)) / 0.28 if rest else 0)


@given(words)
@settings(max_examples=tried(50))
def test_mtld_agrees_with_brute_force(text: list[str]) -> None:
    both = brute_factors(text), brute_factors(text[::-1])
    if len(text) < 50 or not all(both):
        assert mtld_of(text) is None
    else:
        assert mtld_of(text) == pytest.approx((len(text) / both[0] + len(text) / both[1]) / 2)


@given(words, st.integers(1, 60))
def test_mattr_agrees_with_brute_force(text: list[str], window: int) -> None:
    ratios = [len(set(text[at : at + window])) / window for at in range(len(text) - window + 1)]
    found = mattr_of(text, window)
    assert found == (pytest.approx(sum(ratios) / len(ratios)) if ratios else None)


def test_diversity_hardly_changes_with_length_and_the_ratio_falls() -> None:
    """What the measures are for: a text twice as long of the same words."""
    text = [f"w{at * at % 97}" for at in range(400)]
    twice = text + text[::-1]
    assert mtld_of(twice) == pytest.approx(mtld_of(text), rel=0.05)
    assert mattr_of(twice) == pytest.approx(mattr_of(text), rel=0.05)
    assert len(set(twice)) / len(twice) < 0.6 * len(set(text)) / len(text)


SYLLABLES = {
    1: "the time times jumped called clothes miles whole street pump deaths eyes played died snow's 1854",
    2: "water table wanted removed settled causes places boxes churches tables houses going being dying nation",
    3: "miasma medium period serious cholera evidence company physician inquiry committee quality atmosphere",
    4: "epidemic mortality ability",
    5: "contaminated university",
}


@pytest.mark.parametrize(("count", "listed"), SYLLABLES.items())
def test_syllables_are_those_of_a_dictionary(count: int, listed: str) -> None:
    assert {word: syllables(word) for word in listed.split()} == dict.fromkeys(listed.split(), count)


def test_reading_ease_of_the_cat() -> None:
    """Six words of one syllable in a sentence: 206.835 - 6.09 - 84.6 = 116.145."""
    assert of_text("The cat sat on the mat.", "reading_ease") == pytest.approx(116.145)
    assert of_text("The cat sat. The cat sat.", "reading_ease") == pytest.approx(reading_ease_of(6, 2, 6))


@pytest.mark.parametrize(
    ("language", "known"),
    [("en", True), ("en-GB", True), ("English", True), ("de", False), ("French", False)],
)
def test_reading_ease_is_of_english(language: str, known: bool) -> None:
    assert (of_text("The cat sat.", "reading_ease", language=language) is not None) == known


TEXT = 'He asked: "Is it 1,854.5 or 3?" She said “No. Never.” He left « à 8 h » and „so“ on.\n\nWhy? It\'s 9.'


@pytest.mark.parametrize(
    ("text", "measure", "of", "expected"),
    [
        (TEXT, "numbers", None, 4),
        (TEXT, "quotations", None, 4),
        ("One “quotation over. Two sentences.” End.", "quotations", None, 1),
        ('A mark " alone. Then none.', "quotations", None, 1),
        ('Open " here.\n\nThe next "one" is whole.', "quotations", None, 2),
        ("Why? Because. 何ですか？ نعم؟ He asked why.", "questions", None, 3),
        ("“Why?” he asked. He said “why?”", "questions", None, 1),
        ("One two. Three.", "characters", None, 14),
        ("One two. Three.", "sentence_length", None, 1.5),
        ("The cat and the dog and the cow.", "type_token_ratio", None, 5 / 8),
        ("The cat and the dog.", "word_share", ["the", "dog*"], 3 / 5),
        ("水很脏。", "words", None, 3),
        ("A b a b.", "mattr", "2", 1.0),
        ("A b.", "mattr", "3", None),
        ("A b.", "mtld", None, None),
        ("…", "type_token_ratio", None, None),
        ("…", "word_share", "a", None),
        ("…", "reading_ease", None, None),
    ],
)
def test_texts(text: str, measure: str, of: Any, expected: Any) -> None:
    found = of_text(text, measure, of)
    assert found == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("window", ["0", "ten", "-5", "1.5"])
def test_a_window_is_a_number_of_words(window: str) -> None:
    with pytest.raises(InvalidInputError, match="no number of words"):
        of_text("A b.", "mattr", window)


def test_dates_and_the_time_between(corpus: HandMade) -> None:
    table, _ = built(
        corpus, "document", {"name": "n", "measure": "dates"}, {"name": "d", "measure": "duration"}
    )
    assert table.column("n") == (1, 1, 0)
    assert table.column("d") == (0, 0, None)
    table, _ = built(corpus, "entity", {"name": "d", "measure": "duration"})
    assert table.column("d")[1] is None or table.column("d")[1] == 0
    london = dict(zip(table.column("id"), table.column("d"), strict=True))
    assert london["ent_1"] == 0
    event = corpus.events[0].model_copy(update={"timestamp_end": "1854-09-10"})
    longer = HandMade(corpus.graph, corpus.documents, corpus.mentions, events=(event,))
    names = ("first_date", "last_date", "duration")
    table, _ = built(longer, "event", *({"name": name, "measure": name} for name in names))
    assert table.rows[0][2:] == ("1854-09-08", "1854-09-10", 2)
