# SPDX-License-Identifier: BSD-3-Clause
"""``pip install .`` from nothing; compiles the library."""

import importlib.util
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"])


def test_pip_install_from_nothing():
    for module in ("pip", "venv", "setuptools", "wheel"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    run = subprocess.run([str(ROOT / "scripts" / "test-wheel")], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.rstrip().endswith("wheel: good")
