# SPDX-License-Identifier: BSD-3-Clause
"""Documentation, types and imports."""

import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import daedalus as dd

MODULES = [m.name for m in pkgutil.iter_modules(dd.__path__, "daedalus.") if "_daedalus" not in m.name]


@pytest.mark.parametrize("name", ["daedalus", *MODULES])
def test_doctests(name):
    if name.endswith("__main__"):
        pytest.skip("a program")
    if name == "daedalus.estimation" and not dd._daedalus.can_fit():
        pytest.skip("built without Ceres")
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0


def test_every_public_name_is_documented():
    for name in dd.__all__:
        value = getattr(dd, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert (value.__doc__ or "").strip(), name


def test_types():
    pytest.importorskip("mypy")
    root = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"])
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull,
         "--ignore-missing-imports", "python/daedalus"],
        cwd=root, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_stubs_are_complete():
    from daedalus import _daedalus

    stub = (pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"]) / "python/daedalus/_daedalus.pyi").read_text()
    for name in dir(_daedalus):
        if not name.startswith("_"):
            assert f"class {name}" in stub or f"def {name}(" in stub or f"{name}:" in stub, name


def test_import_needs_numpy_alone():
    code = ("import sys, daedalus; "
            "print([m for m in ('scipy', 'pandas', 'xarray', 'matplotlib') if m in sys.modules])")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
