"""inference.py of the bundle of a Bayesian network: pgmpy reads the network and answers from its tables."""

import json

from corpusgraph.tasks.export.causal.bif import bif_names
from corpusgraph.tasks.prepare.causal.nouns import CausalModel

_SCRIPT = '''"""Ask the Bayesian network with pgmpy; the outcome given the exposure, and under it."""

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
    return _SCRIPT.format(query=json.dumps(query, ensure_ascii=False, indent=1)).encode()
