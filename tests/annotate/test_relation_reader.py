"""The trained reader of relations, and what the extractor does with what it reads."""

import pytest

from corpusgraph.flows.annotate.offline import (
    ReadingOptions,
    default_extractor,
    load_patterns,
    offline_extractor,
)
from corpusgraph.flows.annotate.relation_reader import WordPieces, relation_reader
from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.extract.offline import OfflineExtractor
from corpusgraph.tasks.extract.patterns import Pattern
from corpusgraph.tasks.extract.tree import Tree, trees

SENTENCES = (
    "The closure of the mine emptied the valley within a year.",
    "Heavy rain washed the seed out of the fields, and the farmers sowed twice.",
    "Why so many bees died that spring, nobody could say.",
    "Anna Berg, a surgeon from Oslo, chairs the committee.",
)


def document(text: str) -> Document:
    return Document(id="doc_1", title="", text=text, source="a.txt", content_hash="", language="en")


def parsed(text: str) -> list[Tree]:
    annotator = ReadingOptions().annotator()
    assert annotator is not None
    return trees(text, annotator.annotate([text], "en")[0])


def relations(extractor: OfflineExtractor, text: str) -> set[tuple[str, str, str]]:
    evidence = extractor.extract(document(text), [])
    return {(a.source, a.type, a.target) for a in evidence.assertions if a.type != "co_occurs_with"}


def test_what_is_read_together_is_read_as_alone() -> None:
    sentences = parsed(" ".join(SENTENCES))
    together = relation_reader().read(sentences)
    for sentence, arcs in zip(sentences, together, strict=True):
        (alone,) = relation_reader().read([sentence])
        assert [arc[:3] for arc in arcs] == [arc[:3] for arc in alone]
        assert [arc.chance for arc in arcs] == pytest.approx([arc.chance for arc in alone], abs=1e-4)


def test_arcs_join_words_of_their_sentence_and_are_chances() -> None:
    sentences = parsed(" ".join(SENTENCES))
    for sentence, arcs in zip(sentences, relation_reader().read(sentences), strict=True):
        for arc in arcs:
            assert arc.source != arc.target
            assert {arc.source, arc.target} <= set(range(len(sentence)))
            assert 0 <= arc.causal <= arc.chance <= 1 + 1e-6


def test_a_sentence_longer_than_the_reader_reads_is_no_error() -> None:
    text = "The flood of " + "and ".join(f"the town{n} " for n in range(300)) + "ruined the harvest."
    (arcs,) = relation_reader().read(parsed(text)[:1])
    assert isinstance(arcs, list)


def test_it_adds_to_the_patterns_and_takes_from_them() -> None:
    by_patterns = OfflineExtractor(ReadingOptions().annotator(), load_patterns())
    bridge = "The new bridge put the ferry out of business."
    assert relations(default_extractor(), bridge) > relations(by_patterns, bridge)
    bees = SENTENCES[2]  # "died that spring": no cause of the spring
    assert relations(default_extractor(), bees) < relations(by_patterns, bees)


def test_own_patterns_are_not_doubted() -> None:
    own = (Pattern(type="chairs", verb=("chair",)), Pattern(type="prevents", verb=("empty",)))
    options = ReadingOptions(patterns={"en": own})
    read = relations(offline_extractor(options), SENTENCES[0])
    assert any(type_ == "prevents" for _, type_, _ in read)


def test_words_are_cut_into_the_longest_pieces() -> None:
    pieces = WordPieces(["[UNK]", "un", "##afford", "##able", "##a", "cafe", "-"])
    assert pieces("Unaffordable") == [1, 2, 3]
    assert pieces("Café-un") == [5, 6, 1]
    assert pieces("zebra") == [0]
    assert pieces("") == [0]
