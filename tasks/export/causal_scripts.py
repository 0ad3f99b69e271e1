"""Scripts of the causal bundle: the same question in R with dagitty and in Python with dowhy."""

import json
from collections.abc import Mapping, Sequence

from corpusgraph.tasks.prepare._causal_nouns import CausalModel

_DOWHY = '''"""Identify the effect with dowhy; with data.csv beside it, estimate it by linear regression."""

from pathlib import Path

FOLDER = Path(__file__).parent
EXPOSURE = {exposure}
OUTCOME = {outcome}


def main() -> None:
    """Print the graph, what dowhy identifies, and an estimate where there are data."""
    import networkx as nx

    graph = nx.read_gml(FOLDER / "dag.gml")
    print(f"{{graph.number_of_nodes()}} nodes, {{graph.number_of_edges()}} arrows")
    if not EXPOSURE or not OUTCOME:
        print("No exposure and outcome were named.")
        return
    from dowhy.causal_identifier import EstimandType, identify_effect_auto

    observed = [name for name, told in graph.nodes(data=True) if told["observed"] == "yes"]
    found = identify_effect_auto(
        graph, EXPOSURE, OUTCOME, observed_nodes=observed, estimand_type=EstimandType.NONPARAMETRIC_ATE
    )
    print(found)
    print("An empty list of dowhy means no set or the empty set; answers.json tells them apart.")
    if (FOLDER / "data.csv").is_file():
        estimate(graph)


def estimate(graph: object) -> None:
    """Estimate the effect in data.csv, whose columns are named as the nodes."""
    import pandas as pd
    from dowhy import CausalModel

    model = CausalModel(pd.read_csv(FOLDER / "data.csv"), EXPOSURE, OUTCOME, graph=graph)
    effect = model.identify_effect(proceed_when_unidentifiable=False)
    print(model.estimate_effect(effect, method_name="backdoor.linear_regression"))


if __name__ == "__main__":
    main()
'''


def dowhy_script(result: CausalModel, names: Mapping[str, str]) -> bytes:
    """Write analysis.py."""
    exposure, outcome = ([names[node] for node in ids] for ids in (result.exposure, result.outcome))
    return _DOWHY.format(exposure=_list(exposure), outcome=_list(outcome)).encode()


def _list(words: Sequence[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False)


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
