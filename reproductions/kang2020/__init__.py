"""MQTT, ZeroMQ and DDS on a 95 Mbit/s cable (Kang and others, 2020)."""

from pathlib import Path

from wirelab.studies.registry import Reproduction

REPRODUCTION = Reproduction(Path(__file__).resolve().with_name("study.toml"))
