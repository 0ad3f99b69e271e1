"""Documents -> evidence -> graph -> communities -> vectors -> a published generation.

STAGES is the one list both engines run. What was extracted is cached by content: an unchanged document is
never extracted again, and a killed run loses only the work in flight. A run is given a whole corpus, or what
an index holds with some documents more or fewer. What was removed by hand is kept in the manifest, so that
indexing the corpus again leaves it out.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from corpusgraph.flows.annotate.offline import ReadingOptions, unparsed_warnings
from corpusgraph.flows.annotate.pipelines import STAGE as PARSED
from corpusgraph.flows.embed.embedders import STAGE as EMBEDDED
from corpusgraph.flows.embed.embedders import CachedEmbedder, make_embedder, once, told
from corpusgraph.flows.engine import Engine, rare_collection
from corpusgraph.flows.extraction import (
    CHUNKED,
    Cut,
    Done,
    Extracted,
    Job,
    batches,
    config_fingerprint,
    cut_batch,
    extract_batch,
    extract_batch_by_model,
    extraction_fingerprint,
    grouped,
    openie_file,
    parsing_of,
    read_extracted,
)
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.disk import remove_tree
from corpusgraph.flows.files.ledger import ledger_counts, read_ledger
from corpusgraph.flows.files.manifest import Manifest, forget_damaged_manifest, provenance_of
from corpusgraph.flows.language import RunModel, with_model
from corpusgraph.flows.load import Source, corpus_fingerprint, load_all, scan
from corpusgraph.flows.load.openie import OpenieExtractor
from corpusgraph.flows.memory import (
    FACT,
    Heard,
    Remembered,
    bring,
    changes_of,
    is_known,
    with_memory,
)
from corpusgraph.flows.store.late_vectors import add_graph
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.store.writer import GenerationWriter
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.errors import (
    CorpusNotFoundError,
    DuplicateDocumentError,
    EmbedderMismatchError,
    IndexLockedError,
    OutputError,
)
from corpusgraph.schemas.evidence import PUT_FORWARD, Evidence
from corpusgraph.schemas.graph import Community, CommunityReport
from corpusgraph.schemas.llm import StageUsage
from corpusgraph.schemas.ports import Embedder
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.run import IndexReport, StageReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study
from corpusgraph.tasks.build.communities import find_communities
from corpusgraph.tasks.build.derive import Derivation, Derived, Linked, settled
from corpusgraph.tasks.build.embedded import chunk_text
from corpusgraph.tasks.build.reliance import agreeing, relied_on
from corpusgraph.tasks.build.reports import write_reports
from corpusgraph.tasks.build.resolve import Decision, Resolved, resolve
from corpusgraph.tasks.build.survey import survey
from corpusgraph.tasks.text.languages import UNDETERMINED

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


EVIDENCE = ("documents", "chunks", *(table.name for table in fields(Linked)), "merges")
"""Tables that are complete once every document is linked."""


@dataclass
class IndexRun:
    """What the stages hand on to each other; each lets go of what no later one needs.

    Attributes
    ----------
    study : Study
        What is indexed, and how.
    base : Path
        The folder its paths start from.
    given : Given
        The documents.
    settings : Settings
        Of the run.
    engine : Engine
        Runs the stages.
    progress : Progress
        Shown as it goes.
    writer : GenerationWriter
        Of the new generation.
    cache : StageCache
        What was made of documents, by content.
    embedder : Embedder
        Makes the vectors.
    model : RunModel, optional
        The language model, where there is one.
    retry : bool, default False
        Whether failed calls of it are made again.
    heard : Heard, optional
    failures : list of Failure, optional
        For the ledger.
    reading : ReadingOptions, optional
        How texts are read offline.
    keys : dict of str to str, optional
        Id of a document -> key of what was extracted from it.
    job : Job, optional
        How documents are cut and extracted; set by the first stage.
    waiting : list of Cut, optional
    fresh : list of str, optional
        Keys of what is extracted in this run.
    languages : Counter of str, optional
    n_crashed : int, default 0
        Documents whose extraction ended in an error.
    parses : set of str, optional
    fresh_parses : list of str, optional
        Keys of the parses made in this run.
    warnings : tuple of ToolWarning, optional
        For the report.
    resolved : Resolved, optional
        Which names are one entity; until the graph is derived.
    supposed : list of JsonDict, optional
    derived : Derived, optional
        The graph of the corpus; until it is written.
    remembered : Remembered, optional
        The same with the memory laid over it.
    found : list of Community, optional
        The communities.
    reports : list of CommunityReport, optional
        Their reports.
    titles : dict of str to str, optional
        Id of a document -> title; kept where there is a language model.
    facts : JsonDict, optional

    """

    study: Study
    base: Path
    given: Given
    settings: Settings
    engine: Engine
    progress: Progress
    writer: GenerationWriter
    cache: StageCache
    embedder: Embedder
    model: RunModel | None = None
    retry: bool = False
    heard: Heard = field(default_factory=Heard)
    """What was added by hand: communities know of it, the tables hold the corpus alone."""
    failures: list[Failure] = field(default_factory=list)
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    keys: dict[str, str] = field(default_factory=dict)
    job: Job | None = None
    waiting: list[Cut] = field(default_factory=list)
    """Documents that are cut and not extracted yet."""
    fresh: list[str] = field(default_factory=list)
    languages: Counter[str] = field(default_factory=Counter)
    """How many documents are in each language; "und" where it is not known."""
    n_crashed: int = 0
    parses: set[str] = field(default_factory=set)
    """Keys of the parses of the documents that are there."""
    fresh_parses: list[str] = field(default_factory=list)
    warnings: tuple[ToolWarning, ...] = ()
    resolved: Resolved | None = None
    supposed: list[JsonDict] = field(default_factory=list)
    """Rows of assertions supposed or asked: written once it is known which relationships there are."""
    derived: Derived | None = None
    remembered: Remembered | None = None
    found: list[Community] = field(default_factory=list)
    reports: list[CommunityReport] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    facts: JsonDict = field(default_factory=dict)
    """What the manifest says besides the counts; complete before publishing."""

    @property
    def usage(self) -> tuple[StageUsage, ...]:
        """What the language model was asked so far, stage by stage."""
        return tuple(self.model.client.usage) if self.model is not None else ()

    def extracted(self) -> Iterator[Extracted]:
        """Read what was extracted, document by document in order of id.

        Yields
        ------
        Extracted
            A document each.

        Raises
        ------
        OutputError
            Where the cache has lost one.

        """
        for document_id in sorted(self.keys):
            found = read_extracted(self.cache, self.keys[document_id])
            if found is None:
                raise OutputError(
                    f"What was extracted from {document_id} is gone from the cache.", hint="Run again."
                )
            yield found

    @cached_property
    def _agreed(self) -> frozenset[str]:
        """Ids of doubtful assertions that are sure together, once all is extracted."""
        return agreeing((item.evidence for item in self.extracted()), self.study.index.min_confidence)

    def _relied_on(self) -> Iterator[Extracted]:
        """Read what a graph takes of what was extracted."""
        least = self.study.index.min_confidence
        for item in self.extracted():
            yield item.model_copy(update={"evidence": relied_on(item.evidence, least, self._agreed)})

    def resolve(self) -> str:
        """Decide which names are one entity.

        Returns
        -------
        str
            How many merges there are, for people.

        """
        model, rules, decided = self.model, self.study.index.resolution, tuple[Decision, ...]()
        decides = model is not None and model.options.resolution and rules.enabled
        closed = model is not None and model.is_closed
        gathered = survey(self._read_once(), contexts=decides, closed=closed)
        if model is not None and decides:
            from corpusgraph.tasks.build.llm.same import decide, same_pairs

            told, failures = decide(model.client, same_pairs(gathered, rules), model.options)
            decided = tuple(told)
            self.failures += failures
        self.resolved = resolve(gathered, rules, decided)
        self.writer.add("merges", self.resolved.merges)
        for warning in self.resolved.warnings:
            item = ", ".join(warning.records) or warning.code
            ledger = {"source": "", "stage": "resolve", "code": warning.code, "message": warning.message}
            self.failures.append(Failure(**ledger, item=item))
        return f"{len(self.resolved.merges):,} merges"

    def _read_once(self) -> Iterator[tuple[Document, Evidence]]:
        """Read what was extracted, and put what of it failed or was left out into the ledger."""
        for item in self._relied_on():
            self.failures += item.failures
            yield item.document, item.evidence

    def aggregate(self) -> str:
        """Link the evidence to entities, document by document, and sum it up to a graph.

        Returns
        -------
        str
            How many entities and relationships there are, for people.

        """
        assert self.resolved is not None  # noqa: S101 - the stages run in order
        options = self.study.index
        most = options.llm.description_tokens
        derivation = Derivation(self.resolved, options.min_confidence, description_tokens=most)
        for group in grouped(self._relied_on(), self.settings.batch_documents):
            self._write_linked(derivation, group)
        self.resolved = None
        self.derived = derivation.finish()
        self.writer.add("assertions", settled(self.supposed, self.derived))
        self.supposed = []
        self.writer.finish(*EVIDENCE)
        if (model := self.model) is not None:
            from corpusgraph.tasks.build.llm.describe import describe

            # one description of those of an item that are too many
            told = describe(model.client, self.derived, model.options, hint=model.prompts.summary)
            self.derived, failures = told
            self.failures += failures
        return f"{len(self.derived.entities):,} entities, {len(self.derived.relationships):,} relationships"

    def _write_linked(self, derivation: Derivation, group: Sequence[Extracted]) -> None:
        linked = [derivation.link(item.document, item.chunks, item.evidence) for item in group]
        self.heard.hear(linked)
        self.languages.update(item.document.language or UNDETERMINED for item in group)
        add = self.writer.add
        add("documents", [item.document for item in group])
        chunks = [
            chunk
            for item, one in zip(group, linked, strict=True)
            for chunk in with_contents(item.chunks, one)
        ]
        titles = {item.document.id: item.document.title for item in group}
        if self.model is not None:
            self.titles |= titles
        texts = [chunk_text(titles[chunk.source_doc], chunk.content) for chunk in chunks]
        add("chunks", chunks, self.embedder.embed(texts))
        add("mentions", [row for one in linked for row in one.mentions])
        asserted = [row for one in linked for row in one.assertions]
        add("assertions", [row for row in asserted if row["modality"] in PUT_FORWARD])
        self.supposed += [row for row in asserted if row["modality"] not in PUT_FORWARD]
        if self.study.index.claims:
            add("claims", [row for one in linked for row in one.claims])
            add("arguments", [row for one in linked for row in one.arguments])
        add("events", [row for one in linked for row in one.events])
        add("incidence", [row for one in linked for row in one.incidence])

    def communities(self) -> str:
        """Find the communities of the graph, with its memory laid over it.

        Returns
        -------
        str
            How many there are, for people.

        """
        assert self.derived is not None  # noqa: S101 - the stages run in order
        graph = self.remembered = with_memory(self.derived, self.heard)
        self.found = find_communities(graph.entities, graph.relationships, self.study.index.communities)
        return f"{len(self.found):,} communities"

    def write_reports(self) -> str:
        """Write the communities' reports: by the language model, or from their best sentences.

        Returns
        -------
        str
            How many there are, for people.

        """
        assert self.remembered is not None  # noqa: S101 - the stages run in order
        graph, model = self.remembered, self.model
        given = (self.found, graph.entities, graph.relationships, graph.passages)
        if model is None or not model.options.reports:
            self.reports = write_reports(*given)
            return f"{len(self.reports):,} reports"
        from corpusgraph.tasks.build.llm.report import ReportPrompts, with_reports, write_model_reports

        titles = self.titles | dict(graph.titles)
        prompts = ReportPrompts(*given, model.options, hint=model.prompts.report, titles=titles)
        self.reports, failures = write_model_reports(model.client, prompts)
        self.found = with_reports(self.found, self.reports)
        self.failures += failures
        written = sum(report.method != "extractive" for report in self.reports)
        return f"{len(self.reports):,} reports, {written:,} written by {model.client.name}"

    def embed(self) -> str:
        """Write entities, relationships, communities and reports, embedded unless that waits for a search.

        Returns
        -------
        str
            How many items were written, and by which embedder, for people.

        """
        assert self.derived is not None  # noqa: S101 - the stages run in order
        entities, relationships = self.derived.entities, self.derived.relationships
        add_graph(self.writer, self.embedder, entities, relationships, self.found, self.reports)
        self.writer.add("failures", self.failures)
        n_items = len(entities) + len(relationships) + len(self.reports)
        self.derived, self.remembered, self.found, self.reports = None, None, [], []
        return f"{n_items:,} items by {self.embedder.name}"


def with_contents(chunks: Sequence[Chunk], linked: Linked) -> list[Chunk]:
    """Tell each chunk its entities, in text order, and the relationships stated in it.

    Parameters
    ----------
    chunks : sequence of Chunk
        Of one document.
    linked : Linked
        Its evidence, linked to entities.

    Returns
    -------
    list of Chunk
        In the same order.

    """
    entities: dict[str, list[str]] = defaultdict(list)
    for row in sorted(linked.incidence, key=lambda row: (row["first_start"], row["entity_id"])):
        entities[row["chunk_id"]].append(row["entity_id"])
    relationships: dict[str, dict[str, None]] = defaultdict(dict)
    for row in linked.assertions:
        if row["relationship_id"] and row["modality"] in PUT_FORWARD:
            relationships[row["chunk_id"]][row["relationship_id"]] = None
    return [
        chunk.model_copy(
            update={"entities": tuple(entities[chunk.id]), "relationships": tuple(relationships[chunk.id])}
        )
        for chunk in chunks
    ]


def refuse_other_embedder(current: Manifest, name: str) -> None:
    """Raise when the index has another embedder: vectors of two embedders cannot be compared.

    Parameters
    ----------
    current : Manifest
        Of the published generation.
    name : str
        Name of the embedder asked for.

    Raises
    ------
    EmbedderMismatchError
        Where it is another one.

    """
    if current.embedder is not None and current.embedder.name != name:
        raise EmbedderMismatchError(
            f"Index {current.index!r} was made with the embedder {current.embedder.name}, not {name}.",
            hint="Give the study another name, or build the index anew with --rebuild.",
        )


def up_to_date(current: Manifest, store: IndexStore, engine: Engine) -> IndexReport:
    """Return the report of a run that had nothing to do.

    Parameters
    ----------
    current : Manifest
        Of the published generation.
    store : IndexStore
        Where the index is.
    engine : Engine
        Named in the report.

    Returns
    -------
    IndexReport
        All documents count as reused.

    """
    return _report(
        current,
        store,
        engine,
        up_to_date=True,
        n_reused=current.counts.get("documents", 0),
        warnings=current.facts.get("warnings", ()),
        **ledger_counts(read_ledger(store.folder(current.index))),
    )


def _report(manifest: Manifest, store: IndexStore, engine: Engine, **more: Any) -> IndexReport:
    return IndexReport(
        index=manifest.index,
        generation=manifest.generation,
        engine=engine.name,
        path=str(store.folder(manifest.index)),
        counts=manifest.counts,
        languages=manifest.languages,
        **more,
    )


def index_corpus(
    study: Study,
    base: Path,
    *,
    settings: Settings,
    engine: Engine,
    progress: Progress,
    rebuild: bool = False,
    retry: bool = False,
    given: Given | None = None,
) -> IndexReport:
    """Bring the study's index up to date and return what was done; `base` is the study file's folder.

    `given` are the documents, unless they are the study's corpus. With `retry`, calls of a language model
    that failed are made again. BudgetExhaustedError and ModelUnavailableError leave the published generation
    as it is, and the next run goes on from there.

    Parameters
    ----------
    study : Study
        What is indexed, and how.
    base : Path
        The folder its paths start from.
    settings : Settings
        Where indexes are, and how a run is made.
    engine : Engine
        Runs the stages.
    progress : Progress
        Shown as it goes.
    rebuild : bool, default False
        Make the index even where nothing changed.
    retry : bool, default False
        Make failed calls of a language model again.
    given : Given, optional
        The documents, unless they are the study's corpus.

    Returns
    -------
    IndexReport
        Counts, failures, usage and seconds by stage; `up_to_date` where there was nothing to do.

    Raises
    ------
    CorpusNotFoundError
        Where there is nothing to read.
    DuplicateDocumentError
        Where two documents have one id.
    EmbedderMismatchError
        Where the index has vectors of another embedder and is not rebuilt.
    BudgetExhaustedError, ModelUnavailableError
        Where the language model cannot go on.

    """
    settled, model = with_model(study, base, settings)
    store = IndexStore(settings.outputs)
    folder = store.folder(study.study)
    with model.client if model is not None else nullcontext():
        config = config_fingerprint(settled.index, base, model)
        embedder = make_embedder(settled.index)
        if rebuild:
            forget_damaged_manifest(folder)
        current = store.manifest(study.study)
        given = given or whole_corpus(settled, base, current, rebuild=rebuild)
        changes = changes_of(settled, base, folder)
        if current is not None and not rebuild:
            refuse_other_embedder(current, embedder.name)
            made_of = current.corpus_fingerprint, current.config_fingerprint
            is_current = made_of == (given.fingerprint, config) and is_known(len(changes), current)
            # where the program failed at a document each run tries it anew
            again = any(failure.is_crash or (retry and failure.retry) for failure in read_ledger(folder))
            if is_current and not (given.due or again):
                return up_to_date(current, store, engine).model_copy(update={"notes": given.notes})
        made_by = {
            "recipe": provenance_of(study, base, settings),
            "corpus_fingerprint": given.fingerprint,
            "config_fingerprint": config,
            "embedder": told(embedder),
        }
        heard, cache = Heard(changes), StageCache(folder / "cache")
        was_there = folder.exists()
        with store.write(study.study) as writer, rare_collection():
            given.check(writer.serial)
            bring(settled, base, writer.folder)
            run = IndexRun(
                settled,
                base,
                given,
                settings,
                engine,
                progress,
                writer,
                cache,
                once(embedder, cache),
                model,
                retry,
                heard,
                reading=ReadingOptions.of(settled.index, base),
            )
            stages = _run(run, made_by, was_there=was_there)
    return _report(
        store.published(study.study),
        store,
        engine,
        up_to_date=False,
        n_extracted=len(run.fresh) - run.n_crashed,
        n_reused=len(run.keys) - len(run.fresh),
        **ledger_counts(run.failures),
        usage=run.usage,
        notes=given.notes,
        warnings=run.warnings,
        stages=tuple(stages),
    )


def _run(run: IndexRun, made_by: JsonDict, *, was_there: bool) -> list[StageReport]:
    """Run all stages and publish; `made_by` are the manifest's facts that are known before."""
    *works, publishing = STAGES
    with nothing_left(run, was_there=was_there):
        stages = [run_stage(run, name, work) for name, work in works]
    run.facts = {
        FACT: len(run.heard.changes),
        "languages": dict(sorted(run.languages.items(), key=lambda item: (-item[1], item[0]))),
        "usage": [stage.model_dump() for stage in run.usage],
        "reading": run.reading.model_dump(mode="json", exclude_defaults=True),
        "warnings": [warning.model_dump(mode="json") for warning in run.warnings],
        **run.given.facts,
        **made_by,
        "timings": {stage.stage: stage.seconds for stage in stages},
    }
    return [*stages, run_stage(run, *publishing)]


