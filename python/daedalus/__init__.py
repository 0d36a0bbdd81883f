# SPDX-License-Identifier: BSD-3-Clause
"""Differential-algebraic equations: problems, methods, analysis.

Examples
--------
>>> import daedalus as dd
>>> sol = dd.solve(dd.catalogue["pendulum"], (0.0, 1.0))
>>> sol.success
True
"""

from . import contact, distributed, mechanism, profiles, spaces, wheel_rail
from ._daedalus import Checkpoint, Expr, FileError, InvalidArgument, InvalidModel, Reject, State
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
    linearise,
    recommend,
    steady_state,
    structural_analysis,
    weierstrass_form,
)
from .builder import ModelBuilder, WhenClause
from .catalogue import CatalogueProblem, catalogue
from .circuits import Circuit
from .dae import DaeResult, DaeSolution, solve_dae
from .entries import EntryProblem, FileProblem, file_kinds, parse
from .entries import open_problem as open
from .estimation import fit
from .gradients import Gradient, check_sensitivities, gradient
from .events import Event, EventRecord
from .expr import interpolate, maximum, minimum, where
from .files import load, solve_long
from .initial import consistent_initial_conditions
from .ivp import OdeSolution, solve_ivp
from .mechanism import Assembled, Mechanism, MechanismProblem, NamedMechanism
from .problems import (
    ImplicitProblem,
    MassMatrixProblem,
    MultibodyProblem,
    Problem,
    SemiExplicitProblem,
)
from .solution import Solution, SolveError
from .studies import compare, order, perturb, regret, uniform_index
from .sweeps import sweep
from .tables import formulations, methods, options

__all__ = [
    "Assembled",
    "CatalogueProblem",
    "Checkpoint",
    "Circuit",
    "DaeResult",
    "DaeSolution",
    "EntryProblem",
    "Event",
    "EventRecord",
    "Expr",
    "FileError",
    "FileProblem",
    "Gradient",
    "ImplicitProblem",
    "Integrator",
    "InvalidArgument",
    "InvalidModel",
    "MassMatrixProblem",
    "Mechanism",
    "MechanismProblem",
    "ModelBuilder",
    "MultibodyProblem",
    "NamedMechanism",
    "OdeSolution",
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
    "WhenClause",
    "__version__",
    "catalogue",
    "check",
    "check_sensitivities",
    "compare",
    "consistent_initial_conditions",
    "contact",
    "distributed",
    "eigen",
    "explain",
    "file_kinds",
    "fit",
    "formulations",
    "gradient",
    "index_along",
    "index_analysis",
    "interpolate",
    "linearise",
    "load",
    "maximum",
    "mechanism",
    "methods",
    "minimum",
    "open",
    "options",
    "order",
    "parse",
    "perturb",
    "profiles",
    "recommend",
    "regret",
    "solve",
    "solve_dae",
    "solve_ivp",
    "solve_long",
    "spaces",
    "steady_state",
    "structural_analysis",
    "sweep",
    "uniform_index",
    "weierstrass_form",
    "wheel_rail",
    "where",
]
