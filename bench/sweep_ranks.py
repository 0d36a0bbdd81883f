#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sweep_ranks.py TOOL [--repeat N] [--tiny RUNS]: sweeps on two ranks and in two shards against one thread.

Repetitions alternate and the best of each counts. Cores that others use as well spoil wall times; the
processor time of all processes together does not depend on them, and the load is printed beside.
"""
import argparse
import os
import resource
import subprocess
import tempfile
import time

MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def timed(commands):
    """Wall and processor seconds of commands that run at the same time."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    running = [subprocess.Popen(c, env={**os.environ, **MPI}, stdout=subprocess.DEVNULL) for c in commands]
    if any(p.wait() != 0 for p in running):
        raise SystemExit("a sweep failed: " + " ".join(commands[0]))
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name, sweep, runs, repeat):
    ranks = ["mpirun", "-n", "2"]
    with tempfile.TemporaryDirectory() as folder:
        shard = lambda i: sweep + ["--threads", "1", "--shard", f"{i}/2", "--journal", f"{folder}/s{time.time_ns()}"]
        ways = {
            "one thread": lambda: [sweep + ["--threads", "1"]],
            "two ranks": lambda: [ranks + sweep],
            "two shards": lambda: [shard(1), shard(2)],
        }
        best = {}
        for _ in range(repeat):
            for way, commands in ways.items():
                wall, cpu = timed(commands())
                known = best.get(way, (wall, cpu))
                best[way] = (min(wall, known[0]), min(cpu, known[1]))
    one = best["one thread"]
    print(f"{name}, {runs} runs (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)")
    for way, (wall, cpu) in best.items():
        print(f"  {way:10}  {wall:8.2f} s   {one[0] / wall:5.2f} times   processor {cpu:7.2f} s, "
              f"{1e6 * (cpu - one[1]) / runs:7.1f} us more per run")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--runs", type=int, default=512)
    parser.add_argument("--tiny", type=int, default=100000)
    a = parser.parse_args()
    measure("costs 1 : 10", [a.tool, "sweep", "van-der-pol", "--set", f"eps=1e-6:1e-1:{a.runs}:log", "--t-end", "20",
                             "--rtol", "1e-8", "--quiet"], a.runs, a.repeat)
    measure("tiny", [a.tool, "sweep", "pendulum", "--set", f"length=0.5:2:{a.tiny}", "--t-end", "0.05", "--quiet"],
            a.tiny, a.repeat)


if __name__ == "__main__":
    main()