@contextmanager
def nothing_left(run: IndexRun, *, was_there: bool) -> Iterator[None]:
    """Leave outputs as they were when the corpus turns out to be bad input after work has begun.

    Parameters
    ----------
    run : IndexRun
        The run.
    was_there : bool
        Whether the index had a folder before.

    Yields
    ------
    None

    """
    try:
        yield
    except (CorpusNotFoundError, DuplicateDocumentError):
        for key in run.fresh:
            run.cache.remove(CHUNKED, key)
            run.cache.remove("extract", key)
        for key in run.fresh_parses:
            run.cache.remove(PARSED, key)
        if not was_there:
            remove_tree(run.writer.folder)
        raise


def run_stage(run: IndexRun, name: str, work: Callable[[IndexRun], str]) -> StageReport:
    """Run one stage, show how it gets on, and time it.

    Parameters
    ----------
    run : IndexRun
        The run.
    name : str
        Name of the stage.
    work : callable
        Does it, and returns a note for people.

    Returns
    -------
    StageReport
        With the time in seconds.

    """
    began = time.perf_counter()
    totals = {"chunk": run.given.count, "extract": len(run.waiting)}
    run.progress.start(name, totals.get(name))
    with run.model.client.stage(name) if run.model is not None else nullcontext():
        note = work(run)
    run.progress.finish(name, note)
    if run.model is not None:
        run.model.go_on()
    return StageReport(stage=name, seconds=round(time.perf_counter() - began, 3), note=note)


