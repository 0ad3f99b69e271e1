"""Data prepared for analysis: statistical, causal, of arguments, of processes."""

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PreparationError, did_you_mean
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.results import Noted, Table, ToolInput, ToolWarning, warned
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.argument import status
from corpusgraph.tasks.analysis.argument.bipolar import IN_FORCE, Bipolar
from corpusgraph.tasks.analysis.argument.framework import Framework
from corpusgraph.tasks.analysis.argument.models import (
    ArgumentNetwork,
    BipolarSets,
    Checked,
    ClaimStatus,
    DerivedAttack,
    Extensions,
    PrepareArgumentNetwork,
)
from corpusgraph.tasks.analysis.argument.models import checked as checked_claims
from corpusgraph.tasks.analysis.argument.semantics import QUICK_FIRST, SEMANTICS, Semantics, extensions
from corpusgraph.tasks.analysis.argument.solver import Effort
from corpusgraph.tasks.analysis.argument.strength import of_weights
from corpusgraph.tasks.analysis.causal.identification import Asked, Query, answers
from corpusgraph.tasks.analysis.causal.models import (
    CausalModel,
    Independence,
    MarkovStatement,
    PrepareCausalModel,
)
from corpusgraph.tasks.analysis.causal.structure import Structure, read_data, structure
from corpusgraph.tasks.analysis.causal.tables import tables
from corpusgraph.tasks.analysis.causal.tests import basis_set, independencies, tested_independencies
from corpusgraph.tasks.analysis.checks import NAMED, check_writable, unique_records
from corpusgraph.tasks.analysis.process.evidence_tests import weigh
from corpusgraph.tasks.analysis.process.log import (
    Timed,
    case_table,
    counted,
    directly_follows,
    in_cases,
    read_times,
    tell_dates,
    tell_renamed,
    tell_shared_evidence,
    tell_ties,
    ties,
    traced,
    uncertain_pairs,
    variants,
)
from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace, ProcessTrace, UncertainOrder
from corpusgraph.tasks.analysis.statistics.analysis import AnalysisType, StatisticalAnalysis, VariableMapping
from corpusgraph.tasks.analysis.statistics.diagnostics import diagnose
from corpusgraph.tasks.analysis.statistics.frame import Frame
from corpusgraph.tasks.analysis.statistics.model import model_of, renamed, settled, with_roles
from corpusgraph.tasks.analysis.statistics.target import legal_names
from corpusgraph.tasks.analysis.statistics.tidy import codebook, tidy
from corpusgraph.tasks.dataset.reshape.graph_tables import (
    GraphTables,
    checked,
    degree_columns,
    node_table,
    with_columns,
)
from corpusgraph.tasks.export.statistical.programs import program
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.table.frames import check_table, loose_table
from corpusgraph.tasks.table.values import warning

# Tool 23: data, codebook, model and script for R, Python, Stata or SPSS.


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
        Table, BeforeValidator(_nodes_or_table, json_schema_input_type=list[JsonDict] | Table), Tag("table")
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


# Tool 24: a causal graph with what identifies an effect, or a Bayesian network with its tables.

Names = tuple[str, ...]


@tool(
    24,
    writes="causal_model",
    needs="Entity.id, Relationship.source_id target_id",
    optional="Entity.name, Relationship.type is_causal confidence",
    cite="Pearl 2009, Causality; Shpitser & Pearl 2006; van der Zander, Liskiewicz & Textor 2019",
)
def prepare_causal_model(ask: PrepareCausalModel) -> Noted[CausalModel]:
    """Structure data for causal analysis: a DAG, a Bayesian network, or a query for do-calculus.

    With exposure and outcome: every minimal adjustment set, the front-door sets, instruments, whether
    the effect is identifiable, and by which formula. An effect that is not identifiable is a result.
    With data: tests of the independencies that the graph implies, and the tables of a Bayesian network.
    Errors: `cyclic_graph` (one cycle is named; no arrow is ever removed unasked), `duplicate_id`,
    `empty_id`, `dangling_edge`, `unknown_relation_type`, `no_query` (do_calculus without exposure or
    outcome), `unknown_variable`, `cpt_not_normalised`, `cpt_incomplete`, `needs_discretisation`.
    """
    check_writable({name: value for name, value in ask if name not in {"data", "notes"}})
    made = structure(ask)
    exposure, outcome, given = (_variables(made, names, what) for what, names in _query_names(ask).items())
    _check_query(made, exposure, outcome, given)
    model = CausalModel(
        model_type=ask.model_type,
        nodes=tuple(made.nodes),
        edges=tuple(made.edges),
        dropped_edges=tuple(made.dropped),
        acyclic=not made.cycles,
        cycles=tuple(made.cycles),
        exposure=exposure,
        outcome=outcome,
    )
    if not made.cycles:
        update = _follows(made, exposure, outcome, given)
        update |= _in_data(ask, made, update["implied_independencies"])
        model = model.model_copy(update=update)
    return Noted(data=model, warnings=tuple(made.warnings))


