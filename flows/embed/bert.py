"""BERT's encoder (Devlin et al. 2019, arXiv:1810.04805) in numpy, for models like MiniLM.

Importing torch, transformers and sentence-transformers takes six seconds of a processor, as much as reading a
hundred passages: here nothing is imported, and nothing padded. Vectors equal the library's to six decimals.
"""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from corpusgraph.schemas.ports import Floats

TOKENS = 256
"""Of texts that are read together: what a layer makes of so many stays in a processor's cache."""
MODULES = ["Transformer", "Pooling", "Normalize"]
ROWS = 32
"""Tokens whose values are activated together."""
_HALF_ERFC = np.array([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], np.float32) / 2
_STEP = np.float32(0.3275911 * math.sqrt(0.5))
"""Abramowitz & Stegun 1964, 7.1.26: within 1.5e-7."""


class Layer(NamedTuple):
    """Weights, as (inputs, outputs), and biases of a layer."""

    attend: Floats
    attend_bias: Floats
    join: Floats
    join_bias: Floats
    joined_norm: tuple[Floats, Floats]
    widen: Floats
    widen_bias: Floats
    narrow: Floats
    narrow_bias: Floats
    norm: tuple[Floats, Floats]


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()  # to find the libraries takes as long as to read a sentence


def on_one_thread() -> AbstractContextManager[Any]:
    """Return the context in which NumPy's BLAS uses one thread."""
    return _blas().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]  # no stubs


class Bert:
    """The encoder itself.

    Parameters
    ----------
    weights : mapping of str to array
        By the names of the transformers library; as many layers as are there.
    heads : int
        Of the attention.
    epsilon : float
        Added to the variance of what is scaled.

    """

    def __init__(self, weights: Mapping[str, Floats], heads: int, epsilon: float = 1e-12) -> None:
        self._heads, self._epsilon = heads, np.float32(epsilon)
        self._words = weights["embeddings.word_embeddings.weight"]
        types = weights["embeddings.token_type_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"] + types[0]
        self._norm = _norm(weights, "embeddings.LayerNorm")
        self.dimension = int(self._words.shape[1])
        """Length of every vector."""
        names = (f"encoder.layer.{n}" for n in range(len(weights)))
        there = takewhile(lambda name: f"{name}.output.dense.weight" in weights, names)
        self._layers = [_layer(weights, name, heads) for name in there]

    def states(self, texts: Sequence[Any], beside: Floats | None = None) -> tuple[Floats, Any]:
        """Return the last layer of texts read together, one below the other without padding.

        Parameters
        ----------
        texts : sequence of int arrays
            Numbers of each text's tokens.
        beside : float32 (tokens of all texts, dimension), optional
            Added to the vectors of the tokens.

        Returns
        -------
        states : float32 (tokens of all texts, dimension)
        starts : int (texts + 1,)
            Where each text begins, and the end.

        """
        sizes = [len(ids) for ids in texts]
        starts = np.cumsum([0, *sizes])
        state = self._words[np.concatenate(texts)]
        if beside is not None:
            state += beside
        state += self._places[np.concatenate([np.arange(size) for size in sizes])]
        self._normalize(state, self._norm)
        for layer in self._layers:
            state += self._attended(state, layer, starts)
            self._normalize(state, layer.joined_norm)
            wide = state @ layer.widen
            _activate(wide, layer.widen_bias)
            state += wide @ layer.narrow
            state += layer.narrow_bias
            self._normalize(state, layer.norm)
        return state, starts

    def _attended(self, state: Floats, layer: Layer, starts: Any) -> Floats:
        """Return what the tokens of each text read in one another."""
        asked = state @ layer.attend
        asked += layer.attend_bias
        read = np.empty_like(state)
        width = state.shape[1] // self._heads
        for start, end in pairwise(starts):
            split = asked[start:end].reshape(end - start, 3, self._heads, width)
            query, key, value = split.transpose(1, 2, 0, 3)
            weights = query @ key.transpose(0, 2, 1)
            weights -= weights.max(axis=2, keepdims=True)
            np.exp(weights, out=weights)
            mixed = weights @ value
            mixed /= weights.sum(axis=2, keepdims=True)
            read[start:end].reshape(end - start, self._heads, width)[:] = mixed.transpose(1, 0, 2)
        joined: Floats = read @ layer.join
        joined += layer.join_bias
        return joined

    def _normalize(self, rows: Floats, norm: tuple[Floats, Floats]) -> None:
        """Scale each row, in its place, to mean 0 and variance 1, then by learnt weights."""
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows)[:, None] / rows.shape[1]
        rows /= np.sqrt(variance + self._epsilon)
        rows *= norm[0]
        rows += norm[1]


