"""From a dataset of a study to its bundles: build the tool's input, call the tool, export the result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import (
    Dataset,
    TableDataset,
)

DATASET_CODE = tuple(f"corpusgraph.tasks.{name}" for name in ("dataset", "prepare", "export", "graph"))
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
    kind, builder = next((k, b) for k, b in _BUILDERS if isinstance(dataset, k))
    del kind
    return builder(corpus, dataset)


def _tables(corpus: Corpus, dataset: TableDataset) -> Built:
    from corpusgraph.tasks.dataset.mapping import analysis_of
    from corpusgraph.tasks.dataset.passages import passages
    from corpusgraph.tasks.dataset.table import build_table
    from corpusgraph.tasks.export.bundle import statistical_bundle
    from corpusgraph.tasks.prepare.statistical_analysis import (
        PrepareStatisticalAnalysis,
        prepare_statistical_analysis,
    )

    table, warnings = build_table(corpus, dataset)
    provenance = passages(table, corpus)
    analysis, mapping = analysis_of(dataset)
    bundles: Bundles = {}
    told = list(warnings)
    for target in dataset.formats:
        ask = PrepareStatisticalAnalysis(
            data=table, analysis_type=analysis, variable_mapping=mapping, output_format=target
        )
        noted = prepare_statistical_analysis(ask)
        told += noted.warnings
        bundles[target] = statistical_bundle(noted.data, target, provenance)
    summary = f"{len(table.rows):,} rows (unit {dataset.unit}) x {len(table.columns)} variables"
    return Built(summary, bundles, distinct(told))


def distinct(warnings: list[ToolWarning]) -> tuple[ToolWarning, ...]:
    """Return each warning once: four formats of one table warn of the same things."""
    return tuple(dict.fromkeys(warnings))


_BUILDERS: tuple[tuple[type, Callable[[Corpus, Any], Built]], ...] = ((TableDataset, _tables),)
