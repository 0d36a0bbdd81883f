# SPDX-License-Identifier: BSD-3-Clause
"""Which functions of a problem are traced, with which shapes and derivatives."""

from __future__ import annotations

import warnings
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _daedalus
from ._functions import choose_form, Parameters
from ._trace_error import TraceError
from ._tracing import Disagreement, Layout, Tracer

# Given derivatives; exact ones follow from traced functions.
_REPLACED = {
    "residual": ("jacobian_y", "jacobian_yp"),
    "rhs": ("jacobian",),
    "f": ("f_y", "f_z"),
    "g": ("g_y", "g_z"),
}


def _zeros(n: int) -> NDArray[np.float64]:
    return np.zeros(n)


def layout_of(form: str, f: dict[str, Any]) -> Layout:
    """Vectors of the form with their start values."""

    def vector(name: str, size: int = 0) -> NDArray[np.float64]:
        return np.array(f[name], dtype=float, ndmin=1) if name in f else _zeros(size)

    parameters = {k: float(v) for k, v in f.get("parameters", {}).items()}
    modes = list(f.get("modes", []))
    if form == "multibody":
        velocities = len(np.atleast_1d(f["v0"]))
        multipliers = int(f.get("constraint_count", 0)) + int(f.get("nonholonomic_count", 0))
        start = [vector("q0"), vector("v0", velocities), vector("lambda0", multipliers),
                 vector("c0", int(f.get("dynamic_count", 0))),
                 vector("s0", int(f.get("contact_count", 0)))]
        return Layout(True, ("q", "v", "lambda", "c", "s"), start, parameters, modes)
    y = vector("y0")
    z = vector("z0") if form == "semi-explicit" else _zeros(0)
    yp = vector("yp0", len(y)) if form == "implicit" else _zeros(0)
    return Layout(False, ("y", "z", "yp"), [y, z, yp], parameters, modes)


def shapes_of(form: str, f: dict[str, Any], layout: Layout) -> dict[str, tuple[int, ...]]:
    """Shape of what each function returns."""
    sizes = [len(x) for x in layout.start]
    extra = {"initial_equations": (int(f.get("initial_equation_count", 0)),)}
    if form == "multibody":
        q, v = sizes[0], sizes[1]
        g, a = int(f.get("constraint_count", 0)), int(f.get("nonholonomic_count", 0))
        blocks = f.get("mass_blocks")
        mass = (int(np.sum(np.square(blocks))), 1) if blocks is not None else (v, v)
        return {**extra, "mass": mass, "force": (v,), "constraint": (g,),
                "constraint_jacobian": (g, f["space"].tangents), "constraint_time_derivative": (g,),
                "acceleration_term": (g,), "kinematics": (q, v), "nonholonomic_matrix": (a, v),
                "nonholonomic_offset": (a,), "dynamics": (sizes[3],), "contact": (sizes[4],)}
    y, z, _ = sizes
    if form == "semi-explicit":
        return {**extra, "f": (y,), "g": (z,), "f_y": (y, y), "f_z": (y, z), "g_y": (z, y),
                "g_z": (z, z)}
    return {**extra, "residual": (y,), "rhs": (y,), "mass": (y, y), "jacobian": (y, y),
            "jacobian_y": (y, y), "jacobian_yp": (y, y),
            "leading": (int(f.get("leading_count", 0)),),
            "extra_constraints": (int(f.get("extra_count", 0)),)}


def _derivatives(form: str, field: str) -> tuple[int, ...]:
    """Vectors by which exact derivatives are made as formulas."""
    return {("implicit", "residual"): (0, 2), ("mass-matrix", "rhs"): (0,),
            ("semi-explicit", "f"): (0, 1), ("semi-explicit", "g"): (0, 1)}.get((form, field), ())


def trace_fields(
    form: str, fields: dict[str, Any], table: dict[str, Any], must: bool, t0: float
) -> tuple[dict[str, Any], list[str]]:
    """Formulas by field, and why others are plain functions."""
    layout = layout_of(form, fields)
    shapes = shapes_of(form, fields, layout)
    tracer = Tracer(layout)
    made: dict[str, Any] = {}
    reasons: list[str] = []

    def attempt(name: str, label: str, f: Callable[..., Any], shape: tuple[int, ...]) -> Any:
        try:
            return tracer.trace(label, f, table[name], shape, _derivatives(form, name), t0)
        except TraceError as error:
            if must:
                raise
            if isinstance(error, Disagreement):
                warnings.warn(f"the plain function is used: {error}", RuntimeWarning, stacklevel=6)
            reasons.append(str(error))
            return None

    derivatives = {name: owner for owner, names in _REPLACED.items() for name in names if owner in fields}
    for name, function in sorted(fields.items(), key=lambda field: field[0] in derivatives):
        if derivatives.get(name) in made:  # exact ones follow from the formulas
            continue
        kind = table[name]["kind"]
        if kind == "invariants":
            each = {key: attempt(name, f"invariant {key}", f, (1,)) for key, f in function.items()}
            made[name] = {key: value for key, value in each.items() if value is not None}
        elif kind == "function" and name in shapes and int(np.prod(shapes[name])) > 0:
            done = attempt(name, name, function, shapes[name])
            if done is not None:
                made[name] = done
    if form == "multibody" and "constraint" in made and derivable(fields):
        made.update(constraint_pieces(fields, table, layout, tracer))
    return made, reasons


def derivable(fields: dict[str, Any]) -> bool:
    """Whether G, g_t and the acceleration term follow from the constraint alone."""
    others = ("kinematics", "contact", "constraint_jacobian", "constraint_time_derivative",
              "acceleration_term", "modes")
    return fields["space"].is_euclidean and not any(name in fields for name in others)


def constraint_pieces(
    fields: dict[str, Any], table: dict[str, Any], layout: Layout, tracer: Tracer
) -> dict[str, Any]:
    """Derivatives of the constraint by formulas."""
    from .expr import array

    vectors, style = choose_form("constraint", fields["constraint"], table["constraint"],
                                 list(layout.parameters))

    def rows(t: Any, q: list[Any], p: list[Any]) -> list[Any]:
        inputs = [array(q), *tracer.inputs[1:]]
        parameters = Parameters(list(layout.parameters), p)
        value = tracer._call(fields["constraint"], vectors, style, t, inputs, parameters, tracer.modes)
        return list(np.asarray(value, dtype=object).ravel())

    pieces: dict[str, Any] = _daedalus.constraint_derivatives(
        rows, len(layout.start[0]), list(layout.parameters), list(layout.parameters.values()))
    return {k: v for k, v in pieces.items() if k != "constraint"}


def without_replaced(fields: dict[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    """Fields without derivatives that a traced function gives exactly."""
    gone = {name for field in made for name in _REPLACED.get(field, ())}
    return {k: v for k, v in fields.items() if k not in gone}
