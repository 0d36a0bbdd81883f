#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_commands.py <source tree> <tool> [page...]: what the pages print is what the tool prints.

Every command of the tool in a block without a language (or sh, console) is run in a folder of its own,
block after block, and must end well. What follows a line '$ daedalus ...' is compared with what that
command prints: names word by word, '...' stands for anything, numbers within the tolerances below.

Comments above a block or a paragraph say more:
  <!-- commands: not run: REASON -->                     the next block is left alone
  <!-- commands: with NAME = PATH, ... -->               files of the tree that the next blocks use
  <!-- commands: file NAME -->                           the next block is the content of a file that is used
  <!-- commands: ends with 1 -->                         the exit code of the next block
  <!-- commands: printed by example NAME -->             the next block is what that program of examples/ prints
  <!-- measured: COMMAND: PATH = NUMBER, ... -->         numbers of the next paragraph are in the JSON of the
                                                         command; PATH is a.b, a.length or a[NAME].b
  <!-- measured: COMMAND: rows -->                       the rows of the next table are lines of the output
"""
import json
import math
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# Counts move a little with compilers and libraries; errors and residuals are sizes, no digits.
COUNT_TOLERANCE = 0.03   # relative, and at least 2
DIGIT_TOLERANCE = 0.02   # relative, of numbers with a point
SIZE_FACTOR = 3.0        # of numbers below 1e-5: residuals and errors
MESCD_TOLERANCE = 0.15   # absolute, of digits (mescd, scd)

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def close(expected, measured, digits=False):
    e, m = float(expected), float(measured)
    if e == m:
        return True
    if digits:
        return abs(e - m) <= MESCD_TOLERANCE
    if "." not in str(expected) and "e" not in str(expected).lower():
        return abs(e - m) <= max(2.0, COUNT_TOLERANCE * abs(e))
    if 0 < abs(e) < 1e-5:
        return e * m > 0 and abs(math.log(m / e)) <= math.log(SIZE_FACTOR)
    return abs(e - m) <= DIGIT_TOLERANCE * abs(e)


def is_time(words, at):
    return at + 1 < len(words) and words[at + 1].strip(",;()") in ("s", "ms", "us", "min")


def same_line(expected, measured):
    """Words in their order; '...' ends or bridges the comparison."""
    want, have = expected.split(), measured.split()
    k = 0
    for at, word in enumerate(want):
        if word.strip(";,()") == "...":
            return True
        if k >= len(have):
            return False
        if word != have[k]:
            a, b = NUMBER.findall(word), NUMBER.findall(have[k])
            # Lines that are broken elsewhere still have the same words.
            # A name with a number in it is a name: rodas4 is not rodas5.
            rest = NUMBER.sub("#", word)
            if rest != NUMBER.sub("#", have[k]) or len(a) != len(b) or re.search("[A-Za-z]", rest):
                return False
            digits = at > 0 and want[at - 1] in ("scd", "mescd")
            if not is_time(want, at) and not all(close(x, y, digits) for x, y in zip(a, b)):
                return False
        k += 1
    return True


class Page:
    def __init__(self, root, tool, path):
        self.root, self.tool, self.path = root, tool, path
        self.problems, self.commands, self.numbers = [], 0, 0
        self.files, self.skip, self.code = {}, None, 0
        self.inside = pathlib.Path(".")  # where 'cd' led
        self.write = None  # name of the file that the next block is
        self.example = None  # program that prints the next block

    def report(self, line, text):
        self.problems.append(f"{self.path.relative_to(self.root)}:{line}: {text}")

    def run(self, command, folder, code=0):
        words = shlex.split(command, comments=True)
        result = subprocess.run([self.tool, *words[1:]], cwd=folder, capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, timeout=280, check=False)
        self.commands += 1
        if result.returncode != code:
            raise RuntimeError(f"'{command}' ended with {result.returncode}, not {code}: {result.stderr.strip()[:300]}")
        return result.stdout

    def comment(self, line, text):
        for name, source in re.findall(r"([\w.-]+) = ([\w./-]+)", text if text.startswith("with") else ""):
            self.files[name] = source
        if text.startswith("not run: "):
            self.skip = text[9:]
        elif text.startswith("file "):
            self.write = text[5:]
        elif text.startswith("printed by example "):
            self.example = text.split()[-1]
        elif text.startswith("ends with "):
            self.code = int(text[10:])
        elif not text.startswith("with "):
            self.report(line, f"the comment 'commands: {text}' is not understood")

    def block(self, line, text, folder):
        skip, self.skip = self.skip, None
        code, self.code = self.code, 0
        lines = text.split("\n")
        commands = [k for k, l in enumerate(lines) if re.match(r"(\$ )?(daedalus( |$)|cd )", l)]
        if not commands or skip:
            return
        for name, source in self.files.items():
            if not (folder / name).exists():
                shutil.copy(self.root / source, folder / name)
        for n, k in enumerate(commands):
            if "cd " in lines[k][:5]:
                self.inside = self.inside / lines[k].split()[-1]
                continue
            try:
                output = self.run(lines[k].removeprefix("$ "), folder / self.inside, code)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                self.report(line + k, str(error))
                continue
            if not lines[k].startswith("$ "):
                continue
            last = commands[n + 1] if n + 1 < len(commands) else len(lines)
            self.compare(line + k, [l for l in lines[k + 1:last] if l.strip()], output)

    def printed(self, line, text):
        name, self.example = self.example, None
        program = pathlib.Path(self.tool).parent.parent / "examples" / name
        if not program.exists():
            return  # built with the tests, not with the tool
        output = subprocess.run([program], capture_output=True, text=True, timeout=120, check=True).stdout
        self.commands += 1
        self.compare(line - 1, [l for l in text.split("\n") if l.strip()], output)

    def compare(self, line, expected, output):
        have = [l for l in output.split("\n") if l.strip()]
        at = 0
        for k, want in enumerate(expected):
            if want.strip() == "...":
                continue
            found = next((j for j in range(at, len(have)) if same_line(want, have[j])), None)
            if found is None:
                shown = have[at] if at < len(have) else "nothing more"
                self.report(line + 1 + k, f"the page has\n    {want}\n  the tool prints\n    {shown}")
                return
            at = found + 1

    def value(self, document, path):
        for part in re.findall(r"[\w$-]+|\[[^\]]+\]", path):
            if part == "length" and isinstance(document, list):
                document = len(document)
            elif part.startswith("["):
                document = next(x for x in document if part[1:-1] in (x.get("name"), x.get("id"), x.get("method")))
            else:
                document = document[part]
        return document

    def measured(self, line, command, wanted, paragraph, folder):
        if wanted == "rows":
            self.rows(line, command, paragraph, folder)
            return
        paragraph = re.sub(r"<!--.*?-->", "", paragraph)
        document = json.loads(self.run(command + " --json", folder))
        for path, number in re.findall(r"([\w.\[\]$-]+) = (\S+?)(?:,|$)", wanted):
            self.numbers += 1
            have = self.value(document, path)
            if number not in paragraph:
                self.report(line, f"{path} = {number} is not in the text below")
            if not close(number, have, "scd" in path):
                self.report(line, f"the page says {path} = {number}; '{command}' gives {have}")

    def rows(self, line, command, table, folder):
        have = self.run(command, folder).split("\n")
        for k, want in enumerate(table.split("\n")):
            if not want.startswith("|") or set(want) <= set("|-: "):
                continue
            self.numbers += 1
            if not any(same_line(want, h) for h in have):
                name = want.split("|")[1:3]
                near = [h for h in have if h.split("|")[1:3] == name]
                self.report(line + k, f"the page has\n    {want}\n  the tool prints\n    {near[0] if near else 'no such row'}")

    def check(self):
        text = self.path.read_text()
        with tempfile.TemporaryDirectory(prefix="daedalus-docs-") as name:
            folder = pathlib.Path(name)
            # Comments, paragraphs behind a measurement, and blocks; '.' is any character within a line.
            pattern = re.compile(r"^<!-- commands: (?P<say>.*) -->$|^<!-- measured: (?P<claim>.*) -->\n(?=(?P<text>(?:.+\n)+))"
                                 r"|^```(?P<kind>\w*)\n(?P<body>(?:(?!```).*\n)*)```", re.M)
            for m in pattern.finditer(text):
                line = text[:m.start()].count("\n") + 1
                if m["say"]:
                    self.comment(line, m["say"])
                elif m["claim"]:
                    command, wanted = m["claim"].rsplit(": ", 1)
                    try:
                        self.measured(line, command, wanted, m["text"], folder)
                    except (RuntimeError, KeyError, StopIteration, TypeError, subprocess.TimeoutExpired) as error:
                        self.report(line, f"'{command}': {type(error).__name__} {error}")
                elif self.write:
                    (folder / self.write).write_text(m["body"])
                    self.write = None
                elif self.example:
                    self.printed(line + 1, m["body"])
                elif m["kind"] in ("", "sh", "console"):
                    self.block(line + 1, m["body"], folder)
        return self.problems


def main():
    root, tool = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
    pages = [root / p for p in sys.argv[3:]] or [root / "README.md", *sorted((root / "docs").glob("**/*.md"))]
    problems, commands, numbers = [], 0, 0
    for path in pages:
        page = Page(root, tool, path)
        problems += page.check()
        commands += page.commands
        numbers += page.numbers
    print("\n".join(problems))
    print(f"{len(pages)} pages, {commands} commands run, {numbers} numbers and rows compared, {len(problems)} stale")
    return 1 if problems or commands == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
