"""The trained reader of English: trees, names and relations, and what the extractor does with them."""

import itertools
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from corpusgraph.flows.annotate.english import (
    MOST_PIECES,
    WordPieces,
    best_tree,
    english_reader,
    lemma_after,
)
from corpusgraph.flows.annotate.offline import (
    ReadingOptions,
    default_extractor,
    load_patterns,
    offline_extractor,
)
from corpusgraph.schemas.annotation import Annotation
from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.extract.offline import OfflineExtractor
from corpusgraph.tasks.extract.patterns import Pattern
from corpusgraph.tasks.extract.tree import trees
from tests.extraction.given import WithoutArcs

SENTENCES = (
    "The closure of the mine emptied the valley within a year.",
    "Heavy rain washed the seed out of the fields, and the farmers sowed twice.",
    "Why so many bees died that spring, nobody could say.",
    "Anna Berg, a surgeon from Oslo, chairs the committee.",
)


def read(text: str) -> Annotation:
    return english_reader().annotate([text])[0]


def document(text: str) -> Document:
    return Document(id="doc_1", title="", text=text, source="a.txt", content_hash="", language="en")


def relations(extractor: OfflineExtractor, text: str) -> set[tuple[str, str, str]]:
    evidence = extractor.extract(document(text), [])
    return {(a.source, a.type, a.target) for a in evidence.assertions if a.type != "co_occurs_with"}


def test_a_sentence_is_read() -> None:
    text = SENTENCES[3]
    annotation = read(text)
    words = [text[start:end] for start, end in zip(annotation.starts, annotation.ends, strict=True)]
    place = {word: at for at, word in enumerate(words)}
    assert annotation.upos[place["chairs"]] == "VERB"
    assert annotation.lemmas[place["chairs"]] == "chair"
    assert annotation.heads[place["committee"]] == annotation.heads[place["Anna"]] == place["chairs"]
    assert annotation.deprels[place["committee"]] == "obj"
    assert annotation.names is not None
    assert [(text[n.start : n.end], n.type) for n in annotation.names] == [
        ("Anna Berg", "person"),
        ("Oslo", "place"),
    ]


def test_what_is_read_together_is_read_as_alone() -> None:
    together = trees(" ".join(SENTENCES), read(" ".join(SENTENCES)))
    assert len(together) == len(SENTENCES)
    for sentence, text in zip(together, SENTENCES, strict=True):
        (alone,) = trees(text, read(text))
        assert (sentence.heads, sentence.deprels, sentence.upos) == (alone.heads, alone.deprels, alone.upos)
        arcs = [arc for arc in sentence.arcs or () if arc.chance > 0.2]
        same = [arc for arc in alone.arcs or () if arc.chance > 0.2]
        assert [arc[:3] for arc in arcs] == [arc[:3] for arc in same]
        assert [arc.chance for arc in arcs] == pytest.approx([arc.chance for arc in same], abs=1e-3)


def test_arcs_join_words_of_their_sentence_and_are_chances() -> None:
    text = " ".join(SENTENCES)
    annotation = read(text)
    assert annotation.arcs
    bounds = list(pairwise([*annotation.sentences, len(annotation)]))
    for arc in annotation.arcs:
        assert arc.source != arc.target
        assert any(first <= min(arc[:2]) and max(arc[:2]) < last for first, last in bounds)
        assert 0 <= arc.causal <= arc.chance <= 1 + 1e-6


def test_a_sentence_longer_than_is_read_at_once_is_cut_and_nothing_is_lost() -> None:
    text = "The flood of " + "and ".join(f"the town{n} " for n in range(300)) + "ruined the harvest."
    annotation = read(text)
    assert len(annotation.sentences) > 1
    assert "".join(text[a:b] for a, b in zip(annotation.starts, annotation.ends, strict=True)) == "".join(
        text.split()
    )
    word = "x" * 30 + " "
    assert len(read(word * MOST_PIECES)) == MOST_PIECES


