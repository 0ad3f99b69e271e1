"""Scripts of the causal bundle, as a user of dagitty, dowhy and pgmpy writes them."""

from collections.abc import Mapping

from corpusgraph.tasks.analysis.causal.models import CausalModel
from corpusgraph.tasks.export.causal.bif import bif_names

NODES = 30
"""Nodes up to which the script asks dowhy to identify the effect: it lists every path."""


def dagitty_script(result: CausalModel, names: Mapping[str, str]) -> bytes:
    """Write dagitty.R: implied independencies, adjustment sets, instruments, in dagitty's own answers.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name in `dagitty.txt`.

    Returns
    -------
    bytes
        R code.

    """
    lines = [
        '# The package dagitty: install.packages("dagitty")',
        "library(dagitty)",
        'g <- dagitty(paste(readLines("dagitty.txt", encoding = "UTF-8"), collapse = "\\n"))',
        "print(impliedConditionalIndependencies(g))",
    ]
    if result.exposure and result.outcome:
        lines += ['print(adjustmentSets(g, type = "minimal", effect = "total"))']
        if len(result.exposure) == len(result.outcome) == 1:
            ends = f"{_r(names[result.exposure[0]])}, {_r(names[result.outcome[0]])}"
            lines.append(f"print(instrumentalVariables(g, {ends}))")
    return "\n".join([*lines, ""]).encode()


