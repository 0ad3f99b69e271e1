"""`corpusgraph replicate`: pack a study with what it reads and gives, so that it reruns to the same bytes."""

import json
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from corpusgraph.flows.engine import Inline
from corpusgraph.flows.llm.client import FOLDER
from corpusgraph.flows.replicate.bag import (
    DATA,
    close_bag,
    environment,
    files_below,
    open_bag,
    requirements,
    sha256,
    wheel,
    write_zip,
)
from corpusgraph.flows.replicate.evidence import compare_evidence, pack_evidence, unpack_evidence
from corpusgraph.flows.replicate.staging import CORPUS, STUDY_FILE, Staging, copy, readme
from corpusgraph.flows.store.bundle_folder import written_files
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.studies import load_study, read_study
from corpusgraph.flows.study import run_study
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusNotFoundError, IndexNotFoundError, InvalidInputError, shown
from corpusgraph.schemas.run import Difference, Replication, ReplicationReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study

ARCHIVE = "replication.zip"
STAGED, REPLIES, RESULTS, CODE, CACHE, DATASETS = "study", "replies", "results", "code", "cache", "datasets"
TOLD, EVIDENCE, ANSWERS = "replication.json", "evidence.jsonl.gz", "answers.json"
FOLDERS = (DATASETS, "output")
PACKED = (f"{DATASETS}/", ANSWERS)
"""Results that are in the archive as files; the graph's tables are there by their hashes."""


def results_of(outputs: Path, study: str) -> dict[str, Path]:
    """Return relative name -> path of a study's results, in order of name.

    Parameters
    ----------
    outputs : Path
        Folder of all indexes.
    study : str
        Name of the study.

    Returns
    -------
    dict of str to Path
        Datasets, tables of the graph, and answers.

    """
    folder = IndexStore(outputs).folder(study)
    results = {f"{part}/{name}": path for part in FOLDERS for name, path in files_below(folder / part)}
    if (folder / ANSWERS).is_file():
        results[ANSWERS] = folder / ANSWERS
    return dict(sorted(results.items()))


def differences(
    expected: Mapping[str, str], found: Mapping[str, Path], kept: Path | None = None
) -> list[Difference]:
    """Compare hashes with files; where the expected file lies below `kept`, say where the two differ.

    Parameters
    ----------
    expected : mapping of str to str
        Relative name -> SHA-256.
    found : mapping of str to Path
        Relative name -> file.
    kept : Path, optional
        Folder of the expected files, as far as there are any.

    Returns
    -------
    list of Difference
        In order of name.

    """
    differ = []
    for name in sorted({*expected, *found}):
        if name not in found:
            differ.append(Difference(file=name, what="missing"))
        elif name not in expected:
            differ.append(Difference(file=name, what="unexpected"))
        elif sha256(found[name]) != expected[name]:
            has_before = kept is not None and (kept / name).is_file()
            at = _place(kept / name, found[name]) if kept is not None and has_before else ""
            differ.append(Difference(file=name, what="changed", at=at))
    return differ


def _place(before: Path, after: Path) -> str:
    """Say where two files first differ: the line of a text, the byte of another file."""
    one, other = before.read_bytes(), after.read_bytes()
    short = min(len(one), len(other))
    same = next((at for at in range(short) if one[at] != other[at]), short)
    try:
        lines = [data.decode().splitlines() for data in (one, other)]
    except UnicodeDecodeError:
        return f"byte {same}"
    number = one.count(b"\n", 0, same)
    told = [f"{found[number][:80]!r}" if number < len(found) else "nothing" for found in lines]
    return f"line {number + 1}: {told[1]} instead of {told[0]}"


