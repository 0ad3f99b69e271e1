"""What an indexing run finds published already."""

from corpusgraph.flows.engine import Engine
from corpusgraph.flows.remembering import is_known
from corpusgraph.flows.resources.ledger import ledger_counts, read_ledger
from corpusgraph.flows.resources.manifest import Manifest
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.schemas.errors import EmbedderMismatchError
from corpusgraph.schemas.run import IndexReport


def is_current(current: Manifest, corpus: str, config: str, changes: int) -> bool:
    """Whether a generation is that of a corpus and a configuration, and knows of so many changes by hand."""
    return (current.corpus_fingerprint, current.config_fingerprint) == (corpus, config) and is_known(
        changes, current
    )


def refuse_other_embedder(current: Manifest, name: str) -> None:
    """Raise when the index has another embedder: vectors of two embedders cannot be compared."""
    if current.embedder is not None and current.embedder.name != name:
        raise EmbedderMismatchError(
            f"Index {current.index!r} was made with the embedder {current.embedder.name}, not {name}.",
            hint="Give the study another name, or build the index anew with --rebuild.",
        )


def up_to_date(current: Manifest, store: IndexStore, engine: Engine) -> IndexReport:
    """Report that nothing had to be done."""
    return IndexReport(
        index=current.index,
        generation=current.generation,
        up_to_date=True,
        engine=engine.name,
        path=str(store.folder(current.index)),
        counts=dict(current.counts),
        languages=current.languages,
        n_reused=current.counts.get("documents", 0),
        warnings=current.facts.get("warnings", ()),
        **ledger_counts(read_ledger(store.folder(current.index))),
    )
