# SPDX-License-Identifier: BSD-3-Clause
"""Nothing of the public C++ headers is forgotten: options, fields, methods, statistics."""

import os
import pathlib
import re

import pytest

import daedalus as dd
from daedalus import _daedalus

HEADERS = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"]) / "include" / "daedalus"


def fields_of(header: str, struct: str) -> set[str]:
    """Names of the data members of a struct, read from its text."""
    text = (HEADERS / header).read_text()
    text = re.sub(r"//[^\n]*", "", text)
    body = re.search(r"struct %s \{(.*?)\n\};" % struct, text, re.S).group(1)
    body = re.sub(r"\([^()]*\)", "()", body)
    body = re.sub(r"\{[^{}]*\}", "", body)
    names: set[str] = set()
    for statement in body.split(";"):
        statement = re.sub(r"<[^;]*>", "", statement)
        statement = re.sub(r"=[^,]*", "", statement).strip()
        if not statement or "(" in statement or " " not in statement.replace("\n", " "):
            continue
        declared = re.split(r"\s", statement, 1)[1] if "," in statement else statement.split()[-1]
        names |= {part.strip().split()[-1] for part in declared.split(",")}
    return names


def test_the_reader_of_headers_sees_fields():
    assert {"rtol", "atol", "events", "krylov", "known"} <= fields_of("options.hpp", "Options")
    assert {"f_y", "g_z", "y_names", "z_names"} <= fields_of("problem.hpp", "SemiExplicitProblem")


def test_every_option_is_reachable():
    assert set(_daedalus.option_table()) == fields_of("options.hpp", "Options")


@pytest.mark.parametrize(
    "cls", [dd.ImplicitProblem, dd.MassMatrixProblem, dd.SemiExplicitProblem, dd.MultibodyProblem]
)
def test_every_field_is_reachable(cls):
    listed = set(_daedalus.problem_fields(cls.form))
    assert listed == fields_of("problem.hpp", cls.__name__)
    import inspect

    assert set(inspect.signature(cls).parameters) == listed | {"trace"}


def test_ranks_have_all_of_cpp():
    listed = set(_daedalus.distributed_fields())
    assert listed == fields_of("distributed_problem.hpp", "DistributedProblem")
    header = (HEADERS / "distributed.hpp").read_text()
    calls = set(re.findall(r"virtual [^;(]*?(\w+)\(", header)) - {"Ranks"}
    assert {"solve", "gather", "solve_ensemble"} <= calls
    there = {*dir(dd.distributed.Ranks), *vars(dd.distributed.Ranks(0, 1))}
    assert calls - there == {"solve_ensemble"}  # dd.sweep(..., ranks=)
    fields = fields_of("distributed_problem.hpp", "DistributedCounts")
    assert all(name in (HEADERS.parents[1] / "python/bindings/ranks.cpp").read_text() for name in fields)
    words = re.search(r"enum class DistributedPreconditioner {(.*?)}", re.sub("//[^\n]*", "", (
        HEADERS / "distributed_problem.hpp").read_text()), re.S).group(1)
    for word in re.findall(r"\w+", words):
        assert f'"{word.removesuffix("_lu")}"' in dd.distributed.Ranks.solve.__doc__


def test_every_count_is_told():
    sol = dd.solve(dd.catalogue["robertson"], (0.0, 1.0))
    counts = set(sol.statistics.total)
    assert counts == fields_of("solution.hpp", "Counts") - {"operator+"}
    assert sol.statistics.factorisations == sol.statistics.total.factorisations > 0
    told = fields_of("solution.hpp", "Statistics")
    assert told - set(sol.statistics) <= {"phases"}


def test_every_entry_of_a_check_is_told():
    found = dd.check(dd.catalogue["robertson"])
    assert set(found) == {
        *fields_of("analysis.hpp", "Check") - {"value", "equation", "Residual"},
    }


def test_methods_solve_what_they_say():
    for name, facts in dd.methods.items():
        assert facts.name == name
        assert facts.order >= 1
        for option in facts.options:
            assert option.key and option.help


def fits(problem, chosen):
    try:
        dd.recommend(problem, **chosen)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", list(dd.methods))
def test_every_method_runs(name):
    facts = dd.methods[name]
    chosen = {"method": name}
    if facts.error_order == 0 or facts.fixed_step_only:
        chosen["fixed_step"] = 1e-3
    candidates = ("pendulum", "heavy-top-so3", "kvaerno-a", "free-body", "index2-p1", "robertson",
                  "transistor-amplifier", "arnold-13")
    problem = next(dd.catalogue[p] for p in candidates if fits(dd.catalogue[p], chosen))
    sol = dd.solve(problem, (0.0, 0.05), **chosen)
    assert sol.success, sol.message
    assert sol.choice.method == name


def test_methods_take_their_own_options():
    facts = next(m for m in dd.methods.values() if m.options)
    key, value = facts.options[0].key, facts.options[0].standard
    with pytest.raises(TypeError, match="did you mean"):
        dd.solve(dd.catalogue["pendulum"], (0, 1), method=facts.name, **{key + "x": value})


def test_unknown_options_name_the_nearest():
    with pytest.raises(TypeError, match="did you mean max_step"):
        dd.solve(dd.catalogue["pendulum"], (0, 1), maxstep=1.0)
    with pytest.raises(ValueError, match="did you mean radau"):
        dd.solve(dd.catalogue["pendulum"], (0, 1), method="radauu")
    with pytest.raises(ValueError, match="linear_algebra: 'dens' is given; allowed are"):
        dd.solve(dd.catalogue["pendulum"], (0, 1), linear_algebra="dens")
    with pytest.raises(TypeError, match="watch_drift: 'often'"):
        dd.solve(dd.catalogue["pendulum"], (0, 1), watch_drift="often")


