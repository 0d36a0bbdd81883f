# SPDX-License-Identifier: BSD-3-Clause
"""Builds daedalus._daedalus with CMake; everything else is in pyproject.toml."""

import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).parent.resolve()


class CMakeBuild(build_ext):
    """Builds the module alone, or takes that of an earlier build (DAEDALUS_WHEEL_MODULE names the
    folder), and copies it to where setuptools wants it."""

    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        given = os.environ.get("DAEDALUS_WHEEL_MODULE")
        folder = pathlib.Path(given) if given else self.run_cmake() / "python" / "daedalus"
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(next(folder.glob("_daedalus*.so"))), str(target))
        page = folder / "page.html"
        if page.exists():
            self.copy_file(str(page), str(target.parent / "page.html"))

    def run_cmake(self):
        build = pathlib.Path(os.environ.get("DAEDALUS_WHEEL_BUILD") or self.build_temp).resolve()
        build.mkdir(parents=True, exist_ok=True)
        jobs = os.environ.get("JOBS") or str(os.cpu_count() or 1)
        options = [f"-DDAEDALUS_BUILD_{part}=OFF" for part in ("TESTS", "TOOL", "EXAMPLES", "BENCH")]
        options += ["-DDAEDALUS_BUILD_PYTHON=ON", f"-DDAEDALUS_PYTHON={sys.executable}"]
        options += ["-DDAEDALUS_BATCH=8", "-DCMAKE_BUILD_TYPE=Release"]
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *options], check=True)
        subprocess.run(
            ["cmake", "--build", str(build), "--target", "daedalus_python", "-j", jobs], check=True
        )
        return build


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(daedalus VERSION ([0-9.]+)", text).group(1)


setup(
    version=version(),
    ext_modules=[Extension("daedalus._daedalus", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
