"""A logistic regression with a penalty on squared weights, and the folds that it is cross-validated by."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.optimize import minimize


def fitted(signs: Any, right: np.ndarray, weight: np.ndarray, penalty: np.ndarray | float) -> np.ndarray:
    """Return the weight of each sign.

    Parameters
    ----------
    signs : array or sparse matrix (rows, signs)
        What is seen of each row.
    right : array (rows,)
        From 0 to 1.
    weight : array (rows,)
        How much a row counts.
    penalty : array (signs,) or float
        Of squared weights.

    """

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        log_odds = signs @ weights
        missed = weight @ (np.logaddexp(0, log_odds) - right * log_odds)
        slope = signs.T @ (weight * (1 / (1 + np.exp(-log_odds)) - right)) + penalty * weights
        return float(missed + (penalty * weights**2).sum() / 2), slope

    start = np.zeros(signs.shape[1])
    weights: np.ndarray = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return weights


def folds_of(documents: Iterable[str], n_folds: int) -> np.ndarray:
    """Return the fold of each row: those of one document are in one."""
    each = list(documents)
    places = {document: place for place, document in enumerate(sorted(set(each)))}
    return np.array([places[document] % n_folds for document in each])
