# SPDX-License-Identifier: BSD-3-Clause
"""Values of a problem's fields, as the library takes them."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np


def triplets(field: str, matrix: Any) -> tuple[Any, ...]:
    """A dense or scipy.sparse matrix as rows, columns, values and shape."""
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        return coo.row.tolist(), coo.col.tolist(), [float(x) for x in coo.data], coo.shape
    dense = np.asarray(matrix, dtype=float)
    if dense.ndim != 2:
        raise ValueError(f"{field}: shape {dense.shape} is given, expected a matrix")
    rows, cols = np.nonzero(dense)
    return rows.tolist(), cols.tolist(), dense[rows, cols].tolist(), dense.shape


def vector(field: str, values: Any) -> Any:
    """A vector of finite numbers; ValueError that names the field otherwise."""
    try:
        array = np.array(values, dtype=float, ndmin=1)
    except (TypeError, ValueError):
        raise ValueError(f"{field}: {values!r} is given, expected real numbers") from None
    if array.ndim != 1:
        raise ValueError(f"{field}: shape {array.shape} is given, expected one dimension")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{field}: entry {int(np.argmin(np.isfinite(array)))} is not finite")
    return array


def _number(field: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{field}: {value!r} is given, expected one number; a parameter for each entry "
                        "(k1, k2), or args of solve_ivp and solve_dae, take the place of an array") from None


CONVERT: dict[str, Callable[[str, Any], Any]] = {
    "text": lambda field, x: str(x),
    "integer": lambda field, x: int(x),
    "integers": lambda field, x: [int(i) for i in x],
    "numbers": lambda field, x: vector(field, x).tolist(),
    "names": lambda field, x: [str(i) for i in x],
    "vector": vector,
    "matrix": triplets,
    "space": lambda field, x: x,
    "parameters": lambda field, x: {str(k): _number(f"{field}['{k}']", v) for k, v in dict(x).items()},
}
