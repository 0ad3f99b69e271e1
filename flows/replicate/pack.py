"""`corpusgraph replicate STUDY`: a study, what it reads, and what it gives, in one archive that reruns."""

import json
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from corpusgraph.flows.engine import Inline
from corpusgraph.flows.files.yaml_file import is_path, own_file
from corpusgraph.flows.llm.client import FOLDER
from corpusgraph.flows.load import scan
from corpusgraph.flows.load.sources import corpus_root, same_file, table_path
from corpusgraph.flows.replicate.bag import (
    DATA,
    close_bag,
    environment,
    files_below,
    requirements,
    sha256,
    wheel,
    write_zip,
)
from corpusgraph.flows.replicate.evidence import pack_evidence
from corpusgraph.flows.store.bundle_folder import written_files
from corpusgraph.flows.store.journal import FILE as JOURNAL
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.study import run_study
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import IndexNotFoundError
from corpusgraph.schemas.run import Difference, Replication, ReplicationReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study

CORPUS = "corpus"
STUDY_FILE = "study.yml"


@dataclass(frozen=True)
class Staged:
    """What was copied of a study into the folder of an archive.

    Attributes
    ----------
    study : Study
        With paths inside the folder.
    corpus : tuple of str
        Relative paths of the files of its corpus.
    notes : tuple of str
        What to know, a sentence each.

    """

    study: Study
    corpus: tuple[str, ...]
    notes: tuple[str, ...]


