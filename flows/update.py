"""Put documents into an index or take them out, without its corpus: all it holds is in its own tables."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Unpack

from corpusgraph.flows.engine import How
from corpusgraph.flows.files.cache import fingerprint_of
from corpusgraph.flows.files.ledger import read_ledger
from corpusgraph.flows.files.manifest import IndexProvenance, Manifest, read_provenance
from corpusgraph.flows.load import Source, corpus_fingerprint, load_all, scan
from corpusgraph.flows.load.sources import corpus_root, matcher, same_file, table_path
from corpusgraph.flows.pipeline import EDITED, Given, Ref, file_of, index_corpus, removed_from
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import Document, Failure
from corpusgraph.schemas.errors import (
    CorpusNotFoundError,
    InvalidInputError,
    UnknownItemError,
    did_you_mean,
    shown,
)
from corpusgraph.schemas.run import IndexReport, RemovalReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Corpus, Study

_GLOB = frozenset("*?[")
Named = dict[str, list[Ref]]


def select(held: Sequence[Ref], wanted: Sequence[str], root: Path) -> list[Ref]:
    """Return the documents named, in id order; `root` is the folder that paths are below.

    A name is an id, a source (a file, or `file#row`), a path to a file below `root`, a title, or a glob of
    sources.

    Parameters
    ----------
    held : sequence of Ref
        All documents of the index.
    wanted : sequence of str
        Names.
    root : Path
        The folder that paths are below.

    Returns
    -------
    list of Ref
        Each once.

    Raises
    ------
    UnknownItemError
        For a name that fits none.
    InvalidInputError
        For a title of several documents, and without names.

    """
    if not wanted:
        how = "Name them by id, title, source or glob of sources."
        raise InvalidInputError("Which documents are to be removed?", hint=how)
    places: Named = defaultdict(list)  # by id, source and file
    titles: Named = defaultdict(list)
    for ref in held:
        for place in {ref["id"], ref["source"], file_of(ref["source"])}:
            places[place].append(ref)
        titles[ref["title"]].append(ref)
    chosen: dict[str, Ref] = {}
    for written in wanted:
        name = nfc(str(written))
        path = Path(name).expanduser().resolve()
        below = nfc(path.relative_to(root).as_posix()) if path.is_relative_to(root) else name
        found = places.get(name) or places.get(below) or _titled(name, titles)
        if not found and _GLOB & set(name):
            fits = matcher((name,)).fullmatch
            found = [ref for ref in held if fits(ref["source"]) or fits(file_of(ref["source"]))]
        if not found:
            hint = did_you_mean(name, sorted({*places, *titles}))
            raise UnknownItemError(f"No document is called {name!r}; nothing was removed.", hint=hint)
        chosen |= {ref["id"]: ref for ref in found}
    return [chosen[number] for number in sorted(chosen)]


def _titled(name: str, titles: Named) -> list[Ref]:
    found = titles.get(name, [])
    if len(found) > 1:
        ids = ", ".join(ref["id"] for ref in found[:5])
        message = f"{len(found)} documents are titled {name!r}; nothing was removed."
        raise InvalidInputError(message, hint=f"Name their ids: {ids}.")
    return found


READING = ("text_column", "id_column", "title_column", "encoding")
"""Options of a corpus that say how any file is read."""


def index_or_update(
    study: Study,
    base: Path,
    *,
    rebuild: bool = False,
    retry: bool = False,
    update: bool = False,
    **how: Unpack[How],
) -> IndexReport:
    """Make the index equal the study's corpus, or with `update` put its documents into the index.

    Parameters
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    **how : How
        Settings, engine and progress.
    rebuild : bool, default False
        Make the index even where nothing changed.
    retry : bool, default False
        Make failed calls of a language model again.
    update : bool, default False
        Put the documents in, and keep those that are there.

    Returns
    -------
    IndexReport

    Raises
    ------
    InvalidInputError
        For `update` with `rebuild` or `retry`.

    """
    if not update:
        return index_corpus(study, base, rebuild=rebuild, retry=retry, **how)
    if rebuild or retry:
        message = "`update` keeps what the index has; rebuilding it or repeating calls is another run."
        raise InvalidInputError(message, hint="Give one of them.")
    store = IndexStore(how["settings"].outputs)
    current = store.manifest(study.study)
    if current is None:
        return index_corpus(study, base, **how)
    recipe = read_provenance(current)
    given = added(study.corpus, base, recipe, current, store)
    corpus = recipe.study.corpus.model_copy(update={"path": str(_root(recipe))})
    if not (study.index.model_fields_set or study.profile is not None):
        how["settings"] = with_profile(how["settings"], recipe)
        study, base = recipe.study.model_copy(update={"study": study.study}), Path(recipe.base)
    return index_corpus(study.model_copy(update={"corpus": corpus}), base, given=given, **how)


def remove_documents(
    name: str,
    documents: Sequence[str],
    *,
    dry_run: bool = False,
    **how: Unpack[How],
) -> RemovalReport:
    """Take documents out of an index, each named by id, title, source path or a glob of sources.

    Nothing is removed if one of them is unknown. Indexing the corpus again leaves them out.

    Parameters
    ----------
    name : str
        Name of the index.
    documents : sequence of str
        Names of documents, as of `select`.
    **how : How
        Settings, engine and progress.
    dry_run : bool, default False
        Return what would be removed, and remove nothing.

    Returns
    -------
    RemovalReport

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.
    UnknownItemError
        For a name that fits no document.
    InvalidInputError
        For a title of several documents, without names, and where no document would be left.

    """
    store = IndexStore(how["settings"].outputs)
    opened = store.open(name)
    recipe = read_provenance(opened.manifest)
    ids, titles, sources = opened.columns("documents", "id", "title", "source")
    held = [Ref(id=i, title=t, source=s) for i, t, s in zip(ids, titles, sources, strict=True)]
    chosen = select(held, documents, _root(recipe))
    if len(chosen) == len(held):
        raise InvalidInputError(f"That would leave no document in index {name!r}.", hint="Delete its folder.")
    if dry_run:
        return RemovalReport(index=name, documents=tuple(chosen), dry_run=True)
    given = without(chosen, held, opened.manifest, store)
    report = index_again(name, recipe, given, **how)
    return RemovalReport(index=name, documents=tuple(chosen), report=report)


def index_again(
    name: str,
    recipe: IndexProvenance,
    given: Given,
    *,
    retry: bool = False,
    **how: Unpack[How],
) -> IndexReport:
    """Index documents the way an index was made; its profile is kept unless the settings name another.

    Parameters
    ----------
    name : str
        Name of the index.
    recipe : IndexProvenance
        How it was made.
    given : Given
        The documents.
    **how : How
        Settings, engine and progress.
    retry : bool, default False
        Make failed calls of a language model again.

    Returns
    -------
    IndexReport

    """
    how["settings"] = with_profile(how["settings"], recipe)
    study = recipe.study.model_copy(update={"study": name})
    return index_corpus(study, Path(recipe.base), retry=retry, given=given, **how)


def added(corpus: Corpus, base: Path, recipe: IndexProvenance, current: Manifest, store: IndexStore) -> Given:
    """Return what an index holds with the documents of a corpus put in.

    Parameters
    ----------
    corpus : Corpus
        Its documents are put in.
    base : Path
        The folder its path starts from.
    recipe : IndexProvenance
        How the index was made.
    current : Manifest
        Of the published generation.
    store : IndexStore
        Where the index is.

    Returns
    -------
    Given
        New documents first; one with the id of another takes its place.

    Raises
    ------
    CorpusNotFoundError
        Where there is nothing to read, or the corpus lies in the folder of the index's own and is not among
        the files of that.

    """
    corpus, base, sources, inside = _chosen(corpus, base, recipe)
    print_ = corpus_fingerprint(sources, corpus)
    again = current.facts.get("update") == print_
    held = as_it_is(current, store)
    facts = {**held.facts, "update": print_}
    files = frozenset(source.relative for source in sources)
    new = partial(load_all, sources, corpus, base, partial=inside)
    edited = EDITED + fingerprint_of(current.corpus_fingerprint, print_)

    def documents() -> Iterator[Document | Failure]:
        ids = set()
        for found in new():
            if isinstance(found, Document):
                ids.add(found.id)
            yield found
        for kept in held.documents():
            again = kept.source in files or file_of(kept.source) in files
            if isinstance(kept, Document):
                if kept.id not in ids and not (inside and again):
                    yield kept
            elif not again:
                yield kept
        facts["removed"] = [ref for ref in removed_from(current) if ref["id"] not in ids]

    return replace(
        held,
        documents=documents,
        count=held.count + len(sources),
        fingerprint=current.corpus_fingerprint if again else edited,
        facts=facts,
    )


def without(chosen: Sequence[Ref], held: Sequence[Ref], current: Manifest, store: IndexStore) -> Given:
    """Return what an index holds but for some documents, and failures of the files that are left.

    Parameters
    ----------
    chosen : sequence of Ref
        Documents to leave out.
    held : sequence of Ref
        All documents of the index.
    current : Manifest
        Of the published generation.
    store : IndexStore
        Where the index is.

    Returns
    -------
    Given

    """
    gone = {ref["id"] for ref in chosen}
    files = _files(chosen) - _files([ref for ref in held if ref["id"] not in gone])
    there = as_it_is(current, store)

    def documents() -> Iterator[Document | Failure]:
        for kept in there.documents():
            if not (kept.id in gone if isinstance(kept, Document) else kept.source in files):
                yield kept

    earlier = [ref for ref in removed_from(current) if ref["id"] not in gone]
    removed = sorted([*earlier, *chosen], key=lambda ref: ref["id"])
    return replace(there, documents=documents, facts={"removed": removed}, due=True)


def _files(refs: Sequence[Ref]) -> set[str]:
    return {name for ref in refs for name in (ref["source"], file_of(ref["source"]))}


def as_it_is(current: Manifest, store: IndexStore) -> Given:
    """Return the documents that an index holds, and the files that could not be read.

    Parameters
    ----------
    current : Manifest
        Of the published generation.
    store : IndexStore
        Where the index is.

    Returns
    -------
    Given

    """
    facts: JsonDict = {key: current.facts[key] for key in ("removed", "update") if key in current.facts}
    return Given(
        documents=partial(_held, current, store),
        count=current.counts["documents"],
        fingerprint=current.corpus_fingerprint,
        facts=facts,
        after=current.serial,
    )


def _held(current: Manifest, store: IndexStore) -> Iterator[Document | Failure]:
    from corpusgraph.flows.store.writer import stored_documents

    yield from (failure for failure in read_ledger(store.folder(current.index)) if failure.stage == "load")
    yield from stored_documents(store.folder(current.index), current)


def _chosen(corpus: Corpus, base: Path, recipe: IndexProvenance) -> tuple[Corpus, Path, list[Source], bool]:
    """Return how and from where the files are read; whether they are below the folder the index is of."""
    there, root = corpus_root(corpus, base).resolve(), _root(recipe)
    bare = corpus.model_fields_set <= {"path"}
    if bare and root.is_dir() and there.is_relative_to(root):
        inside = recipe.study.corpus.model_copy(update={"path": str(root)})
        return inside, Path(recipe.base), _below(there, root, inside, Path(recipe.base)), True
    if bare:
        reading = {name: getattr(recipe.study.corpus, name) for name in READING}
        corpus = corpus.model_copy(update=reading)
    return corpus, base, scan(corpus, base), False


def _below(there: Path, root: Path, corpus: Corpus, base: Path) -> list[Source]:
    if there == root:
        return scan(corpus, base)
    relative = nfc(there.relative_to(root).as_posix())
    table = table_path(corpus, base)
    found = scan(corpus, base)
    chosen = [s for s in found if s.relative == relative or s.relative.startswith(f"{relative}/")]
    if not chosen:
        message = f"{shown(there)} is not among the files that the index is made of."
        raise CorpusNotFoundError(message, hint="Check `corpus.include` and `corpus.exclude` of its study.")
    return chosen + [s for s in found if table and same_file(s.path, table) and s not in chosen]


def _root(recipe: IndexProvenance) -> Path:
    return (Path(recipe.base) / Path(recipe.study.corpus.path).expanduser()).resolve()


def with_profile(settings: Settings, recipe: IndexProvenance) -> Settings:
    """Return the settings with the profile that the index was made with, unless they name one.

    Parameters
    ----------
    settings : Settings
        The settings of the run.
    recipe : IndexProvenance
        How the index was made.

    Returns
    -------
    Settings

    """
    return settings if settings.profile else settings.model_copy(update={"profile": recipe.profile})


def retry_failed(name: str, **how: Unpack[How]) -> IndexReport:
    """Repeat the calls that the ledger of an index says failed, and publish what they complete.

    The documents are those of the index; its corpus is not needed. The profile is the one it was made with,
    unless the settings name another, which then reads everything.

    Parameters
    ----------
    name : str
        Name of the index.
    **how : How
        Settings, engine and progress.

    Returns
    -------
    IndexReport

    Raises
    ------
    IndexNotFoundError
        Where there is no such index.

    """
    store = IndexStore(how["settings"].outputs)
    manifest = store.open(name).manifest
    recipe, given = read_provenance(manifest), as_it_is(manifest, store)
    return index_again(name, recipe, given, retry=True, **how)