def _r(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dowhy_script(result: CausalModel, names: Mapping[str, str]) -> bytes:
    """Write analysis.py: dowhy identifies the effect, and with data.csv beside it estimates and refutes it.

    The set to adjust for, the front door or the instrument is the first of the bundle's answers that the data
    have: which of several dowhy names varies from run to run.

    Parameters
    ----------
    result : CausalModel
        The model.
    names : mapping of str to str
        Id of a node -> its name in `dag.gml`.

    Returns
    -------
    bytes
        Python code.

    """
    exposure, outcome = ([names[node] for node in ids] for ids in (result.exposure, result.outcome))
    lines = [
        "from pathlib import Path\n",
        "import networkx as nx",
        "import numpy as np",
        "import pandas as pd",
        "from dowhy import CausalModel, EstimandType, identify_effect_auto\n",
        "folder = Path(__file__).resolve().parent",
        'graph = nx.read_gml(folder / "dag.gml")',
        'print(f"{graph.number_of_nodes()} nodes, {graph.number_of_edges()} arrows")',
    ]
    if not exposure or not outcome:
        del lines[2:5]
        return "\n".join([*lines, 'print("No exposure and outcome were named.")', ""]).encode()
    lines += _identify(len(result.nodes), exposure, outcome)
    if not result.identifiable:
        told = f"The effect is not known to be identifiable: {result.reason or 'not asked'}."
        lines.append(f"print({told!r})")
    return "\n".join([*lines, "", *_estimate(result, names, exposure, outcome), ""]).encode()


def _identify(n_nodes: int, exposure: list[str], outcome: list[str]) -> list[str]:
    if n_nodes > NODES:
        return [
            "# dowhy lists every path to identify an effect, which takes too long here: see answers.json."
        ]
    return [
        'observed = [name for name, facts in graph.nodes(data=True) if facts["observed"] == "yes"]',
        f"treatment, outcomes = {exposure!r}, {outcome!r}",
        "kind = EstimandType.NONPARAMETRIC_ATE",
        "estimand = identify_effect_auto(graph, treatment, outcomes, observed, estimand_type=kind)",
        'ways = [way for way in ("backdoor", "frontdoor", "iv") if (estimand.estimands or {}).get(way)]',
        'none = "that there is no effect" if estimand.no_directed_path else "no way to identify the effect"',
        "print(f\"dowhy finds: {', '.join(ways) or none}\")",
    ]


def _estimate(
    result: CausalModel, names: Mapping[str, str], exposure: list[str], outcome: list[str]
) -> list[str]:
    way = _way(result, names)
    if isinstance(way, str):
        return [f"print({f'No estimate of the effect: {way}.'!r})"]
    method, told, used, model = way
    columns = [*exposure, *outcome, *used]
    numbers = _numbers(result, names, columns)
    if isinstance(numbers, str):
        return [f"print({numbers!r})"]
    cause = " and ".join(exposure)
    refuters = ["data_subset_refuter"]
    refuters += ["random_common_cause"] if method.startswith("backdoor") else []
    placebo = len(exposure) == 1 and not method.startswith("frontdoor")  # dowhy has no other
    refuters += ["placebo_treatment_refuter"] if placebo else []
    given, residuals = used[1:], list[str]()
    if method.startswith("iv") and given:
        # the covariates of a conditional instrument are taken out of all others first (Frisch & Waugh 1933)
        residuals = [
            "from statsmodels.api import OLS, add_constant",
            "",
            f"rest = data.columns.difference({given!r}, sort=False)",
            f"data = data[rest].apply(lambda column: OLS(column, add_constant(data[{given!r}])).fit().resid)",
        ]
    return [
        'if not (folder / "data.csv").is_file():',
        '    print("For an estimate, put data.csv here, with columns named as the nodes.")',
        "    raise SystemExit",
        f'data = pd.read_csv(folder / "data.csv")[{columns!r}]',
        "data, n_rows = data.dropna().reset_index(drop=True), len(data)",
        'print(f"{n_rows - len(data)} rows with gaps are left out.")',
        *numbers,
        *residuals,
        f"for outcome in {outcome!r}:",
        f"    model = CausalModel(data, {exposure!r}, outcome, {model}, effect_modifiers=[])",
        "    estimand = model.identify_effect(proceed_when_unidentifiable=True)",
        f"    estimate = model.estimate_effect(estimand, {method!r}, effect_modifiers=[])",
        f'    effect = f"Estimate of the effect on {{outcome}} of one more in {cause}"',
        '    print(f"{effect}: {float(estimate.value):.10g}")',
        f'    print(f"  {method}, {{len(data)}} rows, {told}")',
        f"    for name in {refuters!r}:",
        "        # a generator, for dowhy would use a seed again in each simulation",
        "        options = dict(random_state=np.random.RandomState(1), num_simulations=50)",
        '        options |= dict(placebo_type="permute") if name.startswith("placebo") else {}',
        "        test = model.refute_estimate(estimand, estimate, name, **options)",
        "        p = (test.refutation_result or {}).get('p_value', float('nan'))",
        '        print(f"  {name}: {float(test.new_effect):.6g}, p {float(p):.4g}")',
    ]


def _way(result: CausalModel, names: Mapping[str, str]) -> tuple[str, str, list[str], str] | str:
    """Return method, words, variables used and the model's arguments; or why there is no estimate."""
    data = result.data
    columns = set(names) if data is None else {column.name for column in data.columns}
    if lacking := sorted(names[node] for node in {*result.exposure, *result.outcome} - columns):
        return f"data.csv has no column {', '.join(lacking)}"
    for one in result.minimal_adjustment_sets or ():
        if columns.issuperset(one):
            used = [names[node] for node in one]
            told = f"adjusted for {', '.join(used) or 'nothing'}; assumes linear effects"
            return "backdoor.linear_regression", told, used, f"common_causes={used!r}"
    for one in result.minimal_front_door_sets or ():
        if len(one) == len(result.exposure) == len(result.outcome) == 1 and columns.issuperset(one):
            x, m, y = names[result.exposure[0]], names[one[0]], names[result.outcome[0]]
            told = f"through {m}; assumes linear effects"
            graph = f"graph=nx.DiGraph({[(x, m), (m, y), ('unobserved', x), ('unobserved', y)]!r})"
            return "frontdoor.two_stage_regression", told, [m], graph
    for found in result.instruments or ():
        if columns.issuperset([found.instrument, *found.given]):
            used = [names[node] for node in (found.instrument, *found.given)]
            told = f"by the instrument {used[0]}" + (f" given {', '.join(used[1:])}" if used[1:] else "")
            told += "; assumes linear effects, the same for all: without that it is not identified"
            return "iv.instrumental_variable", told, used, f"instruments=[{used[0]!r}]"
    if not result.identifiable:
        return f"it is not known to be identifiable ({result.reason or 'not asked'})"
    return "it is identifiable, by sets not in data.csv or a formula dowhy does not estimate"


def _numbers(result: CausalModel, names: Mapping[str, str], columns: list[str]) -> list[str] | str:
    """Return lines that make 0 and 1 of categories of two; or why there is no estimate."""
    lines: list[str] = []
    for at, column in enumerate(result.data.columns if result.data else ()):
        name = names.get(column.name, column.name)
        if name not in columns or column.dtype in {"numeric", "integer"} or result.data is None:
            continue
        levels = sorted({str(value) for value in result.data.cells(at) if value is not None})
        if len(levels) != 2:
            return f"No estimate: {name} has {len(levels)} categories; give numbers or two categories."
        if column.dtype == "boolean":
            lines.append(f"data[{name!r}] = data[{name!r}].astype(float)")
        else:
            lines.append(f"data[{name!r}] = (data[{name!r}] == {levels[1]!r}).astype(float)")
            lines.append(f"print({f'{name}: {levels[0]} is 0, {levels[1]} is 1.'!r})")
    return lines


def inference(result: CausalModel) -> bytes:
    """Write inference.py: probabilities that pgmpy computes from network.bif, which states.csv explains.

    Parameters
    ----------
    result : CausalModel
        A model with a table for every node.

    Returns
    -------
    bytes
        Python code.

    """
    names = bif_names(result)
    exposure, outcome = ([names[node] for node in ids] for ids in (result.exposure, result.outcome))
    return f"""import logging
from pathlib import Path

from pgmpy.inference import CausalInference, VariableElimination
from pgmpy.readwrite import BIFReader

logging.disable(logging.WARNING)
model = BIFReader(str(Path(__file__).resolve().parent / "network.bif")).get_model()
seen, done = VariableElimination(model), CausalInference(model)
states = {{name: model.get_cpds(name).state_names[name] for name in sorted(model.nodes())}}


def tell(what, name, factor):
    shown = ", ".join(f"{{s}} {{p:.6f}}" for s, p in zip(factor.state_names[name], factor.values))
    print(f"{{what}}: {{shown}}")


for name in states:
    tell(f"P({{name}})", name, seen.query([name], show_progress=False))
for x, y in {[(x, y) for x in exposure for y in outcome]!r}:
    for state in states[x]:
        observed = seen.query([y], evidence={{x: state}}, show_progress=False)
        tell(f"P({{y}} | {{x}} = {{state}})", y, observed)
        tell(f"P({{y}} | do({{x}} = {{state}}))", y, done.query([y], do={{x: state}}, show_progress=False))
""".encode()
