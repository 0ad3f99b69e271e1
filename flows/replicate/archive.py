"""`corpusgraph replicate`: pack a study with what it reads and gives, so that it reruns to the same bytes.

What was found in the texts is carried along. A parser of language decides by sums of many numbers, and where
two readings are nearly as good, the last digits tell: another processor may read a text otherwise. A rerun
therefore takes the evidence as it was found; the texts can be read anew to see what differs.

The archive is a BagIt bag (RFC 8493) in a ZIP file, which libraries and data archives can verify. Its bytes
depend on what is in it alone: files are in order of name, and nothing is dated.
"""

import base64
import gzip
import hashlib
import io
import json
import platform
import shutil
import tempfile
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from corpusgraph.flows.engine import Inline
from corpusgraph.flows.extraction import STAGE, Carried, Extracted, carried_key, parse_extracted
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.files.disk import guarded, replacing
from corpusgraph.flows.files.yaml_file import is_path, own_file
from corpusgraph.flows.llm.client import FOLDER
from corpusgraph.flows.load import scan
from corpusgraph.flows.load.sources import corpus_root, same_file, table_path
from corpusgraph.flows.store.bundle_folder import written_files
from corpusgraph.flows.store.journal import FILE as JOURNAL
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.flows.studies import load_study, read_study
from corpusgraph.flows.study import run_study
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import CorpusNotFoundError, IndexNotFoundError, InvalidInputError, shown
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.schemas.run import Difference, EvidenceChange, Replication, ReplicationReport, StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study

PACKAGE = "corpusgraph"
WHEEL = b"Wheel-Version: 1.0\nGenerator: corpusgraph\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive, the earliest that ZIP knows: archives do not depend on the clock."""


def environment() -> JsonDict:
    """Return Python, platform, and the version of every library that is installed for this package.

    Returns
    -------
    dict
        python, implementation, platform, and libraries: name -> version.

    """
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.machine()}",
        "libraries": dict(sorted(libraries().items())),
    }


@cache
def libraries() -> dict[str, str]:
    """Return name -> version of this package and of all that it needs, directly or not, as installed.

    Returns
    -------
    dict of str to str
        In order of name; extras that are not installed are left out.

    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, str] = {}
    waiting = [(PACKAGE, frozenset[str]())]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            told = distribution(name).metadata
        except PackageNotFoundError:
            continue
        found[canonicalize_name(told["Name"])] = told["Version"]
        for text in told.get_all("Requires-Dist") or ():
            need = Requirement(text)
            if need.marker is None or any(need.marker.evaluate({"extra": e}) for e in (*extras, "")):
                waiting.append((canonicalize_name(need.name), frozenset(need.extras)))
    return found


def requirements() -> str:
    """Return the libraries as a file for `pip install -r`; this package is beside it as a wheel.

    Returns
    -------
    str
        A line for each library.

    """
    return "".join(f"{name}=={number}\n" for name, number in sorted(libraries().items()) if name != PACKAGE)


@cache
def wheel() -> tuple[str, bytes]:
    """Return the name and the bytes of a wheel (PEP 427) of this package as it runs here.

    It is made of the files that are imported, so it holds what ran, released or not.

    Returns
    -------
    tuple of str and bytes
        The same files give the same bytes.

    """
    made = distribution(PACKAGE)
    info = f"{PACKAGE}-{made.version}.dist-info"
    # an editable install calls its metadata otherwise
    metadata = made.read_text("METADATA") or made.read_text("PKG-INFO") or ""
    files = {
        **dict(_sources(resources.files(PACKAGE), PACKAGE)),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/entry_points.txt": (made.read_text("entry_points.txt") or "").encode(),
        f"{info}/WHEEL": WHEEL,
    }
    lines = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in sorted(files.items())]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            archive.writestr(member(name), data)
    return f"{PACKAGE}-{made.version}-py3-none-any.whl", out.getvalue()


def member(name: str) -> zipfile.ZipInfo:
    """Return a file's entry in an archive: no clock, the same rights on every system.

    Parameters
    ----------
    name : str
        Path inside the archive.

    Returns
    -------
    zipfile.ZipInfo
        To be written with its bytes.

    """
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16
    info.create_system = 3
    return info


def _sources(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        name = f"{prefix}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _sources(entry, name)
        elif not entry.name.endswith((".pyc", ".pyo")):
            yield name, entry.read_bytes()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


DATA = "data"
DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_MANIFEST, _TAGS = "manifest-sha256.txt", "tagmanifest-sha256.txt"


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield relative path and path of every file, in order of path.

    Parameters
    ----------
    folder : Path
        A folder.

    Yields
    ------
    tuple of (str, Path)
        The relative path with forward slashes.

    """
    found = [path for path in folder.rglob("*") if path.is_file()]
    yield from sorted((path.relative_to(folder).as_posix(), path) for path in found)


def sha256(path: Path) -> str:
    """Hash a file of any size.

    Parameters
    ----------
    path : Path
        A file.

    Returns
    -------
    str
        64 hexadecimal digits.

    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def close_bag(folder: Path, title: str) -> None:
    """Write the tag files of a bag whose payload is below `folder/data`.

    Parameters
    ----------
    folder : Path
        The bag.
    title : str
        What it is, for people.

    References
    ----------
    RFC 8493 (BagIt).

    """
    payload = list(files_below(folder / DATA))
    octets = sum(path.stat().st_size for _, path in payload)
    told = {
        "bagit.txt": DECLARATION,
        "bag-info.txt": f"External-Description: {title}\nPayload-Oxum: {octets}.{len(payload)}\n",
        _MANIFEST: "".join(f"{sha256(path)}  {DATA}/{_escaped(name)}\n" for name, path in payload),
    }
    told[_TAGS] = "".join(
        f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(told.items())
    )
    for name, text in told.items():
        (folder / name).write_bytes(text.encode())


def write_zip(folder: Path, name: str, archive: Path) -> None:
    """Pack a folder under `name/` in one step; a file of that name is replaced.

    Parameters
    ----------
    folder : Path
        What to pack.
    name : str
        Name of the folder inside the archive.
    archive : Path
        The ZIP file.

    """
    with guarded(archive):
        archive.parent.mkdir(parents=True, exist_ok=True)
        with replacing(archive) as target, zipfile.ZipFile(target, "w", allowZip64=True) as packed:
            for relative, path in files_below(folder):
                with path.open("rb") as source, packed.open(member(f"{name}/{relative}"), "w") as into:
                    shutil.copyfileobj(source, into, 1 << 20)


def open_bag(archive: Path, into: Path) -> Path:
    """Return the folder of a bag: an unpacked one as it is, a ZIP file unpacked below `into`.

    Parameters
    ----------
    archive : Path
        A ZIP file, or the folder it was unpacked to.
    into : Path
        Where to unpack.

    Returns
    -------
    Path
        With all hashes checked.

    Raises
    ------
    InvalidInputError
        For what is no bag, and for files that are missing, changed or not listed.

    """
    folder = archive if archive.is_dir() else _unpacked(archive, into)
    if not (folder / "bagit.txt").is_file():
        raise InvalidInputError(
            f"{shown(archive)} is no archive of a study.", hint="`corpusgraph replicate STUDY` makes one."
        )
    _verify(folder, shown(archive))
    return folder


def _unpacked(archive: Path, into: Path) -> Path:
    if not archive.exists():
        raise InvalidInputError(f"No archive at {shown(archive)}.")
    try:
        with zipfile.ZipFile(archive) as packed:
            _refuse_outside(packed, archive)
            packed.extractall(into)
    except zipfile.BadZipFile:
        raise InvalidInputError(f"{shown(archive)} is no ZIP file, or a damaged one.") from None
    return min((path.parent for path in into.glob("*/bagit.txt")), default=into)


def _refuse_outside(packed: zipfile.ZipFile, archive: Path) -> None:
    """Refuse members that would be written elsewhere than below the folder."""
    for name in packed.namelist():
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
            raise InvalidInputError(f"{shown(archive)} holds {name!r}, which leads out of the archive.")


def _verify(folder: Path, what: str) -> None:
    listed = {name: digest for manifest in (_MANIFEST, _TAGS) for name, digest in _listed(folder / manifest)}
    there = dict(files_below(folder))
    for name, digest in listed.items():
        if name not in there:
            raise InvalidInputError(f"{what} is not whole: {name} is missing.")
        if sha256(there[name]) != digest:
            raise InvalidInputError(f"{what} is not as it was packed: {name} has other bytes.")
    more = sorted(name for name in there if name.startswith(f"{DATA}/") and name not in listed)
    if more:
        raise InvalidInputError(f"{what} is not as it was packed: {more[0]} was added.")


def _listed(manifest: Path) -> Iterator[tuple[str, str]]:
    """Yield file and hash; a line that names no file names none that is there, and so is found."""
    text = manifest.read_text(encoding="utf-8", errors="replace") if manifest.is_file() else ""
    for line in text.splitlines():
        digest, _, name = line.partition("  ")
        yield _unescaped(name) or line, digest


def _escaped(name: str) -> str:
    """Escape what ends a line (RFC 8493, 2.1.3)."""
    return name.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D")


def _unescaped(name: str) -> str:
    return name.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")


CORPUS = "corpus"
STUDY_FILE = "study.yml"


def copy(path: Path, target: Path) -> None:
    """Copy a file, with the folders it is to stand in.

    Parameters
    ----------
    path : Path
        Of a file.
    target : Path
        Of the copy.

    """
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


@dataclass
class Staging:
    """Copies what a study names; each copy is named in the study in place of the original.

    Attributes
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    settings : Settings
        Where its outputs are, and the profile of a language model.
    folder : Path
        Where the copies go.
    corpus : list of str
        Relative paths of the files of its corpus, once they are copied.
    notes : list of str
        What to know, a sentence each.

    """

    study: Study
    base: Path
    settings: Settings
    folder: Path
    corpus: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def make(self) -> Study:
        """Copy everything, write the study file, and return the study with paths inside the folder.

        Returns
        -------
        Study
            Whatever it names is below the folder.

        """
        profile, base = self.settings.profile, Path()
        if profile is None:
            profile, base = self.study.profile, self.base
        questions = (
            one.model_copy(update={"method": self._own("methods", one.method, self.base)})
            for one in self.study.questions
        )
        update = {
            "corpus": self._corpus(),
            # keys are in the environment, never in a profile
            "profile": self._own("profiles", profile, base) if profile else None,
            "memory": self._memory(),
            "index": self.study.index.model_copy(update=self._index()),
            "questions": tuple(questions),
        }
        study = self.study.model_copy(update=update)
        # as the YAML that a person would have written: what is not set is left out
        told = study.model_dump(mode="json", exclude_unset=True, exclude_none=True)
        text = yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=100)
        (self.folder / STUDY_FILE).write_text(text, encoding="utf-8", newline="\n")
        return study

    def _corpus(self) -> object:
        """Copy the files that are read; those that cannot be are noted, as they are in the ledger."""
        options = self.study.corpus
        root, table = corpus_root(options, self.base), table_path(options, self.base)
        update = {"path": f"{CORPUS}/{root.name}" if root.is_file() else CORPUS}
        for source in scan(options, self.base):
            if source.problem is not None:
                self.notes.append(f"{source.relative} is not packed: {source.problem}.")
                continue
            relative = f"{CORPUS}/{source.relative}"
            if table is not None and same_file(source.path, table):
                if not (root.is_file() or source.path.is_relative_to(root)):
                    relative = f"metadata/{table.name}"
                if options.metadata:
                    update["metadata"] = relative
            copy(source.path, self.folder / relative)
            self.corpus.append(relative)
        return options.model_copy(update=update)

    def _index(self) -> JsonDict:
        index = self.study.index
        changed: JsonDict = {}
        if index.openie is not None:
            changed["openie"] = self._copied(self.base / Path(index.openie).expanduser(), "findings")
        if index.patterns is not None:
            changed["patterns"] = self._copied(own_file(index.patterns, self.base), "patterns")
        if isinstance(index.annotator, dict):
            named = index.annotator.items()
            changed["annotator"] = {language: self._pipeline(language, name) for language, name in named}
        prompts = self._own("prompts", index.llm.prompts, self.base)
        if prompts != index.llm.prompts:
            changed["llm"] = index.llm.model_copy(update={"prompts": prompts})
        if index.model is not None:
            self.notes.append(f"The embedder's model {index.model!r} is not packed: it has to be there.")
        return changed

    def _pipeline(self, language: str, name: str) -> str:
        """Copy the folder of a pipeline; an installed one keeps its name."""
        folder = own_file(name, self.base)
        if not folder.is_dir():
            self.notes.append(f"The pipeline {name!r} is not packed: it has to be installed.")
            return name
        relative = f"pipelines/{language}"
        shutil.copytree(folder, self.folder / relative, dirs_exist_ok=True)
        return relative

    def _memory(self) -> str | None:
        """Pack what was added by hand: the index's own journal, or else the file that the study names."""
        own = self.settings.outputs / self.study.study / JOURNAL
        if own.exists():
            return self._copied(own, "memory")
        named = self.study.memory
        return self._copied(self.base / Path(named).expanduser(), "memory") if named else None

    def _own(self, kind: str, name: str, base: Path) -> str:
        """Copy a file of the user's own; what comes with the package keeps its name."""
        return self._copied(own_file(name, base), kind) if is_path(name) else name

    def _copied(self, path: Path, kind: str) -> str:
        relative, n = f"{kind}/{path.name}", 1
        while (there := self.folder / relative).exists() and there.read_bytes() != path.read_bytes():
            n += 1
            relative = f"{kind}/{path.stem}_{n}{path.suffix}"
        copy(path, self.folder / relative)
        return relative


def readme(told: Replication, wheel: str) -> str:
    """Return the page that explains an archive, as Markdown; `wheel` is the name of the program in it.

    Parameters
    ----------
    told : Replication
        What is in the archive.
    wheel : str
        Name of the program in it.

    Returns
    -------
    str
        For README.md of the archive.

    """
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
    facts = {
        "title": told.title or told.study,
        "study": told.study,
        "n_results": len(told.results),
        "wheel": wheel,
    }
    page = (resources.files(f"{PACKAGE}.configs.pages") / "replication.md").read_text(encoding="utf-8")
    return page.format(**told.environment, **facts, corpus=corpus, replies=replies, given=given)


KINDS = {
    "mentions": "mentions",
    "relations": "assertions",
    "claims": "claims",
    "arguments": "arguments",
    "events": "events",
}
"""What is compared -> the field of Evidence that holds it."""


def pack_evidence(cache: Path, file: Path) -> int:
    """Write what a run extracted, one line for each document in order of id, and return how many there are.

    The texts are not in it, nor their chunks: a rerun has them from the corpus.

    Parameters
    ----------
    cache : Path
        Cache of a finished run.
    file : Path
        Where to write, compressed by gzip.

    Returns
    -------
    int
        Documents.

    """
    n_documents = 0
    with file.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
        for extracted in _extracted(cache):
            n_documents += 1
            carried = Carried(
                document_id=extracted.document.id,
                content_hash=extracted.document.content_hash,
                evidence=extracted.evidence,
                failures=extracted.failures,
            )
            packed.write(carried.model_dump_json(exclude_defaults=True).encode() + b"\n")
    return n_documents


def unpack_evidence(file: Path, folder: Path) -> None:
    """Put the evidence of each document where a run looks for it (`Settings.evidence`).

    Parameters
    ----------
    file : Path
        What `pack_evidence` wrote.
    folder : Path
        The cache that a run reads.

    Raises
    ------
    InvalidInputError
        For a file of another version, or a damaged one.

    """
    store = StageCache(folder)
    for carried in _lines(file):
        key = carried_key(carried.document_id, carried.content_hash)
        store.put(STAGE, key, carried.model_dump_json(exclude_defaults=True).encode())


def compare_evidence(file: Path, cache: Path) -> list[EvidenceChange]:
    """Count what a run found in the texts and the archive does not have, and the other way round.

    Parameters
    ----------
    file : Path
        What `pack_evidence` wrote.
    cache : Path
        Cache of a finished run.

    Returns
    -------
    list of EvidenceChange
        One for each kind that differs.

    Raises
    ------
    InvalidInputError
        For a file of another version, or a damaged one.

    """
    added, removed = Counter[str](), Counter[str]()
    packed = {carried.document_id: carried.evidence for carried in _lines(file)}

    def compare(before: Evidence | None, after: Evidence | None) -> None:
        for kind, name in KINDS.items():
            old, new = (_counted(getattr(evidence, name, ())) for evidence in (before, after))
            added[kind] += (new - old).total()
            removed[kind] += (old - new).total()

    for extracted in _extracted(cache):
        compare(packed.pop(extracted.document.id, None), extracted.evidence)
    for evidence in packed.values():
        compare(evidence, None)
    return [
        EvidenceChange(kind=kind, added=added[kind], removed=removed[kind])
        for kind in KINDS
        if added[kind] or removed[kind]
    ]


def _extracted(cache: Path) -> Iterator[Extracted]:
    """Yield what the cache of a finished run holds, in order of id of document; one is read at a time."""
    store = StageCache(cache)
    files = {parse_extracted(store.read(path) or b"").document.id: path for path in store.files(STAGE)}
    for _, path in sorted(files.items()):
        yield parse_extracted(store.read(path) or b"")


def _counted(items: Iterable[Noun]) -> Counter[str]:
    return Counter(item.model_dump_json() for item in items)


def _lines(file: Path) -> Iterator[Carried]:
    """Read line by line; evidence of another version may have fields that this one does not know."""
    try:
        with gzip.open(file, "rb") as packed:
            for line in packed:
                yield Carried.model_validate_json(line)
    except (OSError, EOFError, zlib.error, ValidationError):
        raise InvalidInputError(
            f"{file.name} of the archive cannot be read by this version of corpusgraph.",
            hint="Install the version in its folder `code`, or read the texts anew with --from-texts.",
        ) from None


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
            at = _place(kept / name, found[name]) if kept is not None and (kept / name).is_file() else ""
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
