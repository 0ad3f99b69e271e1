"""Matrix products of spaCy's networks by NumPy's BLAS, on one thread.

spaCy's own library for them (blis) does a third of the arithmetic in the same time on a processor with wide
vectors, and a parse is mostly such products. The parses are the same. One thread is the most text per
processor second: several workers parse documents side by side instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from thinc.api import NumpyOps, get_current_ops, set_current_ops


class BlasOps(NumpyOps):  # type: ignore[misc]  # no stubs
    """Operations of a network with NumPy's matrix product."""

    def gemm(self, x: Any, y: Any, out: Any = None, trans1: bool = False, trans2: bool = False) -> Any:
        """Multiply two matrices, either of them transposed."""
        return np.matmul(x.T if trans1 else x, y.T if trans2 else y, out=out)


@contextmanager
def with_blas() -> Iterator[None]:
    """Let networks made or loaded here compute by NumPy's BLAS, but for those on a graphics card."""
    before = get_current_ops()
    if type(before) is NumpyOps:
        set_current_ops(BlasOps())
    try:
        yield
    finally:
        set_current_ops(before)
