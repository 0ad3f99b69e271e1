"""One study -> its datasets, each a folder of bundles; one that is current is not made again."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from corpusgraph.flows.engine import Engine
from corpusgraph.flows.files.cache import code_fingerprint, fingerprint_of
from corpusgraph.flows.files.disk import bring_back, guarded, replace_file
from corpusgraph.flows.files.ledger import crash
from corpusgraph.flows.files.manifest import is_bundle
from corpusgraph.flows.store.bundle_folder import (
    REPORT,
    STALE,
    publish_folder,
    withdraw_folder,
    written_files,
)
from corpusgraph.flows.store.store import IndexStore, memory_print
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Noted, ToolError, ToolWarning
from corpusgraph.schemas.run import DatasetReport
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import (
    ArgumentDataset,
    CausalDataset,
    Dataset,
    ProcessDataset,
    Study,
    TableDataset,
)

Files = dict[str, bytes]
_TOOLS = (
    "prepare_statistical_analysis, prepare_causal_model, prepare_argument_network or prepare_process_trace"
)


def bundle_of(
    data: Any,
    warnings: Sequence[ToolWarning] = (),
    *,
    name: str = "",
    title: str = "",
) -> Files:
    """Return the bundle of a tool's result: relative file name -> bytes, the same for the same result.

    Raises InvalidInputError for a result that has no bundle.
    """
    from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork
    from corpusgraph.tasks.analysis.causal.models import CausalModel
    from corpusgraph.tasks.analysis.process.models import ProcessTrace
    from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis

    if isinstance(data, StatisticalAnalysis):
        from corpusgraph.tasks.export.statistical.bundle import statistical_bundle

        return statistical_bundle(data, data.output_format)
    named: dict[str, Any] = {"title": title, **({"name": name} if name else {})}
    if isinstance(data, CausalModel):
        from corpusgraph.tasks.export.causal.bundle import causal_bundle

        return causal_bundle(data, warnings, **named)
    if isinstance(data, ArgumentNetwork):
        from corpusgraph.tasks.export.argument.bundle import argument_bundle

        return argument_bundle(data, warnings, **named)
    if isinstance(data, ProcessTrace):
        from corpusgraph.tasks.export.process.bundle import process_bundle

        return process_bundle(data, warnings, **named)
    raise InvalidInputError("There is no bundle of this tool's result.", hint=f"Call {_TOOLS}.")


def write_bundle(noted: Noted[Any], folder: Path) -> list[str]:
    """Write the bundle of a result to a folder, in one step, and return its files.

    A folder that is no bundle is never replaced: InvalidInputError. Of one that is, files that are not the
    program's stay, and those that somebody changed are moved to `previous/`.
    """
    bring_back(folder)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not is_bundle(folder)):
        raise InvalidInputError(
            f"{folder} is there and is no bundle: it is left as it is.", hint="Name another folder."
        )
    files = bundle_of(noted.data, noted.warnings, name=folder.name)
    publish_folder(folder, files, written_files(folder))
    return sorted(files)


DATASET_CODE = tuple(
    f"corpusgraph.tasks.{name}"
    for name in ("analysis", "dataset", "digits", "export", "graph", "table", "text", "tools")
)
"""Packages whose code decides a dataset's files."""

Bundles = dict[str, dict[str, bytes]]


@dataclass(frozen=True)
class Built:
    """A dataset: what is in it, and its folders of files."""

    summary: str
    bundles: Bundles
    warnings: Sequence[ToolWarning] = ()


def build_dataset(corpus: Corpus, dataset: Dataset) -> Built:
    """Build one dataset; data that cannot become it raises PreparationError."""
    return next(build for kind, build in _BUILDERS if isinstance(dataset, kind))(corpus, dataset)


def _tables(corpus: Corpus, dataset: TableDataset) -> Built:
    from corpusgraph.tasks.dataset.cited import passages
    from corpusgraph.tasks.dataset.table import analysis_of, build_table
    from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
    from corpusgraph.tasks.export.statistical.figure import statistical_picture
    from corpusgraph.tasks.tools.prepare import (
        PrepareStatisticalAnalysis,
        prepare_statistical_analysis,
    )

    table, warnings = build_table(corpus, dataset)
    provenance = passages(table, corpus)
    analysis, mapping = analysis_of(dataset)
    bundles: Bundles = {}
    told, picture = list(warnings), dict[str, bytes]()
    for target in dataset.formats:
        ask = PrepareStatisticalAnalysis(
            data=table, analysis_type=analysis, variable_mapping=mapping, output_format=target
        )
        noted = prepare_statistical_analysis(ask)
        told += noted.warnings
        picture = picture or statistical_picture(noted.data)
        bundles[target] = statistical_bundle(noted.data, target, provenance, picture)
    summary = f"{len(table.rows):,} rows (unit {dataset.unit}) x {len(table.columns)} variables"
    return Built(summary, bundles, told)


