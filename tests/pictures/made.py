"""Small networks, traces and tables whose pictures the tests look at."""

from collections.abc import Callable
from typing import Any

from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, PrepareArgumentNetwork
from corpusgraph.tasks.analysis.causal.models import CausalModel, PrepareCausalModel
from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace, ProcessTrace
from corpusgraph.tasks.export.argument.figure import argument_picture
from corpusgraph.tasks.export.causal.figure import causal_picture
from corpusgraph.tasks.export.process.figure import process_picture
from corpusgraph.tasks.export.statistical.figure import statistical_picture
from corpusgraph.tasks.tools.prepare import (
    prepare_argument_network,
    prepare_causal_model,
    prepare_process_trace,
)
from tests.export.samples import regression, sem


def model(nodes: str, arrows: str, **more: Any) -> CausalModel:
    """Nodes by name; arrows as `a>b` or `a~b` for a common cause."""
    relations = [
        {
            "id": f"r{at}",
            "source_id": text[0],
            "target_id": text[2],
            "type": "causes" if ">" in text else "bidirected",
        }
        for at, text in enumerate(arrows.split())
    ]
    entities = [{"id": name, "name": name, **more.pop(name, {})} for name in nodes.split()]
    ask = {"entities": entities, "relationships": relations, "on_cycle": "report", **more}
    return prepare_causal_model(PrepareCausalModel.model_validate(ask)).data


def query(nodes: str, arrows: str, **more: Any) -> CausalModel:
    return model(nodes, arrows, model_type="do_calculus", exposure="X", outcome="Y", **more)


def network(names: str, attacks: str = "", supports: str = "", **more: Any) -> ArgumentNetwork:
    relations = [
        {"source": pair[0], "target": pair[1], "type": kind}
        for kind, pairs in (("attack", attacks), ("support", supports))
        for pair in pairs.split()
    ]
    ask = {
        "claims": [{"id": name, "text": f"claim {name}"} for name in names],
        "relations": relations,
        "framework": "bipolar" if supports else "dung",
        "semantics": ["grounded"],
        **more,
    }
    return prepare_argument_network(PrepareArgumentNetwork.model_validate(ask)).data


def trace(*events: tuple[str, str, str], **more: Any) -> ProcessTrace:
    """Events as (case, activity, timestamp)."""
    records = [
        {"id": f"e{at}", "case": case, "activity": activity, "timestamp": time}
        for at, (case, activity, time) in enumerate(events)
    ]
    return prepare_process_trace(PrepareProcessTrace.model_validate({"events": records, **more})).data


SMALL = trace(
    ("Soho", "first death", "1854-08-31"),
    ("Soho", "handle removed", "1854-09-08"),
    ("Soho", "report", "1855"),
    ("Board", "inquiry", "1854-09"),
)


FLOW = trace(
    *(
        (f"case {case:03d}", activity, f"1854-01-{day + 1:02d}")
        for case in range(60)
        for day, activity in enumerate(["ask", "answer", "answer", "end"] if case % 3 else ["ask", "end"])
    )
)


Files = dict[str, bytes]
PICTURES: dict[str, Callable[[], Files]] = {
    "regression": lambda: statistical_picture(regression("r")),
    "sem": lambda: statistical_picture(sem("stata")),
    "causal": lambda: causal_picture(query("X Y Z W", "Z>X Z>Y X>Y W>X X~Y")),
    "argument": lambda: argument_picture(network("abcde", "ab bc de ed aa", "ac")),
    "timeline": lambda: process_picture(SMALL),
    "flow": lambda: process_picture(FLOW),
}
