"""dagitty.R of the causal bundle: the same question asked of the R package dagitty."""

import json
from collections.abc import Mapping
from typing import Any

from corpusgraph.tasks.analysis.causal.models import CausalModel
from corpusgraph.tasks.export.causal.bif import bif_names


def dagitty_script(result: CausalModel, names: Mapping[str, str]) -> bytes:
    """Write dagitty.R: implied independencies, adjustment sets, instruments, in dagitty's own answers."""
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


MAX_SETS = 50
"""Sets the script chooses from: the first whose variables are all in the data."""

_DOWHY = '''"""Identify the effect with dowhy; with data.csv beside it, estimate and refute it."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent
QUERY = json.loads(
    r"""
@QUERY@
"""
)
SEED = 1


def main() -> None:
    """Print the graph, what dowhy identifies, and an estimate where there are data."""
    import networkx as nx

    graph = nx.read_gml(FOLDER / "dag.gml")
    print(f"{graph.number_of_nodes()} nodes, {graph.number_of_edges()} arrows")
    if not QUERY["exposure"] or not QUERY["outcome"]:
        print("No exposure and outcome were named.")
        return
    identify(graph)
    if (FOLDER / "data.csv").is_file():
        for outcome in QUERY["outcome"]:
            estimate(graph, outcome)


def identify(graph) -> None:
    """Print what dowhy finds, beside what was found when the bundle was made."""
    from dowhy.causal_identifier import EstimandType, identify_effect_auto

    if graph.number_of_nodes() > @NODES@:
        print("dowhy lists every path to identify an effect, which takes too long here: see answers.json.")
    else:
        observed = [name for name, told in graph.nodes(data=True) if told["observed"] == "yes"]
        found = identify_effect_auto(
            graph,
            QUERY["exposure"],
            QUERY["outcome"],
            observed_nodes=observed,
            estimand_type=EstimandType.NONPARAMETRIC_ATE,
        )
        # Which of several sets dowhy names varies from run to run: only whether there is one is said.
        ways = [name for name in ("backdoor", "frontdoor", "iv") if (found.estimands or {}).get(name)]
        none = "that there is no effect" if found.no_directed_path else "no way to identify the effect"
        print(f"dowhy finds: {', '.join(ways) or none}")
    if not QUERY["identifiable"]:
        print(f"The effect is not known to be identifiable: {QUERY['reason']}.")


def estimate(graph, outcome: str) -> None:
    """Estimate the effect on one outcome in data.csv by the first way that the data allow."""
    import pandas as pd
    from dowhy import CausalModel

    data = pd.read_csv(FOLDER / "data.csv")
    method, used = choose(set(data.columns), outcome)
    if method is None:
        print(f"No estimate of the effect on {outcome}: {used}.")
        return
    columns = [*QUERY["exposure"], outcome, *used["variables"], *used["given"]]
    data = numbers(data[columns])
    if data is None:
        return
    if used["given"] and method.startswith("iv"):
        data = residuals(data, used["given"])
    model = CausalModel(data, QUERY["exposure"], [outcome], graph=graph.subgraph(data.columns).copy())
    target = estimand(method, outcome, used["variables"])
    found = model.estimate_effect(target, method_name=method, effect_modifiers=[])
    cause = " and ".join(QUERY["exposure"])
    print(f"Estimate of the effect on {outcome} of one more in {cause}: {float(found.value):.10g}")
    print(f"  {method}, {len(data)} rows, {used['told']}")
    if "linear" in used["assumes"]:
        print(f"  assumes {used['assumes']}")
    refute(model, target, found, method)


def choose(columns: set, outcome: str):
    """Return a method of dowhy and the variables it uses, or None and the reason."""
    missing = sorted({*QUERY["exposure"], outcome} - columns)
    if missing:
        return None, f"data.csv has no column {', '.join(missing)}"
    for names in QUERY["adjustment_sets"]:
        if columns.issuperset(names):
            told = f"adjusted for {', '.join(names) or 'nothing'}"
            return "backdoor.linear_regression", using(names, told, "linear effects")
    for names in QUERY["front_door_sets"]:
        if len(names) == 1 and len(QUERY["exposure"]) == 1 and columns.issuperset(names):
            told = f"through {', '.join(names)}"
            return "frontdoor.two_stage_regression", using(names, told, "linear effects")
    for name, given in QUERY["instruments"]:
        if columns.issuperset([name, *given]):
            told = f"by the instrument {name}" + (f" given {', '.join(given)}" if given else "")
            assumed = "linear effects, the same for all: without that the effect is not identified"
            return "iv.instrumental_variable", {**using([name], told, assumed), "given": given}
    if not QUERY["identifiable"]:
        return None, f"it is not known to be identifiable ({QUERY['reason']})"
    return None, "it is identifiable, by sets not in data.csv or a formula dowhy does not estimate"


def using(names: list, told: str, assumes: str) -> dict:
    """Return what an estimate uses, and how that is said."""
    return {"variables": names, "told": told, "assumes": assumes, "given": []}


def numbers(data):
    """Return the complete rows as numbers; a category of two becomes 0 and 1, others cannot be used."""
    import pandas as pd

    complete = data.dropna()
    if len(complete) < len(data):
        print(f"{len(data) - len(complete)} rows with gaps are left out.")
    made = {}
    for name in complete.columns:
        column = complete[name]
        levels = sorted(column.unique(), key=str)
        if pd.api.types.is_numeric_dtype(column):
            made[name] = column.astype(float)
        elif len(levels) == 2:
            print(f"{name}: {levels[0]} is 0, {levels[1]} is 1.")
            made[name] = (column == levels[1]).astype(float)
        else:
            print(f"No estimate: {name} has {len(levels)} categories; give numbers or two categories.")
            return None
    constant = [name for name, column in made.items() if column.nunique() < 2]
    if constant:
        print(f"No estimate: {', '.join(constant)} has one value.")
        return None
    return pd.DataFrame(made).reset_index(drop=True)


def residuals(data, given: list):
    """Return what linear regression on the given variables leaves of the others (Frisch & Waugh 1933)."""
    import numpy as np

    design = np.column_stack([np.ones(len(data)), data[given]])
    rest = data.drop(columns=given)
    return rest - design @ np.linalg.lstsq(design, rest.to_numpy(), rcond=None)[0]


def estimand(method: str, outcome: str, names: list):
    """Return dowhy's estimand for the sets found when the bundle was made; dowhy's own varies by run."""
    from dowhy.causal_identifier import EstimandType
    from dowhy.causal_identifier.identified_estimand import IdentifiedEstimand

    kind = method.split(".")[0]
    return IdentifiedEstimand(
        None,
        treatment_variable=QUERY["exposure"],
        outcome_variable=[outcome],
        estimand_type=EstimandType.NONPARAMETRIC_ATE,
        estimands={way: {"assumptions": {}} for way in ("backdoor", "iv", "frontdoor")},
        backdoor_variables={"backdoor": names if kind == "backdoor" else []},
        instrumental_variables=names if kind == "iv" else [],
        frontdoor_variables=names if kind == "frontdoor" else [],
        mediation_first_stage_confounders={"backdoor": []},
        mediation_second_stage_confounders={"backdoor": QUERY["exposure"]},
        default_backdoor_id="backdoor",
        identifier_method=kind,
    )


def refute(model, target, found, method: str) -> None:
    """Print what becomes of the estimate under a placebo, a random common cause, and in parts of the data."""
    import numpy as np

    tries = [("data_subset_refuter", {})]
    if method.startswith("backdoor"):
        tries.insert(0, ("random_common_cause", {}))
    if len(QUERY["exposure"]) == 1 and not method.startswith("frontdoor"):
        tries.insert(0, ("placebo_treatment_refuter", {"placebo_type": "permute"}))
    else:
        placebo(model, target, float(found.value), method)
    for name, more in tries:
        # A generator and not a seed: dowhy would use the seed again in each simulation.
        random = np.random.RandomState(SEED)
        result = model.refute_estimate(
            target, found, method_name=name, random_state=random, num_simulations=@SIMULATIONS@, **more
        )
        p = (result.refutation_result or {}).get("p_value")
        told = f", p {float(p):.4g}" if p is not None else ""
        print(f"  {name}: {float(result.new_effect):.6g}{told}")


def placebo(model, target, value: float, method: str) -> None:
    """Print the mean estimate with shuffled exposures, where dowhy's own placebo does not work."""
    import numpy as np
    from dowhy import CausalModel

    random = np.random.RandomState(SEED)
    found = []
    for _ in range(@SIMULATIONS@):
        data = model._data.copy()
        order = random.permutation(len(data))
        for name in QUERY["exposure"]:
            data[name] = data[name].to_numpy()[order]
        again = CausalModel(data, QUERY["exposure"], target.outcome_variable, graph=model._graph._graph)
        found.append(float(again.estimate_effect(target, method_name=method, effect_modifiers=[]).value))
    p = (1 + sum(abs(one) >= abs(value) for one in found)) / (1 + len(found))
    print(f"  placebo (exposure shuffled): {np.mean(found):.6g}, estimate as large by chance: p {p:.4g}")


if __name__ == "__main__":
    main()
'''

