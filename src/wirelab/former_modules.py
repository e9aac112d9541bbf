"""Modules of the previous release that were renamed: importing one is refused with its present
name.

For one release. The command line has its own table of old spellings (wirelab.model.deprecated).
"""

from __future__ import annotations

import importlib.abc
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

NAMES = {
    "wirelab.advice.needs": "wirelab.advice.thresholds",
    "wirelab.advice.over_link": "wirelab.advice.link_projection",
    "wirelab.advice.overall": "wirelab.advice.worst_case",
    "wirelab.advice.rank": "wirelab.advice.ranking",
    "wirelab.advice.reason": "wirelab.model.reason",
    "wirelab.codecs.alone": "wirelab.codecs.file_lock",
    "wirelab.codecs.beyond": "wirelab.codecs.extra_metrics",
    "wirelab.codecs.columns": "wirelab.codecs.language_runner",
    "wirelab.codecs.cpp.generate": "wirelab.codecs.cpp.generator",
    "wirelab.codecs.delta": "wirelab.codecs.merge_patch",
    "wirelab.codecs.describe": "wirelab.codecs.description",
    "wirelab.codecs.generate": "wirelab.codecs.generator",
    "wirelab.codecs.in_memory": "wirelab.codecs.memfd",
    "wirelab.codecs.java.dialect": "wirelab.codecs.java.object_model",
    "wirelab.codecs.java.dialects": "wirelab.codecs.java.object_models",
    "wirelab.codecs.java.glue": "wirelab.codecs.java.table_conversion",
    "wirelab.codecs.libraries": "wirelab.codecs.prebuild",
    "wirelab.codecs.numbered": "wirelab.codecs.positional_names",
    "wirelab.codecs.rust.borrowed": "wirelab.codecs.rust.borrowed_codecs",
    "wirelab.codecs.rust.owned": "wirelab.codecs.rust.owned_types",
    "wirelab.codecs.rust.places": "wirelab.codecs.rust.field_paths",
    "wirelab.codecs.rust.views": "wirelab.codecs.rust.borrowed_types",
    "wirelab.codecs.table": "wirelab.codecs.codec_table",
    "wirelab.devices.blame": "wirelab.devices.size_hints",
    "wirelab.devices.c_keyed": "wirelab.devices.c_map_formats",
    "wirelab.devices.fetch": "wirelab.devices.download",
    "wirelab.devices.measure": "wirelab.devices.measurement",
    "wirelab.devices.offer": "wirelab.devices.answer_adapter",
    "wirelab.devices.readout": "wirelab.devices.output_parser",
    "wirelab.devices.shape": "wirelab.devices.c_layout",
    "wirelab.devices.simulate": "wirelab.devices.simulation",
    "wirelab.devices.survey": "wirelab.devices.device_matrix",
    "wirelab.engine.aside": "wirelab.engine.background_pool",
    "wirelab.engine.batches": "wirelab.engine.scheduling",
    "wirelab.engine.blocks": "wirelab.engine.node_affinity",
    "wirelab.engine.census": "wirelab.engine.node_inventory",
    "wirelab.engine.connect": "wirelab.engine.ray_connection",
    "wirelab.engine.job": "wirelab.engine.dispatcher",
    "wirelab.engine.outcomes": "wirelab.engine.trial_outcome",
    "wirelab.engine.performance": "wirelab.engine.nodes_testbed",
    "wirelab.engine.placed": "wirelab.engine.distributed_runner",
    "wirelab.engine.remote": "wirelab.engine.ray_tasks",
    "wirelab.engine.station": "wirelab.engine.node_agent",
    "wirelab.engine.team": "wirelab.engine.agent_group",
    "wirelab.engine.unit": "wirelab.engine.work_unit",
    "wirelab.lab.actors": "wirelab_reproductions.maltsev2024.actors",
    "wirelab.lab.asked": "wirelab.lab.peer_requests",
    "wirelab.lab.binaries": "wirelab.system.binaries",
    "wirelab.lab.catalog": "wirelab.lab.protocols",
    "wirelab.lab.classes": "wirelab.lab.jvm_cds",
    "wirelab.lab.keep_classes": "wirelab.lab.cds_archive",
    "wirelab.lab.lifeline": "wirelab.system.child_guard",
    "wirelab.lab.machine": "wirelab.lab.host_cpu",
    "wirelab.lab.over": "wirelab.lab.drain",
    "wirelab.lab.servers.waiting": "wirelab.lab.servers.queue_depth",
    "wirelab.lab.servers.waiting_probe": "wirelab.lab.servers.queue_depth_probe",
    "wirelab.lab.utilized": "wirelab.lab.utilization",
    "wirelab.model.published": "wirelab.model.results_schema",
    "wirelab.model.stream": "wirelab.model.json_stream",
    "wirelab.model.text": "wirelab.model.suggestions",
    "wirelab.report.beyond": "wirelab.report.extra_metrics",
    "wirelab.report.cells": "wirelab.report.cell_text",
    "wirelab.report.pages": "wirelab.report.rendering",
    "wirelab.report.reasons": "wirelab.report.ranking_reasons",
    "wirelab.report.redrawn": "wirelab.report.replot",
    "wirelab.report.sections": "wirelab.report.ranking_html",
    "wirelab.schema.emit": "wirelab.schema.emitters",
    "wirelab.schema.fast": "wirelab.schema.json_reader",
    "wirelab.schema.given": "wirelab.schema.importers",
    "wirelab.schema.infer": "wirelab.schema.inference",
    "wirelab.schema.scan": "wirelab.schema.json_diagnostics",
    "wirelab.stats.compare": "wirelab.stats.comparison",
    "wirelab.stats.join": "wirelab.stats.sample_join",
    "wirelab.stats.match": "wirelab.stats.assignment",
    "wirelab.store.guard": "wirelab.store.lock",
    "wirelab.store.peer_samples": "wirelab.store.sample_file",
    "wirelab.studies.accounts": "wirelab.studies.trial_metrics",
    "wirelab.studies.deliveries": "wirelab.studies.delivery_modes",
    "wirelab.studies.environment": "wirelab.lab.environment",
    "wirelab.studies.execute": "wirelab.studies.execution",
    "wirelab.studies.friesel": "wirelab_reproductions.friesel2021",
    "wirelab.studies.judge": "wirelab.studies.trial_result",
    "wirelab.studies.limits": "wirelab.studies.study_limits",
    "wirelab.studies.load": "wirelab.studies.toml_reader",
    "wirelab.studies.maltsev": "wirelab_reproductions.maltsev2024",
    "wirelab.studies.more": "wirelab.studies.adaptive_replication",
    "wirelab.studies.paper": "wirelab.studies.study_file",
    "wirelab.studies.parts": "wirelab.studies.run_parts",
    "wirelab.studies.placed": "wirelab.studies.placement_checks",
    "wirelab.studies.prepare": "wirelab.studies.preparation",
    "wirelab.studies.proos": "wirelab_reproductions.proos2020_serialization",
    "wirelab.studies.sending": "wirelab.studies.workload_options",
    "wirelab.studies.streams": "wirelab.studies.multi_publisher_join",
    "wirelab.studies.tables": "wirelab.studies.published_tables",
    "wirelab.workloads.applications": "wirelab.workloads.services",
    "wirelab.workloads.cross": "wirelab.workloads.cross_traffic",
    "wirelab.workloads.parking": "wirelab_reproductions.kayal2017.car_park",
    "wirelab.workloads.search": "wirelab.workloads.rate_search",
    "wirelab.workloads.shares": "wirelab.workloads.utilization_levels",
    "wirelab.workloads.split": "wirelab.workloads.placement",
}


class FormerModules(importlib.abc.MetaPathFinder):
    """The last finder: it is asked only for modules that do not exist."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  (the interface of importlib)
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """None for a name that never was one of ours.

        Raises ModuleNotFoundError for a former name.
        """
        if present := NAMES.get(fullname):
            raise ModuleNotFoundError(f"{fullname} is now {present}; import that", name=fullname)
        return None


def install() -> None:
    """Ask this finder after all others."""
    sys.meta_path.append(FormerModules())
