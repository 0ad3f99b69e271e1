"""Chunks: exact offsets, full cover, the overlap asked for, and no word cut in two."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from corpusgraph.schemas.documents import Chunk, Document, PageSpan
from corpusgraph.schemas.study import Chunking
from corpusgraph.tasks.build.chunk import chunk_document, paragraph_spans, windows
from corpusgraph.tasks.text.tokens import count_tokens, token_spans


def document(text: str, **more: object) -> Document:
    return Document.model_validate(
        {"id": "doc_x", "title": "x", "text": text, "source": "x.txt", "content_hash": "0", **more}
    )


prose = st.text(alphabet=st.sampled_from("ab zÅé北京.,\n 1234567890'’-"), max_size=400)


@given(text=st.text(max_size=300) | prose, size=st.integers(1, 30), overlap=st.integers(0, 29))
def test_offsets_are_exact_and_every_token_is_in_a_chunk(text: str, size: int, overlap: int) -> None:
    if overlap >= size:
        overlap = size - 1
    made = document(text)
    chunks = chunk_document(made, Chunking(size=size, overlap=overlap))
    assert all(made.text[c.start : c.end] == c.content for c in chunks)
    assert [c.position for c in chunks] == list(range(len(chunks)))
    covered = {at for c in chunks for at in range(c.start, c.end)}
    assert all(at in covered for start, end in token_spans(made.text) for at in range(start, end))


@given(text=prose, unit=st.sampled_from(["tokens", "sentences", "paragraphs"]), size=st.integers(1, 9))
def test_without_overlap_chunks_of_any_unit_stand_apart_in_order(text: str, unit: str, size: int) -> None:
    chunks = chunk_document(
        document(text), Chunking.model_validate({"unit": unit, "size": size, "overlap": 0})
    )
    assert all(a.start < b.start for a, b in itertools.pairwise(chunks))


@given(text=st.text(alphabet="abcdefghijkl ,.", max_size=300), size=st.integers(1, 5))
def test_no_chunk_cuts_a_word(text: str, size: int) -> None:
    for chunk in chunk_document(document(text), Chunking(size=size, overlap=0)):
        assert not (chunk.start and text[chunk.start - 1].isalpha() and text[chunk.start].isalpha())
        assert not (chunk.end < len(text) and text[chunk.end - 1].isalpha() and text[chunk.end].isalpha())


@given(
    text=st.text(alphabet="ab \u0301\u093f\u0939北.", max_size=200),
    size=st.integers(1, 4),
    overlap=st.integers(0, 3),
)
def test_no_two_chunks_are_the_same_or_inside_each_other(text: str, size: int, overlap: int) -> None:
    chunks = chunk_document(document(text), Chunking(size=size, overlap=min(overlap, size - 1)))
    assert len({c.id for c in chunks}) == len(chunks)
    assert all(a.start <= b.start and a.end < b.end for a, b in itertools.pairwise(chunks))


def test_a_word_of_many_tokens_is_one_chunk() -> None:
    word = "Donaudampfschifffahrtsgesellschaft"
    assert [c.content for c in chunk_document(document(f"a {word} b"), Chunking(size=1, overlap=0))] == [
        "a",
        word,
        "b",
    ]


@pytest.mark.parametrize("letter", ["a", "ก", "é"])
def test_coded_data_and_scripts_without_spaces_are_cut_all_the_same(letter: str) -> None:
    chunks = chunk_document(document(letter * 4000), Chunking(size=10, overlap=2))
    assert max(len(c.content) for c in chunks) == 80
    assert chunks[-1].end == 4000


@pytest.mark.parametrize("word", ["हिन्दी", "สวัสดี", "שָׁלוֹם", "مُحَمَّد", "நன்றி", "x\u0301y"])
def test_letters_keep_their_marks(word: str) -> None:
    assert token_spans(word) == [(0, len(word))]
    assert [c.content for c in chunk_document(document(f"{word} {word}"), Chunking(size=1, overlap=0))] == [
        word
    ] * 2


@given(n=st.integers(0, 200), size=st.integers(1, 20), overlap=st.integers(0, 19))
def test_windows_overlap_by_as_much_as_asked(n: int, size: int, overlap: int) -> None:
    if overlap >= size:
        return
    cut = list(windows(n, size, overlap))
    assert all(b[0] == a[1] - overlap for a, b in itertools.pairwise(cut))
    assert all(end - start == size for start, end in cut[:-1])


def test_paragraphs_end_at_blank_lines_only() -> None:
    text = "one\nstill one\n\n  two \n \t\n\n\nthree"
    assert [text[a:b] for a, b in paragraph_spans(text)] == ["one\nstill one", "two", "three"]


def test_defaults_and_presets() -> None:
    assert (Chunking().size, Chunking().overlap) == (1200, 100)
    assert (Chunking(preset="holodeck").size, Chunking(preset="holodeck").overlap) == (300, 100)
    assert Chunking(preset="holodeck", size=500).size == 500
    assert (Chunking(unit="sentences").size, Chunking(unit="paragraphs").overlap) == (20, 0)


def test_an_overlap_as_large_as_the_size_is_refused() -> None:
    with pytest.raises(ValidationError, match="overlap"):
        Chunking(size=10, overlap=10)


def test_a_chunk_knows_its_page_tokens_and_document() -> None:
    text = "First page.\nSecond page."
    made = document(
        text, pages=(PageSpan(page=1, start=0, end=12), PageSpan(page=2, start=12, end=len(text)))
    )
    first, second = chunk_document(made, Chunking(size=3, overlap=0))
    assert (first.page, second.page) == (1, 2)
    assert first.source_doc == made.id
    assert first.n_tokens == count_tokens(first.content) == 3
    assert first.id == Chunk.make_id(made.id, first.start, first.end, first.content)


def test_an_empty_document_has_no_chunks() -> None:
    assert chunk_document(document(" \n "), Chunking()) == []