class Staging:
    """Copies what a study names; each copy is named in the study in place of the original.

    Parameters
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    settings : Settings
        Where its outputs are, and the profile of a language model.
    folder : Path
        Where the copies go.

    """

    def __init__(self, study: Study, base: Path, settings: Settings, folder: Path) -> None:
        self._study = study
        self._base = base
        self._settings = settings
        self._folder = folder
        self._notes: list[str] = []

    def make(self) -> Staged:
        """Copy everything and write the study file.

        Returns
        -------
        Staged

        """
        corpus, files = self._corpus()
        study = self._study.model_copy(
            update={
                "corpus": corpus,
                "profile": self._profile(),
                "memory": self._memory(),
                "index": self._study.index.model_copy(update=self._index()),
                "questions": tuple(
                    one.model_copy(update={"method": self._own("methods", one.method, self._base)})
                    for one in self._study.questions
                ),
            }
        )
        # as the YAML that a person would have written: what is not set is left out
        told = study.model_dump(mode="json", exclude_unset=True, exclude_none=True)
        text = yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=100)
        (self._folder / STUDY_FILE).write_text(text, encoding="utf-8", newline="\n")
        return Staged(study, tuple(files), tuple(self._notes))

    def _corpus(self) -> tuple[object, list[str]]:
        """Copy the files that are read; those that cannot be are noted, as they are in the ledger."""
        options = self._study.corpus
        root, table = corpus_root(options, self._base), table_path(options, self._base)
        files, update = [], {"path": CORPUS}
        if root.is_file():
            update["path"] = f"{CORPUS}/{root.name}"
        for source in scan(options, self._base):
            if source.problem is not None:
                self._notes.append(f"{source.relative} is not packed: {source.problem}.")
                continue
            inside = root.is_file() or source.path.is_relative_to(root)
            relative = f"{CORPUS}/{source.relative}"
            if table is not None and same_file(source.path, table) and not inside:
                relative = f"metadata/{table.name}"
            if table is not None and options.metadata and same_file(source.path, table):
                update["metadata"] = relative
            self._copy(source.path, relative)
            files.append(relative)
        return options.model_copy(update=update), files

    def _index(self) -> JsonDict:
        index = self._study.index
        changed: JsonDict = {}
        if index.openie is not None:
            changed["openie"] = self._copied(self._base / Path(index.openie).expanduser(), "findings")
        if index.patterns is not None:
            changed["patterns"] = self._copied(own_file(index.patterns, self._base), "patterns")
        if isinstance(index.annotator, dict):
            changed["annotator"] = {
                language: self._pipeline(language, name) for language, name in index.annotator.items()
            }
        prompts = self._own("prompts", index.llm.prompts, self._base)
        if prompts != index.llm.prompts:
            changed["llm"] = index.llm.model_copy(update={"prompts": prompts})
        if index.model is not None:
            self._notes.append(f"The embedder's model {index.model!r} is not packed: it has to be there.")
        return changed

    def _pipeline(self, language: str, name: str) -> str:
        """Copy the folder of a pipeline; an installed one keeps its name."""
        folder = own_file(name, self._base)
        if not folder.is_dir():
            self._notes.append(f"The pipeline {name!r} is not packed: it has to be installed.")
            return name
        relative = f"pipelines/{language}"
        shutil.copytree(folder, self._folder / relative, dirs_exist_ok=True)
        return relative

    def _memory(self) -> str | None:
        """Pack what was added by hand: the index's own journal, or else the file that the study names."""
        own = self._settings.outputs / self._study.study / JOURNAL
        if own.exists():
            return self._copied(own, "memory")
        given = self._study.memory
        return self._copied(self._base / Path(given).expanduser(), "memory") if given else None

    def _profile(self) -> str | None:
        """Pack the profile the run used; keys are in the environment, never in a profile."""
        if self._settings.profile is not None:
            return self._own("profiles", self._settings.profile, Path())
        return self._own("profiles", self._study.profile, self._base) if self._study.profile else None

    def _own(self, kind: str, name: str, base: Path) -> str:
        """Copy a file of the user's own; what comes with the package keeps its name."""
        return self._copied(own_file(name, base), kind) if is_path(name) else name

    def _copied(self, path: Path, kind: str) -> str:
        relative, n = f"{kind}/{path.name}", 1
        while (there := self._folder / relative).exists() and there.read_bytes() != path.read_bytes():
            n += 1
            relative = f"{kind}/{path.stem}_{n}{path.suffix}"
        self._copy(path, relative)
        return relative

    def _copy(self, path: Path, relative: str) -> None:
        target = self._folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def readme(told: Replication, wheel: str) -> str:
    """Return the page that explains an archive, as Markdown.

    Parameters
    ----------
    told : Replication
        What was packed, and where.
    wheel : str
        Name of the wheel.

    Returns
    -------
    str

    """
    title = told.title or told.study
    corpus = (
        "the corpus is in `study/corpus`"
        if told.corpus_included
        else "the corpus is not packed: `replication.json` lists its files with their SHA-256"
    )
    replies = (
        f"`replies/` holds the {told.replies:,} replies of the language model that the run used: no model is"
        " asked, no key is needed.\n\n"
        if told.replies
        else ""
    )
    given = "" if told.corpus_included else " --corpus FOLDER"
    return f"""# {title}

The study `{told.study}` with all it reads and all it gives. Whoever runs it again gets the same bytes: the
{len(told.results)} files listed under `results` in `replication.json`.

## Run it again

In this folder, with Python {told.environment["python"]}:

```
python -m venv ../venv
../venv/bin/pip install -r code/requirements.txt code/{wheel}
../venv/bin/corpusgraph replicate --check ..{given}
```

The last line runs the study in a folder of its own, compares every file, and says which differ. To only
run it: `../venv/bin/corpusgraph run study/study.yml --engine inline`.

What was found in the texts (names, relations, claims, events) is taken from `evidence.jsonl.gz`, a line for
each document: a parser may read a sentence otherwise on another processor. `--check .. --from-texts` reads
the texts anew, and counts what is found otherwise and how many results differ for it.

## What is here

- `study/study.yml` is the study; {corpus}. Methods, prompts and profiles of its own are beside it.
- `results/datasets` holds the bundles for R, Stata, SPSS, Python and the other programs,
  `results/answers.json` the answers to its questions. The tables of the graph are in `replication.json` by
  their hashes.
- `code/` holds the program that ran, as a wheel, and the versions of all libraries.
- `replication.json` says what was packed, and where: {told.environment["implementation"]}
  {told.environment["python"]}, {told.environment["platform"]}.

{replies}The folder above is a BagIt bag (RFC 8493): `sha256sum -c manifest-sha256.txt` there tells whether a
file was changed.
"""


FOLDERS = ("datasets", "output")
ANSWERS = "answers.json"