def _query_names(ask: PrepareCausalModel) -> dict[str, Names]:
    """Return the names in the query by the part they play; exposure and outcome come together."""
    asked = {"exposure": ask.exposure, "outcome": ask.outcome, "variable given": ask.given}
    for what in ("exposure", "outcome"):
        if not asked[what] and (ask.model_type == "do_calculus" or any(asked.values())):
            raise PreparationError(
                f"The {what} is missing.",
                code="no_query",
                hint="Name exposure and outcome by the ids or names of their entities.",
            )
    return {what: tuple(names or ()) for what, names in asked.items()}


def _variables(made: Structure, names: Sequence[str], what: str) -> Names:
    known = made.names()
    found = []
    for name in names:
        by_name = [node for node, label in known.items() if label == name]
        if name not in known and len(by_name) != 1:
            close = did_you_mean(name, [*known, *known.values()])
            close = close or f"The variables are {', '.join([*known][:NAMED]) or 'none'}."
            raise PreparationError(
                f"The {what} {name!r} is {'the name of several variables' if by_name else 'no variable'}.",
                code="unknown_variable",
                hint=f"Use an id: {', '.join(by_name)}." if by_name else close,
            )
        found.append(name if name in known else by_name[0])
    return tuple(dict.fromkeys(found))


def _check_query(made: Structure, exposure: Names, outcome: Names, given: Names) -> None:
    """Raise where one variable has two parts to play."""
    names, parts = made.names(), {"exposure": exposure, "outcome": outcome, "given": given}
    roles = [(node, role) for role, nodes in parts.items() for node in nodes]
    if exposure and outcome:
        held = [node for node in made.nodes if node.adjusted or node.selected]
        roles += [(n.id, "adjusted" if n.adjusted else "selected") for n in held]
    first: dict[str, str] = {}
    for node, role in roles:
        before = first.setdefault(node, role)
        if before != role and {before, role} != {"given", "adjusted"}:
            raise PreparationError(
                f"{names[node]!r} is {before} and {role}.",
                code="no_query" if role == "outcome" else "invalid_input",
                hint="Each variable has one part in a query.",
            )


def _follows(made: Structure, exposure: Names, outcome: Names, given: Names) -> JsonDict:
    """Return the fields of the model that an acyclic structure implies."""
    graph = made.graph
    selected = frozenset(node.id for node in made.nodes if node.selected)
    (implied, cut), (basis, more) = independencies(graph, selected), basis_set(graph, selected)
    made.warnings += [*warned("list_cut", cut, when=cut), *warned("list_cut", more, when=more)]
    found: JsonDict = {
        "topological_order": graph.order(),
        "roots": tuple(node for node in graph.nodes if not graph.parents[node]),
        "leaves": tuple(node for node in graph.nodes if not graph.children[node]),
        "implied_independencies": tuple(Independence(x=x, y=y, given=given) for x, y, given in implied),
        "basis_set": tuple(MarkovStatement(x=x, others=others, given=given) for x, others, given in basis),
    }
    if exposure and outcome:
        adjusted = frozenset(node.id for node in made.nodes if node.adjusted)
        query = Query(graph, frozenset(exposure), frozenset(outcome), adjusted, selected)
        found |= answers(Asked(made, query, exposure, outcome, given))
    return found


def _in_data(ask: PrepareCausalModel, made: Structure, implied: Sequence[Independence]) -> JsonDict:
    """Return the fields that need data, and the tables of a Bayesian network, which may come without."""
    data = read_data(ask, made)
    found: JsonDict = {}
    if ask.model_type == "bayesian":
        found["cpts"] = tables(ask, made, data)
    if data is not None:
        found["data"] = data.table
        found["tests"] = tested_independencies(made, data, implied)
    return found


# Tool 25: claims, attacks and supports as an argumentation framework with what can be accepted.

SMALL = 12
"""Claims up to which conflict-free and admissible sets are listed without being asked for."""

AS_RECORDS = 50_000
"""Claims and relations given by id alone that come back as records; more of them stay ids and pairs."""

MAX_EXPLAINED = 500_000
"""Claims and attacks, times semantics, up to which reasons are given without being asked for."""


