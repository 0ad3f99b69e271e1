"""How the script of each program computes standard errors, in words, for its output and README.md."""

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.statistics.analysis import Model

GENLIN = {"linear", "logistic", "poisson", "negative_binomial"}
"""Kinds of model that SPSS's GENLIN fits, its only command here with robust and clustered errors."""


def is_sandwich(model: Model) -> bool:
    """Whether the errors asked for are robust or clustered; those of sampling weights are robust."""
    return bool(model.cluster or model.robust or model.weight_type == "sampling")


def errors_text(model: Model, target: BundleFormat) -> str:
    """Return a sentence on the standard errors of a regression, without a full stop."""
    spread = "equal variances" if model.kind == "linear" else "the model's own variance"
    plain = f"assume {spread} and independent rows"
    if not is_sandwich(model):
        return plain
    kind = f"are clustered by {model.cluster}" if model.cluster else "are robust to unequal variances"
    if target == "spss":
        if model.kind not in GENLIN:
            return f"{plain}, though others were asked for: SPSS has no simple command for them"
        return f"{kind} in GENLIN (sandwich without correction for small samples), not in other commands"
    return f"{kind} ({_how(model, target)})"


def _how(model: Model, target: BundleFormat) -> str:
    linear = model.kind == "linear"
    if target == "stata":
        if model.cluster:
            return "vce(cluster)"
        return "vce(hc3)" if model.robust == "HC3" and not model.weights else "vce(robust)"
    if model.cluster:
        return (
            "HC1; t with clusters - 1 degrees of freedom" if linear else "sandwich, times G / (G - 1); normal"
        )
    if linear:
        return f"{model.robust or 'HC1'}; t with residual degrees of freedom"
    return "sandwich, times n / (n - 1); normal"
