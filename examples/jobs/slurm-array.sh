#!/bin/bash
# A sweep as a Slurm job array: sbatch slurm-array.sh. No MPI is needed. Start it again, and it does what is missing.
#SBATCH --job-name=sweep
#SBATCH --array=1-16
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --signal=USR1@120
#SBATCH --requeue
set -u
daedalus=${DAEDALUS:-daedalus}
# exec: the warning that Slurm sends two minutes before the end reaches the program itself.
exec "$daedalus" sweep andrews --set m1=0.01:0.1:4096 --t-end 0.03 --quiet \
  --shard auto --threads "${SLURM_CPUS_PER_TASK:-1}" --journal "${SWEEP_JOURNAL:-sweep.jsonl}"
# Afterwards, on one machine:
#   daedalus sweep --merge sweep.jsonl.d/*.jsonl --out sweep.csv