def run_replayed(
    study: Study,
    base: Path,
    outputs: Path,
    replies: Path,
    *,
    settings: Settings,
    progress: Progress,
    evidence: Path | None = None,
) -> StudyReport:
    """Run a study into an empty folder with stored replies alone.

    Parameters
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    outputs : Path
        The empty folder.
    replies : Path
        Folder of the language model's replies.
    settings : Settings
        How many workers; nothing else of it counts.
    progress : Progress
        Hears how the stages get on.
    evidence : Path, optional
        Folder of what was found in the texts before; without it they are read.

    Returns
    -------
    StudyReport

    """
    replay = Settings(outputs=outputs, workers=settings.workers, replay=replies, evidence=evidence)
    return run_study(study, base, settings=replay, engine=Inline(settings.workers), progress=progress)


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
    found = {
        f"{part}/{name}": path
        for part in FOLDERS
        if (folder / part).is_dir()
        for name, path in files_below(folder / part)
    }
    if (folder / ANSWERS).is_file():
        found[ANSWERS] = folder / ANSWERS
    return dict(sorted(found.items()))


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
    told = []
    for name in sorted({*expected, *found}):
        if name not in found:
            told.append(Difference(file=name, what="missing"))
        elif name not in expected:
            told.append(Difference(file=name, what="unexpected"))
        elif sha256(found[name]) != expected[name]:
            before = kept / name if kept is not None else None
            at = _place(before, found[name]) if before is not None and before.is_file() else ""
            told.append(Difference(file=name, what="changed", at=at))
    return told


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


ARCHIVE = "replication.zip"
STAGED, REPLIES, RESULTS, CODE = "study", "replies", "results", "code"
TOLD = "replication.json"
EVIDENCE = "evidence.jsonl.gz"
CACHE = "cache"
DATASETS = "datasets"
PACKED = (f"{DATASETS}/", "answers.json")
"""Results that are in the archive as files; the graph's tables are there by their hashes."""


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

    Raises
    ------
    IndexNotFoundError
        For a study with a language model that was never run: its replies are missing.

    """
    from corpusgraph.flows.studies import load_study

    began = time.perf_counter()
    study, base = load_study(given, corpus)
    archive = to or settings.outputs / study.study / ARCHIVE
    with tempfile.TemporaryDirectory(prefix="corpusgraph-") as temporary:
        bag, work = Path(temporary) / "bag", Path(temporary) / "outputs"
        data = bag / DATA
        (data / STAGED).mkdir(parents=True)
        staged = Staging(study, base, settings, data / STAGED).make()
        if not isinstance(given, Study):
            shutil.copyfile(given, data / "study_as_given.yml")
        if staged.study.profile is not None and IndexStore(settings.outputs).manifest(study.study) is None:
            raise IndexNotFoundError(
                f"Study {study.study!r} was never run, and its language model's replies have to be packed.",
                hint="Run it first: `corpusgraph run STUDY`.",
            )
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
    # the replies that the run took, and no others
    replies = list(files_below(work / FOLDER)) if (work / FOLDER).is_dir() else []
    for name, path in replies:
        _copy(path, data / REPLIES / name)
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
        replies=len(replies),
        evidence=pack_evidence(work / staged.study.study / CACHE, data / EVIDENCE),
        results={name: sha256(path) for name, path in made.items()},
        environment=environment(),
    )
    name, content = wheel()
    (data / CODE).mkdir()
    (data / CODE / name).write_bytes(content)
    (data / CODE / "requirements.txt").write_bytes(requirements().encode())
    (data / "README.md").write_bytes(readme(told, name).encode())
    text = json.dumps(told.model_dump(mode="json"), ensure_ascii=False, indent=1)
    (data / TOLD).write_bytes(text.encode() + b"\n")
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


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def _notes(report: StudyReport) -> list[str]:
    failed = report.index.n_failures
    notes = [f"{failed} items of the corpus could not be used; the ledger names them."] if failed else []
    if missing := sum(stage.failed for stage in report.index.usage):
        notes.append(
            f"{missing} prompts have no stored reply: they failed, or the study was not run as it is."
        )
    told = [f"Dataset {one.name} was not made: {one.error.message}" for one in report.datasets if one.error]
    return [*notes, *told]