@pytest.mark.parametrize("text", ["", " \n\n ", "…", "\u200b", "a", "!!!", "1"])
def test_hardly_anything_is_no_error(text: str) -> None:
    annotation = read(text)
    assert len(annotation) == len(annotation.heads) == len(annotation.deprels)


@given(
    st.integers(1, 5).flatmap(
        lambda size: arrays(
            np.float32, (size, size + 1), elements=st.integers(-50, 50).map(lambda n: n / 8), unique=True
        )
    )
)
@settings(deadline=None)
def test_the_best_tree_is_the_best_of_all_whose_arcs_do_not_cross(scores: np.ndarray) -> None:
    size = len(scores)

    def total(heads: Sequence[int]) -> float:
        return float(sum(scores[word, head] for word, head in enumerate(heads)))

    best = max(map(total, trees_without_crossing_arcs(size)))
    heads = tuple(int(head) for head in best_tree(scores))
    assert heads in trees_without_crossing_arcs(size)
    assert total(heads) == pytest.approx(best, abs=1e-3)


@cache
def trees_without_crossing_arcs(size: int) -> set[tuple[int, ...]]:
    every_choice = itertools.product(range(size + 1), repeat=size)
    return {
        heads for heads in every_choice if heads.count(0) == 1 and is_tree(heads) and not arcs_cross(heads)
    }


def is_tree(heads: Sequence[int]) -> bool:
    return bool(nx.is_arborescence(nx.DiGraph([(head, word + 1) for word, head in enumerate(heads)])))


def arcs_cross(heads: Sequence[int]) -> bool:
    arcs = [sorted((head, word + 1)) for word, head in enumerate(heads)]
    return any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))


def test_words_are_cut_into_the_longest_pieces() -> None:
    pieces = WordPieces(["[UNK]", "un", "##afford", "##able", "##a", "cafe", "-"])
    assert pieces("Unaffordable") == [1, 2, 3]
    assert pieces("Café-un") == [5, 6, 1]
    assert pieces("zebra") == [0]
    assert pieces("") == [0]


def test_a_lemma_comes_from_its_word() -> None:
    assert lemma_after("L|3|y", "Studies") == "study"
    assert lemma_after("K|0|", "Oslo") == "Oslo"
    assert lemma_after("L|9|", "a") == "a"
    assert lemma_after("L|1|", "s") == "s"


def test_it_adds_to_the_patterns_and_takes_from_them() -> None:
    by_patterns = OfflineExtractor(WithoutArcs(), load_patterns())
    light = "The light was so bright that the owls left."
    assert relations(default_extractor(), light) > relations(by_patterns, light)
    dispute = "Snow disputed that miasma caused cholera."  # he opposes no miasma that caused it
    assert relations(default_extractor(), dispute) < relations(by_patterns, dispute)


def test_own_patterns_are_not_doubted() -> None:
    own = (Pattern(type="chairs", verb=("chair",)), Pattern(type="prevents", verb=("empty",)))
    options = ReadingOptions(patterns={"en": own})
    assert any(type_ == "prevents" for _, type_, _ in relations(offline_extractor(options), SENTENCES[0]))


def test_a_tree_that_is_mended_stays_a_tree() -> None:
    """The verb is below the noun that its preposition would be hung on."""
    annotation = Annotation(
        "en",
        starts=(0, 7, 14, 17),
        ends=(6, 13, 16, 23),
        lemmas=("famine", "result", "in", "fever"),
        upos=("NOUN", "VERB", "ADP", "NOUN"),
        feats=("", "", "", ""),
        heads=(0, 3, 1, 0),
        deprels=("root", "acl:relcl", "obl", "obl"),
        sentences=(0,),
    )
    (tree,) = trees("famine result in fevers", annotation)
    assert is_tree([0 if head == at else head + 1 for at, head in enumerate(tree.heads)])