def pack(
    given: str | Path | Study,
    *,
    settings: Settings,
    progress: Progress,
    to: Path | None = None,
    corpus: Path | None = None,
    with_corpus: bool = True,
) -> ReplicationReport:
    """Write the archive of a study, and say what is in it.

    The study is run from nothing but what is packed, without any call of a language model: the results in the
    archive are those of that run. Where the study's outputs have other datasets, they are named.

    Parameters
    ----------
    given : str, Path or Study
        A study file or a study.
    settings : Settings
        Where its outputs are.
    progress : Progress
        Hears how the stages get on.
    to : Path, optional
        The archive; `outputs/STUDY/replication.zip` unless given.
    corpus : Path, optional
        Documents, in place of the study's own.
    with_corpus : bool
        Pack the documents too.

    Returns
    -------
    ReplicationReport
        The archive, its files and hashes, and what differs from the study's outputs.

    Raises
    ------
    IndexNotFoundError
        For a study with a language model that was never run: its replies are missing.

    """
    began = time.perf_counter()
    study, base = load_study(given, corpus)
    archive = to or settings.outputs / study.study / ARCHIVE
    with tempfile.TemporaryDirectory(prefix="corpusgraph-") as temporary:
        bag, work = Path(temporary) / "bag", Path(temporary) / "outputs"
        data = bag / DATA
        (data / STAGED).mkdir(parents=True)
        staging = Staging(study, base, settings, data / STAGED)
        staged = staging.make()
        if not isinstance(given, Study):
            shutil.copyfile(given, data / "study_as_given.yml")
        if staged.profile is not None and IndexStore(settings.outputs).manifest(study.study) is None:
            raise IndexNotFoundError(
                f"Study {study.study!r} was never run, and its language model's replies have to be packed.",
                hint="Run it first: `corpusgraph run STUDY`.",
            )
        replay = Settings(outputs=work, workers=settings.workers, replay=settings.outputs / FOLDER)
        report = _run(staged, data / STAGED, replay, progress)
        told = _fill(data, work, staged, staging.corpus, report, with_corpus=with_corpus)
        close_bag(bag, study.title or study.study)
        write_zip(bag, study.study, archive)
    differ, notes = tuple(_other_datasets(settings, told)), (*staging.notes, *_notes(report))
    facts = {"done": "packed", "same": True, "differences": differ, "notes": notes}
    return _report(archive, told, report, began, **facts)


def _run(study: Study, base: Path, replay: Settings, progress: Progress) -> StudyReport:
    """Run a study into an empty folder; nothing is asked of a language model: its replies are stored ones."""
    return run_study(study, base, settings=replay, engine=Inline(replay.workers), progress=progress)


def _report(
    archive: Path, told: Replication, report: StudyReport, began: float, **facts: Any
) -> ReplicationReport:
    return ReplicationReport(
        study=told.study,
        archive=str(archive),
        n_results=len(told.results),
        n_documents=report.index.counts.get("documents", 0),
        n_replies=told.replies,
        bytes=archive.stat().st_size if archive.is_file() else 0,
        seconds=round(time.perf_counter() - began, 3),
        **facts,
    )


