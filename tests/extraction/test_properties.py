"""What holds for any text: offsets, chunks, pages, determinism, and time."""

import os
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.schemas.documents import PageSpan
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.tasks.extract.query_names import query_names
from tests.examples import tried
from tests.extraction.given import chunk, document, found

WORDS = [
    *[
        "Snow",
        "John",
        "Dr.",
        "the",
        "of",
        "and",
        "water",
        "caused",
        "led",
        "to",
        "not",
        "that",
        "which",
        "because",
        "therefore",
        "however",
        "is",
        "was",
        "by",
        "in",
    ],
    *[
        "1854",
        "September",
        "8",
        "31/08/1854",
        "(",
        ")",
        ",",
        ".",
        ";",
        '"',
        "'",
        "“",
        "”",
        "'s",
        "-",
        "–",
        "Board",
        "Health",
        "St.",
        "616",
        "%",
        "£",
        "水污染",
        "《",
        "》",
        "الماء",
    ],
    *[
        "Nguyễn",
        "Иван",
        "argued",
        "said",
        "no",
        "it",
        "he",
        "they",
        "must",
        "cholera",
        "London",
        "A",
        "I",
        "a",
    ],
    "\n",
    "\n\n",
]
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join),
    st.lists(st.sampled_from(WORDS)).map("".join),
)
TRAPS = {
    "letters": "A" * 100_000,
    "words": "a " * 50_000,
    "brackets": "(" * 100_000,
    "capitals": "A " * 50_000,
    "connectors": "Snow of " * 12_000,
    "numbers": "1," * 50_000,
    "quotes": '"' * 100_000,
    "stars": "*a " * 30_000,
    "breaks": "\n" * 100_000,
    "verbs": "caused " * 14_000,
    "relatives": "that which " * 9_000,
    "characters": "水" * 50_000,
    "adjectives": "red " * 25_000,
    "hyphens": "8-" * 40_000,
}


@settings(max_examples=tried(150), deadline=None)
@given(texts, st.sampled_from(["en", "de", "fr", "ru", None]))
def test_findings_lie_inside_the_text_and_say_what_stands_there(text: str, language: str | None) -> None:
    doc = document(text, language=language)
    evidence = default_extractor().extract(doc, [])
    by_id = {mention.id: mention for mention in evidence.mentions}
    assert len(by_id) == len(evidence.mentions)
    for mention in evidence.mentions:
        assert mention.surface == text[mention.start : mention.end] != ""
    for item in (
        *evidence.mentions,
        *evidence.assertions,
        *evidence.claims,
        *evidence.arguments,
        *evidence.events,
    ):
        assert 0 <= item.sentence_start <= item.start < item.end <= item.sentence_end <= len(text)
    _refers_to_what_is_there(evidence)


def _refers_to_what_is_there(evidence: Evidence) -> None:
    mentions = {mention.id for mention in evidence.mentions}
    claims = {claim.id for claim in evidence.claims}
    for assertion in evidence.assertions:
        assert {assertion.source_mention, assertion.target_mention} <= mentions
    for link in evidence.arguments:
        assert {link.source, link.target} <= claims
    for event in evidence.events:
        assert set(event.actors) | set(event.places) <= mentions


@settings(max_examples=tried(50), deadline=None)
@given(texts)
def test_a_question_of_any_form_gives_names_of_the_question(text: str) -> None:
    assert all(name for name in query_names(text))


@pytest.mark.parametrize(
    "share", [pytest.param(40, id="short"), pytest.param(5, id="long", marks=pytest.mark.faults)]
)
@pytest.mark.parametrize("name", sorted(TRAPS))
def test_long_runs_take_time_in_proportion(name: str, share: int) -> None:
    """Four times the text takes about four times as long, not sixteen times."""
    found("John Snow left.")  # what is read once is read
    size = len(TRAPS[name]) // share
    short, long = (processor_time(TRAPS[name][:n]) for n in (size // 4, size))
    assert long < 12 * max(short, 0.2)  # what is shorter is noise


def processor_time(text: str) -> float:
    began = time.process_time()
    found(text)
    return time.process_time() - began


def test_the_first_chunk_that_holds_a_span_is_named() -> None:
    text = "They saw John Snow in Soho."
    chunks = [chunk(text, 0, 14), chunk(text, 5, 20), chunk(text, 9, 27)]
    evidence = default_extractor().extract(document(text), chunks)
    names = [mention for mention in evidence.mentions if not mention.attributes.get("noun_phrase")]
    assert {m.surface: m.chunk_id for m in names} == {"John Snow": "chk_5_20", "Soho": "chk_9_27"}


def test_pages_are_those_of_the_document() -> None:
    pages = (PageSpan(page=1, start=0, end=20), PageSpan(page=2, start=20, end=40))
    text = "They met John Snow. They liked Soho."
    evidence = default_extractor().extract(document(text, pages=pages), [])
    assert {m.surface: m.page for m in evidence.mentions} == {"John Snow": 1, "Soho": 2}


@pytest.mark.faults
def test_the_same_text_gives_the_same_evidence_under_any_hash_seed() -> None:
    program = (
        "from tests.extraction.given import found; print(found('Dr. John Snow, a physician, argued that bad water and dirt "
        "caused cholera in Soho and Leith in 1854, because the Board of Health (GBH) did not act.').model_dump_json())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(runs) == 1


def test_two_readings_of_one_sentence_make_no_circle() -> None:
    """The tree of this one had a word below itself, and whoever went up from it never arrived."""
    text = (
        "The episode was written by series co-creators Trey Parker and Matt Stone, along with David R. Goodman, "
        "and directed by Parker."
    )
    assert "Matt Stone" in {mention.name for mention in found(text).mentions}
