#!/bin/bash
# Two whole nodes of a Slurm cluster: `sbatch slurm.sh study.toml`. wirelab and its programs are on
# every node.
#SBATCH --job-name=wirelab
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=04:00:00
set -euo pipefail
export RAY_USAGE_STATS_ENABLED=0
port=6379

on() { # on NODE COMMAND ...: run it there, beside what runs there already
  local node=$1
  shift
  srun --overlap --nodes=1 --ntasks=1 --nodelist="$node" "$@"
}

start() { # start NODE OPTION ...: a Ray node that declares what the machine can do, until the job ends
  local node=$1
  shift
  # shellcheck disable=SC2016  # what is declared is found there, not here
  on "$node" bash -c 'exec ray start --block --resources "$(python -m wirelab.engine.node)" "$@"' ray "$@" &
}

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
address=$(on "${nodes[0]}" hostname --ip-address | cut -d ' ' -f 1)
trap 'kill $(jobs -p)' EXIT
start "${nodes[0]}" --head --node-ip-address "$address" --port "$port" --include-dashboard false
until ray status --address "$address:$port" >/dev/null 2>&1; do sleep 1; done
for node in "${nodes[@]:1}"; do
  start "$node" --address "$address:$port"
done
until [ "$(ray status --address "$address:$port" | grep -c ' node_')" -eq "${#nodes[@]}" ]; do sleep 1; done
wirelab run "$1" --engine ray --address "$address:$port"
