#!/bin/bash
# A sweep over MPI in one Slurm job: sbatch slurm-mpi.sh. Start it again, and it does what is missing.
#SBATCH --job-name=sweep-mpi
#SBATCH --ntasks=64
#SBATCH --time=04:00:00
#SBATCH --signal=USR1@120
set -u
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
daedalus=${DAEDALUS:-daedalus}
${LAUNCHER:-srun} "$daedalus" sweep andrews --set "m1=0.01:0.1:${SWEEP_RUNS:-4096}" --t-end 0.03 --quiet \
  --journal "${SWEEP_JOURNAL:-sweep.jsonl}" --out "${SWEEP_OUT:-sweep.csv}"