def chunk(run: IndexRun) -> str:
    """Load the documents and cut those into chunks whose evidence is not cached, batch by batch.

    Parameters
    ----------
    run : IndexRun
        The run; `job`, `keys`, `waiting` and `fresh` are set.

    Returns
    -------
    str
        How many chunks and documents there are, for people.

    """
    by_model = run.model is not None and run.model.extracts
    by_rules = run.study.index.openie is None and not by_model
    run.job = Job(
        cache=run.cache.folder,
        chunking=run.study.index.chunking,
        fingerprint=extraction_fingerprint(run.study.index, run.base, run.model),
        reading=run.reading,
        openie=openie_file(run.study.index, run.base),
        evidence=run.settings.evidence,
        parsing=parsing_of(run.reading) if by_rules else None,
        retry=run.retry and by_model,
    )
    unparsed: Counter[str] = Counter()
    given: set[str] = set()
    n_chunks = 0
    groups = batches(run.given.documents(), run.settings.batch_documents, run.failures)
    for cuts in run.engine.map("chunk", partial(cut_batch, run.job), groups, threads=1):
        for cut in cuts:
            run.keys[cut.document_id] = cut.key
            given.add(cut.given_id)
            run.parses.add(cut.parse)
            run.n_crashed += cut.state == "crashed"
            n_chunks += cut.n_chunks
            if cut.unparsed:
                unparsed[cut.unparsed] += 1
            if cut.state == "waits":
                run.waiting.append(cut)
            if cut.state != "cached":
                run.fresh.append(cut.key)
                run.fresh_parses.append(cut.parse)
        run.progress.advance("chunk", len(cuts))
    run.failures.sort(key=lambda failure: failure.source)  # whatever order files were read in
    if run.job.openie is not None:
        run.failures += OpenieExtractor(run.job.openie).failures(given)
    run.warnings = unparsed_warnings(run.reading, unparsed)
    return f"{n_chunks:,} chunks of {len(run.fresh):,} documents; {len(run.keys):,} documents in all"


