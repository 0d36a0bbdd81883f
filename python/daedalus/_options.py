# SPDX-License-Identifier: BSD-3-Clause
"""One option table: the names of C++. Unknown ones raise TypeError with the nearest name."""

from __future__ import annotations

import functools
import math
from typing import Any, Dict, Mapping

import numpy as np

from . import _daedalus
from ._record import unknown
from .events import describe_events

METHOD_ALIASES = {"radau": "radau", "bdf": "bdf"}


@functools.lru_cache(maxsize=None)
def option_table() -> dict[str, Any]:
    """Options with kind, default and allowed words."""
    return _daedalus.option_table()


@functools.lru_cache(maxsize=None)
def _keys(table: str) -> dict[str, set[str]]:
    entries = _daedalus.methods() if table == "method" else _daedalus.formulations()
    return {e["name"]: {o["key"] for o in e["options"]} for e in entries}


# Names of other programs' solvers, and whose they are.
_FOREIGN = {
    "scipy": ("rk45", "rk23", "dop853", "lsoda", "odeint", "vode", "zvode", "dopri5"),
    "MATLAB": ("ode45", "ode23", "ode15s", "ode15i", "ode23t", "ode23s", "ode113"),
    "SUNDIALS": ("ida", "idas", "cvode", "cvodes", "arkode"),
    "Fortran": ("dassl", "daspk", "daskr"),
}


def _foreign(name: str) -> str | None:
    plain = name.lower()
    owner = next((owner for owner, names in _FOREIGN.items() if plain in names), None)
    return owner and (f"method: '{name}' is a solver of {owner}; 'auto' chooses one for the problem, "
                      "radau, bdf and rodas5p suit most (daedalus.methods has all)")


def method_name(name: str) -> str:
    """Case and underscores do not matter; TypeError or ValueError otherwise."""
    if not isinstance(name, str):
        raise TypeError(f"method: {name!r} is given, expected a name such as 'auto' or 'radau'")
    plain = name.lower().replace("_", "-")
    known = _keys("method")
    if plain != "auto" and plain not in known:
        raise ValueError(_foreign(name) or "method: " + unknown("method", name, ["auto", *known]))
    return plain


def prepare(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the compiled module takes them."""
    table = option_table()
    ready: dict[str, Any] = {}
    if options.get("method") is not None:
        ready["method"] = method_name(options["method"])
    own = _keys("method").get(ready.get("method", ""), set())
    formulation = str(options.get("formulation") or "auto")
    if formulation != "auto" and formulation not in _keys("formulation"):
        raise ValueError("formulation: " + unknown("formulation", formulation, _keys("formulation")))
    others = _keys("formulation").get(formulation, set())
    for name, value in options.items():
        if name == "method" or value is None:
            continue
        if name in table:
            ready[name] = _convert(name, table[name]["kind"], value)
        elif name in own:
            ready.setdefault("method_options", {})[name] = float(value)
        elif name in others:
            ready.setdefault("formulation_options", {})[name] = float(value)
        else:
            raise TypeError(unknown("option", name, [*table, *own, *others]))
    return ready


def _convert(name: str, kind: str, value: Any) -> Any:
    if kind == "events":
        return describe_events(value)
    if kind == "matrix":
        return np.atleast_2d(np.asarray(value, dtype=float))
    if kind == "number":
        number = float(value)
        return 0.0 if name == "max_step" and math.isinf(number) else number
    if kind == "names" and isinstance(value, str):
        return [value]
    if kind == "sensitivities":
        return _sensitivities(value)
    if kind == "function" and not callable(value):
        raise TypeError(f"{name}: a {type(value).__name__} is given, expected a function")
    return dict(value) if kind == "mapping" else value


def _sensitivities(asked: Any) -> dict[str, Any]:
    """``{"parameters": names, "start_values": names}``; one name may stand alone. ``"error_test": True`` lets
    derivatives take part in the step control, ``"method"`` names the scheme."""
    if not isinstance(asked, Mapping):
        raise TypeError(f"sensitivities: {asked!r} is given, expected {{'parameters': [...]}}, "
                        "{'start_values': [...]} or both")
    names: Dict[str, Any] = {}
    for key, value in asked.items():
        if key == "error_test" and isinstance(value, bool) or key == "method" and isinstance(value, str):
            names[key] = value
            continue
        if not isinstance(value, (str, list, tuple)) and key != "family":
            raise TypeError(f"sensitivities: {key} is {value!r}, expected names")
        names[key] = [value] if isinstance(value, str) else value
    return names
