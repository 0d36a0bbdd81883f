# SPDX-License-Identifier: BSD-3-Clause
"""Runs over MPI ranks: programs started by mpirun, where the package was built with MPI."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import daedalus as dd

MPIRUN = shutil.which("mpirun")
needs_ranks = pytest.mark.skipif(MPIRUN is None or not dd.distributed.available(),
                                 reason="this build has no MPI, or mpirun is missing")
# Two ranks on one core, as any user, without binding.
ENVIRONMENT = {
    **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}

# Heat in a rod: temperatures and flows between cells, index 1, cut into blocks of cells.
ROD = """
import json, sys
import numpy as np
import daedalus as dd

cells, trace = 40, {"auto": "auto", "True": True, "False": False}[sys.argv[1]]
ranks = dd.distributed.start_ranks()
assert ranks is dd.distributed.start_ranks()
first, last = (cells * r // ranks.size for r in (ranks.rank, ranks.rank + 1))
own, left, right = 2 * (last - first), first > 0, last < cells

def flows(t, x, p):
    u, w, ghosts = x[0:own:2], x[1:own:2], x[own:]
    before = np.concatenate([ghosts[:1] if left else np.zeros(1), w[:-1]])
    behind = np.concatenate([u[1:], ghosts[left:left + 1] if right else -u[-1:]])
    return np.stack([p.n * (before - w), w - p.n * (u - behind)], axis=1).ravel()

mass = np.diag([1.0, 0.0] * (last - first))
middle = np.cos(0.5 * np.pi * (np.arange(first, last) + 0.5) / cells)
part = dd.distributed.DistributedProblem(
    rows=own, ghosts=[2 * first - 1] * left + [2 * last] * right, rhs=flows, mass=mass, trace=trace,
    y0=np.stack([middle, 0 * middle], axis=1).ravel(), parameters={"n": cells}, name="rod")
s = ranks.solve(part, (0.0, 0.2), rtol=1e-6, atol=1e-8, output="end", preconditioner="redundant")
whole = ranks.gather(s.own)
names = ranks.broadcast(b"rod" if ranks.rank == 0 else b"")
differs = ranks.first_to_differ("same" if ranks.rank == 0 else "other")
if ranks.rank == 0:
    print(json.dumps({
        "model": part.model, "status": s.own.status, "y": whole.end.y.tolist(), "unknowns": s.unknowns,
        "reductions": s.counts.reductions, "names": names.decode(), "differs": differs, "size": ranks.size}))
end = ranks.conclude(0)
assert end.code == 0 and not end.alone
"""


def on_ranks(tmp_path, text, count, *arguments):
    """What a program under mpirun says, and its exit code."""
    program = tmp_path / "program.py"
    program.write_text(text)
    return subprocess.run([MPIRUN, "-n", str(count), sys.executable, str(program), *arguments], env=ENVIRONMENT,
                          capture_output=True, text=True, timeout=120)


def needs_petsc(run):
    if "without PETSc" in run.stderr:
        pytest.skip("this build has MPI and no PETSc")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def exact_rod(cells, t):
    """The slowest wave alone is in the start values; its decay on the grid is known."""
    rate = (2 * cells * np.sin(0.25 * np.pi / cells)) ** 2
    return np.exp(-rate * t) * np.cos(0.5 * np.pi * (np.arange(cells) + 0.5) / cells)


@needs_ranks
@pytest.mark.parametrize("count, trace", [(1, "True"), (2, "auto"), (3, "False")])
def test_one_problem_over_ranks(tmp_path, count, trace):
    found = needs_petsc(on_ranks(tmp_path, ROD, count, trace))
    assert found["status"] == "success" and found["size"] == count and found["unknowns"] == 80
    assert found["model"] == ("callback: not traced, as asked for" if trace == "False" else "traced")
    np.testing.assert_allclose(found["y"][0::2], exact_rod(40, 0.2), atol=1e-5)
    assert found["names"] == "rod" and found["differs"] == (1 if count > 1 else -1)
    assert found["reductions"] > 0


@needs_ranks
def test_what_a_callback_raises_ends_all_ranks(tmp_path):
    text = """
import sys
import daedalus as dd
ranks = dd.distributed.start_ranks()
def f(t, x):
    if ranks.rank == 1 and t > 0.1:
        raise LookupError("no table here")
    return -x
part = dd.distributed.DistributedProblem(rows=1, rhs=f, y0=[1.0], trace=False)
try:
    s = ranks.solve(part, (0.0, 1.0))
    said = f"{s.own.status} {s.own.message}"
except LookupError as error:
    said = f"raised {error} {error.solution.status}"
sys.stdout.write(f"rank {ranks.rank} {said}\\n")  # in one piece: both ranks write into one pipe
"""
    run = on_ranks(tmp_path, text, 2)
    if "without PETSc" in run.stderr:
        pytest.skip("this build has MPI and no PETSc")
    assert run.returncode == 0, run.stderr
    assert re.search("rank 1 raised no table here callback_failed", run.stdout)
    assert re.search("rank 0 callback_failed rank 1 of 2: .*no table here", run.stdout)


@needs_ranks
def test_a_rank_that_ends_by_an_exception_ends_all(tmp_path):
    text = """
import daedalus as dd
ranks = dd.distributed.start_ranks()
if ranks.rank == 1:
    raise RuntimeError("alone")
ranks.broadcast(b"x")
ranks.conclude(0)
"""
    run = on_ranks(tmp_path, text, 2)
    assert run.returncode != 0 and "RuntimeError: alone" in run.stderr


@needs_ranks
def test_a_sweep_over_ranks_has_the_same_bits(tmp_path):
    text = """
import sys
import numpy as np
import daedalus as dd
ranks = dd.distributed.start_ranks()
problem = dd.MassMatrixProblem(rhs=lambda t, y, p: -p.k * y, y0=[1.0], parameters={"k": 1.0})
table = dd.sweep(problem, (0, 1), k=np.linspace(0.5, 2.0, 24), ranks=ranks)
alone = dd.sweep(problem, (0, 1), k=np.linspace(0.5, 2.0, 24), threads=1)
done = table.status == "success"
assert np.array_equal(table.y[done], alone.y[done])
if ranks.rank == 0:
    print(done.sum(), ranks.size)
"""
    run = on_ranks(tmp_path, text, 2)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["24", "2"]


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="there is no field 'row'; did you mean rows"):
        dd.distributed.DistributedProblem(row=1, y0=[1.0])
    with pytest.raises(TypeError, match="y0: is missing"):
        dd.distributed.DistributedProblem(rows=1, rhs=lambda t, x: -x)
    with pytest.raises(TypeError, match="ranks: a int is given"):
        dd.sweep(dd.catalogue["pendulum"], (0, 1), length=[1.0], ranks=2)


def test_without_mpi_the_package_says_so(tmp_path):
    # The module elsewhere, as a wheel has it: nothing lies beside it.
    package = tmp_path / "daedalus"
    shutil.copytree(pathlib.Path(dd.__file__).parent, package, symlinks=True,
                    ignore=shutil.ignore_patterns("libdaedalus_distributed*", "__pycache__"))
    code = ("import daedalus as dd\nassert not dd.distributed.available()\n"
            "try: dd.distributed.start_ranks()\nexcept dd.InvalidArgument as e: print(e)")
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(tmp_path)},
                         capture_output=True, text=True)
    assert "built without MPI" in run.stdout, run.stderr


def test_importing_the_package_loads_no_mpi():
    code = "import daedalus; print([l for l in open('/proc/self/maps') if 'libmpi' in l or 'petsc' in l])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