def _causal(corpus: Corpus, dataset: CausalDataset) -> Built:
    from corpusgraph.tasks.dataset.causal import build_causal
    from corpusgraph.tasks.tools.prepare import prepare_causal_model

    noted = prepare_causal_model(build_causal(corpus, dataset))
    model = noted.data
    cycles = "" if model.acyclic else f", {len(model.cycles)} cycles to settle"
    summary = f"{len(model.nodes)} variables, {len(model.edges)} arrows{cycles}"
    files = bundle_of(model, noted.warnings, name=dataset.name, title=dataset.title)
    return Built(summary, {dataset.model_type: files}, noted.warnings)


def _argument(corpus: Corpus, dataset: ArgumentDataset) -> Built:
    from corpusgraph.tasks.dataset.argument import build_argument
    from corpusgraph.tasks.tools.prepare import prepare_argument_network

    noted = prepare_argument_network(build_argument(corpus, dataset))
    network = noted.data
    kinds = Counter(relation.type for relation in network.relations)
    told = ", ".join(f"{kinds[kind]} {kind}s" for kind in ("attack", "support") if kinds[kind])
    summary = f"{len(network.claims)} claims, {told or 'no relations'}"
    files = bundle_of(network, noted.warnings, name=dataset.name, title=dataset.title)
    return Built(summary, {dataset.framework: files}, noted.warnings)


def _process(corpus: Corpus, dataset: ProcessDataset) -> Built:
    from corpusgraph.tasks.dataset.process import build_process
    from corpusgraph.tasks.tools.prepare import prepare_process_trace

    noted = prepare_process_trace(build_process(corpus, dataset))
    trace = noted.data
    summary = f"{len(trace.events)} events in {len(trace.cases)} cases, {len(trace.variants)} variants"
    files = bundle_of(trace, noted.warnings, name=dataset.name, title=dataset.title)
    return Built(summary, {"log": files}, noted.warnings)


_BUILDERS: tuple[tuple[type, Callable[[Corpus, Any], Built]], ...] = (
    (TableDataset, _tables),
    (CausalDataset, _causal),
    (ArgumentDataset, _argument),
    (ProcessDataset, _process),
)


_STALE = """These files are not of the index as it is now: the dataset could not be made again.

Why: {why}
Since: the run that made generation {since} of the index.
Of: generation {of}.
"""


def analyse(
    study: Study, generation: str, *, settings: Settings, engine: Engine, progress: Progress
) -> list[DatasetReport]:
    """Make the study's datasets from the published generation of its index.

    Of datasets that it no longer has, the files go that the program wrote.

    Parameters
    ----------
    study : Study
        With its datasets.
    generation : str
        Id of the generation.
    settings : Settings
        Where the outputs are.
    engine : Engine
        Runs the work on each dataset.
    progress : Progress
        Hears how it gets on.

    Returns
    -------
    list of DatasetReport
        In the order of the datasets; one that could not be made has an `error`.

    """
    store = IndexStore(settings.outputs)
    folder = store.folder(study.study) / "datasets"
    opened: Callable[[], Corpus] = cache(lambda: store.open(study.study))
    seen = generation + memory_print(store.folder(study.study))
    progress.start("datasets", len(study.datasets))
    reports = []
    for dataset in study.datasets:
        work = partial(make_dataset, dataset, folder / dataset.name, generation, seen, opened)
        reports.append(engine.run(f"dataset {dataset.name}", work))
        progress.advance("datasets")
    for path in sorted(folder.glob(f"*/{REPORT}")):
        if path.parent.name not in {dataset.name for dataset in study.datasets}:
            withdraw_folder(path.parent)
    progress.finish("datasets", f"{len(reports)} datasets")
    return reports


