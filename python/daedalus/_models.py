# SPDX-License-Identifier: BSD-3-Clause
"""Model files as problems."""

from __future__ import annotations

import os

from .problems import Problem


def open_model(path: str) -> Problem:
    """The problem of a model file."""
    ending = os.path.splitext(path)[1]
    raise ValueError(f"open: this build reads no model files, so not '{path}' (ending '{ending}')")
