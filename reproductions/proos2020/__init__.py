"""MQTT, AMQP and CoAP over an emulated LTE link (Persson Proos and Carlsson, 2020)."""

from pathlib import Path

from wirelab.studies.registry import Reproduction

REPRODUCTION = Reproduction(Path(__file__).resolve().with_name("study.toml"))
