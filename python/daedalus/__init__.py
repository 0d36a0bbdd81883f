# SPDX-License-Identifier: BSD-3-Clause
"""Differential-algebraic equations: problems, methods, analysis.

Examples
--------
>>> import daedalus as dd
>>> sol = dd.solve(dd.catalogue["pendulum"], (0.0, 1.0))
>>> sol.success
True
"""

from . import spaces
from ._daedalus import Checkpoint, Expr, FileError, InvalidArgument, Reject, State
from ._daedalus import version as __version__
from ._functions import Parameters, Point
from ._record import Record
from ._trace_error import TraceError
from ._run import Integrator, StepInfo, solve
from .analysis import (
    check,
    eigen,
    explain,
    index_along,
    index_analysis,
    recommend,
    steady_state,
    structural_analysis,
    weierstrass_form,
)
from .catalogue import CatalogueProblem, catalogue
from .dae import DaeResult, DaeSolution, solve_dae
from .events import Event, EventRecord
from .expr import interpolate, maximum, minimum, where
from .files import load, open, solve_long
from .initial import consistent_initial_conditions
from .ivp import solve_ivp
from .problems import (
    ImplicitProblem,
    MassMatrixProblem,
    MultibodyProblem,
    Problem,
    SemiExplicitProblem,
)
from .solution import Solution, SolveError
from .studies import compare, order, perturb, sweep
from .tables import formulations, methods, options

__all__ = [
    "CatalogueProblem",
    "Checkpoint",
    "DaeResult",
    "DaeSolution",
    "Event",
    "EventRecord",
    "Expr",
    "FileError",
    "ImplicitProblem",
    "Integrator",
    "InvalidArgument",
    "MassMatrixProblem",
    "MultibodyProblem",
    "Parameters",
    "Point",
    "Problem",
    "Record",
    "Reject",
    "SemiExplicitProblem",
    "Solution",
    "SolveError",
    "State",
    "StepInfo",
    "TraceError",
    "__version__",
    "catalogue",
    "check",
    "compare",
    "consistent_initial_conditions",
    "eigen",
    "explain",
    "formulations",
    "index_along",
    "index_analysis",
    "interpolate",
    "load",
    "maximum",
    "methods",
    "minimum",
    "open",
    "options",
    "order",
    "perturb",
    "recommend",
    "solve",
    "solve_dae",
    "solve_ivp",
    "solve_long",
    "spaces",
    "steady_state",
    "structural_analysis",
    "sweep",
    "weierstrass_form",
    "where",
]
