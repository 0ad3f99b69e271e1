"""From a dataset of a study to its bundles: build the tool's input, call the tool, export the result."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpusgraph.flows.files.files import bring_back
from corpusgraph.flows.files.manifest import is_bundle
from corpusgraph.flows.store.bundle_folder import publish_folder, written_files
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.schemas.study import ArgumentDataset, CausalDataset, Dataset, ProcessDataset, TableDataset

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
    warnings: tuple[ToolWarning, ...] = ()


def build_dataset(corpus: Corpus, dataset: Dataset) -> Built:
    """Build one dataset; data that cannot become it raises PreparationError."""
    return next(build for kind, build in _BUILDERS if isinstance(dataset, kind))(corpus, dataset)


def _tables(corpus: Corpus, dataset: TableDataset) -> Built:
    from corpusgraph.tasks.dataset.cited import passages
    from corpusgraph.tasks.dataset.mapping import analysis_of
    from corpusgraph.tasks.dataset.table import build_table
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
    return Built(summary, bundles, distinct(told))


def _causal(corpus: Corpus, dataset: CausalDataset) -> Built:
    from corpusgraph.tasks.dataset.causal import build_causal
    from corpusgraph.tasks.tools.prepare import prepare_causal_model

    noted = prepare_causal_model(build_causal(corpus, dataset))
    model = noted.data
    cycles = "" if model.acyclic else f", {len(model.cycles)} cycles to settle"
    summary = f"{len(model.nodes)} variables, {len(model.edges)} arrows{cycles}"
    files = bundle_of(model, noted.warnings, name=dataset.name, title=dataset.title)
    return Built(summary, {dataset.model_type: files}, distinct(noted.warnings))


def _argument(corpus: Corpus, dataset: ArgumentDataset) -> Built:
    from corpusgraph.tasks.dataset.argument import build_argument
    from corpusgraph.tasks.tools.prepare import prepare_argument_network

    noted = prepare_argument_network(build_argument(corpus, dataset))
    network = noted.data
    kinds = Counter(relation.type for relation in network.relations)
    told = ", ".join(f"{kinds[kind]} {kind}s" for kind in ("attack", "support") if kinds[kind])
    summary = f"{len(network.claims)} claims, {told or 'no relations'}"
    files = bundle_of(network, noted.warnings, name=dataset.name, title=dataset.title)
    return Built(summary, {dataset.framework: files}, distinct(noted.warnings))


def _process(corpus: Corpus, dataset: ProcessDataset) -> Built:
    from corpusgraph.tasks.dataset.process import build_process
    from corpusgraph.tasks.tools.prepare import prepare_process_trace

    noted = prepare_process_trace(build_process(corpus, dataset))
    trace = noted.data
    summary = f"{len(trace.events)} events in {len(trace.cases)} cases, {len(trace.variants)} variants"
    files = bundle_of(trace, noted.warnings, name=dataset.name, title=dataset.title)
    return Built(summary, {"log": files}, distinct(noted.warnings))


def distinct(warnings: Iterable[ToolWarning]) -> tuple[ToolWarning, ...]:
    """Return each warning once: four formats of one table warn of the same things."""
    return tuple(dict.fromkeys(warnings))


_BUILDERS: tuple[tuple[type, Callable[[Corpus, Any], Built]], ...] = (
    (TableDataset, _tables),
    (CausalDataset, _causal),
    (ArgumentDataset, _argument),
    (ProcessDataset, _process),
)
