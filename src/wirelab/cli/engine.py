"""The engine that `--engine` and `--address` name, open while trials run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from wirelab.cli.options import chosen_engine
from wirelab.engine.base import Engine, Local
from wirelab.engine.executor import LabExecutor


@contextmanager
def opened_engine() -> Iterator[Engine]:
    """This machine or the cluster.

    Raises BadInput, MeasurementFailed if the cluster is not usable.
    """
    name, address = chosen_engine()
    if name == "local":
        with closing(LabExecutor()) as executor:
            yield Local(executor)
        return
    # Ray is imported only if it is used.
    from wirelab.engine.cluster import opened

    with opened(address, LabExecutor()) as cluster:
        yield cluster