class BertEncoder:
    """Unit vectors of texts: the mean of their tokens' last layer.

    Parameters
    ----------
    folder : Path
        Of a model that `is_served`.

    """

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        config = _read(folder / "config.json")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_read(folder / "sentence_bert_config.json")["max_seq_length"])
        weights = load_file(folder / "model.safetensors")
        self._bert = Bert(weights, config["num_attention_heads"], config["layer_norm_eps"])
        self.dimension = self._bert.dimension
        """Length of every vector."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return float32 (len(texts), dimension), rows of length 1; every core reads other texts.

        Parameters
        ----------
        texts : sequence of str
            Long ones are cut where the model's room ends.

        Returns
        -------
        array of float32, shape (len(texts), dimension)
            In the order of the texts.

        """
        rows = np.zeros((len(texts), self.dimension), np.float32)
        tokens = [np.array(read.ids) for read in self._tokenizer.encode_batch(list(texts))]
        read_together = list(batches([len(ids) for ids in tokens]))
        # the threads of a small product wait for each other
        with on_one_thread(), ThreadPoolExecutor(os.cpu_count()) as pool:
            means = pool.map(lambda batch: self._vectors([tokens[i] for i in batch]), read_together)
            for batch, vectors in zip(read_together, means, strict=True):
                rows[batch] = vectors
        return rows

    def _vectors(self, texts: Sequence[Any]) -> Floats:
        states, starts = self._bert.states(texts)
        sums = np.add.reduceat(states, starts[:-1], axis=0)
        unit: Floats = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return unit


def is_served(folder: Path) -> bool:
    """Tell whether a model is a BERT whose tokens' mean is the vector, with no other part.

    Parameters
    ----------
    folder : Path
        Of a model of sentence-transformers.

    Returns
    -------
    bool
        False where a file is missing.

    """
    parts = ("modules.json", "config.json", "sentence_bert_config.json", "1_Pooling/config.json")
    if not all((folder / part).is_file() for part in (*parts, "tokenizer.json", "model.safetensors")):
        return False
    modules, config, reading, pooling = (_read(folder / part) for part in parts)
    pooled = {name for name, value in pooling.items() if name.startswith("pooling_mode") and value is True}
    return (
        [module["type"].rpartition(".")[2] for module in modules] == MODULES
        and (config["model_type"], config["hidden_act"]) == ("bert", "gelu")
        and config.get("position_embedding_type", "absolute") == "absolute"
        and config.get("dtype", config.get("torch_dtype", "float32")) == "float32"
        and (pooled == {"pooling_mode_mean_tokens"} or pooling.get("pooling_mode") == "mean")
        and bool(reading.get("max_seq_length"))
        and not reading.get("do_lower_case")
    )


def batches(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yield places of texts that are read together: `TOKENS` at most, or one that is longer.

    Parameters
    ----------
    sizes : sequence of int
        Tokens of each text.

    Yields
    ------
    list of int
        Places from 0, in order.

    """
    batch: list[int] = []
    n_tokens = 0
    for place, size in enumerate(sizes):
        if batch and n_tokens + size > TOKENS:
            yield batch
            batch, n_tokens = [], 0
        batch.append(place)
        n_tokens += size
    if batch:
        yield batch


def _activate(rows: Floats, bias: Floats) -> None:
    """Add a bias, then multiply each value by the share of a normal distribution below it, in their place.

    GELU (Hendrycks & Gimpel 2016). A few rows at a time stay in the cache, and no array is made twice.
    """
    room = np.empty((3, ROWS, rows.shape[1]), np.float32)
    for first in range(0, len(rows), ROWS):
        values = rows[first : first + ROWS]
        size, step, tail = room[:, : len(values)]
        values += bias
        np.abs(values, out=size)
        np.multiply(size, _STEP, out=step)
        step += 1
        np.reciprocal(step, out=step)
        np.multiply(step, _HALF_ERFC[0], out=tail)
        for factor in _HALF_ERFC[1:]:
            tail += factor
            tail *= step
        np.multiply(values, values, out=step)
        step *= np.float32(-0.5)
        np.exp(step, out=step)
        tail *= step
        tail *= size
        np.maximum(values, 0, out=values)
        values -= tail


def _layer(weights: Mapping[str, Floats], name: str, heads: int) -> Layer:
    attention = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    attend, attend_bias = _stacked(weights, attention)
    dimension = len(attend)
    scale = np.float32(1 / math.sqrt(dimension // heads))  # of the products of queries and keys
    attend[:, :dimension] *= scale
    attend_bias[:dimension] *= scale
    return Layer(
        attend,
        attend_bias,
        *_stacked(weights, [f"{name}.attention.output.dense"]),
        _norm(weights, f"{name}.attention.output.LayerNorm"),
        *_stacked(weights, [f"{name}.intermediate.dense"]),
        *_stacked(weights, [f"{name}.output.dense"]),
        _norm(weights, f"{name}.output.LayerNorm"),
    )


def _stacked(weights: Mapping[str, Floats], names: Iterable[str]) -> tuple[Floats, Floats]:
    parts = [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names]
    matrices, biases = zip(*parts, strict=True)
    return np.ascontiguousarray(np.concatenate(matrices).T), np.concatenate(biases)


def _norm(weights: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
