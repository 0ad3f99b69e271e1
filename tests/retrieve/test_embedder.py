"""HashingEmbedder: unit rows, determinism, what is near what."""

import subprocess
import sys
from string import ascii_lowercase

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Embedder
from corpusgraph.tasks.text.words import words
from tests.examples import tried

EMBEDDER = HashingEmbedder()


def similarity(left: str, right: str) -> float:
    rows = EMBEDDER.embed([left, right])
    return float(rows[0] @ rows[1])


def test_it_is_an_embedder() -> None:
    assert isinstance(EMBEDDER, Embedder)
    assert EMBEDDER.name == "hashing-512-v2"
    assert HashingEmbedder(64).embed(["pump", "well"]).shape == (2, 64)
    assert EMBEDDER.embed([]).shape == (0, 512)


@given(st.text(max_size=40))
@settings(max_examples=tried(100), deadline=None)
def test_a_row_has_length_one_or_zero(text: str) -> None:
    row = EMBEDDER.embed([text])
    assert row.dtype == np.float32
    length = float(np.linalg.norm(row))
    assert length == pytest.approx(1, abs=1e-5) or length == 0


@pytest.mark.parametrize("text", ["", "  \n", "?!…", "—"])
def test_a_text_without_words_is_zero(text: str) -> None:
    assert not EMBEDDER.embed([text]).any()


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    alone = EMBEDDER.embed(["the Broad Street pump"])[0]
    assert np.array_equal(EMBEDDER.embed(["cholera", "the Broad Street pump"])[1], alone)


@given(st.text(alphabet=st.characters() | st.sampled_from(" \n\u0301\u093e\u3000水가")))
@settings(max_examples=tried(200), deadline=None)
def test_words_never_reach_over_a_space(text: str) -> None:
    assert [word for token in text.split() for word in words(token)] == words(text)


def test_what_was_embedded_before_does_not_matter() -> None:
    text = "Snow removed the handle of the pump; the pump stood in Broad Street."
    other = HashingEmbedder()
    other.embed(["pump Broad handle", "the Snow of Street"])
    assert np.array_equal(other.embed([text]), HashingEmbedder().embed([text]))


@pytest.mark.faults
def test_the_hash_seed_of_python_does_not_matter() -> None:
    code = (
        "from corpusgraph.flows.embed.hashing import HashingEmbedder as H;"
        "import hashlib; print(hashlib.sha256(H(64).embed(['John Snow, 水道 và nước'])).hexdigest())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("water pumps", "the pump and the water", "an essay on taxation"),
        ("Whitehead", "Whitehaed", "Blackwell"),
        ("cholera in Soho", "Cholera IN SOHO", "Cholera in Leith"),
        ("北京大学", "北京", "上海"),
        ("Nguyễn Văn Á", "Nguyễn Văn", "Trần Thị"),
        ("हिन्दी साहित्य", "हिन्दी", "तमिल"),
    ],
)
def test_like_texts_are_nearer(text: str, near: str, far: str) -> None:
    assert similarity(text, near) > similarity(text, far) + 0.1


def test_composed_and_decomposed_letters_are_one() -> None:
    assert similarity("H\u00e0 N\u1ed9i", "Ha\u0300 No\u0323\u0302i") == pytest.approx(1, abs=1e-6)


def test_stop_words_weigh_little() -> None:
    assert similarity("the pump of the well", "pump well") > 0.95


def test_words_that_share_no_letters_in_a_row_are_little_alike() -> None:
    letters = np.random.default_rng(7).choice(list(ascii_lowercase), size=(500, 8))
    made = ["".join(row) for row in letters]
    groups = [{word[i : i + 3] for i in range(6)} for word in made]
    near = EMBEDDER.embed(made)
    alike = near @ near.T
    apart = [(i, j) for i in range(500) for j in range(i) if not groups[i] & groups[j]]
    assert max(abs(alike[pair]) for pair in apart) < 0.5


def test_no_dimension_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="at least 1 dimension"):
        HashingEmbedder(0)
