# SPDX-License-Identifier: BSD-3-Clause
"""Models in numpy that the catalogue has in C++, for :mod:`daedalus.benchmark` and the tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import daedalus as dd

from ._record import Record


def van_der_pol(t: Any, y: Any) -> Any:
    """With the stiffness 1e6 of the catalogue."""
    return np.array([y[1], ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6])


def hires(t: Any, y: Any, k1: Any = 1.71) -> Any:
    """Eight reactants."""
    binding = 280.0 * y[5] * y[7]
    last = binding - (0.43 + 0.69 + 0.69) * y[6]
    return np.array([
        0.43 * y[1] + 8.32 * y[2] - k1 * y[0] + 0.0007,
        k1 * y[0] - (0.43 + 8.32) * y[1],
        0.43 * y[3] + 0.035 * y[4] - (8.32 + k1) * y[2],
        8.32 * y[1] + k1 * y[2] - (0.69 + 0.43) * y[3],
        0.43 * (y[5] + y[6]) - (k1 + 0.035) * y[4],
        0.69 * y[3] + k1 * y[4] - 0.43 * y[5] + 0.69 * y[6] - binding,
        last,
        -last,
    ])


def hires_with_parameter(t: Any, y: Any, p: Any) -> Any:
    """With the first rate as a parameter."""
    return hires(t, y, p.k)


HIRES_START = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057]

# Reactants of the 25 reactions, and what they produce (+) or use up (-).
_REACTANTS = [(0,), (1, 3), (4, 1), (6,), (6,), (6, 5), (8,), (8, 5), (10, 1), (10, 0), (12,), (9, 1),
              (13,), (0, 5), (2,), (3,), (3,), (15,), (15,), (16, 5), (18,), (18,), (0, 3), (18, 0), (19,)]
_ROWS = [
    "2 3 9 12 11 22 25 -1 -10 -14 -23 -24", "1 21 -2 -3 -9 -12", "1 17 19 22 -15", "15 -2 -16 -17 -23",
    "4 4 6 7 13 20 -3", "3 18 18 -6 -8 -14 -20", "13 -4 -5 -6", "4 5 6 7", "-7 -8", "7 9 -12",
    "8 11 -9 -10", "9", "10 -11", "12 -13", "14", "16 -18 -19", "-20", "20", "23 25 -21 -22 -24", "24 -25",
]


def pollution_matrix() -> NDArray[np.float64]:
    """Stoichiometry: species by reactions."""
    matrix = np.zeros((20, 25))
    for row, text in enumerate(_ROWS):
        for number in (int(n) for n in text.split()):
            matrix[row, abs(number) - 1] += np.sign(number)
    return matrix


class Pollution:
    """Twenty species: rates of all reactions at once, then the stoichiometric matrix."""

    def __init__(self) -> None:
        self.k = np.array(list(dd.catalogue["pollution"].parameters.values()))
        self.first = np.array([used[0] for used in _REACTANTS])
        self.pairs = np.array([i for i, used in enumerate(_REACTANTS) if len(used) > 1])
        self.second = np.array([used[1] for used in _REACTANTS if len(used) > 1])
        self.matrix = pollution_matrix()

    def __call__(self, t: Any, y: Any) -> Any:
        rates = self.k * y[self.first]
        rates[self.pairs] = rates[self.pairs] * y[self.second]
        return self.matrix @ rates


def transistor_amplifier(t: Any, y: Any) -> Any:
    """Node equations M y' = f(t, y)."""
    g, i = 1 / 9000.0, 6.0 / 9000.0
    i23 = 1e-6 * (np.exp((y[1] - y[2]) / 0.026) - 1.0)
    i56 = 1e-6 * (np.exp((y[4] - y[5]) / 0.026) - 1.0)
    return np.array([
        (y[0] - 0.1 * np.sin(2 * np.pi * 100.0 * t)) / 1000.0,
        y[1] * 2 * g - i + 0.01 * i23,
        y[2] * g - i23,
        y[3] * g - i + 0.99 * i23,
        y[4] * 2 * g - i + 0.01 * i56,
        y[5] * g - i56,
        y[6] * g - i + 0.99 * i56,
        y[7] * g,
    ])


def amplifier_mass() -> NDArray[np.float64]:
    """Its constant mass matrix of rank 5."""
    m = np.zeros((8, 8))
    for i, c in ((0, 1e-6), (3, 3e-6), (6, 5e-6)):
        m[i : i + 2, i : i + 2] += c * np.array([[-1.0, 1.0], [1.0, -1.0]])
    m[2, 2], m[5, 5] = -2e-6, -4e-6
    return m


class Rod:
    """The partial differential-algebraic equation pde-1d on n inner points, rho = -2."""

    def __init__(self, n: int) -> None:
        dx = np.pi / (n + 1)
        self.scale = 0.25 / dx**2
        x = dx * np.arange(1, n + 1)
        self.s1, self.s2 = np.sin(x), np.sin(2 * x)
        self.q1, self.q2 = (4 * self.scale * np.sin(i * dx / 2) ** 2 for i in (1, 2))

    def diffusion(self, x: Any) -> Any:
        """A quarter of the second difference quotient."""
        out = -2.0 * x
        out[1:] = out[1:] + x[:-1]
        out[:-1] = out[:-1] + x[1:]
        return self.scale * out

    def f(self, t: Any, y: Any, z: Any) -> Any:
        """Rates of u."""
        first = (self.q1 - 2.0) * np.cos(t) - np.exp(-t)
        second = (self.q2 - 2.0) * np.cos(2 * t) + np.cos(t)
        return self.diffusion(z) + 2.0 * z + first * self.s1 + second * self.s2

    def g(self, t: Any, y: Any, z: Any) -> Any:
        """Algebraic rows."""
        first = self.q1 * np.exp(-t) + (1 - self.q1) * np.cos(t)
        second = self.q2 * np.sin(t) + (1 - self.q2) * np.cos(2 * t)
        return self.diffusion(z) - self.diffusion(y) + z - first * self.s1 - second * self.s2

    def problem(self, trace: bool | str = True) -> dd.SemiExplicitProblem:
        """With the exact start values."""
        return dd.SemiExplicitProblem(f=self.f, g=self.g, y0=self.s1, z0=self.s1 + self.s2, trace=trace)


