#!/bin/bash
# A sweep in shards on the machines of a plain shell: here the cores of one, by xargs; with ssh or GNU parallel the
# same command runs elsewhere. Start it again, and it does what is missing.
set -eu
daedalus=${DAEDALUS:-daedalus}
shards=${DAEDALUS_SHARDS:-8}
journal=${SWEEP_JOURNAL:-sweep.jsonl}
sweep=(sweep andrews --set "m1=0.01:0.1:${SWEEP_RUNS:-4096}" --t-end 0.03)
seq "$shards" | xargs -P "$(nproc)" -I '{}' \
  "$daedalus" "${sweep[@]}" --quiet --threads 1 --shard "{}/$shards" --journal "$journal"
"$daedalus" "${sweep[@]}" --merge --journal "$journal" --quiet --out "${SWEEP_OUT:-sweep.csv}"
