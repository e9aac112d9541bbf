"""A study: factors x levels x replicates, as `compare` builds it from flags and `run` reads it from a TOML file."""

from __future__ import annotations

from msgspec import Struct

FORMATS = ("json", "cbor", "msgpack", "protobuf", "flatbuffers", "avro")
AUTO = "auto"
PROTOCOLS = ("mqtt", "coap", "tcp", "udp")


class Study(Struct, frozen=True, forbid_unknown_fields=True):
    """What is varied and what is held. Every tuple is a factor: one trial for each combination of their levels.

    Levels are texts as users write them (`5/s`, `1%`, `lte-drive`). `qos` `all` means every qos of each protocol; `library` and
    `transport` likewise, where `default` is the first of each.
    `format` takes a format (its first codec), `FORMAT/*` (all its codecs), a codec (`cbor/ciborium`) or `all`. `count` `auto` is 30 messages a trial, or as
    many as it takes to show a need on a percentile. `peer` is a program that speaks docs/contracts/peer.md and takes the
    place of the shipped peer of the study's one protocol. `size` takes ready-made messages of so many bytes in place of payload and formats.
    `schema` is a file as `--schema` takes it, `numbers` the rule for whole floats (schema/numbers.py). `compress`, `batch`, `memory` and
    `single` are measured of the codecs besides sizes and times (codecs/extra_metrics.py).
    `loss_on` lays the loss on one direction (`up`, `down`) only. `workload` are arrival processes (workloads/arrivals.py). Each of the `subscribers` gets every message;
    `segment` is a link text of one cable that all hosts share. `publishers` send together what one would send. `cross` is a second flow beside the measured one (workloads/cross_traffic.py). `placement` spreads the roles of each trial over a cluster's nodes
    (workloads/placement.py). `application` answers each message as a request; `rate` may then be a share of what it answers one at a time (`40%`). `device` (`stm32f4`), `radio` (`nb-iot`, `custom:250`), `battery` (mWh)
    and `device_libraries` (directory by name) put into the answer what the formats cost the sender's chip.
    """

    payload: str = ""
    name: str = "compare"
    schema: str = ""
    numbers: str = "keep"
    compress: tuple[str, ...] = ()
    batch: tuple[str, ...] = ("1",)
    memory: bool = False
    single: bool = False
    needs: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ("latency", "bytes")
    seed: int = 1
    repeats: int = 5
    format: tuple[str, ...] = FORMATS
    protocol: tuple[str, ...] = PROTOCOLS
    qos: tuple[str, ...] = ("all",)
    server: tuple[str, ...] = ("built-in",)
    library: tuple[str, ...] = ("default",)
    transport: tuple[str, ...] = ("default",)
    link: tuple[str, ...] = ("ideal",)
    loss: tuple[str, ...] = ()
    loss_on: str = ""
    size: tuple[str, ...] = ()
    workload: tuple[str, ...] = ("constant-rate",)
    subscribers: tuple[str, ...] = ("1",)
    segment: str = ""
    placement: tuple[str, ...] = ()
    publishers: str = "1"
    cross: str = ""
    application: str = ""
    rate: tuple[str, ...] = ("5/s",)
    topology: tuple[str, ...] = ("uplink",)
    count: str = AUTO
    duration: str = ""
    warmup: int = 3
    peer: str = ""
    options: dict[str, str] = {}
    device: str = ""
    radio: str = ""
    battery: str = ""
    device_libraries: dict[str, str] = {}