@tool(
    25,
    writes="argument_network",
    needs="Claim.id, ArgumentRelation.source target type",
    optional="Claim.text weight, ArgumentRelation.weight",
    cite="Dung 1995; Baroni, Caminada & Giacomin 2011; Cayrol & Lagasquie-Schiex 2005; Dunne et al. 2011",
)
def prepare_argument_network(ask: PrepareArgumentNetwork) -> Noted[ArgumentNetwork]:
    """Build an argumentation framework: extensions, what is accepted and why, and for weights strengths.

    `dung` knows attacks only; `bipolar` adds the attacks that support brings about, as `support` is read;
    `weighted` ignores attacks up to a budget and gives gradual strengths. Self-attacks are legal.
    What the time limit leaves open is in `not_decided`.
    Errors: `empty_id`, `duplicate_id`, `dangling_edge`, `support_in_dung`, `unknown_relation_type`,
    `unknown_semantics`, `weight_not_finite`, `weight_not_positive` (of a relation), `weight_out_of_range`
    (of a claim, outside 0 to 1), `budget_too_large`, `too_many_derived_attacks`.
    """
    check_writable({"claims": ask.claims, "relations": ask.relations, "arguments": ask.arguments})
    warnings = list(ask.notes)
    given = checked_claims(ask, warnings)
    wanted = _wanted_semantics(ask.semantics, len(given.direct.arguments), warnings)
    direct = given.direct
    bipolar = Bipolar(direct, given.supporting(), ask.support)
    effective = bipolar.effective if ask.framework == "bipolar" else direct
    effort = Effort(ask.time_limit)
    quick = [name for name in QUICK_FIRST if name in wanted]
    decided, not_decided = effort.each({name: partial(extensions, effective, name) for name in quick})
    found: status.Found = {name: decided[name] for name in wanted if name in decided}
    network = ArgumentNetwork.model_construct(  # its parts are checked; a million names need no second look
        framework=ask.framework,
        claims=given.claims,
        relations=given.relations,
        arguments=given.arguments,
        attacks=given.attacks,
        supports=given.supports,
        extensions=Extensions.model_validate(status.listed(found, warnings)),
        acceptance=status.acceptance(found, warnings),
        labels=status.labels(found),
        statuses=_claim_statuses(ask, given, effective, found, warnings),
        budget=ask.budget,
    )
    if ask.framework == "bipolar":
        more, left = _of_support(bipolar, effort, warnings)
        network = network.model_copy(update=more)
        not_decided += left
    if ask.framework == "weighted":
        more, left = of_weights(ask, given, direct, wanted, effort, warnings)
        network = network.model_copy(update=more)
        not_decided += left
    status.tell_open(found, not_decided, ask.time_limit, warnings)
    network = network.model_copy(update={"not_decided": tuple(not_decided)})
    if given.relations or len(direct.arguments) + len(given.attacks) + len(given.supports) <= AS_RECORDS:
        network = network.with_records()
    return Noted(data=network, warnings=tuple(warnings))


def _wanted_semantics(names: Sequence[str] | None, size: int, warnings: list[ToolWarning]) -> list[Semantics]:
    if names is None:
        if size <= SMALL:
            return list(SEMANTICS)
        message = f"Conflict-free and admissible sets of more than {SMALL} claims are listed on request only."
        warnings.append(ToolWarning(code="list_cut", message=message))
        return [name for name in SEMANTICS if name not in ("conflict_free", "admissible")]
    for name in names:
        if name not in SEMANTICS:
            raise PreparationError(
                f"Unknown semantics {name!r}.",
                code="unknown_semantics",
                hint=did_you_mean(name, SEMANTICS) or f"Known are {', '.join(SEMANTICS)}.",
            )
    return [name for name in SEMANTICS if name in names]


def _claim_statuses(
    ask: PrepareArgumentNetwork,
    given: Checked,
    framework: Framework,
    found: status.Found,
    warnings: list[ToolWarning],
) -> tuple[ClaimStatus, ...]:
    """Say why of each claim, unless it is not wanted or would be very much."""
    work = (len(framework.arguments) + len(framework.sources)) * (1 + len(found))
    if ask.explain is None and work > MAX_EXPLAINED:
        message = "The network is very large: reasons are given on request only (explain: true)."
        warnings.append(ToolWarning(code="list_cut", message=message, records=("statuses",)))
        return ()
    if ask.explain is False:
        return ()
    if "grounded" not in found:
        found = {"grounded": extensions(framework, "grounded"), **found}
    return status.statuses(framework, given.supporting(), found)


