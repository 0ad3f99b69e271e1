"""`corpusgraph replicate --check ARCHIVE`: run a packed study again and compare every byte."""

import shutil
import tempfile
import time
from pathlib import Path

from pydantic import ValidationError

from corpusgraph.flows.replicate.bag import DATA, environment, open_bag, sha256
from corpusgraph.flows.replicate.evidence import compare_evidence, unpack_evidence
from corpusgraph.flows.replicate.pack import (
    CACHE,
    EVIDENCE,
    REPLIES,
    RESULTS,
    STAGED,
    TOLD,
    differences,
    results_of,
    run_replayed,
)
from corpusgraph.flows.study_file import read_study
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusNotFoundError, InvalidInputError, shown
from corpusgraph.schemas.run import Replication, ReplicationReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress


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
        data = bag = open_bag(archive, Path(temporary) / "bag") / DATA
        told = _told(data, archive)
        if not told.corpus_included:
            data = _with_corpus(data, Path(temporary) / "whole", told, corpus)
        study = read_study(data / told.study_file)
        work = Path(temporary) / "outputs"
        base = (data / told.study_file).parent
        carried = _carried(bag, Path(temporary) / "evidence", told, from_texts=from_texts)
        report = run_replayed(
            study, base, work, data / REPLIES, settings=settings, progress=progress, evidence=carried
        )
        changes = compare_evidence(bag / EVIDENCE, work / told.study / CACHE) if from_texts else ()
        found = results_of(work, told.study)
        differ = differences(told.results, found, data / RESULTS)
    return ReplicationReport(
        study=told.study,
        archive=str(archive),
        done="checked",
        same=not differ,
        n_results=len(told.results),
        n_documents=report.index.counts.get("documents", 0),
        n_replies=told.replies,
        bytes=archive.stat().st_size if archive.is_file() else 0,
        differences=tuple(differ),
        from_texts=from_texts,
        evidence=tuple(changes),
        environment=tuple(_other(told.environment, environment())),
        seconds=round(time.perf_counter() - began, 3),
    )


def _told(data: Path, archive: Path) -> Replication:
    path = data / TOLD
    try:
        return Replication.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise InvalidInputError(f"{shown(archive)} does not say what it holds: {TOLD}.") from None


def _carried(data: Path, folder: Path, told: Replication, *, from_texts: bool) -> Path | None:
    """Unpack what was found in the texts, unless they are to be read anew."""
    if told.evidence and not from_texts:
        unpack_evidence(data / EVIDENCE, folder)
        return folder
    if from_texts and not (data / EVIDENCE).is_file():
        raise InvalidInputError(
            "The archive does not hold what was found in its texts, to compare with.",
            hint="Check it without --from-texts: its texts are read in any case.",
        )
    return None


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
        target = folder / STAGED / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return folder


def _other(packed: JsonDict, here: JsonDict) -> list[str]:
    """Say what differs between where it was packed and here."""
    told = [
        f"{name}: {packed.get(name)} there, {here[name]} here"
        for name in ("python", "implementation", "platform")
        if packed.get(name) != here[name]
    ]
    before, now = packed.get("libraries", {}), here["libraries"]
    return told + [
        f"{name}: {before.get(name, 'none')} there, {now.get(name, 'none')} here"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]
