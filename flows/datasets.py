"""From a dataset of a study to its bundles: build the tool's input, call the tool, export the result."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from corpusgraph.flows.bundles import bundle_of
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import (
    ArgumentDataset,
    CausalDataset,
    Dataset,
    ProcessDataset,
    TableDataset,
)

DATASET_CODE = tuple(
    f"corpusgraph.tasks.{name}"
    for name in ("dataset", "digits", "export", "graph", "prepare", "statistics", "table")
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
    from corpusgraph.tasks.dataset.mapping import analysis_of
    from corpusgraph.tasks.dataset.passages import passages
    from corpusgraph.tasks.dataset.table import build_table
    from corpusgraph.tasks.export.pictures.statistical import statistical_picture
    from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
    from corpusgraph.tasks.prepare.statistical_analysis import (
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
    from corpusgraph.tasks.prepare.causal_model import prepare_causal_model

    noted = prepare_causal_model(build_causal(corpus, dataset))
    model = noted.data
    cycles = "" if model.acyclic else f", {len(model.cycles)} cycles to settle"
    summary = f"{len(model.nodes)} variables, {len(model.edges)} arrows{cycles}"
    files = bundle_of(model, noted.warnings, name=dataset.name, title=dataset.title)
    return Built(summary, {dataset.model_type: files}, distinct(noted.warnings))


def _argument(corpus: Corpus, dataset: ArgumentDataset) -> Built:
    from corpusgraph.tasks.dataset.argument import build_argument
    from corpusgraph.tasks.prepare.argument_network import prepare_argument_network

    noted = prepare_argument_network(build_argument(corpus, dataset))
    network = noted.data
    kinds = Counter(relation.type for relation in network.relations)
    told = ", ".join(f"{kinds[kind]} {kind}s" for kind in ("attack", "support") if kinds[kind])
    summary = f"{len(network.claims)} claims, {told or 'no relations'}"
    files = bundle_of(network, noted.warnings, name=dataset.name, title=dataset.title)
    return Built(summary, {dataset.framework: files}, distinct(noted.warnings))


def _process(corpus: Corpus, dataset: ProcessDataset) -> Built:
    from corpusgraph.tasks.dataset.process import build_process
    from corpusgraph.tasks.prepare.process_trace import prepare_process_trace

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
