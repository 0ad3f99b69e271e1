"""Documents -> evidence -> graph -> communities -> vectors -> a published generation.

STAGES is the one list both engines run. What was extracted is cached by content: an unchanged document is
never extracted again, and a killed run loses only the work in flight.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

from corpusgraph.flows.annotate.offline import ReadingOptions, unparsed_warnings
from corpusgraph.flows.annotate.pipelines import STAGE as PARSED
from corpusgraph.flows.current import is_current, refuse_other_embedder, up_to_date
from corpusgraph.flows.engine import Engine
from corpusgraph.flows.extraction import (
    Job,
    batches,
    config_fingerprint,
    extract_batch,
    extraction_fingerprint,
    openie_file,
    parsing_of,
)
from corpusgraph.flows.extraction_model import ModelJob, extract_batch_by_model
from corpusgraph.flows.given import Given, whole_corpus
from corpusgraph.flows.indexrun import IndexRun
from corpusgraph.flows.memory import rare_collection
from corpusgraph.flows.models import RunModel, with_model
from corpusgraph.flows.plan import Indexing, Plan
from corpusgraph.flows.recipe import recipe_of
from corpusgraph.flows.remembering import FACT, Heard, bring, changes_of, number_of_changes
from corpusgraph.flows.resources.cache import StageCache
from corpusgraph.flows.resources.damaged import forget_damaged_manifest
from corpusgraph.flows.resources.disk import remove_tree
from corpusgraph.flows.resources.embedders import STAGE as EMBEDDED
from corpusgraph.flows.resources.embedders import CachedEmbedder, make_embedder, once, told
from corpusgraph.flows.resources.ledger import ledger_counts, to_retry, to_try_again
from corpusgraph.flows.resources.openie import OpenieExtractor
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusNotFoundError, DuplicateDocumentError
from corpusgraph.schemas.run import IndexReport, StageReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study


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
    """
    settled, model = with_model(study, base, settings)
    with model.client if model is not None else nullcontext():
        recipe = recipe_of(study, base, settings)
        how = Indexing(settings, engine, progress, rebuild, retry, recipe, given)
        return _index(settled, base, model, how)


def _index(study: Study, base: Path, model: RunModel | None, how: Indexing) -> IndexReport:
    settings, engine = how.settings, how.engine
    store = IndexStore(settings.outputs)
    config = config_fingerprint(study.index, base, model)
    embedder = make_embedder(study.index)
    if how.rebuild:
        forget_damaged_manifest(store.folder(study.study))
    current = store.manifest(study.study)
    given = how.given or whole_corpus(study, base, current, rebuild=how.rebuild)
    folder = store.folder(study.study)
    changes = number_of_changes(study, base, folder)
    if current is not None and not how.rebuild:
        refuse_other_embedder(current, embedder.name)
        again = given.due or (how.retry and to_retry(folder)) or to_try_again(folder)
        if not again and is_current(current, given.fingerprint, config, changes):
            return up_to_date(current, store, engine).model_copy(update={"notes": given.notes})
    plan = Plan(study, base, model, how, given, changes_of(study, base, folder), embedder, config)
    run, stages = _run(store, plan)
    manifest = store.published(study.study)
    return IndexReport(
        index=study.study,
        generation=manifest.generation,
        up_to_date=False,
        engine=engine.name,
        path=str(folder),
        counts=dict(manifest.counts),
        languages=manifest.languages,
        n_extracted=len(run.fresh) - run.n_crashed,
        n_reused=len(run.keys) - len(run.fresh),
        **ledger_counts(run.failures),
        usage=model.client.usage if model is not None else (),
        notes=given.notes,
        warnings=run.warnings,
        stages=tuple(stages),
    )


def _run(store: IndexStore, plan: Plan) -> tuple[IndexRun, list[StageReport]]:
    """Run all stages and publish."""
    study, model, how, given, changes = plan.study, plan.model, plan.how, plan.given, plan.changes
    settings, engine, config, embedder = how.settings, how.engine, plan.config, plan.embedder
    was_there = store.folder(study.study).exists()
    with store.write(study.study) as writer, rare_collection():
        given.check(writer.serial)
        bring(study, plan.base, writer.folder)
        cache = StageCache(store.folder(study.study) / "cache")
        embedding = once(embedder, cache)
        run = IndexRun(
            study,
            plan.base,
            given,
            settings,
            engine,
            how.progress,
            writer,
            cache,
            embedding,
            model,
            how.retry,
            Heard(changes),
            reading=ReadingOptions.of(study.index, plan.base),
        )
        with nothing_left(run, was_there=was_there):
            stages = [run_stage(run, name, work) for name, work in STAGES]
        usage = model.client.usage if model is not None else ()
        facts = {
            FACT: len(changes),
            "languages": dict(sorted(run.languages.items(), key=lambda item: (-item[1], item[0]))),
            "usage": [stage.model_dump() for stage in usage],
            "recipe": how.recipe,
            "reading": run.reading.model_dump(mode="json", exclude_defaults=True),
            "warnings": [warning.model_dump(mode="json") for warning in run.warnings],
            **given.facts,
            "corpus_fingerprint": given.fingerprint,
            "config_fingerprint": config,
            "embedder": told(embedder),
            "timings": {stage.stage: stage.seconds for stage in stages},
        }
        stages.append(run_stage(run, "publish", partial(publish, facts=facts)))
    return run, stages


