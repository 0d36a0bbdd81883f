# SPDX-License-Identifier: BSD-3-Clause
"""Why a function cannot be turned into formulas."""


class TraceError(TypeError):
    """A function cannot be traced; the message names the place in the user's code."""
