# SPDX-License-Identifier: BSD-3-Clause
"""10^5 solves keep the memory constant; test_failures.py has the short form."""

import gc
import os

import numpy as np

import daedalus as dd

SOLVES = int(os.environ.get("DAEDALUS_SOLVES", "100000"))


def resident():
    """Kilobytes of this process that are in memory now."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def decay(t, y, yp):
    return np.array([yp[0] + y[0], y[0] + y[1] - 1.0])


def test_memory_stays_constant():
    """In turns: new traced models, new plain ones, one of each again and again, failing ones."""
    kept = [dd.ImplicitProblem(residual=decay, y0=[1, 0], yp0=[-1, 1], trace=t) for t in (True, False)]

    def fails(t, y):
        raise ArithmeticError("as asked for")

    def some(count):
        for k in range(count):
            if k % 50 == 0:
                dd.solve_dae(decay, (0, 1e-2), [1, 0], [-1, 1], trace=True)
            elif k % 50 == 1:
                dd.solve_dae(decay, (0, 1e-2), [1, 0], [-1, 1], trace=False)
            elif k % 50 == 2:
                try:
                    dd.solve(dd.MassMatrixProblem(rhs=fails, y0=[1.0], trace=False), (0, 1))
                except ArithmeticError:
                    pass
            else:
                dd.solve(kept[k % 2], (0, 1e-2), rtol=1e-3, atol=1e-3, output="dense")
        gc.collect()
        return resident()

    some(SOLVES // 20)
    before = some(SOLVES // 20)
    after = some(SOLVES - SOLVES // 10)
    print(f"{SOLVES} solves: {before} kB after a tenth, {after} kB at the end")
    assert after - before < 2048  # kB; 25 bytes per solve would be more