def test_all_problems_of_the_catalogue_are_there():
    assert len(dd.catalogue) > 70
    for name, problem in dd.catalogue.items():
        assert problem.name == name
        assert problem.entry.title
    with pytest.raises(KeyError, match="did you mean andrews"):
        dd.catalogue["andrevs"]


# Where a Python user finds what a public header of C++ offers.
PLACES = {
    "analysis": "check", "checkpoint": "Checkpoint", "checkpoint_file": "solve_long", "circuit": "Circuit",
    "comparison": "regret", "adjoint": "gradient", "functional": "gradient", "ensemble_stream": "sweep",
    "contact": "contact", "contact_condition": "contact", "contact_table": "contact", "ensemble": "sweep",
    "distributed": "distributed", "distributed_problem": "distributed",
    "ensemble_study": "sweep", "parameter_plan": "sweep",
    "entry": "EntryProblem", "event": "Event", "expr": "Expr", "fit": "fit", "formulation": "formulations",
    "graph_table": "interpolate", "hdf5": "load", "integrator": "Integrator", "krylov": "options",
    "long_run": "solve_long", "mechanism": "Mechanism", "mechanism_file": "open", "method": "methods",
    "model": "ModelBuilder", "model_file": "open", "model_report": "InvalidModel", "modelica": "open",
    "options": "options", "perturbation": "perturb", "plugin": "open", "problem": "Problem",
    "problem_file": "open", "raw_file": "load", "recommend": "recommend", "run_file": "load",
    "scene": "MechanismProblem", "sensitivity": "Solution", "solution": "Solution", "solve": "solve", "space": "spaces",
    "status": "Solution", "trajectory_file": "load", "wheel_rail": "wheel_rail", "version": "__version__",
}
# What is for numbers and methods written in C++: Python traces functions instead.
NO_PLACE = {"autodiff", "daedalus", "dual", "function", "graph", "graph_evaluator", "recorded", "stepper", "taylor",
            "types"}

# Free functions of C++ that the package does not call, and what a Python user takes instead.
INSTEAD = {
    # said in Python by other words
    "compare_index": "index_analysis", "netlist_number": "parse", "read_circuit": "open", "read_circuit_text": "parse",
    "comparable_formulations": "compare", "compare_methods": "compare", "measure_run": "solve", "summarise": "regret",
    "thread_seconds": "solve", "equidistant": "sweep", "logarithmic": "sweep", "padded": "sweep",
    "quantile_bands": "sweep", "status_counts": "sweep", "asserted": "Reject", "function_arity": "Expr",
    "function_names": "Expr", "loss_slope": "fit", "loss_value": "fit", "parse_experiment": "fit",
    "read_mechanism_file": "open", "read_mechanism_text": "parse", "read_urdf_text": "parse",
    "urdf_is_available": "file_kinds", "find_method": "methods", "edge": "ModelBuilder", "read_model_file": "open",
    "read_model_text": "parse", "read_modelica_class": "open", "read_modelica_file": "open",
    "read_modelica_text": "parse", "has_problem_extension": "file_kinds", "is_problem_file": "file_kinds",
    "read_problem_class": "open", "raw_as_text": "load", "raw_kind": "load", "read_raw": "load", "write_raw": "load",
    "sample_frames": "Solution", "sample_steps": "Solution", "fixed_point": "Mechanism", "planar_rotation": "Mechanism",
    "hdf5_enabled": "load", "leftovers": "load", "recover_trajectory": "load", "run_options": "MechanismProblem",
    "run_warnings": "MechanismProblem", "step_error_share": "MechanismProblem", "mechanism_text": "Mechanism",
    "no_load": "Mechanism", "apply_start": "solve",
    # inner parts of contact, pictures of profiles, laws of perturbation studies
    "at_point": "contact", "check_contact_parameter": "contact", "contact_rival": "contact", "search_contact": "contact",
    "settle_contact": "contact", "values_of": "contact", "check_contact_problem": "contact", "contact_names": "contact",
    "for_contacts": "contact", "table_sample": "contact", "hertz_axes": "wheel_rail", "level_lines": "wheel_rail",
    "analyse_sensitivity": "perturb", "perturbation_bound": "perturb", "step_regions": "perturb",
    # methods written in C++
    "add_method": "methods",
}


def free_functions(header: pathlib.Path) -> set[str]:
    """Names of the functions that stand at the beginning of a line of a header."""
    text = re.sub(r"//[^\n]*", "", header.read_text())
    keywords = "inline constexpr|#|using|return|struct|class|template|namespace|enum|extern"
    found = re.findall(rf"^(?!{keywords})[A-Za-z_][\w:<>&,\* ]*[ &\*](\w+)\(", text, re.M)
    return {name for name in found if not name.startswith("operator")}


def test_every_public_function_is_reached():
    root = HEADERS.parents[1] / "python"
    words = set(re.findall(r"\w+", " ".join(
        f.read_text() for folder, pattern in (("bindings", "*.?pp"), ("daedalus", "*.py"))
        for f in (root / folder).glob(pattern))))
    headers = [h for folder in (".", "mechanism", "wheel_rail") for h in (HEADERS / folder).glob("*.hpp")]
    names = {name for h in headers if h.stem not in NO_PLACE for name in free_functions(h)}
    assert {"solve", "recommend", "solve_ensemble", "check_sensitivities"} <= names
    assert names - words == set(INSTEAD)
    for place in INSTEAD.values():
        assert hasattr(dd, place), place


def test_every_public_header_has_its_place():
    headers = {h.name.split(".")[0] for h in HEADERS.iterdir() if h.is_file()}
    assert headers == set(PLACES) | NO_PLACE
    for name in PLACES.values():
        assert hasattr(dd, name), name
