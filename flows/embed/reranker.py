"""A cross-encoder: a trained model that reads a query together with each text. An optional extra.

`pip install 'corpusgraph[sentence-transformers]'` brings the library; the model is named by the environment
variable CORPUSGRAPH_RERANKER: a folder, or a name on the Hugging Face hub, downloaded once.
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from corpusgraph.schemas.errors import DependencyMissingError, InvalidInputError, MissingResourceError

VARIABLE = "CORPUSGRAPH_RERANKER"
_INSTALL = "pip install 'corpusgraph[sentence-transformers]' (on Linux, first torch from its CPU index)."
_BATCH = 32
_one_at_a_time = Lock()  # torch takes all cores for one batch


class CrossEncoderReranker:
    """The port Reranker by a sentence-transformers cross-encoder (Reimers & Gurevych 2019), on the processor.

    Making one loads nothing: library and model are loaded when the first text is read.
    """

    def __init__(self, model: str | None) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """Name of the model."""
        return f"cross-encoder:{Path(self._model).name}" if self._model else "cross-encoder"

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
            found = _loaded(self._model).predict(
                [(query, text) for text in texts], batch_size=_BATCH, show_progress_bar=False
            )
        return [float(score) for score in found]


@cache
def _loaded(model: str) -> Any:
    """Load a model: from its folder, from what was downloaded before, or from the hub."""
    from corpusgraph.flows.embed.trained import hub_folder

    folder = Path(model) if Path(model).is_dir() else hub_folder(model)
    from sentence_transformers import CrossEncoder

    try:
        made = CrossEncoder(str(folder), device="cpu", local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        told = str(error).partition("\n")[0]
        raise InvalidInputError(f"{model} holds no cross-encoder that can be loaded: {told}") from None
    if made.num_labels != 1:
        raise InvalidInputError(
            f"{model} gives {made.num_labels} numbers for a text, not one score.",
            hint=f"Set {VARIABLE} anew.",
        )
    return made