@contextmanager
def nothing_left(run: IndexRun, *, was_there: bool) -> Iterator[None]:
    """Leave outputs as they were when the corpus turns out to be bad input after work has begun."""
    try:
        yield
    except (CorpusNotFoundError, DuplicateDocumentError):
        for key in run.fresh:
            run.cache.remove("extract", key)
        for key in run.fresh_parses:
            run.cache.remove(PARSED, key)
        if not was_there:
            remove_tree(run.writer.folder)
        raise


def run_stage(run: IndexRun, name: str, work: Callable[[IndexRun], str]) -> StageReport:
    """Run one stage and time it."""
    began = time.perf_counter()
    with run.model.client.stage(name) if run.model is not None else nullcontext():
        note = work(run)
    if run.model is not None:
        run.model.go_on()
    return StageReport(stage=name, seconds=round(time.perf_counter() - began, 3), note=note)


def extract(run: IndexRun) -> str:
    """Load and cut the documents, and extract those whose evidence is not cached, batch by batch."""
    by_rules = run.study.index.openie is None and not (run.model is not None and run.model.extracts)
    job = Job(
        cache=run.cache.folder,
        chunking=run.study.index.chunking,
        fingerprint=extraction_fingerprint(run.study.index, run.base, run.model),
        reading=run.reading,
        openie=openie_file(run.study.index, run.base),
        evidence=run.settings.evidence,
        parsing=parsing_of(run.reading) if by_rules else None,
    )
    work, threads = partial(extract_batch, job), 0
    if run.model is not None and run.model.extracts:
        asked = ModelJob(job, run.model, run.retry)
        work, threads = partial(extract_batch_by_model, asked), batches_at_once(run)
    given: set[str] = set()
    unparsed: Counter[str] = Counter()
    groups = batches(run.given.documents(), run.settings.batch_documents, run.failures)
    run.progress.start("extract", run.given.count)
    for done in run.engine.map("extract", work, groups, threads=threads):
        for item in done:
            run.keys[item.document_id] = item.key
            given.add(item.given_id)
            run.n_crashed += item.crashed
            run.parses.add(item.parse)
            if item.unparsed:
                unparsed[item.unparsed] += 1
            if not item.cached:
                run.fresh.append(item.key)
                run.fresh_parses.append(item.parse)
        run.progress.advance("extract", len(done))
    run.failures.sort(key=lambda failure: failure.source)  # whatever order files were read in
    if job.openie is not None:
        run.failures += OpenieExtractor(job.openie).failures(given)
    run.warnings = unparsed_warnings(run.reading, unparsed)
    run.progress.finish("extract", f"{len(run.keys)} documents")
    crashed = f", {run.n_crashed} without evidence after an error" if run.n_crashed else ""
    extracted, reused = len(run.fresh) - run.n_crashed, len(run.keys) - len(run.fresh)
    return f"{extracted} extracted, {reused} reused{crashed}"


def batches_at_once(run: IndexRun) -> int:
    """Return how many batches keep the endpoint busy while one of them waits for its last chunks."""
    concurrency = run.model.client.profile.limits.concurrency if run.model is not None else 1
    return 2 + concurrency // run.settings.batch_documents


def publish(run: IndexRun, facts: JsonDict) -> str:
    """Make the new generation the published one, and forget what was extracted from documents now gone."""
    manifest = run.writer.publish(facts)
    run.cache.sweep("extract", set(run.keys.values()))
    run.cache.sweep(PARSED, run.parses)
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
    in_engine("describe", IndexRun.describe),
    in_engine("communities", IndexRun.communities),
    in_engine("reports", IndexRun.write_reports),
    in_engine("embed", IndexRun.embed),
)
"""Name and work of each stage, in order; publishing follows them."""
