"""The do-file against a small grammar: commands whose syntax is certain, variables that exist, brackets closed."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from tests.examples import tried
from tests.statistics.bundles import prepared

ESTIMATION = {"regress", "logit", "ologit", "mlogit", "poisson", "nbreg"}
LINES = {
    r"version 14",
    r'use "data\.dta", clear',
    r"\* [^\n]*",
    r"describe",
    r"summarize (?P<vars>[\w ]+), detail",
    r"tabulate (?P<vars>\w+), missing",
    r"generate (?P<new>\w+) = \((?P<vars>\w+) != -?\d+\) if !missing\(\w+\)",
    r"egen (?P<new>\w+) = group\((?P<vars>\w+)\)",
    r"estat (vif|ic|gof, stats\(all\))",
}
OPTION = re.compile(
    r"noconstant|beta|or|rrr|irr|vce\((robust|hc3|cluster (?P<cluster>\w+))\)|(offset|exposure)\((?P<added>\w+)\)"
    r"|baseoutcome\(-?\d+\)"
)
TERM = re.compile(r"(c\.)?\w+|ib(\d+|n)\.\w+|((c\.|ib(\d+|n)\.)\w+)(#(c\.|ib(\d+|n)\.)\w+)+")
COMMAND = re.compile(
    r"(?P<command>\w+) (?P<terms>[^\[,]+?)(?: \[(aweight|fweight|pweight) = (?P<w>\w+)\])?(?:, (?P<options>.+))?"
)


def check(result: StatisticalAnalysis) -> list[str]:
    """Assert that every line is of the grammar; return the estimation commands."""
    known = {column.name for column in result.table.columns}
    found = []
    for line in result.script.splitlines():
        for one, other in ("()", "[]"):
            assert line.count(one) == line.count(other), line
        plain = next((match for shape in LINES if (match := re.fullmatch(shape, line))), None)
        if plain:
            named = plain.groupdict()
            assert set((named.get("vars") or "").split()) <= known, line
            known |= {named["new"]} if named.get("new") else set()
            continue
        command = COMMAND.fullmatch(line)
        assert command, line
        if command["command"] == "sem":
            continue
        assert command["command"] in ESTIMATION, line
        found.append(line)
        names = set()
        for term in command["terms"].split():
            assert TERM.fullmatch(term), line
            names |= {part.split(".")[-1] for part in term.split("#")}
        options = [
            OPTION.fullmatch(one) for one in re.findall(r"\w+(?:\([^)]*\))?", command["options"] or "")
        ]
        assert all(options), line
        names |= {n for one in options if one for n in (one["cluster"], one["added"]) if n}
        assert names | ({command["w"]} if command["w"] else set()) <= known, line
    return found


ROWS: list[dict[str, Any]] = [
    {
        "y": n * 1.5 % 7,
        "if": n % 5,
        "tuổi": (n * 3) % 11,
        "area": ["Soho", "Bow", "Huế"][n % 3],
        "code": n % 3 - 1,
        "yes": n % 2 == 0,
        "rank": n % 4,
        "who": f"p{n % 6}",
        "w": 1 + n % 3,
    }
    for n in range(48)
]
TYPES = {"rank": "ordinal", "code": "nominal"}


@pytest.mark.parametrize(
    ("mapping", "wanted"),
    [
        ({"outcome": "y", "predictors": ["if*area"]}, "regress y if_ ib1.area c.if_#ib1.area"),
        ({"outcome": "y", "predictors": ["tuổi^2", "code"]}, "regress y c.tuoi#c.tuoi ib1.code_f"),
        ({"outcome": "y", "predictors": ["if"], "robust": "HC3"}, "regress y if_, vce(hc3)"),
        (
            {"outcome": "y", "predictors": ["if"], "robust": "HC3", "weights": "w"},
            "regress y if_ [aweight = w], vce(robust)",
        ),
        ({"outcome": "yes", "predictors": ["if"], "cluster": "who"}, "logit yes if_, vce(cluster who) or"),
        (
            {"outcome": "area", "predictors": ["if"], "reference": {"area": "Soho"}},
            "mlogit area if_, baseoutcome(3) rrr",
        ),
        ({"outcome": "rank", "predictors": ["if"], "weights": "w"}, "ologit rank if_ [pweight = w], or"),
        (
            {"outcome": "if", "predictors": ["tuổi"], "family": "poisson", "exposure": "w"},
            "poisson if_ tuoi, exposure(w) irr",
        ),
        (
            {
                "outcome": "if",
                "predictors": ["area"],
                "family": "negative_binomial",
                "reference": {"area": "Bow"},
            },
            "nbreg if_ ib1.area, irr",
        ),
    ],
)
def test_commands_are_those_of_the_model(mapping: dict[str, Any], wanted: str) -> None:
    assert wanted in check(prepared(ROWS, "stata", types=TYPES, **mapping))


NAMES = st.sampled_from(["if", "tuổi", "area", "code", "rank", "yes", "if:area", "tuổi^3", "tuổi*yes"])


@given(
    st.sampled_from(["y", "yes", "area", "rank"]),
    st.lists(NAMES, min_size=1, max_size=4),
    st.fixed_dictionaries(
        {},
        optional={
            "cluster": st.just("who"),
            "weights": st.just("w"),
            "robust": st.sampled_from(["HC1", "HC3"]),
        },
    ),
)
@settings(deadline=None, max_examples=tried(40))
def test_any_model_is_of_the_grammar(outcome: str, predictors: list[str], more: dict[str, str]) -> None:
    try:
        result = prepared(ROWS, "stata", types=TYPES, outcome=outcome, predictors=predictors, **more)
    except CorpusgraphError:
        return
    assert check(result)


def test_descriptions_and_sems_are_of_the_grammar() -> None:
    check(prepared(ROWS, "stata", "descriptive", types=TYPES))
    values = np.random.default_rng(2).normal(size=(40, 6))
    result = prepared(
        [{f"x{k}": float(v) for k, v in enumerate(row)} for row in values],
        "stata",
        "sem",
        latents={"A": ["x0", "x1", "x2"]},
        regressions=[["x3", "A"], ["x3", "x4"]],
        covariances=[["x0", "x1"]],
    )
    check(result)
    wanted = "sem (A -> x0 x1 x2) (x3 <- A x4), latent(A) cov(e.x0*e.x1) standardized"
    assert wanted in result.script.splitlines()