def _fill(
    data: Path, work: Path, study: Study, files: list[str], report: StudyReport, *, with_corpus: bool
) -> Replication:
    """Put results, replies, code and what the archive says of itself beside the study."""
    results = results_of(work, study.study)
    for name, path in results.items():
        if name.startswith(PACKED):
            copy(path, data / RESULTS / name)
    replies = list(files_below(work / FOLDER))  # those that the run took, and no others
    for name, path in replies:
        copy(path, data / REPLIES / name)
    corpus = {name: sha256(data / STAGED / name) for name in files if name.startswith(f"{CORPUS}/")}
    for name in () if with_corpus else corpus:
        (data / STAGED / name).unlink()
    told = Replication(
        study=study.study,
        title=study.title,
        study_file=f"{STAGED}/{STUDY_FILE}",
        generation=report.index.generation,
        corpus=corpus,
        corpus_included=with_corpus,
        replies=len(replies),
        evidence=pack_evidence(work / study.study / CACHE, data / EVIDENCE),
        results={name: sha256(path) for name, path in results.items()},
        environment=environment(),
    )
    program, content = wheel()
    text = json.dumps(told.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    (data / CODE).mkdir()
    (data / CODE / program).write_bytes(content)
    (data / CODE / "requirements.txt").write_bytes(requirements().encode())
    (data / "README.md").write_bytes(readme(told, program).encode())
    (data / TOLD).write_bytes(text.encode())
    return told


def _other_datasets(settings: Settings, told: Replication) -> list[Difference]:
    """Compare with the datasets that the study's outputs hold, where there are any."""
    mark = f"{DATASETS}/"
    expected = {name: digest for name, digest in told.results.items() if name.startswith(mark)}
    home = IndexStore(settings.outputs).folder(told.study) / DATASETS
    ours = {f"{mark}{path.name}/{name}" for path in home.glob("*") for name in written_files(path)}
    published = {f"{mark}{name}": path for name, path in files_below(home)}
    found = {name: path for name, path in published.items() if name in ours or name in expected}
    return differences(expected, found) if found else []


def _notes(report: StudyReport) -> list[str]:
    failed = report.index.n_failures
    notes = [f"{failed} items of the corpus could not be used; the ledger names them."] if failed else []
    if missing := sum(stage.failed for stage in report.index.usage):
        notes.append(
            f"{missing} prompts have no stored reply: they failed, or the study was not run as it is."
        )
    told = [f"Dataset {one.name} was not made: {one.error.message}" for one in report.datasets if one.error]
    return [*notes, *told]


def check(
    archive: Path,
    *,
    settings: Settings,
    progress: Progress,
    corpus: Path | None = None,
    from_texts: bool = False,
) -> ReplicationReport:
    """Run an archive from nothing and compare its results; nothing is written beside the archive.

    Parameters
    ----------
    archive : Path
        A ZIP file, or the folder it was unpacked to.
    settings : Settings
        How many workers.
    progress : Progress
        Hears how the stages get on.
    corpus : Path, optional
        Folder of the documents where they are not packed.
    from_texts : bool
        Read the texts anew, and count what differs, in place of taking what was found in them from the
        archive.

    Returns
    -------
    ReplicationReport
        With every file that differs, and what differs between the machines.

    Raises
    ------
    InvalidInputError
        For what is no archive or was changed.
    CorpusNotFoundError
        For a document that is missing or another.

    """
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="corpusgraph-") as temporary:
        place = Path(temporary)
        data = bag = open_bag(archive, place / "bag") / DATA
        try:
            told = Replication.model_validate_json((data / TOLD).read_bytes())
        except (OSError, ValidationError):
            raise InvalidInputError(f"{shown(archive)} does not say what it holds: {TOLD}.") from None
        if not told.corpus_included:
            data = _with_corpus(data, place / "whole", told, corpus)
        study, work, evidence = read_study(data / told.study_file), place / "outputs", None
        if told.evidence and not from_texts:
            evidence = place / "evidence"
            unpack_evidence(bag / EVIDENCE, evidence)
        elif from_texts and not (bag / EVIDENCE).is_file():
            raise InvalidInputError(
                "The archive does not hold what was found in its texts, to compare with.",
                hint="Check it without --from-texts: its texts are read in any case.",
            )
        replay = Settings(outputs=work, workers=settings.workers, replay=data / REPLIES, evidence=evidence)
        report = _run(study, (data / told.study_file).parent, replay, progress)
        changes = compare_evidence(bag / EVIDENCE, work / told.study / CACHE) if from_texts else ()
        differ = differences(told.results, results_of(work, told.study), data / RESULTS)
    facts = {"done": "checked", "same": not differ, "differences": tuple(differ), "from_texts": from_texts}
    others = tuple(_other(told.environment, environment()))
    return _report(archive, told, report, began, evidence=tuple(changes), environment=others, **facts)


def _with_corpus(data: Path, folder: Path, told: Replication, corpus: Path | None) -> Path:
    """Return a copy of the archive's study with the documents in their places, each checked."""
    if corpus is None:
        raise CorpusNotFoundError("The archive was packed without its corpus.", hint="Give it with --corpus.")
    shutil.copytree(data, folder)
    for name, digest in told.corpus.items():
        path = corpus / name.partition("/")[2]
        if not path.is_file():
            raise CorpusNotFoundError(f"{shown(path)} is missing; the study was made with it.")
        if sha256(path) != digest:
            raise CorpusNotFoundError(f"{shown(path)} is not the file that the study was made with.")
        copy(path, folder / STAGED / name)
    return folder


def _other(packed: JsonDict, here: JsonDict) -> list[str]:
    """Say what differs between where it was packed and here."""
    names = ("python", "implementation", "platform")
    before, now = packed.get("libraries", {}), here["libraries"]
    pairs = [(name, packed.get(name), here[name]) for name in names]
    pairs += [(name, before.get(name, "none"), now.get(name, "none")) for name in sorted({*before, *now})]
    return [f"{name}: {there} there, {this} here" for name, there, this in pairs if there != this]