SIMULATIONS = 50
"""Times each refuter runs."""

NODES = 30
"""Nodes up to which the script asks dowhy to identify the effect."""


def dowhy_script(result: CausalModel, names: Mapping[str, str]) -> bytes:
    """Write analysis.py: it runs as it is, and estimates where data.csv lies beside it."""
    query = json.dumps(_query(result, names), ensure_ascii=False, indent=1)
    script = _DOWHY.replace("@SIMULATIONS@", str(SIMULATIONS)).replace("@NODES@", str(NODES))
    return script.replace("@QUERY@", query).encode()


def _query(result: CausalModel, names: Mapping[str, str]) -> dict[str, Any]:
    """Return what the script needs of the model, in the names of the bundle's files."""

    def named(sets: tuple[tuple[str, ...], ...] | None) -> list[list[str]]:
        return [[names[node] for node in one] for one in (sets or ())[:MAX_SETS]]

    found = result.instruments or ()
    return {
        "exposure": [names[node] for node in result.exposure],
        "outcome": [names[node] for node in result.outcome],
        "identifiable": bool(result.identifiable),
        "reason": result.reason or "not asked",
        "adjustment_sets": named(result.minimal_adjustment_sets),
        "front_door_sets": named(result.minimal_front_door_sets),
        "instruments": [[names[i.instrument], [names[node] for node in i.given]] for i in found[:MAX_SETS]],
    }


