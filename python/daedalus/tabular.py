# SPDX-License-Identifier: BSD-3-Clause
"""Solutions for pandas and xarray, where these are installed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .solution import Solution
    from .sweeps import Sweep


def need(module: str, what: str) -> Any:
    """The module, or ImportError that says what needs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.split(".")[0]
        raise ImportError(f"{what} needs {name}, which is not installed") from error


def pandas() -> Any:
    """The module pandas."""
    return need("pandas", "to_dataframe")


def to_dataframe(solution: "Solution") -> Any:
    """Times as index, variables as columns."""
    pd = pandas()
    return pd.DataFrame(
        np.array(solution.y.T), index=pd.Index(np.array(solution.t), name="t"), columns=solution.names
    )


def to_xarray(solution: "Solution") -> Any:
    """One variable per name over t, with what is known about the run as attributes."""
    xr = need("xarray", "to_xarray")
    t = np.array(solution.t)
    data = {name: ("t", np.array(solution.y[i])) for i, name in enumerate(solution.names)}
    choice = solution.choice
    attributes = {"status": solution.status, "method": choice.method, "reason": choice.reason}
    return xr.Dataset(data, coords={"t": t}, attrs=attributes)


def sweep_to_xarray(table: "Sweep") -> Any:
    """One variable per name over the parameters."""
    xr = need("xarray", "to_xarray")
    axes = ["run"] if table.sampled else list(table.parameters)
    data = {name: (axes, table[name]) for name in table.names}
    data["status"] = (axes, table.status)
    if table.sampled:
        return xr.Dataset(data, coords={k: ("run", v) for k, v in table.parameters.items()})
    return xr.Dataset(data, coords=dict(table.parameters))
