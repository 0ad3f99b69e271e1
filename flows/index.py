"""Documents -> evidence -> graph -> communities -> vectors -> a published generation.

STAGES is the one list both engines run. What was extracted is cached by content: an unchanged document is
never extracted again, and a killed run loses only the work in flight.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from corpusgraph.flows.engine import Engine
from corpusgraph.flows.extraction import (
    Job,
    batches,
    config_fingerprint,
    extract_batch,
    extraction_fingerprint,
    openie_file,
)
from corpusgraph.flows.indexrun import IndexRun
from corpusgraph.flows.memory import rare_collection
from corpusgraph.flows.resources.cache import StageCache
from corpusgraph.flows.resources.disk import remove_tree
from corpusgraph.flows.resources.embedders import STAGE as EMBEDDED
from corpusgraph.flows.resources.embedders import CachedEmbedder, make_embedder, once, told
from corpusgraph.flows.resources.ledger import read_ledger
from corpusgraph.flows.resources.loaders import corpus_fingerprint, load_all, scan
from corpusgraph.flows.resources.manifest import Manifest
from corpusgraph.flows.resources.openie import OpenieExtractor
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusNotFoundError, DuplicateDocumentError, EmbedderMismatchError
from corpusgraph.schemas.ports import Progress
from corpusgraph.schemas.run import IndexReport, StageReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Study


def index_corpus(
    study: Study, base: Path, *, settings: Settings, engine: Engine, progress: Progress, rebuild: bool = False
) -> IndexReport:
    """Bring the study's index up to date and return what was done; `base` is the study file's folder."""
    store = IndexStore(settings.outputs)
    sources = scan(study.corpus, base)
    corpus = corpus_fingerprint(sources, study.corpus)
    config = config_fingerprint(study.index, base)
    embedder = make_embedder(study.index)
    current = store.manifest(study.study)
    if current is not None and not rebuild:
        refuse_other_embedder(current, embedder.name)
        if (current.corpus_fingerprint, current.config_fingerprint) == (corpus, config):
            return up_to_date(current, store, engine)
    was_there = store.folder(study.study).exists()
    with store.write(study.study) as writer, rare_collection():
        cache = StageCache(store.folder(study.study) / "cache")
        embedding = once(embedder, cache)
        run = IndexRun(study, base, sources, settings, engine, progress, writer, cache, embedding)
        with nothing_left(run, was_there=was_there):
            stages = [run_stage(run, name, work) for name, work in STAGES]
        facts = {
            "corpus_fingerprint": corpus,
            "config_fingerprint": config,
            "embedder": told(embedder),
            "timings": {stage.stage: stage.seconds for stage in stages},
        }
        stages.append(run_stage(run, "publish", partial(publish, facts=facts)))
    manifest = store.open(study.study).manifest
    return IndexReport(
        index=study.study,
        generation=manifest.generation,
        up_to_date=False,
        engine=engine.name,
        path=str(store.folder(study.study)),
        counts=dict(manifest.counts),
        n_extracted=len(run.fresh),
        n_reused=len(run.keys) - len(run.fresh),
        n_failures=len(run.failures),
        failures=tuple(run.failures[:20]),
        stages=tuple(stages),
    )


@contextmanager
def nothing_left(run: IndexRun, *, was_there: bool) -> Iterator[None]:
    """Leave outputs as they were when the corpus turns out to be bad input after work has begun."""
    try:
        yield
    except (CorpusNotFoundError, DuplicateDocumentError):
        for key in run.fresh:
            run.cache.remove("extract", key)
        if not was_there:
            remove_tree(run.writer.folder)
        raise


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
        n_reused=current.counts.get("documents", 0),
        n_failures=current.failures,
        failures=tuple(read_ledger(store.folder(current.index))[:20]),
    )


def run_stage(run: IndexRun, name: str, work: Callable[[IndexRun], str]) -> StageReport:
    """Run one stage and time it."""
    began = time.perf_counter()
    note = work(run)
    return StageReport(stage=name, seconds=round(time.perf_counter() - began, 3), note=note)


def extract(run: IndexRun) -> str:
    """Load and cut the documents, and extract those whose evidence is not cached, batch by batch."""
    job = Job(
        cache=run.cache.folder,
        chunking=run.study.index.chunking,
        fingerprint=extraction_fingerprint(run.study.index, run.base),
        openie=openie_file(run.study.index, run.base),
    )
    given: set[str] = set()
    documents = load_all(run.sources, run.study.corpus, run.base)
    groups = batches(documents, run.settings.batch_documents, run.failures)
    run.progress.start("extract", len(run.sources))
    for done in run.engine.map("extract", partial(extract_batch, job), groups):
        for item in done:
            run.keys[item.document_id] = item.key
            given.add(item.given_id)
            if not item.cached:
                run.fresh.append(item.key)
        run.progress.advance("extract", len(done))
    if job.openie is not None:
        run.failures += OpenieExtractor(job.openie).failures(given)
    run.progress.finish("extract", f"{len(run.keys)} documents")
    return f"{len(run.fresh)} extracted, {len(run.keys) - len(run.fresh)} reused"


def publish(run: IndexRun, facts: JsonDict) -> str:
    """Make the new generation the published one, and forget what was extracted from documents now gone."""
    manifest = run.writer.publish(facts)
    run.cache.sweep("extract", set(run.keys.values()))
    if isinstance(run.embedder, CachedEmbedder):
        run.cache.sweep(EMBEDDED, run.embedder.used)
    return manifest.generation


def in_engine(name: str, work: Callable[[IndexRun], str]) -> tuple[str, Callable[[IndexRun], str]]:
    """Make a stage that is one piece of work for the engine."""

    def stage(run: IndexRun) -> str:
        run.progress.start(name, None)
        note = run.engine.run(name, partial(work, run))
        run.progress.finish(name, note)
        return note

    return name, stage


STAGES: tuple[tuple[str, Callable[[IndexRun], str]], ...] = (
    ("extract", extract),
    in_engine("resolve", IndexRun.resolve),
    in_engine("derive", IndexRun.derive),
    in_engine("communities", IndexRun.communities),
    in_engine("embed", IndexRun.embed),
)
"""Name and work of each stage, in order; publishing follows them."""
