"""KGP walks a graph of passages, RAPTOR searches a tree of summaries."""

import math
from typing import Any

import pytest

from corpusgraph.flows.methods import load_method
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.method.run import run_method
from tests.llm.fake import FakeModel
from tests.presets.test_shapes import orchard
from tests.presets.world import ids, ports, run, scores


def letters() -> MemoryGraph:
    """Return five passages: 1 and 2 share Bob, 2 and 3 Cara, 4 and 5 Fay; 1 and 3 share nothing."""
    texts = {
        "c1": ("Ada loved Bob.", ("ada", "bob")),
        "c2": ("Bob feared Cara.", ("bob", "cara")),
        "c3": ("Cara married well.", ("cara",)),
        "c4": ("Fay painted.", ("fay",)),
        "c5": ("Fay sculpted.", ("fay",)),
    }
    chunks = [
        Chunk(id=id_, content=text, source_doc=f"d{id_}", end=len(text), entities=inside)
        for id_, (text, inside) in texts.items()
    ]
    return MemoryGraph([Entity(id=i, name=i.title()) for i in ("ada", "bob", "cara", "fay")], chunks=chunks)


def test_kgp_looks_for_the_next_thought_among_neighbours_only() -> None:
    """ "Ada" hits c1 alone, whose one neighbour is c2 (both name Bob). The thought asks for "Cara married":
    c3 would fit better, but is no neighbour of c1.

    TF-IDF: of 5 texts "cara" is in 2, idf ln(6/3) + 1 = a; "bob" too; "marri", "fear" in one, ln(6/2) + 1 = b.
    c2 has bob, fear, cara; the query cara and marri: cosine a² / (sqrt(2a² + b²) sqrt(a² + b²)).
    """
    model = FakeModel(
        {"NextStep": {"sentence": "She loved Bob.", "query": "Cara married"}, "WrittenText": {}}
    )
    found = run("kgp", "Ada", letters(), model)
    assert ids(found.results["hits"]) == ["c1"]
    a, b = math.log(6 / 3) + 1, math.log(6 / 2) + 1
    cosine = a * a / (math.sqrt(2 * a * a + b * b) * math.sqrt(a * a + b * b))
    assert scores(found.results["traversal"]["hits"]) == pytest.approx({"c2": cosine})
    assert ids(found.passages) == ["c1", "c2"]


def test_kgp_without_a_model_asks_for_the_names_it_meets() -> None:
    found = run("kgp", "Whom did Ada love?", letters())
    assert "c2" in ids(found.passages)
    assert {warning.code for warning in found.warnings} == {"no_llm"}
    assert "c4" not in ids(found.passages)


def test_raptor_searches_summaries_and_passages_as_one_list() -> None:
    """Three topics of eight passages each. The summary of the bricks is nearest to "brick": all it has, with a
    little of the axis that all share; what is cited are the passages below it.
    """
    given: dict[str, Any] = {**orchard(), "llm": None}
    found = run_method(load_method("raptor"), "brick", given)
    assert len(found.results["nodes"]) == 5
    bricks = {f"chk_1{i:02d}" for i in range(8)}
    assert set(ids(found.passages)) <= bricks
    names = [hit.item.name for hit in found.results["nodes"]]
    assert all("brick" in name for name in names)


def test_raptor_reads_the_passages_below_a_summary() -> None:
    """Of 12 passages, each with a word of its own, one cluster: its summary holds some of the words. A question
    with two of them is nearest to the summary, and all 12 passages are read; the passages come after it.
    """
    chunks = [
        Chunk(id=f"c{i:02d}", content=f"word{i} same", source_doc=f"d{i}", end=11, entities=("e",))
        for i in range(12)
    ]
    made = MemoryGraph([Entity(id="e")], chunks=chunks)
    found = run_method(load_method("raptor"), "word0 word1 word2 word3", ports(made))
    summary = next(hit for hit in found.results["nodes"] if hit.item.type == "summary")
    assert summary.rank == 1
    assert set(ids(found.passages)) == {chunk.id for chunk in chunks}
