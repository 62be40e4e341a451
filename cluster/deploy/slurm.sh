#!/usr/bin/env bash
# Workers as an array of SLURM jobs, without any server: sbatch cluster/deploy/slurm.sh
# The run itself is any command that coordinates, on a login node or in a job of its own, with the same two folders.
#SBATCH --job-name=pcae
#SBATCH --array=1-20
#SBATCH --cpus-per-task=8
#SBATCH --mem=8G
#SBATCH --time=08:00:00
export PCAE_QUEUE="file:$SCRATCH/pcae/queue" PCAE_STORE="file:$SCRATCH/pcae/store"
exec srun pcae-cluster worker --threads "$SLURM_CPUS_PER_TASK" --idle 600 --name "slurm-$SLURM_ARRAY_TASK_ID"
