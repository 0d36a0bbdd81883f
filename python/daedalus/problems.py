# SPDX-License-Identifier: BSD-3-Clause
"""Problem forms; keyword arguments have the names of the C++ fields."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Mapping, Sequence, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _daedalus
from ._fields import CONVERT, vector
from ._functions import choose_form, describe
from ._record import unknown
from ._sparse import attach

Function = Callable[..., Any]
Self = TypeVar("Self", bound="Problem")


class Problem:
    """A problem: base of the four forms and of the catalogue's entries.

    ``fields`` are the keyword arguments that were given. Problems are values: they do not change,
    and :meth:`with_parameters` gives another one.
    """

    form: ClassVar[str] = ""
    has_interval: ClassVar[bool] = False
    t_trace: float = 0.0  # where a trace is compared with the function

    def __init__(self, fields: Mapping[str, Any], trace: bool | str = "auto") -> None:
        table = _daedalus.problem_fields(self.form)
        for name in fields:
            if name not in table:
                raise TypeError(unknown("field", name, table))
        self.fields: dict[str, Any] = {k: v for k, v in fields.items() if v is not None}
        if trace not in (True, False, "auto"):
            raise ValueError(f"trace: {trace!r} is given; allowed are True, False and 'auto'")
        self.trace = trace
        self.model = ""
        self.traced = False
        self._built: Any = None
        self._native()

    def _convert(self) -> dict[str, Any]:
        table = _daedalus.problem_fields(self.form)
        fields, made = self._traced_fields(table)
        parameters = list(fields.get("parameters", {}))
        converted: dict[str, Any] = {}
        for name, value in fields.items():
            facts = table[name]
            if facts["kind"] == "function":
                converted[name] = made.get(name) or describe(name, value, facts, parameters)
            elif facts["kind"] == "invariants":
                converted[name] = {
                    key: made.get(name, {}).get(key) or describe(f"invariant {key}", f, facts, parameters)
                    for key, f in value.items()
                }
            else:
                converted[name] = CONVERT[facts["kind"]](name, value)
        attach(self.form, fields, converted, table, parameters, self.t_trace)
        return {**made, **converted}

    def _traced_fields(self, table: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The fields that are left, and those that became formulas."""
        functions = [k for k in self.fields if table[k]["kind"] == "function"]
        parameters = list(self.fields.get("parameters", {}))
        for name in functions:  # wrong functions are named before they are called
            choose_form(name, self.fields[name], table[name], parameters)
        for name, value in self.fields.items():
            if table[name]["kind"] in ("vector", "integer", "integers", "parameters"):
                CONVERT[table[name]["kind"]](name, value)
        if self.trace is False:
            self.model, self.traced = "callback: not traced, as asked for", False
            return self.fields, {}
        from ._traced_problem import trace_fields, without_replaced

        made, reasons = trace_fields(self.form, self.fields, table, self.trace is True, self.t_trace)
        self.traced = not reasons
        self.model = "traced" if not reasons else "callback: " + "; ".join(reasons)
        return without_replaced(self.fields, made), made

    def _native(self) -> _daedalus.Problem:
        if self._built is None:
            self._built = _daedalus.build_problem(self.form, self._convert())
        built: _daedalus.Problem = self._built
        return built

    @property
    def name(self) -> str:
        """Name of the problem."""
        return self._native().name

    @property
    def index(self) -> int:
        """Index as declared by its form."""
        return self._native().index

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters with their values."""
        return dict(self._native().parameters)

    def replace(self: Self, **fields: Any) -> Self:
        """The same problem with other fields."""
        other = object.__new__(type(self))
        Problem.__init__(other, {**self.fields, **fields}, self.trace)
        return other

    def with_parameters(self, **values: float) -> "Problem":
        """The same problem with other values of its parameters."""
        mine = self.parameters
        for name in values:
            if name not in mine:
                raise TypeError(unknown("parameter", name, mine))
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.fields = {**self.fields, "parameters": {**mine, **values}}
        other._built = self._native().with_parameters(values)
        return other

    @property
    def t_span(self) -> tuple[float, float]:
        """The interval that belongs to the problem; TypeError where there is none."""
        raise TypeError("t_span: this problem has no interval of its own, give (t0, t1)")

    def standard_options(self) -> dict[str, Any]:
        """Options that belong to the problem, such as the events of its model."""
        return {}

    def with_standard_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """These options and those of the problem; events of both happen."""
        own = self.standard_options()
        joined = {**own, **options}
        asked = options.get("sensitivities")
        # How to build the problem for other parameters is the problem's; what is asked for is the user's.
        if asked is None:
            joined.pop("sensitivities", None)
        elif isinstance(asked, Mapping):
            joined["sensitivities"] = {**own.get("sensitivities", {}), **asked}
        if own.get("events") and options.get("events") is not None:
            given = options["events"]
            joined["events"] = [*own["events"], *(given if isinstance(given, (list, tuple)) else [given])]
        if "start" in options:  # who chooses how to start chooses what is fixed
            joined["fixed"] = options.get("fixed")
        return joined

    def validate(self, t0: float = 0.0) -> None:
        """Calls every function at the start values; ValueError names what is wrong."""
        self._native().validate(t0)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_built": None}

    def __repr__(self) -> str:
        name = f" '{self.name}'" if self.name else ""
        start = self.fields.get("y0", self.fields.get("q0"))
        size = "" if start is None else f", n = {len(np.atleast_1d(start)) + len(np.atleast_1d(self.fields.get('z0', [])))}"
        return f"<daedalus.{type(self).__name__}{name}, index {self.index}{size}>"


class ImplicitProblem(Problem):
    """F(t, y, y') = 0.

    Parameters
    ----------
    residual : callable
        ``residual(t, y, yp)``, with parameters ``residual(t, y, yp, p)``, or ``residual(x)``.
    y0, yp0 : array_like
        Start values.
    jacobian_y, jacobian_yp : callable, optional
        dF/dy and dF/dy', of the arguments of the residual.
    variable_index : sequence of int, optional
        1, 2 or 3 per variable.
    parameters : mapping, optional
        Values by name; they arrive as ``p.name``.

    The other fields are those of the C++ struct of this name.

    Examples
    --------
    >>> import daedalus as dd
    >>> p = dd.ImplicitProblem(residual=lambda t, y, yp: yp + y, y0=[1.0], yp0=[-1.0])
    >>> sol = dd.solve(p, (0.0, 1.0), rtol=1e-8, atol=1e-8)
    >>> round(float(sol.y[0, -1]), 6)
    0.367879
    """

    form = "implicit"

    def __init__(
        self,
        *,
        residual: Function,
        y0: ArrayLike,
        yp0: ArrayLike | None = None,
        name: str | None = None,
        leading_count: int | None = None,
        leading: Function | None = None,
        jacobian_y: Function | None = None,
        jacobian_yp: Function | None = None,
        variable_index: Sequence[int] | None = None,
        index: int | None = None,
        initial_equation_count: int | None = None,
        initial_equations: Function | None = None,
        invariants: Mapping[str, Function] | None = None,
        extra_count: int | None = None,
        extra_constraints: Function | None = None,
        side_equations: Sequence[int] | None = None,
        side_variables: Sequence[int] | None = None,
        variables: Sequence[str] | None = None,
        equations: Sequence[str] | None = None,
        parameters: Mapping[str, float] | None = None,
        modes: Sequence[float] | None = None,
        break_times: Sequence[float] | None = None,
        start: Function | None = None,
        trace: bool | str = "auto",
    ) -> None:
        fields = {k: v for k, v in locals().items() if k not in ("self", "__class__", "trace")}
        super().__init__(fields, trace)


class MassMatrixProblem(Problem):
    """M(t, y) y' = f(t, y), M possibly singular.

    Parameters
    ----------
    rhs : callable
        ``rhs(t, y)``, with parameters ``rhs(t, y, p)``.
    y0 : array_like
        Start values.
    mass_matrix : matrix, optional
        Constant M, dense or ``scipy.sparse``; without it and without ``mass`` the identity.
    mass : callable, optional
        ``mass(t, y)``.

    Examples
    --------
    >>> import daedalus as dd
    >>> p = dd.MassMatrixProblem(rhs=lambda t, y: [-y[0], y[0] - y[1]],
    ...                          mass_matrix=[[1, 0], [0, 0]], y0=[1.0, 1.0])
    >>> dd.solve(p, (0.0, 1.0)).success
    True
    """

    form = "mass-matrix"

    def __init__(
        self,
        *,
        rhs: Function,
        y0: ArrayLike,
        name: str | None = None,
        mass_matrix: Any = None,
        mass: Function | None = None,
        jacobian: Function | None = None,
        variable_index: Sequence[int] | None = None,
        index: int | None = None,
        initial_equation_count: int | None = None,
        initial_equations: Function | None = None,
        invariants: Mapping[str, Function] | None = None,
        variables: Sequence[str] | None = None,
        equations: Sequence[str] | None = None,
        parameters: Mapping[str, float] | None = None,
        modes: Sequence[float] | None = None,
        break_times: Sequence[float] | None = None,
        start: Function | None = None,
        trace: bool | str = "auto",
    ) -> None:
        fields = {k: v for k, v in locals().items() if k not in ("self", "__class__", "trace")}
        super().__init__(fields, trace)


class SemiExplicitProblem(Problem):
    """y' = f(t, y, z), 0 = g(t, y, z).

    Examples
    --------
    >>> import daedalus as dd
    >>> p = dd.SemiExplicitProblem(f=lambda t, y, z: -z, g=lambda t, y, z: z - y,
    ...                            y0=[1.0], z0=[1.0])
    >>> dd.solve(p, (0.0, 1.0)).names
    ['y1', 'z1']
    """

    form = "semi-explicit"

    def __init__(
        self,
        *,
        f: Function,
        g: Function,
        y0: ArrayLike,
        z0: ArrayLike,
        name: str | None = None,
        f_y: Function | None = None,
        f_z: Function | None = None,
        g_y: Function | None = None,
        g_z: Function | None = None,
        hessenberg_blocks: Sequence[int] | None = None,
        variable_index: Sequence[int] | None = None,
        index: int | None = None,
        initial_equation_count: int | None = None,
        initial_equations: Function | None = None,
        invariants: Mapping[str, Function] | None = None,
        y_names: Sequence[str] | None = None,
        z_names: Sequence[str] | None = None,
        equations: Sequence[str] | None = None,
        parameters: Mapping[str, float] | None = None,
        modes: Sequence[float] | None = None,
        break_times: Sequence[float] | None = None,
        start: Function | None = None,
        trace: bool | str = "auto",
    ) -> None:
        fields = {k: v for k, v in locals().items() if k not in ("self", "__class__", "trace")}
        super().__init__(fields, trace)


class MultibodyProblem(Problem):
    """q' = v, M(t, q) v' = f(t, q, v) - G^T lambda, 0 = g(t, q), and what belongs to it.

    Examples
    --------
    >>> import daedalus as dd
    >>> pendulum = dd.MultibodyProblem(
    ...     space=dd.spaces.euclidean(2), constraint_count=1, mass_matrix=[[1, 0], [0, 1]],
    ...     force=lambda t, q, v: [0.0, -9.81], q0=[1.0, 0.0], v0=[0.0, 0.0],
    ...     constraint=lambda t, q: 0.5 * (q @ q - 1.0))
    >>> sol = dd.solve(pendulum, (0.0, 1.0))
    >>> sol.names
    ['q1', 'q2', 'v1', 'v2', 'lambda1']
    """

    form = "multibody"

    def __init__(
        self,
        *,
        q0: ArrayLike,
        v0: ArrayLike,
        force: Function,
        space: Any = None,
        name: str | None = None,
        velocity_count: int | None = None,
        constraint_count: int | None = None,
        nonholonomic_count: int | None = None,
        dynamic_count: int | None = None,
        contact_count: int | None = None,
        mass: Function | None = None,
        mass_matrix: Any = None,
        mass_blocks: Sequence[int] | None = None,
        constraint: Function | None = None,
        constraint_jacobian: Function | None = None,
        constraint_time_derivative: Function | None = None,
        acceleration_term: Function | None = None,
        kinematics: Function | None = None,
        nonholonomic_matrix: Function | None = None,
        nonholonomic_offset: Function | None = None,
        dynamics: Function | None = None,
        contact: Function | None = None,
        c0: ArrayLike | None = None,
        s0: ArrayLike | None = None,
        lambda0: ArrayLike | None = None,
        initial_equation_count: int | None = None,
        initial_equations: Function | None = None,
        invariants: Mapping[str, Function] | None = None,
        q_names: Sequence[str] | None = None,
        v_names: Sequence[str] | None = None,
        lambda_names: Sequence[str] | None = None,
        c_names: Sequence[str] | None = None,
        s_names: Sequence[str] | None = None,
        parameters: Mapping[str, float] | None = None,
        modes: Sequence[float] | None = None,
        break_times: Sequence[float] | None = None,
        start: Function | None = None,
        trace: bool | str = "auto",
    ) -> None:
        fields = {k: v for k, v in locals().items() if k not in ("self", "__class__", "trace")}
        if space is None:
            fields["space"] = _daedalus.euclidean(len(vector("q0", q0)))
        super().__init__(fields, trace)
