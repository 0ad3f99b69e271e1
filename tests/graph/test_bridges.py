"""Paths of two passages, checked by hand."""

import math

import numpy as np
import pytest

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.passages import PassageGraph, PathWeights
from corpusgraph.tasks.graph.view import MemoryGraph

TEXTS = {
    "Mist (novel)": "Mist is by Ann Lee, of Perth, and it sells.",
    "Ann Lee": "She was born in Oslo.",
    "Schools of Perth": "They are old.",
    "Perth": "Perth is a city.",
    "It (film)": "A film.",
    "Rain": "Rain is by Bo Li, born in Oslo.",
}
NAMES = {"mist": "Mist", "ann": "Ann Lee", "perth": "Perth", "oslo": "Oslo", "rain": "Rain", "bo": "Bo Li"}
INSIDE = {0: ["mist", "ann", "perth"], 1: ["oslo"], 2: ["perth"], 3: ["perth"], 5: ["rain", "bo", "oslo"]}
QUESTION = "Where was the author of Mist born?"
SCORES = np.array([1.0, 0.2, 0.3, 0.4, 0.5, 0.6])
N = len(TEXTS)


def made(titles: list[str] | None = None) -> tuple[MemoryGraph, PassageGraph]:
    chunks = [Chunk(id=f"c{i}", content=text, source_doc=f"d{i}") for i, text in enumerate(TEXTS.values())]
    incidence = [(name, f"c{place}", 1) for place, names in INSIDE.items() for name in names]
    graph = MemoryGraph([Entity(id=i, name=n) for i, n in NAMES.items()], chunks=chunks, incidence=incidence)
    given = list(TEXTS) if titles is None else titles
    return graph, PassageGraph(graph, {f"d{i}": title for i, title in enumerate(given)})


def gains(weights: PathWeights, question: str = QUESTION, titles: list[str] | None = None) -> list[float]:
    """Return what was added to the logarithm of each score, beside the last passage, to which no path leads."""
    graph, passages = made(titles)
    scores = passages.bridged_to(SCORES, graph, question, {"mist": 1.0}, weights)
    assert scores.max() == 1
    added = np.log(scores / SCORES)
    return [float(one) for one in added - added[-1]]


def test_a_path_counts_how_rare_its_name_is_and_what_its_end_says_of_the_question() -> None:
    """From the first passage alone: by its whole title, by a name in a title, by a name; the rest is "born"."""
    idf = {df: math.log(1 + (N - df + 0.5) / (df + 0.5)) for df in (1, 2)}
    assert "author" not in " ".join(TEXTS.values())
    born = idf[2] / (idf[2] + idf[1])  # of "born", in two, and "Mist", in one
    perth = math.log(N / 3) / math.log(N)
    found = gains(
        PathWeights(
            higher_passages=1, shared_name_weight=1, titled_name_weight=2, rest_weight=4, asked_title_weight=8
        )
    )
    assert found == pytest.approx([8, 1 + 2 + 4 * born, perth * 3, 1 + 2, 0, 0])
    assert gains(
        PathWeights(
            higher_passages=1, shared_name_weight=1, titled_name_weight=0, rest_weight=0, asked_title_weight=0
        )
    ) == pytest.approx([0, 1, perth, 1, 0, 0])


def test_of_several_paths_the_best_counts() -> None:
    """From the last passage, the second one of all, a path over Oslo leads to the passage on Ann Lee too."""
    weights = PathWeights(
        higher_passages=2, shared_name_weight=1, titled_name_weight=0, rest_weight=0, asked_title_weight=0
    )
    assert gains(weights)[1] == pytest.approx(1)
    titles = ["Mist", "She", *list(TEXTS)[2:]]
    assert gains(weights, titles=titles)[1] == pytest.approx(math.log(N / 2) / math.log(N))


def test_no_path_joins_passages_of_one_title() -> None:
    assert gains(PathWeights(), titles=["chat"] * N) == [0] * N
    assert gains(PathWeights(), titles=[""] * N) == [0] * N


def test_a_title_of_one_word_stands_where_it_is_written_so() -> None:
    weights = PathWeights(
        higher_passages=1, shared_name_weight=0, titled_name_weight=0, rest_weight=0, asked_title_weight=1
    )
    titles = ["Mist", "Born (song)", "Was", *list(TEXTS)[3:]]
    assert gains(weights, "Who was born in Mist?", titles)[:3] == [1, 0, 0]
    assert gains(weights, "Who sang Born, as in Mist?", titles)[:3] == [1, 1, 0]


def test_without_passages_to_begin_in_scores_stay() -> None:
    graph, passages = made()
    found = passages.bridged_to(SCORES, graph, QUESTION, {"mist": 1.0}, PathWeights(higher_passages=0))
    assert found.tolist() == SCORES.tolist()
    nothing = passages.bridged_to(np.zeros(N), graph, "", {}, PathWeights())
    assert nothing.tolist() == [0] * N
