# SPDX-License-Identifier: BSD-3-Clause
"""Problems compiled by users; needs the tool of the same build and takes a compiler's time."""

import pathlib
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd

TOOL = pathlib.Path(dd.__file__).parents[2] / "bin" / "daedalus"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    if not TOOL.exists():
        pytest.skip("this build has no tool")
    folder = tmp_path_factory.mktemp("plugin")
    subprocess.run([str(TOOL), "new", "mine"], cwd=folder, check=True, capture_output=True)
    subprocess.run([str(TOOL), "build", "mine.cpp"], cwd=folder / "mine", check=True, capture_output=True)
    return folder / "mine" / "mine.so"


def test_a_plugin_opens(plugin):
    problem = dd.open(plugin)
    assert problem.entry.kind == "plugin" and problem.parameters["length"] == 1.0
    sol = dd.solve(problem, (0, 2), rtol=1e-8, atol=1e-8).raise_for_status()
    known = dd.solve(dd.catalogue["pendulum"], (0, 2), rtol=1e-8, atol=1e-8)
    assert_allclose(sol.end.q, known.end.q, atol=1e-5)
    longer = dd.solve(problem.with_parameters(length=2.0), (0, 2), rtol=1e-8, atol=1e-8)
    assert_allclose(np.hypot(*longer.end.q), 2.0, atol=1e-6)


def test_what_is_no_plugin_is_named(tmp_path):
    wrong = tmp_path / "wrong.so"
    wrong.write_bytes(b"no shared object")
    with pytest.raises(dd.FileError, match="wrong.so' cannot be loaded"):
        dd.open(wrong)
