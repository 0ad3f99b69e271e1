"""Find the files of a corpus and fingerprint them, without reading any as a document."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import CorpusNotFoundError, shown
from corpusgraph.schemas.study import Corpus

LOADER_VERSION = "1"
"""Part of the corpus fingerprint: raise it when the same bytes would give another text."""


@dataclass(frozen=True)
class Source:
    """A file of the corpus: `relative` is its path below the corpus folder, `digest` hashes its bytes."""

    path: Path
    relative: str
    digest: str


def scan(corpus: Corpus, base: Path) -> list[Source]:
    """Return the corpus's files in order of path; no folder, or nothing in it, is an error."""
    root = corpus_root(corpus, base)
    if root.is_file():
        return [_source(root, root.parent)]
    files = {p for pattern in corpus.include for p in root.glob(pattern) if p.is_file()}
    files -= {p for pattern in corpus.exclude for p in root.glob(pattern)}
    kept = sorted(p for p in files if not any(part.startswith(".") for part in p.relative_to(root).parts))
    if not kept:
        raise CorpusNotFoundError(
            f"Nothing to read in {shown(root)}: looked for {', '.join(corpus.include)}"
            + (f" without {', '.join(corpus.exclude)}" if corpus.exclude else "")
            + ".",
            hint="Check `corpus.path` and `corpus.include` in the study file.",
        )
    return sorted((_source(p, root) for p in kept), key=lambda s: s.relative)


def corpus_root(corpus: Corpus, base: Path) -> Path:
    """Return the corpus's folder or file; `base` is the folder of the study file."""
    root = base / Path(corpus.path).expanduser()
    if not root.exists():
        raise CorpusNotFoundError(
            f"No corpus at {shown(root)}.",
            hint="Give its folder in the study file (`corpus.path`, relative to that file) or with --corpus.",
        )
    return root


def _source(path: Path, root: Path) -> Source:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError as error:
        digest = f"unreadable: {error.strerror}"
    return Source(path=path, relative=nfc(path.relative_to(root).as_posix()), digest=digest)


def corpus_fingerprint(sources: Sequence[Source], corpus: Corpus) -> str:
    """Hash names and bytes of all files and the options they are read with: 32 hexadecimal digits."""
    options = corpus.model_dump_json(exclude={"path"})
    lines = [LOADER_VERSION, options, *(f"{s.relative}\t{s.digest}" for s in sources)]
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()
