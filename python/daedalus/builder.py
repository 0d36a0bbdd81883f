# SPDX-License-Identifier: BSD-3-Clause
"""Models as formulas: what ``ModelBuilder`` is in C++, with formulas as texts."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Sequence, Union

from ._daedalus import InvalidModel
from .entries import FileProblem, parse

# A number, or a formula in ordinary notation; docs/model-json.md says what it may hold.
Formula = Union[str, float, int]


def _text(value: Formula) -> str:
    return value if isinstance(value, str) else repr(float(value))


def _given(**values: Any) -> dict[str, Any]:
    """Those that were given."""
    return {k: v for k, v in values.items() if v is not None and v is not False}


class WhenClause:
    """What happens when a condition becomes true; made by :meth:`ModelBuilder.when`."""

    def __init__(self, event: dict[str, Any]) -> None:
        self._event = event

    def reinit(self, variable: str, value: Formula) -> WhenClause:
        """The differentiated variable continues at the new value."""
        self._event.setdefault("reinit", {})[variable] = value
        return self

    def set(self, discrete: str, value: Formula) -> WhenClause:
        """Assigns a discrete variable."""
        self._event.setdefault("set", {})[discrete] = value
        return self

    def stop(self, message: str = "") -> WhenClause:
        """Ends the run, successfully."""
        self._event["stop"] = message or True
        return self

    def otherwise(self, condition: str, *, name: str | None = None) -> WhenClause:
        """Tried if the condition of this one does not act at the event."""
        self._event["else"] = _given(when=condition, name=name)
        return WhenClause(self._event["else"])


class ModelBuilder:
    """Collects variables, parameters, equations and events as formulas and makes a problem of them.

    Formulas are texts in the notation of model files, or numbers. Nothing is checked before
    :meth:`problem` or :meth:`check`.

    Parameters
    ----------
    name : str
        Of the model.
    interval : pair of float
        First and last time, where ``solve`` is given none.
    title, source, description : str
        What ``repr`` and reports tell.
    stiff : bool
        A hint for the choice of a method.

    Examples
    --------
    >>> import daedalus as dd
    >>> m = dd.ModelBuilder("ball", interval=(0.0, 1.0))
    >>> m.parameter("gravity", 9.81)
    >>> m.variable("height", start=1.0, fixed=True, unit="m")
    >>> m.variable("speed", start=0.0, fixed=True)
    >>> m.equation("der(height)", "speed")
    >>> m.equation("der(speed)", "-gravity")
    >>> bounce = m.when("height < 0").reinit("speed", "-0.8*pre(speed)")
    >>> sol = dd.solve(m.problem(), rtol=1e-8, atol=1e-8)
    >>> round(sol.events[0].t, 6)
    0.451524
    """

    def __init__(
        self,
        name: str,
        *,
        interval: tuple[float, float] | None = None,
        title: str | None = None,
        source: str | None = None,
        description: str | None = None,
        stiff: bool = False,
    ) -> None:
        self._head: dict[str, Any] = {"daedalus": "model", "name": name}
        self._head |= _given(title=title, source=source, description=description, stiff=stiff)
        if interval is not None:
            self._head["interval"] = list(interval)
        self._named: dict[str, dict[str, Any]] = {}  # sections that are objects
        self._listed: dict[str, list[Any]] = {}  # sections that are lists
        self._coordinates: list[tuple[str, str]] = []
        self._q: dict[str, Any] = {}
        self._v: dict[str, Any] = {}
        self._mass: dict[tuple[int, int], list[str]] = {}
        self._force: dict[int, list[str]] = {}
        self._rows: dict[str, list[str]] = {"constraint": [], "nonholonomic": []}
        self._multipliers: dict[str, list[str]] = {"constraint": [], "nonholonomic": []}
        self._dynamics: dict[str, Any] = {}
        self._invariants: dict[str, Formula] = {}

    def __repr__(self) -> str:
        count = len(self._named.get("variables", {})) + len(self._coordinates)
        return f"<daedalus.ModelBuilder {self._head['name']!r}: {count} variables>"

    def _declare(self, section: str, name: str, what: Any) -> None:
        known = self._named.setdefault(section, {})
        if name in known:
            raise ValueError(f"{section}: there is a '{name}' already")
        known[name] = what

    # names

    def variable(
        self,
        name: str,
        *,
        start: Formula | Sequence[float] = 0.0,
        fixed: bool = False,
        nominal: float | None = None,
        min: float | None = None,
        max: float | None = None,
        unit: str | None = None,
        description: str | None = None,
        size: int | None = None,
    ) -> None:
        """An unknown. ``fixed``: its start value holds; ``size``: an array ``name[1]``, ..."""
        given = start if isinstance(start, (str, int, float)) else list(start)
        options = _given(fixed=fixed, nominal=nominal, min=min, max=max, unit=unit)
        self._declare("variables", name, {"start": given} | options
                      | _given(description=description, size=size))

    def discrete(self, name: str, *, start: Formula = 0.0, unit: str | None = None,
                 description: str | None = None) -> None:
        """Constant between events; changed by when-clauses."""
        self._declare("discrete", name, {"start": start} | _given(unit=unit, description=description))

    def parameter(
        self,
        name: str,
        value: float | Sequence[float],
        *,
        min: float | None = None,
        max: float | None = None,
        unit: str | None = None,
        description: str | None = None,
    ) -> None:
        """A number that sweeps and ``with_parameters`` change, or an array of numbers."""
        if not isinstance(value, (int, float)):
            self._declare("parameters", name, [float(v) for v in value])
            return
        self._declare("parameters", name, {"value": value} | _given(
            min=min, max=max, unit=unit, description=description))

    def dependent_parameter(self, name: str, formula: str) -> None:
        """Follows from other parameters."""
        self._declare("parameters", name, formula)

    def definition(self, name: str, formula: str) -> None:
        """A name for a part of formulas; it may use those before it."""
        self._declare("definitions", name, formula)

    def table(self, name: str, x: Sequence[float], y: Sequence[float], *,
              interpolation: str = "linear", beyond: str = "extrapolate") -> None:
        """A function by values, used as ``name(x)``."""
        self._declare("tables", name, {
            "x": [float(v) for v in x], "y": [float(v) for v in y],
            "interpolation": interpolation, "beyond": beyond})

    # equations

    def equation(self, left: Formula, right: Formula, *, name: str | None = None,
                 over: Mapping[str, tuple[int, int]] | None = None) -> None:
        """``left = right``; ``over={"i": (1, 100)}``: one for each value of the index."""
        text = f"{_text(left)} = {_text(right)}"
        ranges = {k: list(v) for k, v in over.items()} if over else None
        more = _given(name=name) | ({"for": ranges} if ranges else {})
        self._listed.setdefault("equations", []).append({"equation": text} | more if more else text)

    def if_equations(self, condition: str, then: Sequence[str], otherwise: Sequence[str]) -> None:
        """Equations that hold depending on a condition, as many in either branch."""
        self._listed.setdefault("equations", []).append(
            {"if": condition, "then": list(then), "else": list(otherwise)})

    def initial_equation(self, left: Formula, right: Formula) -> None:
        """Holds at the first time only."""
        self._listed.setdefault("initial_equations", []).append(f"{_text(left)} = {_text(right)}")

    def require(self, condition: str, message: str) -> None:
        """Where it fails a step is rejected; the run ends with the message if that does not help."""
        self._listed.setdefault("require", []).append({"condition": condition, "message": message})

    # events and results

    def when(self, condition: str, *, name: str | None = None) -> WhenClause:
        """What happens when the condition becomes true."""
        return self._event({"when": condition}, name)

    def at(self, time: Formula, *, name: str | None = None) -> WhenClause:
        """What happens at a time, which may depend on parameters."""
        return self._event({"at": time}, name)

    def sample(self, first: Formula, period: Formula, *, name: str | None = None) -> WhenClause:
        """What happens at ``first``, ``first + period``, ..."""
        return self._event({"sample": {"first": first, "period": period}}, name)

    def _event(self, event: dict[str, Any], name: str | None) -> WhenClause:
        event |= _given(name=name)
        self._listed.setdefault("events", []).append(event)
        return WhenClause(event)

    def output(self, name: str, formula: Formula, *, unit: str | None = None,
               description: str | None = None) -> None:
        """Shown with the variables."""
        self._declare("outputs", name, {"value": _text(formula)}
                      | _given(unit=unit, description=description))

    # multibody models: M(t, q) v' = f(t, q, v) - G^T lambda, 0 = g(t, q)

    def coordinate(self, position: str, velocity: str, *, start: Formula = 0.0,
                   velocity_start: Formula = 0.0) -> int:
        """A coordinate and its rate; its number, for :meth:`mass` and :meth:`force`."""
        self._q[position], self._v[velocity] = start, velocity_start
        self._coordinates.append((position, velocity))
        return len(self._coordinates) - 1

    def mass(self, row: int, column: int, value: Formula) -> None:
        """Adds to an entry of the symmetric mass matrix."""
        self._mass.setdefault((max(row, column), min(row, column)), []).append(_text(value))

    def force(self, row: int, value: Formula) -> None:
        """Adds to the force of a coordinate."""
        self._force.setdefault(row, []).append(_text(value))

    def constraint(self, formula: str, multiplier: str) -> None:
        """``0 = formula`` of positions and time."""
        self._rows["constraint"].append(formula)
        self._multipliers["constraint"].append(multiplier)

    def nonholonomic(self, formula: str, multiplier: str) -> None:
        """``0 = formula``, linear in the velocities."""
        self._rows["nonholonomic"].append(formula)
        self._multipliers["nonholonomic"].append(multiplier)

    def dynamics(self, name: str, rate: Formula, *, start: Formula = 0.0) -> None:
        """A further variable with ``name' = rate``."""
        self._dynamics[name] = {"start": start, "rate": _text(rate)}

    def invariant(self, name: str, formula: str) -> None:
        """A quantity that stays constant along exact solutions."""
        self._invariants[name] = formula

    def _multibody(self) -> dict[str, Any]:
        def total(terms: list[str] | None) -> str:
            return " + ".join(f"({t})" for t in terms) if terms else "0"

        n = len(self._coordinates)
        section: dict[str, Any] = {"q": self._q, "v": self._v}
        section["mass"] = [[total(self._mass.get((i, j))) for j in range(i + 1)] for i in range(n)]
        section["force"] = [total(self._force.get(i)) for i in range(n)]
        section |= {k: rows for k, rows in self._rows.items() if rows}
        if multipliers := self._multipliers["constraint"] + self._multipliers["nonholonomic"]:
            section["multipliers"] = multipliers
        return section | _given(dynamics=self._dynamics or None, invariants=self._invariants or None)

    # what comes of it

    def document(self) -> dict[str, Any]:
        """The model as a model file would hold it."""
        found = self._head | self._named | self._listed
        if self._coordinates:
            found["multibody"] = self._multibody()
        elif self._invariants:
            found["invariants"] = self._invariants
        copy: dict[str, Any] = json.loads(json.dumps(found))  # of plain values
        return copy

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes a model file for :func:`daedalus.open` and the tool; gives its name."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.document(), file, indent=2)
            file.write("\n")
        return os.fspath(path)

    def check(self) -> list[dict[str, Any]]:
        """What is wrong with the model; empty: nothing."""
        try:
            self.problem()
        except InvalidModel as wrong:
            return list(wrong.diagnostics)
        return []

    def problem(self) -> FileProblem:
        """The problem; raises :class:`daedalus.InvalidModel` with ``diagnostics``."""
        return parse(self.document(), name=str(self._head["name"]))
