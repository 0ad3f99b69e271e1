"""What a reviewer of a statistics journal asks: whose errors, which level, how many rows, what the weights mean."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyreadstat
import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.analysis.statistics.formula import read_terms, whole_categories
from corpusgraph.tasks.export.statistical.bundle import statistical_bundle
from corpusgraph.tasks.export.statistical.programs import program
from tests.statistics.bundles import prepared

RNG = np.random.default_rng(3)
ROWS: list[dict[str, Any]] = [
    {
        "y": float(RNG.normal()),
        "yes": bool(RNG.random() < 0.4),
        "x": float(RNG.normal()),
        "g": "abc"[at % 3],
        "rank": at % 4 + 1,
        "who": f"w{at % 12}",
        "w": 1.0 + at % 5,
    }
    for at in range(60)
]
ORDERED: dict[str, Any] = {"outcome": "rank", "predictors": ["x"], "types": {"rank": "ordinal"}}
COUNTS: dict[str, Any] = {"outcome": "rank", "predictors": ["x"]}
LINEAR: dict[str, Any] = {"outcome": "y", "predictors": ["x"]}


@pytest.mark.parametrize("target", ["spss", "stata"])
def test_codes_written_as_decimals_are_user_missing_of_a_category(target: str, tmp_path: Path) -> None:
    """A CSV made from floats has 97.0 for the code 97, beside levels that are whole numbers."""
    rows = [{"q": text} for text in ("1.0", "2.0", "97.0", "99.0", "")]
    result = prepared(
        rows,
        target,
        "descriptive",
        types={"q": "ordinal"},
        missing={"q": [97, 99]},
        value_labels={"q": {"1": "no", "2": "yes", "97": "refused"}},
    )
    name = "data.sav" if target == "spss" else "data.dta"
    (tmp_path / name).write_bytes(program(result.output_format).data_files(result)[name])
    read = pyreadstat.read_sav if target == "spss" else pyreadstat.read_dta
    data, meta = read(tmp_path / name, user_missing=True)
    told: dict[str, Any] = dict(meta.variable_value_labels)
    labels = told["q"]
    if target == "spss":
        assert data["q"].tolist()[:4] == [1, 2, 97, 99]
        assert labels[97] == "refused"
        ranges: dict[str, Any] = dict(meta.missing_ranges)
        assert [one["lo"] for one in ranges["q"]] == [97, 99]
    else:
        assert data["q"].tolist()[:4] == [1, 2, "a", "b"]
        assert labels["a"] == "97: refused"


@pytest.mark.parametrize(
    ("terms", "intercept", "whole"),
    [  # which factors have all their levels in R's model.matrix
        (["x", "x:g"], True, [set(), set()]),
        (["x:g"], True, [{"g"}]),
        (["g", "k:g"], True, [set(), {"g"}]),
        (["g:k"], True, [{"g", "k"}]),
        (["g*k"], True, [set(), set(), set()]),
        (["x", "g", "k"], False, [set(), {"g"}, set()]),
        (["x", "x:g"], False, [set(), {"g"}]),
        (["g*k"], False, [{"g"}, set(), set()]),
        (["x", "x:g:k", "g"], True, [set(), {"g", "k"}, set()]),
        (["x:g", "k"], False, [{"g"}, {"k"}]),
        (["x^2", "x^2:g", "x:g"], True, [set(), set(), {"g"}]),
    ],
)
def test_a_category_without_its_margin_has_all_levels(
    terms: list[str], intercept: bool, whole: list[set[str]]
) -> None:
    read = read_terms(terms, {"x", "g", "k"})
    assert [set(one) for one in whole_categories(read, {"g", "k"}, intercept=intercept)] == whole


def test_each_program_has_the_slope_of_every_level() -> None:
    made = {t: prepared(ROWS, t, outcome="y", predictors=["x:g"]) for t in ("python", "stata", "spss")}
    assert made["python"].diagnostics.n_parameters == 4  # an intercept and three slopes
    assert "y ~ x:C(g, Treatment('a'))" in made["python"].script
    assert "regress y c.x#ibn.g" in made["stata"].script
    assert "/METHOD=ENTER x_x_g_1 x_x_g_2 x_x_g_3." in made["spss"].script
    readme = statistical_bundle(made["spss"], "spss", picture={})["README.md"].decode()
    assert "`g` has no reference level: each level has a coefficient of its own." in readme


@pytest.mark.parametrize(
    ("target", "mapping", "said"),
    [
        ("r", LINEAR, "assume equal variances and independent rows."),
        (
            "r",
            {**LINEAR, "cluster": "who"},
            "clustered by who (HC1; t with clusters - 1 degrees of freedom).",
        ),
        ("python", {**LINEAR, "robust": "HC3"}, "(HC3; t with residual degrees of freedom)."),
        ("python", {**ORDERED, "cluster": "who"}, "clustered by who (sandwich, times G / (G - 1); normal)."),
        *(
            (
                target,
                {**LINEAR, "robust": "HC3", "weights": "w"},
                "HC1; t with residual degrees of freedom, for",
            )
            for target in ("r", "python", "stata")
        ),
        ("stata", {**LINEAR, "robust": "HC3"}, "robust to unequal variances (vce(hc3): HC3;"),
        ("r", {**COUNTS, "family": "negative_binomial"}, "glm.nb takes the dispersion as known"),
        ("spss", {**LINEAR, "cluster": "who"}, "clustered by who in GENLIN (sandwich without the factors"),
        (
            "spss",
            {**ORDERED, "cluster": "who"},
            "independent rows, though others were asked for: SPSS has no",
        ),
    ],
)
def test_the_readme_says_how_this_program_computes_errors(
    target: str, mapping: dict[str, Any], said: str
) -> None:
    result = prepared(ROWS, target, **mapping)
    readme = statistical_bundle(result, result.output_format, picture={})["README.md"].decode()
    assert said in next(line for line in readme.splitlines() if line.startswith("- Standard errors"))


def test_no_script_shows_errors_that_were_not_asked_for_without_a_word() -> None:
    r = prepared(ROWS, "r", **LINEAR, cluster="who").script
    assert "print(summary(fit))" not in r
    assert 'cat("n =", nrow(data), "complete rows of", n_rows, "\\n")' in r
    assert "print(summary(fit))" in prepared(ROWS, "r", **LINEAR).script
    spss = prepared(ROWS, "spss", **LINEAR, weights="w", weight_type="sampling").script
    assert re.search(r"WEIGHT BY w\.\nECHO '[^']+not those asked for\.'\.\nREGRESSION", spss)
    assert re.search(r"WEIGHT OFF\.\n.*\nGENLIN y WITH x\n.*SCALEWEIGHT=w\n  /CRITERIA COVB=ROBUST", spss)


def test_numbers_are_the_same_in_r_whether_true_or_1() -> None:
    """A logical would be a factor in R: two columns without its margin, where other programs have one."""
    assert "data$yes <- as.numeric(data$yes)" in prepared(ROWS, "r", outcome="y", predictors=["x:yes"]).script


def codes(**mapping: Any) -> dict[str, str]:
    analysis = mapping.pop("analysis", "regression")
    return {note.code: note.message for note in prepared(ROWS, "r", analysis, **mapping).notes}


def test_weights_whose_meaning_is_assumed_are_named() -> None:
    assert "'w' is taken as analytic weights" in codes(**LINEAR, weights="w")["weights_assumed"]
    assert "sampling" in codes(outcome="yes", predictors=["x"], weights="w")["weights_assumed"]
    assert "weights_assumed" not in codes(**LINEAR, weights="w", weight_type="sampling")
    assert "weights_assumed" not in codes(**LINEAR)


def test_labelled_numbers_that_may_be_codes_are_named() -> None:
    labels = {"rank": {str(n): f"level {n}" for n in range(1, 5)}}
    told = codes(outcome="y", predictors=["rank"], value_labels=labels)
    assert "'rank' has a label" in told["labels_as_numbers"]
    some = {"rank": {"1": "lowest", "4": "highest"}}
    assert "labels_as_numbers" not in codes(outcome="y", predictors=["rank"], value_labels=some)
    nominal = {"outcome": "y", "predictors": ["rank"], "types": {"rank": "nominal"}}
    assert "labels_as_numbers" not in codes(**nominal, value_labels=labels)
    with pytest.raises(InvalidInputError, match="nominal or ordinal"):
        prepared(ROWS, "r", outcome="y", predictors=["rank"], reference={"rank": "2"})


def test_models_with_few_rows_for_their_parameters_are_named() -> None:
    events = min(sum(row["yes"] for row in ROWS), sum(not row["yes"] for row in ROWS))
    told = codes(outcome="yes", predictors=["x", "g", "rank"])["few_rows_per_parameter"]
    assert f"{events} rows for 4 terms" in told
    assert "few_rows_per_parameter" not in codes(outcome="yes", predictors=["x"])
    sem = codes(analysis="sem", latents={"f": ["y", "x", "rank", "w"]}, regressions=[])
    assert "few_rows_per_parameter" not in sem  # 60 rows for 8 parameters
    few = prepared(ROWS[:30], "r", "sem", latents={"f": ["y", "x", "rank", "w"]})
    assert [n.message[:36] for n in few.notes if n.code == "few_rows_per_parameter"] == [
        "30 complete rows for 8 parameters, f"
    ]


def test_an_intercept_is_not_said_to_separate() -> None:
    rows = [{"y": at > 10, "x": float(at)} for at in range(24)]
    told = {n.code: n.message for n in prepared(rows, "r", outcome="y", predictors=["x"]).notes}
    assert told["separation"].startswith("'x' predict")


def test_the_readme_of_a_sem_says_what_this_program_fits() -> None:
    mapping: dict[str, Any] = {
        "latents": {"f": ["rank", "x", "y", "w"]},
        "types": {"rank": "ordinal"},
        "group": "half",
    }
    rows = [{**row, "half": "ab"[at // 30]} for at, row in enumerate(ROWS)]
    said = {}
    for target in ("r", "stata", "spss"):
        result = prepared(rows, target, "sem", **mapping)
        said[target] = statistical_bundle(result, result.output_format, picture={})["README.md"].decode()
    assert "Estimator: WLSMV;" in said["r"]
    assert "maximum likelihood with ordinal indicators as numbers" in said["stata"]
    assert "This script does not fit it" in said["spss"]
    assert "Degrees of freedom: 4 in all." in said["r"]
    assert "In each group: t-rule (necessary): 2 degrees of freedom" in said["r"]
