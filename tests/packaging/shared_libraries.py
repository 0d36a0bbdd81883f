#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Links all components as shared libraries, the tool and the Python module against them, and loads both. Packages are
built that way, and what goes wrong there (an archive that is no part of a shared library, a name that no library has)
shows when a library is linked or loaded. Objects are those of the build that is tested: they are made for shared
libraries in both cases, so that nothing but a file or two is compiled.

shared_libraries.py SOURCE BUILD SCRATCH [-Doption=value ...]
"""

import pathlib
import re
import shutil
import subprocess
import sys

# What static builds have elsewhere or not at all: the door of the tool to ranks, and a stderr for each library with
# asmjit in it. More of them means that the options differ.
MOST_COMPILED = 6

SOURCE, BUILD, SCRATCH = (pathlib.Path(a) for a in sys.argv[1:4])
OPTIONS = sys.argv[4:]


def run(command, **keywords):
    """Runs a command; its output where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, **keywords)
    if done.returncode != 0:
        sys.exit(f"{command if isinstance(command, str) else ' '.join(map(str, command))}\nfailed:\n"
                 f"{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def statements():
    """Rule, inputs and what else has to be there, by the file that is made."""
    text = (SCRATCH / "build.ninja").read_text().replace("$\n", "")
    found = {}
    for line in re.findall(r"^build (.*)$", text, re.M):
        outputs, _, rest = line.partition(": ")
        rule, *inputs = rest.split(" || ")[0].split()
        for output in outputs.replace(" | ", " ").split():
            found[output] = (rule, [i for i in inputs if i != "|"])
    return found


def command_of(target):
    """The last command that makes it."""
    return run(["ninja", "-C", SCRATCH, "-t", "commands", "-s", target]).strip().splitlines()[-1]


def provide(name):
    """An object or archive: that of the build, or compiled without its precompiled header."""
    here, there = SCRATCH / name, BUILD / name
    if here.exists():
        return False
    here.parent.mkdir(parents=True, exist_ok=True)
    if there.exists():
        here.symlink_to(there)
        return False
    run(re.sub(r"-Winvalid-pch|-include \S*cmake_pch\.hxx", "", command_of(name)), shell=True, cwd=SCRATCH)
    return True


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    run(["cmake", "-S", SOURCE, "-B", SCRATCH, "-G", "Ninja", "-DBUILD_SHARED_LIBS=ON", "-DDAEDALUS_BUILD_TESTS=OFF",
         "-DDAEDALUS_BUILD_EXAMPLES=OFF", "-DDAEDALUS_BUILD_BENCH=OFF", *OPTIONS])
    all_of_them = statements()
    linked, compiled = [], []
    for target, (rule, inputs) in all_of_them.items():
        if not re.match("CXX_(SHARED_LIBRARY|MODULE_LIBRARY|EXECUTABLE)_LINKER__", rule):
            continue
        for name in inputs:
            if name.endswith((".o", ".a")) and not name.startswith("/"):
                compiled += [name] if provide(name) else []
            if len(compiled) > MOST_COMPILED:
                sys.exit(f"{BUILD} has other objects than a build of shared libraries with its options: {compiled}")
        (SCRATCH / target).parent.mkdir(parents=True, exist_ok=True)
        run(command_of(target), shell=True, cwd=SCRATCH)
        linked.append(target)
        for alias, (alias_rule, of) in all_of_them.items():
            if alias_rule.startswith("CMAKE_SYMLINK_LIBRARY") and of[:1] == [target]:
                run(command_of(alias), shell=True, cwd=SCRATCH)
    libraries = [name for name in linked if "libdaedalus_" in name]
    if len(libraries) < 10:
        sys.exit(f"no more than {len(libraries)} shared libraries: {libraries}")
    tool = SCRATCH / "bin" / "daedalus"
    run([tool, "solve", "pendulum", "--t-end", "0.1", "--quiet"])
    module = [name for name in linked if "_daedalus." in name]
    for name in module:
        code = "import sys, importlib.util as u\ns = u.spec_from_file_location('_daedalus', sys.argv[1])\nu.module_from_spec(s)"
        python = re.search(r"Python_EXECUTABLE:[A-Z]*=(.*)|_Python_EXECUTABLE:[A-Z]*=(.*)",
                           (SCRATCH / "CMakeCache.txt").read_text())
        run([(python.group(1) or python.group(2)) if python else "/usr/bin/python3", "-c", code, SCRATCH / name])

    # The test of the test: an archive that is made for programs alone does not go into a shared library.
    for target in libraries:
        command = command_of(target)
        without = re.sub(r"\S*asmjit_stderr\.cpp\.o", "", command)
        if without == command:
            continue
        done = subprocess.run(without, shell=True, cwd=SCRATCH, capture_output=True, text=True)
        if done.returncode == 0:
            print(f"{target} would link without asmjit_stderr as well: src/graph/shared may go")
    print(f"{len(linked)} linked, {len(compiled)} compiled: {' '.join(compiled)}")


if __name__ == "__main__":
    main()
