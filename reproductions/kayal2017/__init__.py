"""Response time of a car park over CoAP, MQTT, XMPP and WebSocket (Kayal and Perros, 2017)."""

from pathlib import Path

from wirelab.studies.registry import Reproduction

REPRODUCTION = Reproduction(Path(__file__).resolve().with_name("study.toml"))
