"""Re-ranking: by words offline, by a cross-encoder where one is set."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corpusgraph.flows.embed.trained as resource
from corpusgraph.flows.embed.trained import CrossEncoderReranker
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import DependencyMissingError, InvalidInputError, MissingResourceError
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.tools.memory.search import PRIOR, Origin, blended, lexical
from tests.graph.small import run, small_graph

TOOL = "rerank"
TEXTS = ["Cholera came by ship.", "The pump in Broad Street spread cholera.", "Nothing of note happened."]


def reranked(items: Any, query: str = "Which pump spread cholera?", **more: Any) -> Any:
    ports = more.pop("ports", {"graph": small_graph()})
    return TOOLS[TOOL].run({"query": query, "items": items, **more}, ports)


def texts(noted: Any) -> list[str]:
    return [hit.item.text for hit in noted.data.results]


def test_the_text_that_answers_comes_first_with_its_parts() -> None:
    noted = reranked(TEXTS)
    assert texts(noted) == [TEXTS[1], TEXTS[0], TEXTS[2]]
    first = noted.data.results[0]
    assert first.components["coverage"] == 1.0
    assert first.components["bm25"] == 1.0
    assert first.components["prior_rank"] == 2.0
    assert first.score == pytest.approx((3 + first.components["proximity"]) / 4, abs=1e-6)
    assert noted.data.results[2].score == 0.0


def test_proximity_by_hand() -> None:
    read = lexical("broad pump", ["broad pump", "broad old stone pump", "pump", "broad " + "x " * 9 + "pump"])
    idf = Bm25(["broad pump", "broad old stone pump", "pump", "broad " + "x " * 9 + "pump"]).idf.tolist()
    most = 2 * sum(idf[:2]) - 2 * max(idf[:2])
    expected = [sum(idf[:2]) / most, sum(idf[:2]) / 9 / most, 0.0, 0.0]
    assert read.proximity.tolist() == pytest.approx([min(1.0, value) for value in expected])


@given(st.lists(st.text(max_size=30), min_size=1, max_size=6), st.text(min_size=1, max_size=20))
def test_any_texts_get_scores_from_0_to_1(given_texts: list[str], query: str) -> None:
    read = lexical(query, given_texts)
    for part in (*read, read.total):
        assert len(part) == len(given_texts)
        assert ((part >= 0) & (part <= 1 + 1e-9)).all()


def test_results_of_a_search_are_taken_as_they_are() -> None:
    found = run("hybrid_search", query="cholera", kind="chunk").data
    again = reranked([hit.model_dump(mode="json") for hit in found.results], "What spread cholera?")
    assert {hit.item.id for hit in again.data.results} == {hit.item.id for hit in found.results}
    assert all(hit.item.chunk is not None for hit in again.data.results)
    assert again.data.results[0].components["prior"] > 0
    nouns = reranked(list(small_graph().chunks), "Soho is crowded")
    assert nouns.data.results[0].item.id == "c4"


def test_ids_are_looked_up_and_unknown_ones_told() -> None:
    graph = small_graph()
    id_ = Chunk.make_id("d", 0, 1, "x")
    with pytest.raises(Exception, match=id_):
        reranked([id_], ports={"graph": graph})
    assert texts(reranked([id_], ports={})) == [id_]


def test_what_comes_twice_counts_once() -> None:
    noted = reranked([TEXTS[0], TEXTS[0], TEXTS[1]])
    assert noted.data.result_count == 2
    assert [w.code for w in noted.warnings] == ["duplicate_items"]


def test_the_prior_can_have_a_say() -> None:
    items = [
        {"item": {"id": f"c{i}", "content": text}, "score": score}
        for i, (text, score) in enumerate(zip(TEXTS, (9.0, 5.0, 1.0), strict=True))
    ]
    assert [hit.item.id for hit in reranked(items, prior_weight=1).data.results] == ["c0", "c1", "c2"]
    assert reranked(items, prior_weight=0).data.results[0].item.id == "c1"
    for fusion in ("rrf", "weighted"):
        kept = reranked(items, prior_weight=1, fusion=fusion).data
        assert [hit.item.id for hit in kept.results] == ["c0", "c1", "c2"]
        assert kept.prior_weight == 1


def found_by(scorer: str | None, *, walked: bool = False) -> list[dict[str, Any]]:
    """Return what a search found, best first; the last has no word of the query."""
    parts = {"bm25": 1.0, "graph": 0.5} if walked else {"bm25": 1.0}
    return [
        {"item": {"id": f"c{i}", "content": text}, "score": 3.0 - i, "scorer": scorer, "components": parts}
        for i, text in enumerate((TEXTS[2], TEXTS[0], TEXTS[1]))
    ]


@pytest.mark.parametrize(
    ("items", "origin"),
    [
        (found_by("bm25"), "words"),
        (found_by("cosine"), "words"),
        (found_by("rrf"), "words"),
        (found_by("weighted"), "words"),
        (found_by("rrf", walked=True), "walk"),
        (found_by("weighted", walked=True), "walk"),
        (found_by("ppr"), "walk"),
        (found_by(None), "walk"),
        (TEXTS, "unknown"),
        ([*TEXTS, *found_by("bm25")[:2]], "unknown"),
        ([*TEXTS[:1], *found_by("bm25")[1:2], *found_by("ppr")[:1]], "walk"),
    ],
)
def test_the_order_given_counts_by_what_found_it(items: list[Any], origin: Origin) -> None:
    assert reranked(items).data.prior_weight == PRIOR[origin]
    assert reranked(items, prior_weight=0.5).data.prior_weight == 0.5
    assert reranked(items, kind="cross-encoder", ports={"reranker": Longest()}).data.prior_weight == 0


def test_hits_of_words_are_put_in_order_and_those_of_a_walk_hardly_move() -> None:
    by_words = [hit.item.id for hit in reranked(found_by("bm25")).data.results]
    by_walk = [hit.item.id for hit in reranked(found_by("ppr")).data.results]
    assert by_words[0] == "c2"
    assert by_walk[0] == "c0"


def test_joined_by_hand() -> None:
    """Readings that are equal stay in the order given."""
    read, scores = [0.0, 0.5, 0.5], [9.0, None, 1.0]
    by_rank = blended(read, scores, 0.25, "rrf", 1)
    now, before = [1 / 4, 1 / 2, 1 / 3], [1 / 2, 1 / 3, 1 / 4]
    assert by_rank == pytest.approx([0.75 * a + 0.25 * b for a, b in zip(now, before, strict=True)])
    assert blended(read, scores, 0.25, "weighted", 1) == pytest.approx([0.25, 0.75, 0.75])
    assert blended(read, scores, 0, "rrf", 1) == read


scored_lists = st.lists(st.tuples(st.floats(0, 1), st.none() | st.floats(-9, 9)), min_size=1, max_size=8)


@given(scored_lists, st.floats(0.5, 1), st.integers(0, 100))
def test_with_half_a_say_or_more_the_first_stays_near_the_top(
    rows: list[tuple[float, float | None]], weight: float, k: int
) -> None:
    """Reciprocal ranks bound the harm: whoever passes the first in the order given must read better."""
    read, scores = [row[0] for row in rows], [row[1] for row in rows]
    again = blended(read, scores, weight, "rrf", k)
    assert all(read[i] > read[0] for i in range(len(rows)) if again[i] > again[0] + 1e-12)
    assert blended(read, scores, 1, "rrf", k) == sorted(blended(read, scores, 1, "rrf", k), reverse=True)


def test_titles_of_documents_are_read(tiny: tuple[Path, str]) -> None:
    from corpusgraph.flows.api import open as open_index

    opened = open_index(tiny[1], tiny[0])
    title = opened.documents[0].title
    ports = {"graph": opened.graph, "corpus": opened}
    noted = reranked([chunk.id for chunk in opened.graph.chunks][:20], title, ports=ports)
    assert noted.data.results[0].item.chunk.source_doc == opened.documents[0].id


class Longest:
    """A model that likes long texts."""

    name = "longest"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text) + len(query)) for text in texts]


def test_a_model_reads_query_and_texts() -> None:
    noted = reranked(TEXTS, kind="cross-encoder", top_k=1, ports={"reranker": Longest()})
    assert texts(noted) == [TEXTS[1]]
    assert noted.data.model == "longest"
    assert noted.data.results[0].components["cross_encoder"] == noted.data.results[0].score


def test_without_library_or_model_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingResourceError, match="lexical"):
        reranked(TEXTS, kind="cross-encoder", ports={})
    monkeypatch.setattr(resource, "find_spec", lambda _: None)
    with pytest.raises(DependencyMissingError, match=r"pip install 'corpusgraph\[sentence-transformers\]'"):
        reranked(TEXTS, kind="cross-encoder", ports={"reranker": CrossEncoderReranker("x")})
    monkeypatch.setattr(resource, "find_spec", lambda _: True)
    with pytest.raises(MissingResourceError, match="CORPUSGRAPH_RERANKER"):
        reranked(TEXTS, kind="cross-encoder", ports={"reranker": CrossEncoderReranker(None)})


@pytest.mark.external
@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is None, reason="needs the extra")
def test_a_real_cross_encoder_is_loaded_from_a_folder(tmp_path: Path) -> None:
    """Its weights are random: what is tested is that it is loaded, asked and answers the same twice."""
    model = str(random_model(tmp_path))
    ports = {"reranker": CrossEncoderReranker(model)}
    noted = reranked(TEXTS, kind="cross-encoder", ports=ports)
    assert sorted(texts(noted)) == sorted(TEXTS)
    assert len({hit.score for hit in noted.data.results}) == 3
    assert reranked(TEXTS, kind="cross-encoder", ports=ports).data == noted.data
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InvalidInputError, match="no cross-encoder"):
        reranked(TEXTS, kind="cross-encoder", ports={"reranker": CrossEncoderReranker(str(empty))})


def random_model(folder: Path) -> Path:
    """Save a cross-encoder of random weights that knows the words of TEXTS."""
    import torch
    import transformers

    library: Any = transformers  # its types do not tell what it has
    words = sorted({word for text in TEXTS for word in text.lower().strip(".").split()})
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]))
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = library.BertConfig(vocab_size=5 + len(words), num_labels=1, **shape)
    library.BertForSequenceClassification(config).save_pretrained(folder)
    library.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder
