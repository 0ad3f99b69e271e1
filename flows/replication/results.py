"""What a run makes that another must make again, byte for byte: datasets, answers, the graph's tables."""

from collections.abc import Mapping
from pathlib import Path

from corpusgraph.flows.engine import Inline
from corpusgraph.flows.replication.bag import files_below, sha256
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.flows.study import run_study
from corpusgraph.schemas.replication import Difference
from corpusgraph.schemas.run import StudyReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study

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
    """Run a study into an empty folder with stored replies alone; `settings` say with how many workers.

    `evidence` is a folder of what was found in the texts before; without it they are read.
    """
    replay = Settings(outputs=outputs, workers=settings.workers, replay=replies, evidence=evidence)
    return run_study(study, base, settings=replay, engine=Inline(settings.workers), progress=progress)


def results_of(outputs: Path, study: str) -> dict[str, Path]:
    """Return relative name -> path of a study's results, in order of name."""
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


def hashes(results: Mapping[str, Path]) -> dict[str, str]:
    """Return name -> SHA-256."""
    return {name: sha256(path) for name, path in results.items()}


def differences(
    expected: Mapping[str, str], found: Mapping[str, Path], kept: Path | None = None
) -> list[Difference]:
    """Compare hashes with files; where the expected file lies below `kept`, say where the two differ."""
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
