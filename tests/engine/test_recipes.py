"""The recipes of docs/how-to/cluster.md: Ray's own schema, the shell, and the example study."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from wirelab.studies.placement_checks import check_placed
from wirelab.studies.toml_reader import from_table
from wirelab.workloads.placement import Post


@pytest.fixture
def recipes(root: Path) -> Path:
    return root / "docs" / "cluster"


def test_ray_up_is_a_cluster_in_rays_own_schema(recipes: Path) -> None:
    import ray.autoscaler

    schema = json.loads(Path(ray.autoscaler.__path__[0], "ray-schema.json").read_text())
    config = yaml.safe_load((recipes / "ray-up.yaml").read_text())
    jsonschema.validate(config, schema)
    for line in (config["head_start_ray_commands"][-1], config["worker_start_ray_commands"][-1]):
        subprocess.run(["bash", "-n", "-c", line], check=True)
        assert '--resources "$(python -m wirelab.engine.node)"' in line


def test_kuberay_declares_resources_that_survive_the_shell(recipes: Path, root: Path) -> None:
    manifest = yaml.safe_load((recipes / "kuberay.yaml").read_text())
    assert (manifest["apiVersion"], manifest["kind"]) == ("ray.io/v1", "RayCluster")
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["optional-dependencies"]["cluster"] == [f"ray=={manifest['spec']['rayVersion']}"]
    head, (workers,) = manifest["spec"]["headGroupSpec"], manifest["spec"]["workerGroupSpecs"]
    for group in (head, workers):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        assert group["template"]["spec"]["containers"][0]["image"]
    # The operator puts the values behind `--NAME=` of a shell's command line.
    (declared,) = shlex.split(workers["rayStartParams"]["resources"])
    assert json.loads(declared) == {"wirelab": 1, "namespaces": 1}


def test_slurm_starts_a_head_then_every_other_node_then_wirelab(recipes: Path, tmp_path: Path) -> None:
    stubs = {
        "scontrol": 'printf "n1\\nn2\\nn3\\n"',
        "srun": 'while [ "${1#--}" != "$1" ]; do case $1 in --nodelist=*) export ON=${1#*=};; esac; shift; done; exec "$@"',
        "hostname": 'echo "10.0.0.${ON#n} fe80::1"',
        "python": "echo '{\"wirelab\": 1.0}'",
        "ray": 'if [ "$1" = status ]; then touch "$LOGS/asked"; for f in "$LOGS"/start-*; do [ -e "$f" ] && echo " 1 node_x"; done; '
        'ls "$LOGS"/start-* >/dev/null 2>&1; else echo "$@" >"$LOGS/start-$ON"; exec sleep 60; fi',
        "wirelab": 'echo "$@" >"$LOGS/ran"',
    }
    for name, body in stubs.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{body}\n")
        (tmp_path / name).chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "LOGS": str(tmp_path),
        "SLURM_JOB_NODELIST": "n[1-3]",
    }
    subprocess.run(["bash", str(recipes / "slurm.sh"), "study.toml"], env=env, check=True, timeout=300)
    said = {path.name: path.read_text().strip() for path in tmp_path.glob("start-*")}
    common = '--block --resources {"wirelab": 1.0}'
    assert said == {
        "start-n1": f"start {common} --head --node-ip-address 10.0.0.1 --port 6379 --include-dashboard false",
        "start-n2": f"start {common} --address 10.0.0.1:6379",
        "start-n3": f"start {common} --address 10.0.0.1:6379",
    }
    assert (tmp_path / "ran").read_text().strip() == "run study.toml --engine ray --address 10.0.0.1:6379"


def test_the_example_of_a_load_is_a_study(root: Path) -> None:
    (text,) = re.findall(
        r"```toml\n(# load\.toml.*?)```", (root / "docs" / "how-to" / "cluster.md").read_text(), re.DOTALL
    )
    table: dict[str, Any] = tomllib.loads(text)
    placed = check_placed(from_table(table, "load.toml"), ["built-in"])
    assert placed.posts == (Post(2, server=True), Post(2), Post(subscriber=True))