def _of_support(
    bipolar: Bipolar, effort: Effort, warnings: list[ToolWarning]
) -> tuple[dict[str, object], list[str]]:
    in_force = IN_FORCE[bipolar.reading]
    derived = [
        DerivedAttack(source=a, target=b, kind=kind, in_force=kind in in_force)
        for kind, pairs in bipolar.derived.items()
        for a, b in sorted(pairs)
    ]
    found, left = effort.each(bipolar.admissible_sets())
    sets = BipolarSets(**{name: status.rows_of(name, answer, warnings) for name, answer in found.items()})
    return {"support": bipolar.reading, "derived_attacks": tuple(derived), "bipolar": sets}, left


# Tool 26: events in order of time, what follows what, and what the evidence says of a hypothesis.

MOST_PAIRS = 10_000
"""Pairs of uncertain order that are listed."""


@tool(
    26,
    writes="process_trace",
    needs="Event.id case activity timestamp",
    optional="Event.actors timestamp_end evidence",
    cite="van der Aalst 2016, Process Mining; Allen 1983; Van Evera 1997; Fairfield & Charman 2017",
)
def prepare_process_trace(ask: PrepareProcessTrace) -> Noted[ProcessTrace]:
    """Create temporal event sequences: an ordered log, its directly-follows graph, and evidence tests.

    Events are ordered by exact instant before times are floored to the resolution (in UTC); ties keep
    the order given and are reported; a partial date stays an interval, and pairs whose order it leaves
    open are listed with what can hold between them. A timestamp that cannot be read, or that has two
    readings, is set aside with its text, never guessed.
    Errors: `no_usable_events`, `no_case_notion`, `empty_id`, `duplicate_id`, `probability_out_of_range`,
    `priors_not_normalised`, `rivals_differ`, `impossible_evidence`.
    """
    check_writable({"events": ask.events, "entities": ask.entities, "priors": ask.priors})
    events, twins = unique_records(ask.events, "event")
    if events and not any((event.case or "").strip() for event in events):
        raise PreparationError(
            "No event has a case.",
            code="no_case_notion",
            hint="Say what an event belongs to: a document, a person, a place, a file number.",
        )
    timed, aside, read_notes = read_times(events, ask.day_first)
    if not timed:
        raise PreparationError(
            f"None of {len(events)} events has a case and a timestamp that can be read.",
            code="no_usable_events",
            hint="Give timestamps as ISO 8601, such as 1854-09-08.",
        )
    cases = in_cases(timed)
    by_time = sorted((one for one_case in cases for one in one_case), key=lambda one: one.at.start)
    pieces = [(o.event.id, o.event.passages, piece) for o in by_time for piece in o.event.evidence]
    tests, posteriors, log_odds = weigh(pieces, ask.priors)
    paths = variants(cases)
    actors = _actors(ask.entities, by_time)
    absent = [name for name, there in actors.items() if not there]
    uncertain, cut = _uncertain(cases)
    trace = ProcessTrace(
        temporal_resolution=ask.temporal_resolution,
        events=traced(cases, ask.temporal_resolution),
        cases=case_table(cases, paths),
        variants=paths,
        directly_follows=directly_follows(cases),
        start_activities=counted(one_case[0].event.activity for one_case in cases),
        end_activities=counted(one_case[-1].event.activity for one_case in cases),
        activities=counted(one.event.activity for one in timed),
        actors=actors,
        ties=ties(cases, ask.temporal_resolution),
        uncertain_order=uncertain,
        set_aside=tuple(aside),
        evidence_tests=tests,
        posteriors=posteriors,
        log_odds=log_odds,
    )
    told = (
        *ask.notes,
        *twins,
        *read_notes,
        *tell_dates(timed, ask.temporal_resolution),
        *warning("entity_without_events", f"In no event: {', '.join(absent)}.", absent),
        *tell_renamed(timed),
        *tell_ties(trace.ties),
        *cut,
        *tell_shared_evidence(tests),
    )
    return Noted(data=trace, warnings=told)


def _uncertain(
    cases: Sequence[Sequence[Timed]],
) -> tuple[tuple[UncertainOrder, ...], tuple[ToolWarning, ...]]:
    found = tuple(islice(uncertain_pairs(cases), MOST_PAIRS + 1))
    message = (
        f"More than {MOST_PAIRS} pairs of events have no certain order; the first {MOST_PAIRS} are listed."
    )
    return found[:MOST_PAIRS], warned("list_cut", message, when=len(found) > MOST_PAIRS)


def _actors(entities: Sequence[str], by_time: Sequence[Timed]) -> dict[str, tuple[str, ...]]:
    seen = grouped((actor, one.event.id) for one in by_time for actor in dict.fromkeys(one.event.actors))
    return {name: tuple(seen.get(name, ())) for name in dict.fromkeys([*entities, *seen])}
