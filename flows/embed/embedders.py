"""Which embedder makes an index's vectors: by the options of a study, or by the manifest of an index."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.manifest import EmbedderInfo, Manifest
from corpusgraph.schemas.errors import EmbedderMismatchError
from corpusgraph.schemas.ports import Embedder, Floats
from corpusgraph.schemas.study import IndexOptions
from corpusgraph.tasks.graph.ranking import is_lexical

STAGE = "embed"


def make_embedder(options: IndexOptions) -> Embedder:
    """Return the embedder that a study asks for.

    Parameters
    ----------
    options : IndexOptions
        Name, model and dimension.

    Returns
    -------
    Embedder
        Nothing is embedded yet.

    Raises
    ------
    DependencyMissingError
        For one that is not installed.

    """
    if options.embedder == "hashing":
        return HashingEmbedder(options.dimension)
    from corpusgraph.flows.embed.trained import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(options.model)


def embedder_for(manifest: Manifest) -> Embedder:
    """Return the embedder that made an index's vectors.

    Parameters
    ----------
    manifest : Manifest
        Of the generation.

    Returns
    -------
    Embedder
        Hashing where the index has no vectors.

    Raises
    ------
    EmbedderMismatchError
        Where it is another by now.
    DependencyMissingError
        Where it is not installed.

    """
    made = manifest.embedder
    if made is None or made.model is None:
        embedder: Embedder = HashingEmbedder() if made is None else HashingEmbedder(made.dimension)
    else:
        from corpusgraph.flows.embed.trained import SentenceTransformersEmbedder

        embedder = SentenceTransformersEmbedder(made.model, made.dimension)
    check_embedder(manifest, embedder.name, embedder.dimension)
    return embedder


def check_embedder(manifest: Manifest, name: str, dimension: int) -> None:
    """Refuse another embedder than the one that made the index's vectors.

    Parameters
    ----------
    manifest : Manifest
        Of the generation.
    name : str
        Of the embedder, with its version.
    dimension : int
        Of its vectors.

    Raises
    ------
    EmbedderMismatchError
        Where either is not that of the index.

    """
    made = manifest.embedder
    if made is not None and (made.name, made.dimension) != (name, dimension):
        message = (
            f"Index {manifest.index!r} was made with embedder {made.name!r} of dimension {made.dimension}, "
            f"not {name!r} of dimension {dimension}."
        )
        raise EmbedderMismatchError(message, hint="Use that embedder, or index the corpus again.")


def told(embedder: Embedder) -> EmbedderInfo:
    """Return what the manifest says of an embedder.

    Parameters
    ----------
    embedder : Embedder
        That makes the vectors.

    Returns
    -------
    EmbedderInfo
        Enough for `embedder_for` to make it again.

    """
    model = getattr(embedder, "model", None)
    return EmbedderInfo(name=embedder.name, dimension=embedder.dimension, model=model)


def once(embedder: Embedder, cache: StageCache) -> Embedder:
    """Keep the vectors of a trained embedder; spellings are hashed faster than a file is read.

    Parameters
    ----------
    embedder : Embedder
        Any.
    cache : StageCache
        Of the index.

    Returns
    -------
    Embedder
        The embedder itself where it is lexical.

    """
    return embedder if is_lexical(embedder) else CachedEmbedder(embedder, cache)


class CachedEmbedder:
    """Embeds each text once: vectors are kept in the stage cache by embedder and content of the text."""

    def __init__(self, embedder: Embedder, cache: StageCache) -> None:
        self.name, self.dimension = embedder.name, embedder.dimension
        self._embedder = embedder
        self._cache = cache
        self.used: set[str] = set()

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return float32 (len(texts), dimension)."""
        keys = [_key(self.name, text) for text in texts]
        self.used.update(keys)
        rows: list[Floats | None] = [self._kept(key) for key in keys]
        missing = sorted({text for text, row in zip(texts, rows, strict=True) if row is None})
        made = dict(zip(missing, self._embedder.embed(missing), strict=True)) if missing else {}
        for text, vector in made.items():
            self._cache.put(STAGE, _key(self.name, text), vector.astype("<f4").tobytes())
        found = [made[text] if row is None else row for text, row in zip(texts, rows, strict=True)]
        return np.stack(found) if found else np.zeros((0, self.dimension), np.float32)

    def keep(self, texts: Sequence[str]) -> None:
        """Count texts as used without embedding them: vectors that are there stay.

        Parameters
        ----------
        texts : sequence of str
            As they would be embedded.

        """
        self.used.update(_key(self.name, text) for text in texts)

    def _kept(self, key: str) -> Floats | None:
        data = self._cache.get(STAGE, key)
        if data is None or len(data) != 4 * self.dimension:
            return None
        return np.frombuffer(data, "<f4").astype(np.float32)


def _key(name: str, text: str) -> str:
    return f"{name}\x1f{blake2b(text.encode(), digest_size=20).hexdigest()}"