class Andrews:
    """The squeezing mechanism: seven angles, six constraints, as in Hairer and Wanner (1996)."""

    def __init__(self) -> None:
        self.entry = dd.catalogue["andrews"]
        self.k = Record(self.entry.parameters)

    def mass(self, t: Any, q: Any) -> Any:
        """M(q): symmetric, three chains of bodies."""
        k = self.k
        ee, ff = k.e - k.ea, k.zf - k.fa
        arm, rod, fork = k.da * k.rr * np.cos(q[1]), k.zt * ee * np.sin(q[3]), k.u * ff * np.sin(q[5])
        m = np.zeros((7, 7), dtype=q.dtype)
        m[0, 0] = k.m1 * k.ra**2 + k.m2 * (k.rr**2 - 2 * arm + k.da**2) + k.I1 + k.I2
        m[0, 1] = m[1, 0] = k.m2 * (k.da**2 - arm) + k.I2
        m[1, 1] = k.m2 * k.da**2 + k.I2
        m[2, 2] = k.m3 * (k.sa**2 + k.sb**2) + k.I3
        m[3, 3] = k.m4 * ee**2 + k.I4
        m[3, 4] = m[4, 3] = k.m4 * (ee**2 + rod) + k.I4
        m[4, 4] = k.m4 * (k.zt**2 + 2 * rod + ee**2) + k.m5 * (k.ta**2 + k.tb**2) + k.I4 + k.I5
        m[5, 5] = k.m6 * ff**2 + k.I6
        m[5, 6] = m[6, 5] = k.m6 * (ff**2 - fork) + k.I6
        m[6, 6] = k.m6 * (ff**2 - 2 * fork + k.u**2) + k.m7 * (k.ua**2 + k.ub**2) + k.I6 + k.I7
        return m

    def force(self, t: Any, q: Any, v: Any) -> Any:
        """Gyroscopic terms, the spring at the third body and the driving moment."""
        k = self.k
        sine, cosine = np.sin(q[2]), np.cos(q[2])
        arm = k.m2 * k.da * k.rr * np.sin(q[1])
        rod = k.m4 * k.zt * (k.e - k.ea) * np.cos(q[3])
        fork = k.m6 * k.u * (k.zf - k.fa) * np.cos(q[5])
        x = k.sd * cosine + k.sc * sine + (k.xb - k.xc)
        y = k.sd * sine - k.sc * cosine + (k.yb - k.yc)
        spring = k.c0 * (k.l0 / np.sqrt(x * x + y * y) - 1.0)
        return np.array([
            k.mom - arm * v[1] * (v[1] + 2 * v[0]),
            arm * v[0] * v[0],
            spring * (x * (k.sc * cosine - k.sd * sine) + y * (k.sd * cosine + k.sc * sine)),
            rod * v[4] * v[4],
            -rod * v[3] * (v[3] + 2 * v[4]),
            -fork * v[6] * v[6],
            fork * v[5] * (v[5] + 2 * v[6]),
        ])

    def constraint(self, t: Any, q: Any) -> Any:
        """Three loops that meet in one point."""
        k = self.k
        x = k.rr * np.cos(q[0]) - k.d * np.cos(q[0] + q[1])
        y = k.rr * np.sin(q[0]) - k.d * np.sin(q[0] + q[1])
        return np.array([
            x - k.ss * np.sin(q[2]) - k.xb,
            y + k.ss * np.cos(q[2]) - k.yb,
            x - k.e * np.sin(q[3] + q[4]) - k.zt * np.cos(q[4]) - k.xa,
            y + k.e * np.cos(q[3] + q[4]) - k.zt * np.sin(q[4]) - k.ya,
            x - k.zf * np.cos(q[5] + q[6]) - k.u * np.sin(q[6]) - k.xa,
            y - k.zf * np.sin(q[5] + q[6]) + k.u * np.cos(q[6]) - k.ya,
        ])

    def problem(self, trace: bool | str = True) -> dd.MultibodyProblem:
        """With the start values of the catalogue."""
        run = dd.Integrator(self.entry)
        run.initialize(*self.entry.t_span)
        first = run.state
        return dd.MultibodyProblem(
            mass=self.mass, force=self.force, constraint=self.constraint, constraint_count=6,
            q0=first.q, v0=first.v, lambda0=first.lam, q_names=first.names[:7], trace=trace)


def network(n: int) -> dict[str, Any]:
    """Fields of a ladder of n nodes with a diode to ground each."""

    def rhs(t: Any, y: Any) -> Any:
        out = np.sin(t) - y - 1e-3 * (np.exp(2.0 * y) - 1.0)
        out[1:] = out[1:] + y[:-1] - y[1:]
        out[:-1] = out[:-1] + y[1:] - y[:-1]
        return out

    return {"rhs": rhs, "y0": np.zeros(n), "index": 0}
