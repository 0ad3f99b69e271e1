"""Soft clusters of vectors: Gaussian mixtures, as many as the Bayesian information criterion wants."""

import numpy as np

from corpusgraph.schemas.ports import Floats, Ints
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.method.shapes_options import TreeOptions

MAX_COMPONENTS = 50
"""RAPTOR looks at no more."""
FLOOR = 0.1
"""A component is at least this share of the data's mean variance wide: none closes in on a single point."""
PATIENCE = 3
"""Stop after so many numbers of components that were no better than the best."""
PER_CLUSTER = 10
"""Nodes of a cluster, about, where K-means cuts a large layer."""
JITTER = 1e-4
"""Each coordinate is moved by up to half of this share of the rows' spread."""
SAME = 1e-3
"""Axes whose variances differ by a smaller share are equals; jitter makes less of a difference."""


def reduced(rows: Floats, dimension: int) -> Doubles:
    """Return the rows on their first `dimension` principal axes (n, at most `dimension`).

    In place of RAPTOR's UMAP, which is random, slow, and a heavy dependency. Of axes that are equals either
    all are among the first or none: nothing but rounding would choose between them. Where none is left, no
    direction says more than another, and all rows are at 0.
    """
    from scipy.linalg import eigh

    centred = _apart(rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64))
    wide = centred.shape[0] < centred.shape[1]
    products = centred @ centred.T if wide else centred.T @ centred
    least = max(0, len(products) - dimension - 1)  # one more, which tells what the last is equal to
    values, axes = eigh(products, subset_by_index=[least, len(products) - 1])
    values, axes = np.maximum(values[::-1], 0), axes[:, ::-1]
    n = min(dimension, len(values))
    while 0 < n < len(values) and values[n - 1] - values[n] <= SAME * values[n - 1]:
        n -= 1
    if not n:
        return np.zeros((len(rows), 1))
    axes = axes[:, :n]
    projected: Doubles = axes * np.sqrt(values[:n]) if wide else centred @ axes
    # An axis has no direction of its own: the coordinate that is largest points up.
    signs = np.sign(projected[np.abs(projected).argmax(axis=0), np.arange(projected.shape[1])])
    return projected * np.where(signs == 0, 1, signs)


def _apart(centred: Doubles) -> Doubles:
    """Move each row a little, always the same way, so that no two are at equal distances from a third.

    Texts of the same words in other order, or with no word in common, are. What is found of equals (the axes
    of a reduction, the nearest centre, the best number of clusters) would depend on the last digits of
    sums, which are not the same on every processor.
    """
    spread = float(np.sqrt((centred**2).mean()))
    return centred + JITTER * spread * (np.random.default_rng(0).random(centred.shape) - 0.5)


def clusters(rows: Floats, options: TreeOptions) -> list[Ints]:
    """Return the places of each cluster's rows; a row is in every cluster likely enough, and in one at least.

    After Sarthi et al. 2024 (RAPTOR, arXiv:2401.18059): clusters of the whole, then clusters in each. A layer
    of more than `options.kmeans_above` rows is cut by K-means, each row in one cluster.
    """
    everything = np.arange(len(rows))
    if len(rows) > options.kmeans_above:
        return _cut(rows, max(2, len(rows) // PER_CLUSTER), options)
    found: list[Ints] = []
    for whole in _mixture(rows, everything, options):
        found += _mixture(rows, whole, options)
    distinct = {tuple(places.tolist()): places for places in found}
    return [distinct[key] for key in sorted(distinct)]


def split(rows: Floats, n: int, options: TreeOptions) -> list[Ints]:
    """Return the places of the rows in at most `n` parts by K-means; rows all alike are cut in order."""
    parts = _cut(rows, min(n, len(rows)), options)
    return parts if len(parts) > 1 else np.array_split(np.arange(len(rows)), min(n, len(rows)))


def _mixture(rows: Floats, places: Ints, options: TreeOptions) -> list[Ints]:
    """Return the clusters among some of the rows; too few to tell are one cluster."""
    if len(places) <= options.reduction_dimension + 1:
        return [places]
    points = reduced(rows[places], options.reduction_dimension)
    shares = _memberships(points, options.seed)
    within = shares > options.threshold
    within[np.arange(len(points)), shares.argmax(axis=1)] = True
    return [places[column] for column in within.T if column.any()]


def _memberships(points: Doubles, seed: int) -> Doubles:
    """Return the probability of each component for each point (n, components), of the best mixture."""
    from sklearn.mixture import GaussianMixture

    floor = FLOOR * float(points.var(axis=0).mean())
    if floor < 1e-9:  # all rows alike
        return np.ones((len(points), 1))
    best: Doubles = np.ones((len(points), 1))
    least, worse = np.inf, 0
    for n in range(1, min(MAX_COMPONENTS, len(points) // 2) + 1):
        mixture = GaussianMixture(n, covariance_type="diag", reg_covar=floor, random_state=seed).fit(points)
        criterion = float(mixture.bic(points))
        if criterion < least:
            least, worse, best = criterion, 0, mixture.predict_proba(points)
        else:
            worse += 1
        if worse == PATIENCE:
            break
    return best


def _cut(rows: Floats, n: int, options: TreeOptions) -> list[Ints]:
    from sklearn.cluster import KMeans

    points = reduced(rows, options.reduction_dimension)
    if not points.any():
        return [np.arange(len(rows))]
    n = min(n, len(np.unique(rows, axis=0)))
    labels = KMeans(n, n_init=1, random_state=options.seed).fit_predict(points)
    return [found for i in range(n) if len(found := np.flatnonzero(labels == i))]
