# SPDX-License-Identifier: BSD-3-Clause
"""Functions of time for drives and forces of mechanisms."""

from __future__ import annotations

from typing import Any, Sequence

from . import _daedalus
from ._daedalus import Profile
from ._functions import positional

harmonic = _daedalus.harmonic
polynomial = _daedalus.polynomial
smooth_step = _daedalus.smooth_step


def table(t: Sequence[float], y: Sequence[float], kind: str = "spline", end: str = "hold") -> Profile:
    """Through the points (t[i], y[i]); a spline is twice continuously differentiable.

    Examples
    --------
    >>> from daedalus import profiles
    >>> profiles.table([0, 1, 2, 3], [0, 1, 0, 1], kind="linear")(0.5)
    0.5
    """
    times, values = ([float(x) for x in xs] for xs in (t, y))
    return _daedalus.table_profile(times, values, kind, end)


def profile(value: Any, arguments: int | None = None) -> Profile:
    """A number, a profile, or a function of time written in numpy, as a profile.

    A function may take further arguments: the joint coordinates that
    :meth:`daedalus.Mechanism.argument` names.

    Examples
    --------
    >>> import numpy as np
    >>> from daedalus import profiles
    >>> turning = profiles.profile(lambda t: 2.0 * np.sin(3.0 * t))
    >>> turning.rate(0.0)
    6.0
    """
    if isinstance(value, Profile):
        return value
    if callable(value):
        names, required, _ = positional(value)
        count = max(0, (required or len(names)) - 1) if arguments is None else arguments
        return _daedalus.traced_profile(value, count)
    return _daedalus.constant_profile(float(value))


__all__ = ["Profile", "harmonic", "polynomial", "profile", "smooth_step", "table"]
