"""Pipelines with CLEAR labels: the same relations come out as from universal ones."""

import pytest

from corpusgraph.flows.annotate.offline import load_patterns
from corpusgraph.flows.annotate.pipelines import SpacyAnnotator
from corpusgraph.schemas.annotation import Annotation
from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.extract.offline import OfflineExtractor
from tests.annotate.pipelines import rows, text_of, write_pipeline
from tests.annotate.sentences import OTHERS, SENTENCES

Triple = tuple[str, str, str]
Extractors = dict[str, OfflineExtractor]
BLOCKS = [*SENTENCES.values(), *OTHERS.strip().split("\n\n")]
LABELS = {"clear": ["dobj", "pobj", "nsubj"], "universal": ["obj", "obl", "nsubj"]}
READ_SO: dict[Triple, Triple] = {
    ("Debts", "causes", "war"): ("Debts", "make", "war"),  # the trained reader alone sees a cause
    ("pump", "causes", "outbreak"): ("pump that the engineers built", "causes", "outbreak"),
}
"""What is read where it is not the triple itself."""
COLUMN = {"clear": 4, "universal": 6}


@pytest.fixture(scope="module")
def annotators(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SpacyAnnotator]:
    """Return a pipeline of each scheme that knows all the sentences."""
    home = tmp_path_factory.mktemp("pipelines")
    made = {}
    for scheme, column in COLUMN.items():
        tokens = map(rows, BLOCKS)
        parses = {text_of(one): [row[:4] + row[column : column + 2] for row in one] for one in tokens}
        folder = write_pipeline(home / scheme, "en", parses, LABELS[scheme])
        made[scheme] = SpacyAnnotator({"en": str(folder)})
    return made


@pytest.fixture(scope="module")
def extractors(annotators: dict[str, SpacyAnnotator]) -> Extractors:
    return {scheme: OfflineExtractor(one, load_patterns()) for scheme, one in annotators.items()}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: text_of(rows(block)))
def test_the_trees_are_universal(annotators: dict[str, SpacyAnnotator], block: str) -> None:
    text = text_of(rows(block))
    found, expected = (one.annotate([text], "en")[0] for one in annotators.values())
    words = [row[0] for row in rows(block)]
    assert trees(words, found) == trees(words, expected)


def trees(words: list[str], annotation: Annotation) -> list[tuple[str, str, str]]:
    columns = zip(words, annotation.deprels, annotation.heads, strict=True)
    return [(word, label, words[head]) for word, label, head in columns]


def relations(extractor: OfflineExtractor, text: str) -> set[tuple[Triple, str, str | None]]:
    document = Document(id="doc_1", title="", text=text, source="a.txt", content_hash="", language="en")
    evidence = extractor.extract(document, [])
    return {
        ((a.source, a.type + "!" * a.negated, a.target), a.modality, a.speaker)
        for a in evidence.assertions
        if a.type != "co_occurs_with"
    }


@pytest.mark.parametrize(("triple", "block"), SENTENCES.items(), ids=[" ".join(t) for t in SENTENCES])
def test_both_schemes_say_the_same(extractors: Extractors, triple: Triple, block: str) -> None:
    text = text_of(rows(block))
    found = relations(extractors["clear"], text)
    assert READ_SO.get(triple, triple) in {said for said, _, _ in found}
    assert found == relations(extractors["universal"], text)
