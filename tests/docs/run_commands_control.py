#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_commands_control.py <source tree> <tool>: run_commands.py sees what is stale, and only that."""
import pathlib
import subprocess
import sys
import tempfile

root, tool = pathlib.Path(sys.argv[1]), sys.argv[2]
checker = root / "tests/docs/run_commands.py"
HEAD = "```\n$ daedalus solve pendulum --t-end 0.1 --method rodas4\n"
GOOD = {
    "output": HEAD + "problem      pendulum: Mathematical pendulum in Cartesian coordinates (multibody, index 3)\n"
                     "method       rodas4, index1, ...\nstatus       success at t = 0.1\n```\n",
    "number": "<!-- measured: daedalus list formulations: formulations.length = 11 -->\nThere are 11 of them.\n",
    "two": "<!-- measured: daedalus list formulations: formulations.length = 11 -->\n"
           "<!-- measured: daedalus list methods: methods.length = 80 -->\nThere are 11 and 80 of them.\n",
    "code": "<!-- commands: ends with 2 -->\n```\ndaedalus solve nothing-of-the-kind\n```\n",
    "skipped": "<!-- commands: not run: it takes hours -->\n```\ndaedalus nonsense\n```\n"
               "```\ndaedalus list\n```\n",
}
BAD = {
    "word": HEAD + "method       rodas5, index1, ...\n```\n",
    "count": HEAD + "steps        4000 accepted, ...\n```\n",
    "digit": HEAD + "status       success at t = 0.2\n```\n",
    "number": "<!-- measured: daedalus list formulations: formulations.length = 20 -->\nThere are 20 of them.\n",
    "text": "<!-- measured: daedalus list formulations: formulations.length = 11 -->\nThere are nine.\n",
    "second": "<!-- measured: daedalus list formulations: formulations.length = 11 -->\n"
              "<!-- measured: daedalus list methods: methods.length = 70 -->\nThere are 11 and 70 of them.\n",
    "fails": "```\ndaedalus solve nothing-of-the-kind\n```\n",
    "path": "<!-- measured: daedalus list formulations: nothing.length = 11 -->\nThere are 11 of them.\n",
    "comment": "<!-- commands: perhaps -->\n```\ndaedalus list\n```\n",
}


def ends_with(text):
    with tempfile.TemporaryDirectory(prefix="daedalus-docs-") as name:
        (pathlib.Path(name) / "page.md").write_text(text)
        run = subprocess.run([sys.executable, checker, name, tool, "page.md"], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout


wrong = [f"{kind} '{name}' ended with {code}:\n{said}" for kind, texts, wanted in (("good", GOOD, 0), ("bad", BAD, 1))
         for name, text in texts.items() for code, said in [ends_with(text)] if code != wanted]
print("\n".join(wrong) or "all seen")
sys.exit(1 if wrong else 0)