def make_dataset(
    dataset: Dataset, folder: Path, generation: str, seen: str, opened: Callable[[], Corpus]
) -> DatasetReport:
    """Make one dataset, unless the folder holds it; what keeps it from being made is told, not raised.

    Where it cannot be made, the bundles of an earlier run stay, and say that they are stale.

    Parameters
    ----------
    dataset : Dataset
        What to make.
    folder : Path
        Where its bundles go.
    generation : str
        Id of the generation, for the report.
    seen : str
        Names what it is made of: a generation, and what was added to it by hand.
    opened : callable
        Opens the index, when it is needed.

    Returns
    -------
    DatasetReport
        With an `error` where it was not made.

    Raises
    ------
    MemoryError, OSError
        As they come: the next dataset would meet them too.

    """
    bring_back(folder)
    wanted = fingerprint(dataset, seen)
    last = _last(folder)
    if last is not None and last.fingerprint == wanted and _is_whole(last, folder):
        return _current(last, folder)
    try:
        built = build_dataset(opened(), dataset)
    except CorpusgraphError as error:
        told = ToolError(code=error.code, message=error.message, hint=error.hint)
        return _not_made(dataset, folder, generation, told, last)
    except (MemoryError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the other datasets are made
        failure = crash(error, dataset.name, "datasets")
        told = ToolError(code=failure.code, message=f"{failure.message}.", hint=None)
        return _not_made(dataset, folder, generation, told, last)
    report = DatasetReport(
        name=dataset.name,
        kind=dataset.kind,
        summary=built.summary,
        path=str(folder),
        bundles=sorted(built.bundles),
        n_files=sum(len(files) for files in built.bundles.values()),
        # each once: four formats of one table warn of the same things
        warnings=tuple(dict.fromkeys(built.warnings)),
        fingerprint=wanted,
        generation=generation,
    )
    files = {
        f"{name}/{file}": data for name, bundle in built.bundles.items() for file, data in bundle.items()
    }
    moved = publish_folder(folder, {**files, REPORT: _as_kept(report)}, written_files(folder))
    return report.model_copy(update={"moved": moved})


def _as_kept(report: DatasetReport) -> bytes:
    """Return the report as the folder has it, wherever that lies."""
    return report.model_copy(update={"path": "."}).model_dump_json(indent=1).encode() + b"\n"


def _current(last: DatasetReport, folder: Path) -> DatasetReport:
    """Return the report of a dataset that is as it should be, and forget that it could not be made since."""
    report = last.model_copy(update={"stale_since": None})
    if last.stale_since:
        with guarded(folder):
            (folder / STALE).unlink(missing_ok=True)
        replace_file(folder / REPORT, _as_kept(report))
    return report.model_copy(update={"path": str(folder)})


def _not_made(
    dataset: Dataset, folder: Path, generation: str, error: ToolError, last: DatasetReport | None
) -> DatasetReport:
    """Report why a dataset was not made, and mark the bundles that an earlier run left as stale."""
    told = f"{error.message} {error.hint}" if error.hint else error.message
    report = DatasetReport(
        name=dataset.name, kind=dataset.kind, summary=f"not made: {told}", path=str(folder), error=error
    )
    if last is None:
        return report
    since = last.stale_since or generation
    text = _STALE.format(why=told, since=since, of=last.generation or "of an earlier run")
    replace_file(folder / STALE, text.encode())
    replace_file(folder / REPORT, _as_kept(last.model_copy(update={"stale_since": since})))
    left = f"; the bundles are those of an earlier run, stale since generation {since}"
    return report.model_copy(update={"summary": f"{report.summary}{left}", "stale_since": since})


def fingerprint(dataset: Dataset, seen: str) -> str:
    """Hash what decides a dataset's files.

    Parameters
    ----------
    dataset : Dataset
        What is made.
    seen : str
        Names what it is made of.

    Returns
    -------
    str
        32 hexadecimal digits; another where the code is another.

    """
    return fingerprint_of(code_fingerprint(*DATASET_CODE), seen, dataset.model_dump_json())


def _last(folder: Path) -> DatasetReport | None:
    """Return the report of the dataset that was last made in a folder."""
    try:
        return DatasetReport.model_validate_json((folder / REPORT).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None


def _is_whole(report: DatasetReport, folder: Path) -> bool:
    """Tell whether all files of a dataset are there; what others put beside them does not count."""
    names = written_files(folder).keys() - {REPORT, STALE}
    return len(names) == report.n_files and all((folder / name).is_file() for name in names)
