"""Tool 23: data, codebook, model and script for R, Python, Stata or SPSS."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Noted, Table, ToolInput, ToolWarning
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import AnalysisType, StatisticalAnalysis, VariableMapping
from corpusgraph.tasks.analysis.statistics.diagnostics import diagnose
from corpusgraph.tasks.analysis.statistics.frame import Frame
from corpusgraph.tasks.analysis.statistics.model import model_of, renamed, with_roles
from corpusgraph.tasks.analysis.statistics.names import legal_names
from corpusgraph.tasks.analysis.statistics.settle import settled
from corpusgraph.tasks.analysis.statistics.tidy import codebook, tidy
from corpusgraph.tasks.dataset.reshape.graph_tables import (
    GraphTables,
    checked,
    degree_columns,
    node_table,
    with_columns,
)
from corpusgraph.tasks.export.statistical.programs import program
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.table.frames import check_table, loose_table
from corpusgraph.tasks.table.values import warning


def _shape(data: Any) -> str:
    lists = isinstance(data, dict) and any(isinstance(data.get(part), list) for part in ("nodes", "edges"))
    return "graph" if lists or isinstance(data, Graph) else "table"


def _nodes_or_table(data: Any) -> Any:
    """Take the nodes of what `transform_graph_to_table` makes; another table as it comes."""
    held = data.model_dump() if isinstance(data, GraphTables) else data
    if isinstance(held, dict) and "format" in held:
        held = held.get("nodes") or (held.get("records") or {}).get("nodes")
    return loose_table(held)


Data = Annotated[
    Annotated[
        Table,
        BeforeValidator(_nodes_or_table, json_schema_input_type=list[JsonDict] | Table),
        Tag("table"),
    ]
    | Annotated[Graph, Tag("graph")],
    Discriminator(_shape),
]


class PrepareStatisticalAnalysis(ToolInput):
    """Data with the part each variable plays."""

    data: Annotated[Data, Reads("table")] = Field(
        description="rows [{…}], a table {columns, rows}, a graph, or its tables"
    )
    analysis_type: AnalysisType = Field("descriptive", description="what the data are for")
    variable_mapping: VariableMapping = Field(
        VariableMapping(), description="outcome, predictors, controls and what else a column is for"
    )
    output_format: BundleFormat = Field("r", description="whose program the files are for")


@tool(23, writes="analysis", cite="Wilkinson & Rogers 1973; Rosseel 2012; Bollen 1989")
def prepare_statistical_analysis(ask: PrepareStatisticalAnalysis) -> Noted[StatisticalAnalysis]:
    """Prepare data for a statistical program: tidied, described, with model, script and diagnostics.

    A graph gives one row per node with its attributes and degrees. Nothing is estimated. Errors:
    `empty_table`, `unknown_variable`, `mixed_types`, `no_data_in_variable`, `duplicate_id`, `empty_id`,
    `weight_not_finite`, `weight_not_positive`, `weight_not_whole`, `outcome_unfit`, `few_clusters`, and for
    a SEM `constant_variable`, `perfect_collinearity`, `fewer_rows_than_parameters`.
    """
    table, repairs = _table(ask.data)
    check_table(table)
    mapping, target = ask.variable_mapping, program(ask.output_format)
    given = model_of(ask.analysis_type, mapping, (column.name for column in table.columns))
    levels = [name for name in (given.outcome, *given.predictors, given.cluster, given.group) if name]
    tidied, fixes = tidy(table, mapping, target, levels)
    names = legal_names([*(column.name for column in tidied.columns), *given.latents], target)
    columns = tuple(c.model_copy(update={"name": names[c.name]}) for c in tidied.columns)
    tidied = tidied.model_copy(update={"columns": columns})
    model = settled(renamed(given, names), Frame(tidied), mapping, target)
    tidied = with_roles(tidied, model, mapping, names)
    data = Frame(tidied)
    assumed = mapping.weight_type is None and model.kind != "sem"
    diagnostics, notes = diagnose(ask.analysis_type, data, model, weights_assumed=assumed)
    before = {new: old for old, new in names.items()}
    entries = codebook(tidied, data, before, mapping.measure)
    result = StatisticalAnalysis(
        analysis_type=ask.analysis_type,
        output_format=target.name,
        table=tidied,
        codebook=entries,
        name_map=names,
        model=model,
        script="",
        diagnostics=diagnostics,
        fixes=(*repairs, *fixes, *_mapped(names)),
        notes=notes,
    )
    result = result.model_copy(update={"script": target.script(result)})
    return Noted[StatisticalAnalysis](data=result, warnings=(*result.fixes, *result.notes))


def _table(data: Table | Graph) -> tuple[Table, tuple[ToolWarning, ...]]:
    if isinstance(data, Table):
        return data, ()
    graph, repairs = checked(data)
    return with_columns(node_table(graph.nodes), degree_columns(graph)), repairs


def _mapped(names: dict[str, str]) -> tuple[ToolWarning, ...]:
    new = {old: name for old, name in names.items() if old != name}
    shown = ", ".join(f"{old!r} -> {name}" for old, name in list(new.items())[:5])
    more = " …" if len(new) > 5 else ""
    return tuple(warning("names_mapped", f"Renamed: {shown}{more}.", new))
