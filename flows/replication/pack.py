"""`corpusgraph replicate STUDY`: a study, what it reads, and what it gives, in one archive that reruns."""

import json
import shutil
import tempfile
import time
from pathlib import Path

from corpusgraph.flows.replication.bag import DATA, close_bag, files_below, sha256, write_zip
from corpusgraph.flows.replication.environment import environment, requirements, wheel
from corpusgraph.flows.replication.evidence import pack_evidence
from corpusgraph.flows.replication.readme import readme
from corpusgraph.flows.replication.results import differences, hashes, results_of, run_replayed
from corpusgraph.flows.replication.staging import CORPUS, STUDY_FILE, Staged, Staging
from corpusgraph.flows.resources.bundlefolder import written_files
from corpusgraph.flows.resources.llm.cache import FOLDER
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.schemas.errors import IndexNotFoundError
from corpusgraph.schemas.replication import Difference, Replication, ReplicationReport
from corpusgraph.schemas.run import StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study

ARCHIVE = "replication.zip"
STAGED, REPLIES, RESULTS, CODE = "study", "replies", "results", "code"
TOLD = "replication.json"
EVIDENCE = "evidence.jsonl.gz"
CACHE = "cache"
DATASETS = "datasets"
PACKED = (f"{DATASETS}/", "answers.json")
"""Results that are in the archive as files; the graph's tables are there by their hashes."""


def pack(
    study: Study,
    base: Path,
    *,
    settings: Settings,
    progress: Progress,
    to: Path | None = None,
    study_file: Path | None = None,
    with_corpus: bool = True,
) -> ReplicationReport:
    """Write the archive, `outputs/STUDY/replication.zip` unless told otherwise, and say what is in it.

    The study is run from nothing but what is packed, without any call of a language model: the results in
    the archive are those of that run. Where the study's outputs have other datasets, they are named.
    Raises IndexNotFoundError for a study with a language model that was never run: its replies are missing.
    """
    began = time.perf_counter()
    archive = to or settings.outputs / study.study / ARCHIVE
    with tempfile.TemporaryDirectory(prefix="corpusgraph-") as temporary:
        bag, work = Path(temporary) / "bag", Path(temporary) / "outputs"
        data = bag / DATA
        (data / STAGED).mkdir(parents=True)
        staged = Staging(study, base, settings, data / STAGED).make()
        if study_file is not None:
            shutil.copyfile(study_file, data / "study_as_given.yml")
        if staged.study.profile is not None:
            _require_run(study, settings)
        stored = settings.outputs / FOLDER
        report = run_replayed(staged.study, data / STAGED, work, stored, settings=settings, progress=progress)
        told = _fill(data, work, staged, report, with_corpus=with_corpus)
        close_bag(bag, study.title or study.study)
        write_zip(bag, study.study, archive)
    return ReplicationReport(
        study=study.study,
        archive=str(archive),
        done="packed",
        same=True,
        n_results=len(told.results),
        n_documents=report.index.counts.get("documents", 0),
        n_replies=told.replies,
        bytes=archive.stat().st_size,
        differences=tuple(_other_datasets(settings, told)),
        notes=(*staged.notes, *_notes(report)),
        seconds=round(time.perf_counter() - began, 3),
    )


def _fill(data: Path, work: Path, staged: Staged, report: StudyReport, *, with_corpus: bool) -> Replication:
    """Put results, replies, code and what the archive says of itself beside the study."""
    made = results_of(work, staged.study.study)
    for name, path in made.items():
        if name.startswith(PACKED):
            _copy(path, data / RESULTS / name)
    corpus = {name: sha256(data / STAGED / name) for name in staged.corpus if name.startswith(f"{CORPUS}/")}
    if not with_corpus:
        for name in corpus:
            (data / STAGED / name).unlink()
    told = Replication(
        study=staged.study.study,
        title=staged.study.title,
        study_file=f"{STAGED}/{STUDY_FILE}",
        generation=report.index.generation,
        corpus=corpus,
        corpus_included=with_corpus,
        replies=_keep_replies(work / FOLDER, data / REPLIES),
        evidence=pack_evidence(work / staged.study.study / CACHE, data / EVIDENCE),
        results=hashes(made),
        environment=environment(),
    )
    _write_rest(data, told)
    return told


def _other_datasets(settings: Settings, told: Replication) -> list[Difference]:
    """Compare with the datasets that the study's outputs hold, where there are any."""
    mark = f"{DATASETS}/"
    expected = {name: digest for name, digest in told.results.items() if name.startswith(mark)}
    published = results_of(settings.outputs, told.study)
    home = IndexStore(settings.outputs).folder(told.study) / DATASETS
    ours = {f"{mark}{path.name}/{name}" for path in home.glob("*") for name in written_files(path)}
    found = {name: path for name, path in published.items() if name in ours or name in expected}
    found = {name: path for name, path in found.items() if name.startswith(mark)}
    return differences(expected, found) if found else []


def _require_run(study: Study, settings: Settings) -> None:
    if IndexStore(settings.outputs).manifest(study.study) is None:
        raise IndexNotFoundError(
            f"Study {study.study!r} was never run, and its language model's replies have to be packed.",
            hint="Run it first: `corpusgraph run STUDY`.",
        )


def _keep_replies(found: Path, folder: Path) -> int:
    """Keep the replies that the run took, and no others."""
    files = list(files_below(found)) if found.is_dir() else []
    for name, path in files:
        _copy(path, folder / name)
    return len(files)


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def _write_rest(data: Path, told: Replication) -> None:
    """Write what the archive says of itself, and the code that made it."""
    name, content = wheel()
    (data / CODE).mkdir()
    (data / CODE / name).write_bytes(content)
    (data / CODE / "requirements.txt").write_bytes(requirements().encode())
    (data / "README.md").write_bytes(readme(told, name).encode())
    text = json.dumps(told.model_dump(mode="json"), ensure_ascii=False, indent=1)
    (data / TOLD).write_bytes(text.encode() + b"\n")


def _notes(report: StudyReport) -> list[str]:
    failed = report.index.n_failures
    notes = [f"{failed} items of the corpus could not be used; the ledger names them."] if failed else []
    if missing := sum(stage.failed for stage in report.index.usage):
        notes.append(
            f"{missing} prompts have no stored reply: they failed, or the study was not run as it is."
        )
    told = [f"Dataset {one.name} was not made: {one.error.message}" for one in report.datasets if one.error]
    return [*notes, *told]
