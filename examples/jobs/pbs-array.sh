#!/bin/bash
# A sweep as a PBS job array: qsub pbs-array.sh. PBS does not say how many jobs the array has: keep the two equal.
#PBS -N sweep
#PBS -J 1-16
#PBS -l select=1:ncpus=1
#PBS -l walltime=04:00:00
set -u
cd "${PBS_O_WORKDIR:-.}" || exit 1
export DAEDALUS_SHARDS=${DAEDALUS_SHARDS:-16}
daedalus=${DAEDALUS:-daedalus}
exec "$daedalus" sweep andrews --set m1=0.01:0.1:4096 --t-end 0.03 --quiet \
  --shard auto --threads 1 --journal "${SWEEP_JOURNAL:-sweep.jsonl}"
