"""One study -> its datasets, each a folder of bundles; one that is current is not made again."""

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from corpusgraph.flows.datasets import DATASET_CODE, build_dataset
from corpusgraph.flows.engine import Engine
from corpusgraph.flows.resources.codeprint import code_fingerprint
from corpusgraph.flows.resources.disk import guarded, remove_tree
from corpusgraph.flows.resources.files import remove_others, replace_folder
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import ToolError
from corpusgraph.schemas.run import DatasetReport, IndexReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Dataset, Study

REPORT = "dataset.json"


def analyse(
    study: Study, index: IndexReport, *, settings: Settings, engine: Engine, progress: Progress
) -> list[DatasetReport]:
    """Make the study's datasets from the index's published generation; datasets it no longer has go."""
    from corpusgraph.flows.resources.remembered import memory_print

    store = IndexStore(settings.outputs)
    folder = store.folder(study.study) / "datasets"
    opened: Callable[[], Corpus] = cache(lambda: store.open(study.study))
    seen = index.generation + memory_print(store.folder(study.study))
    progress.start("datasets", len(study.datasets))
    reports = []
    for dataset in study.datasets:
        work = partial(make_dataset, dataset, folder / dataset.name, seen, opened)
        reports.append(engine.run(f"dataset {dataset.name}", work))
        progress.advance("datasets")
    remove_others(folder, {dataset.name for dataset in study.datasets})
    progress.finish("datasets", f"{len(reports)} datasets")
    return reports


def make_dataset(dataset: Dataset, folder: Path, seen: str, opened: Callable[[], Corpus]) -> DatasetReport:
    """Make one dataset, unless the folder holds it; data that cannot become one is told, not raised.

    `seen` names what it is made of: a generation, and what was added to it by hand.
    """
    wanted = fingerprint(dataset, seen)
    kept = _kept(folder, wanted)
    if kept is not None:
        return kept.model_copy(update={"path": str(folder)})
    try:
        built = build_dataset(opened(), dataset)
    except CorpusgraphError as error:
        with guarded(folder):
            remove_tree(folder)  # bundles of an older generation would pass for this one's
        told = ToolError(code=error.code, message=error.message, hint=error.hint)
        summary = f"not made: {error}"
        return DatasetReport(
            name=dataset.name, kind=dataset.kind, summary=summary, path=str(folder), error=told
        )
    report = DatasetReport(
        name=dataset.name,
        kind=dataset.kind,
        summary=built.summary,
        path=str(folder),
        bundles=sorted(built.bundles),
        n_files=sum(len(files) for files in built.bundles.values()),
        warnings=built.warnings,
        fingerprint=wanted,
    )
    files = {
        f"{name}/{file}": data for name, bundle in built.bundles.items() for file, data in bundle.items()
    }
    told_alone = report.model_copy(update={"path": "."})
    replace_folder(folder, {**files, REPORT: told_alone.model_dump_json(indent=1).encode() + b"\n"})
    return report


def fingerprint(dataset: Dataset, seen: str) -> str:
    """Hash what decides a dataset's files."""
    told = "\x1f".join([code_fingerprint(*DATASET_CODE), seen, dataset.model_dump_json()])
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def _kept(folder: Path, wanted: str) -> DatasetReport | None:
    """Return the report of the dataset in a folder if it is the one wanted and all its files are there."""
    path = folder / REPORT
    if not path.is_file():
        return None
    report = DatasetReport.model_validate_json(path.read_bytes())
    n_files = sum(1 for file in folder.rglob("*") if file.is_file()) - 1
    return report if (report.fingerprint, report.n_files) == (wanted, n_files) else None
