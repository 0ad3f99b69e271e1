"""The corpora that studies of this project read."""

import re
from pathlib import Path

import pytest

from corpusgraph.schemas.documents import Document
from tests.conftest import SHARED
from tests.loading.files import read

SAMPLE = Path(__file__).resolve().parents[2] / "configs" / "studies" / "broad_street" / "documents"
FEDERALIST = SHARED / "corpora" / "federalist"


@pytest.fixture(scope="module")
def sample() -> dict[str, Document]:
    documents, failures = read(SAMPLE)
    assert failures == []
    return {document.source: document for document in documents}


def test_the_sample_corpus_is_twenty_texts_and_five_rows(sample: dict[str, Document]) -> None:
    rows = [source for source in sample if "#" in source]
    assert (len(sample) - len(rows), len(rows)) == (20, 5)
    assert len({document.id for document in sample.values()}) == 25


def test_the_sample_has_pages_a_language_and_metadata(sample: dict[str, Document]) -> None:
    paper = sample["13_snow_grand_experiment.pdf"]
    assert [span.page for span in paper.pages] == [1, 2]
    assert [source for source, document in sample.items() if document.language == "de"] == [
        "18_pettenkofer_boden_und_cholera.md"
    ]
    for source, document in sample.items():
        assert re.fullmatch(r"18\d\d-\d\d-\d\d", document.metadata["date"])
        assert {"author", "genre", "stance"} <= document.metadata.keys() or "#" in source


def test_the_sample_reads_as_prose(sample: dict[str, Document]) -> None:
    markup = re.compile(r"^#|^---|\*\*|</?[a-z]+>|&[a-z]+;|\ufffd", re.MULTILINE)
    assert {source: found[0] for source, d in sample.items() if (found := markup.search(d.text))} == {}


@pytest.mark.skipif(not FEDERALIST.is_dir(), reason="the Federalist corpus is not beside the repository")
def test_the_federalist_papers_are_85_documents_with_author_date_and_publication() -> None:
    documents, failures = read(FEDERALIST)
    assert (len(documents), failures) == (85, [])
    assert all({"author", "date", "number"} <= d.metadata.keys() for d in documents)
    assert sum("publication" in d.metadata for d in documents) == 81  # four cells of the table are empty
    assert all(re.fullmatch(r"178[78]-\d\d-\d\d", d.metadata["date"]) for d in documents)
    assert documents[0].metadata["date_text"] == "October 27, 1787"
