# SPDX-License-Identifier: BSD-3-Clause
"""A wheel is built and installed into a fresh virtual environment without a network. The module is
the one of this build (DAEDALUS_WHEEL_MODULE): compiling it again would take minutes."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import daedalus

ROOT = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"])


def test_install_into_a_fresh_environment(tmp_path):
    for module in ("pip", "venv", "setuptools", "wheel"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    tree = tmp_path / "tree"
    (tree / "python").mkdir(parents=True)
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    shutil.copytree(ROOT / "python" / "daedalus", tree / "python" / "daedalus")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(tmp_path / "env")],
                   check=True)
    python = tmp_path / "env" / "bin" / "python"
    built = pathlib.Path(daedalus.__file__).parent
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment.update(DAEDALUS_WHEEL_MODULE=str(built), PIP_DISABLE_PIP_VERSION_CHECK="1")
    run = subprocess.run(
        [str(python), "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", str(tree)],
        env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    code = ("import daedalus as dd; s = dd.solve(dd.catalogue['pendulum'], (0, 1)); "
            "print(dd.__file__, s.success)")
    run = subprocess.run([str(python), "-c", code], env=environment, cwd=tmp_path, capture_output=True,
                         text=True)
    assert run.returncode == 0, run.stderr
    where, success = run.stdout.split()
    assert where.startswith(str(tmp_path / "env")) and success == "True"
