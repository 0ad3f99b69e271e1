"""The documents an indexing run is given: a whole corpus, or what an index holds with some more or fewer.

What was removed by hand is kept in the manifest, so that indexing the corpus again leaves it out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from corpusgraph.flows.files.manifest import Manifest
from corpusgraph.flows.load import Source, corpus_fingerprint, load_all, scan
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Document, Failure
from corpusgraph.schemas.errors import IndexLockedError
from corpusgraph.schemas.study import Study

EDITED = "edited:"
"""Begins the corpus fingerprint of an index that was updated: no corpus alone has such a one."""
Load = Callable[[], Iterator[Document | Failure]]
Ref = dict[str, str]
"""`id`, `title` and `source` of a document."""


@dataclass(frozen=True)
class Given:
    """What a run indexes; `documents` yields it anew with each call, in any order."""

    documents: Load
    count: int
    """How many files or documents there are about, for the progress shown."""
    fingerprint: str
    """Equal to that of the published generation when nothing has to be done."""
    facts: JsonDict = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    due: bool = False
    """Whether there is work to do though the fingerprint is the same."""
    after: int | None = None
    """Serial of the generation that it was made from; None where it does not depend on one."""

    def check(self, serial: int) -> None:
        """Refuse to write over a generation that was published since; `serial` is that of the next one."""
        if self.after is not None and serial != self.after + 1:
            raise IndexLockedError("Another run has published the index meanwhile.", hint="Do this again.")


def whole_corpus(study: Study, base: Path, current: Manifest | None, *, rebuild: bool) -> Given:
    """Return the whole corpus of a study, without what was removed from its index by hand."""
    sources = scan(study.corpus, base)
    removed = [] if rebuild else removed_from(current)
    gone = frozenset(ref["id"] for ref in removed)
    return Given(
        documents=partial(_without, gone, partial(load_all, sources, study.corpus, base)),
        count=len(sources),
        fingerprint=corpus_fingerprint(sources, study.corpus),
        facts={"removed": removed},
        notes=(*_left_out(sources, removed), *_dropped(current)),
    )


def removed_from(current: Manifest | None) -> list[Ref]:
    """Return the documents that were removed from an index by hand, in id order."""
    return list(current.facts.get("removed", ())) if current is not None else []


def file_of(source: str) -> str:
    """Return the file of a document's source: a row's is `file#row`."""
    return source.rpartition("#")[0] or source


def _without(gone: frozenset[str], load: Load) -> Iterator[Document | Failure]:
    for found in load():
        if not (isinstance(found, Document) and found.id in gone):
            yield found


def _left_out(sources: Sequence[Source], removed: Sequence[Mapping[str, str]]) -> Iterator[str]:
    files = {source.relative for source in sources}
    n = sum(ref["source"] in files or file_of(ref["source"]) in files for ref in removed)
    if n:
        are = "document removed earlier is" if n == 1 else "documents removed earlier are"
        them = "it" if n == 1 else "them"
        yield f"{n} {are} left out: `--rebuild` or `index --update FILE` brings {them} back."


def _dropped(current: Manifest | None) -> Iterator[str]:
    if current is not None and current.corpus_fingerprint.startswith(EDITED):
        yield "What `--update` had added from elsewhere is in the index no more: it equals this corpus again."
