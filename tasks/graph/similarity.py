"""How like a question a few texts are, by words and by vector: the judgement without a language model."""

from collections.abc import Sequence

import numpy as np

from corpusgraph.schemas.ports import Embedder
from corpusgraph.tasks.digits import cosines, significant
from corpusgraph.tasks.graph.terms import TfIdf


def likeness(query: str, texts: Sequence[str], embedder: Embedder) -> list[float]:
    """Return for each text the mean of its TF-IDF cosine and its vector's cosine with the query, 0 to 1.

    Rarity is counted among the texts; a negative cosine of vectors counts as 0.
    """
    if not texts:
        return []
    lexical = TfIdf(texts).scores(query)
    made = embedder.embed([query, *texts])
    both = (np.clip(lexical, 0, 1) + np.clip(cosines(made[1:], made[0]), 0, 1)) / 2
    return [float(score) for score in significant(both)]