_PGMPY = '''"""Ask the Bayesian network with pgmpy; the outcome given the exposure, and under it."""

import json
import logging
import warnings
from pathlib import Path

FOLDER = Path(__file__).parent
QUERY = json.loads(
    r"""
{query}
"""
)


def main() -> None:
    """Print probabilities; names and states are those of network.bif, which states.csv explains."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    from pgmpy.inference import CausalInference, VariableElimination
    from pgmpy.readwrite import BIFReader

    model = BIFReader(str(FOLDER / "network.bif")).get_model()
    seen, done = VariableElimination(model), CausalInference(model)
    states = {{name: model.get_cpds(name).state_names[name] for name in sorted(model.nodes())}}
    for name in states:
        tell(f"P({{name}})", name, seen.query([name], show_progress=False))
    for exposure in QUERY["exposure"]:
        for outcome in QUERY["outcome"]:
            for state in states[exposure]:
                given = {{exposure: state}}
                found = seen.query([outcome], evidence=given, show_progress=False)
                tell(f"P({{outcome}} | {{exposure}} = {{state}})", outcome, found)
                found = done.query([outcome], do=given, show_progress=False)
                tell(f"P({{outcome}} | do({{exposure}} = {{state}}))", outcome, found)


def tell(what, name, factor) -> None:
    """Print one distribution."""
    shown = ", ".join(f"{{s}} {{p:.6f}}" for s, p in zip(factor.state_names[name], factor.values))
    print(f"{{what}}: {{shown}}")


main()
'''


def inference(result: CausalModel) -> bytes:
    """Return a Python script; it needs pgmpy and `network.bif` beside it."""
    names = bif_names(result)
    query = {
        "exposure": [names[node] for node in result.exposure],
        "outcome": [names[node] for node in result.outcome],
    }
    return _PGMPY.format(query=json.dumps(query, ensure_ascii=False, indent=1)).encode()
