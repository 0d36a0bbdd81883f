# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of a few numbers of a run with respect to many parameters."""

from __future__ import annotations

from typing import Any, Iterable

from . import _daedalus
from ._options import prepare
from ._record import Record, record, unknown
from ._run import require, span
from .problems import Problem


class Gradient(Record):
    """Values of functionals and their derivatives: ``functionals``, ``functional_values``, ``columns``,
    ``matrix`` (a row per functional), ``way``, ``why``, ``status``, ``message``, ``warnings``."""

    def value(self, functional: str) -> float:
        """Of one functional."""
        return float(self.functional_values[self._place("functional", functional, self.functionals)])

    def derivative(self, functional: str, column: str) -> float:
        """Of one functional by one parameter or start value."""
        row = self._place("functional", functional, self.functionals)
        return float(self.matrix[row, self._place("column", column, self.columns)])

    @staticmethod
    def _place(kind: str, name: str, names: list[str]) -> int:
        if name not in names:
            raise KeyError(unknown(kind, name, names))
        return names.index(name)


def gradient(
    problem: Problem,
    functionals: str | Iterable[str],
    t_span: Any = None,
    *,
    parameters: Iterable[str] = (),
    start_values: Iterable[str] = (),
    way: str = "automatic",
    memory: int = 256 << 20,
    **options: Any,
) -> Gradient:
    """Derivatives of a few numbers of a run with respect to parameters and start values.

    Parameters
    ----------
    problem : Problem
    functionals : str or iterable of str
        ``"end(V)"``, ``"integral(V)"``, or with ``V^2``; V is a variable or an invariant.
    t_span : (float, float), optional
    parameters, start_values : iterable of str
        What to differentiate by; ``["*"]`` means all parameters.
    way : {"automatic", "forward", "adjoint"}
        From columns of one run, or from one run backwards per functional.
    memory : int
        Bytes that the run forwards may take for ``adjoint``.

    Examples
    --------
    >>> import daedalus as dd
    >>> decay = dd.ImplicitProblem(
    ...     residual=lambda t, y, yp, p: [yp[0] + p.k * y[0]], y0=[1.0], yp0=[-2.0],
    ...     parameters={"k": 2.0}, variables=["x"])
    >>> g = dd.gradient(decay, "integral(x)", (0.0, 1.0), parameters=["k"], rtol=1e-9, atol=1e-9)
    >>> round(g.value("integral(x)"), 6), round(g.derivative("integral(x)", "k"), 6)
    (0.432332, -0.148499)
    """
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    names = [functionals] if isinstance(functionals, str) else list(functionals)
    asked = {"parameters": list(parameters), "start_values": list(start_values)}
    ready = prepare(problem.with_standard_options({**options, "sensitivities": asked}))
    how = {"way": way, "memory": int(memory)}
    return Gradient(_daedalus.gradient(problem._native(), t0, t1, names, how, ready))


def check_sensitivities(
    problem: Problem,
    t_span: Any = None,
    *,
    parameters: Iterable[str] = (),
    start_values: Iterable[str] = (),
    **options: Any,
) -> Record:
    """Columns of derivatives at the end of the interval beside central differences of runs.

    Returns
    -------
    Record
        ``columns`` and ``differences`` (a row per variable, a column per name), ``variables``, ``names``,
        ``worst`` and a ``message`` that names the worst entry.

    Examples
    --------
    >>> import daedalus as dd
    >>> check = dd.check_sensitivities(dd.catalogue["robertson"], (0.0, 0.4), parameters=["k1"], rtol=1e-6, atol=1e-9)
    >>> check.names, check.worst < 1e-2
    (['k1'], True)
    """
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    asked = {"parameters": list(parameters), "start_values": list(start_values)}
    wanted = {k: v for k, v in asked.items() if v}
    if not wanted:
        raise TypeError("check_sensitivities: neither parameters nor start_values are given")
    ready = prepare(problem.with_standard_options({**options, "sensitivities": wanted}))
    return record(_daedalus.check_sensitivities(problem._native(), t0, t1, ready))