def extract(run: IndexRun) -> str:
    """Extract the evidence in the documents that wait for it, batch by batch.

    Parameters
    ----------
    run : IndexRun
        The run, after `chunk`.

    Returns
    -------
    str
        How many documents were extracted or reused, for people.

    """
    assert run.job is not None  # noqa: S101 - the stages run in order
    work: Callable[[Sequence[Cut]], list[Done]] = partial(extract_batch, run.job)
    threads = 0
    if run.model is not None and run.model.extracts:
        work = partial(extract_batch_by_model, run.job, run.model)
        # as many batches as keep the endpoint busy while one of them waits for its last chunks
        concurrency = run.model.client.profile.limits.concurrency
        threads = 2 + concurrency // run.settings.batch_documents
    groups = grouped(run.waiting, run.settings.batch_documents)
    extracted: set[str] = set()
    for batch in run.engine.map("extract", work, groups, threads=threads):
        for done in batch:
            run.keys[done.document_id] = done.key
            run.n_crashed += done.crashed
            extracted.add(done.document_id)
        run.progress.advance("extract", len(batch))
    # What a language model was not asked any more is not extracted: the run stops after this stage.
    left = {cut.key for cut in run.waiting if cut.document_id not in extracted}
    run.fresh = [key for key in run.fresh if key not in left]
    run.waiting = []
    crashed = f", {run.n_crashed} without evidence after an error" if run.n_crashed else ""
    n_reused = len(run.keys) - len(left) - len(run.fresh)
    return f"{len(run.fresh) - run.n_crashed} extracted, {n_reused} reused{crashed}"


