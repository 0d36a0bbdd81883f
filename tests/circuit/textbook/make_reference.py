"""Writes reference.json: node voltages of the netlists beside it by ngspice, whose own error is the difference
of two runs, with steps of T/20000 and T/40000: python3 make_reference.py"""
import json, os, re, struct, subprocess, tempfile

SUFFIX = {"meg": 1e6, "k": 1e3, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "": 1.0}
COUNT = 8


def number(text):
    value, suffix = re.match(r"([0-9.eE+-]+?)(meg|k|m|u|n|p|)s?$", text.lower()).groups()
    return float(value) * SUFFIX[suffix]


def run(lines, stop, steps, folder):
    text = []
    for line in lines:
        if re.match(r"\.end\s*$", line, re.I) or line.lower().startswith(".ac"):
            continue
        if line.lower().startswith(".tran"):
            words = [w for w in line.split() if w.lower() != "uic"]
            uic = "uic" if "uic" in line.lower().split() else ""
            line = f".tran {words[1]} {words[2]} 0 {stop / steps:.6g} {uic}"
        text.append(line)
    raw = os.path.join(folder, "run.raw")
    text += [".options reltol=1e-6 trtol=1 abstol=1e-13 vntol=1e-8", ".control", "set filetype=binary", "run",
             f"write {raw}", "quit", ".endc", ".end"]
    path = os.path.join(folder, "run.cir")
    open(path, "w").write("\n".join(text))
    subprocess.run(["ngspice", "-b", path], capture_output=True, timeout=20)
    data = open(raw, "rb").read()
    head, body = data.split(b"Binary:\n", 1)
    names = [l.split()[1].lower() for l in head.decode("latin1").split("Variables:\n")[1].strip().split("\n")]
    values = struct.unpack(f"<{len(body) // 8}d", body)
    return {name: values[k :: len(names)] for k, name in enumerate(names)}


def at(run, name, t):
    times, values = run["time"], run[name]
    k = next(k for k in range(1, len(times)) if times[k] >= t * (1 - 1e-12))
    part = (t - times[k - 1]) / (times[k] - times[k - 1])
    return values[k - 1] + part * (values[k] - values[k - 1])


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    result = {}
    for file in sorted(f for f in os.listdir(here) if f.endswith(".cir")):
        lines = open(os.path.join(here, file)).read().split("\n")
        stop = next(number(l.split()[2]) for l in lines if l.lower().startswith(".tran"))
        try:
            with tempfile.TemporaryDirectory() as folder:
                coarse, fine = (run(lines, stop, steps, folder) for steps in (20000, 40000))
            if fine["time"][-1] < stop * (1 - 1e-9):
                raise OSError
        except (subprocess.TimeoutExpired, OSError):
            print(file, "is not solved by ngspice")
            continue
        # Not at round fractions of the interval, where sources have their edges.
        times = [stop * (k + 0.37) / COUNT for k in range(COUNT)]
        variables = {}
        for name in fine:
            if name.startswith("v(") and "_int" not in name:
                values = [at(fine, name, t) for t in times]
                off = max(abs(v - at(coarse, name, t)) for v, t in zip(values, times))
                scale = max(max(map(abs, fine[name])), 1e-6)
                variables[name] = {"values": [float(f"{v:.9g}") for v in values], "scale": float(f"{scale:.4g}"), "error": float(f"{off / scale:.2g}")}
        result[file[:-4]] = {"times": [float(f"{t:.9g}") for t in times], "variables": variables}
    with open(os.path.join(here, "reference.json"), "w") as out:
        out.write("{\n" + ",\n".join(f'"{k}": {json.dumps(v)}' for k, v in result.items()) + "\n}\n")


main()