def publish(run: IndexRun) -> str:
    """Make the new generation the published one, and forget what was extracted from documents now gone.

    Parameters
    ----------
    run : IndexRun
        The run, with its facts complete.

    Returns
    -------
    str
        The generation and its counts, for people.

    """
    manifest = run.writer.publish(run.facts)
    remove_tree(run.cache.folder / CHUNKED)
    run.cache.sweep("extract", set(run.keys.values()))
    run.cache.sweep(PARSED, run.parses)
    if isinstance(run.embedder, CachedEmbedder):
        run.cache.sweep(EMBEDDED, run.embedder.used)
    counts = ", ".join(f"{count:,} {kind}" for kind, count in manifest.counts.items() if count)
    return f"generation {manifest.generation}: {counts}"


def in_engine(name: str, work: Callable[[IndexRun], str]) -> tuple[str, Callable[[IndexRun], str]]:
    """Make a stage that is one piece of work for the engine.

    Parameters
    ----------
    name : str
        Name of the stage.
    work : callable
        Does it, and returns a note for people.

    Returns
    -------
    (str, callable)
        An item of `STAGES`.

    """
    return name, lambda run: run.engine.run(name, partial(work, run))


STAGES: tuple[tuple[str, Callable[[IndexRun], str]], ...] = (
    ("chunk", chunk),
    ("extract", extract),
    in_engine("resolve", IndexRun.resolve),
    in_engine("aggregate", IndexRun.aggregate),
    in_engine("communities", IndexRun.communities),
    in_engine("reports", IndexRun.write_reports),
    in_engine("embed", IndexRun.embed),
    in_engine("publish", publish),
)
"""Name and work of each stage, in order; chunk and extract are a task a batch, the others one each."""
