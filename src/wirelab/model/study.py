"""A study: factors x levels x replicates.

Each field is a key of study files and, with dashes, a flag of `compare` and `run`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta, Struct

from wirelab.model.topic import DEFAULT as DEFAULT_TOPIC

FORMATS = ("json", "cbor", "msgpack", "protobuf", "flatbuffers", "avro")
AUTO = "auto"
PROTOCOLS = ("mqtt", "coap", "tcp", "udp")

PAYLOAD, MATRIX, LOAD, NETWORK = "Payload", "Matrix", "Load", "Network"
STATISTICS, CODECS, DEVICE = "Statistics", "Codecs", "Device"


class Option(Struct, frozen=True):
    """How a field is shown as a flag.

    `flag` is its name where that is not the field's, `short` its letter. `factor`: a trial for each
    level. `whole`: a value of a list may hold commas, so the flag is repeated instead.
    """

    help: str
    group: str
    metavar: str
    flag: str
    factor: bool
    whole: bool
    short: str = ""


def option(
    help: str,
    group: str,
    metavar: str = "TEXT",
    *,
    flag: str = "",
    factor: bool = False,
    whole: bool = False,
    short: str = "",
) -> Meta:
    """The metadata of a field: its help in study-file schemas and on the command line."""
    return Meta(description=help, extra={"option": Option(help, group, metavar, flag, factor, whole, short)})


class Study(Struct, frozen=True, forbid_unknown_fields=True):
    """Factors and fixed settings. Each combination of the levels of all factors gives a trial.

    Levels are texts as users write them (`5/s`, `1%`, `lte-drive`).
    """

    payload: Annotated[
        str, option("Messages: a file, directory or archive; - for stdin.", PAYLOAD, "FILE")
    ] = ""
    name: Annotated[
        str, option("Name of the study, in titles and in the run directory.", PAYLOAD, "NAME")
    ] = "compare"
    schema: Annotated[
        str,
        option(
            "Schema to use instead of an inferred one: .toml (`wirelab schema infer`), .proto, .avsc, .avdl, JSON Schema, .fbs, .capnp, .thrift or ASN.1. FILE:MESSAGE picks one message.",
            PAYLOAD,
            "FILE",
        ),
    ] = ""
    proto_path: Annotated[
        tuple[str, ...],
        option(
            "Folder in which imports of a given schema are looked up; repeat for more.",
            PAYLOAD,
            "FOLDER",
            whole=True,
            short="I",
        ),
    ] = ()
    input_format: Annotated[
        str,
        option(
            "Format of the payload file where its name and content do not say it: json, jsonl, json-seq, cbor, msgpack, bson, avro, csv, hex, base64, pcap, protobuf, protobuf-delimited.",
            PAYLOAD,
            "FORMAT",
        ),
    ] = ""
    lenient: Annotated[
        bool,
        option("Read nan, bare words, trailing commas and duplicate keys in JSON, with a note.", PAYLOAD),
    ] = False
    narrow_floats: Annotated[bool, option("Encode whole floats such as 5.0 as integers.", PAYLOAD)] = False
    kinds: Annotated[
        str,
        option(
            "What distinguishes several kinds of message: auto, none, or the key that says it (type, header.type, [0]).",
            PAYLOAD,
            "KEY",
        ),
    ] = AUTO
    size: Annotated[
        tuple[str, ...],
        option(
            "Send generated messages of these sizes instead of a payload: 10B,1KiB.",
            PAYLOAD,
            "SIZE,...",
            factor=True,
        ),
    ] = ()
    format: Annotated[
        tuple[str, ...],
        option("Formats: a format, FORMAT/LIBRARY, FORMAT/* or all.", MATRIX, "FORMAT,...", factor=True),
    ] = FORMATS
    language: Annotated[
        tuple[str, ...],
        option(
            "Languages of the codecs that the clients load: rust, cpp, and java in clients in Java.",
            MATRIX,
            "LANGUAGE,...",
            factor=True,
        ),
    ] = ("rust",)
    compression: Annotated[
        tuple[str, ...],
        option(
            "Compression of each message on the wire: none, gzip, zstd.", MATRIX, "METHOD,...", factor=True
        ),
    ] = ("none",)
    batch: Annotated[
        tuple[str, ...],
        option("Messages that are collected and sent as one: 1,10,100.", MATRIX, "N,...", factor=True),
    ] = ("1",)
    protocol: Annotated[
        tuple[str, ...],
        option("Protocols; all for every installed one.", MATRIX, "PROTOCOL,...", factor=True),
    ] = PROTOCOLS
    qos: Annotated[
        tuple[str, ...],
        option("QoS levels as their protocols name them: 0,1,con.", MATRIX, "QOS,...", factor=True),
    ] = ("all",)
    server: Annotated[
        tuple[str, ...],
        option(
            "Servers: built-in, mosquitto ..., or NAME=HOST:PORT for a running one.",
            MATRIX,
            "SERVER,...",
            factor=True,
        ),
    ] = ("built-in",)
    client_library: Annotated[
        tuple[str, ...], option("Client libraries; all for every one.", MATRIX, "LIBRARY,...", factor=True)
    ] = ("default",)
    transport: Annotated[
        tuple[str, ...],
        option(
            "Transports that carry the protocol: tcp, tls, ws ...; all for every one.",
            MATRIX,
            "TRANSPORT,...",
            factor=True,
        ),
    ] = ("default",)
    client_program: Annotated[
        str,
        option(
            "Client to use instead of the shipped one: a program that speaks docs/contracts/peer.md.",
            MATRIX,
            "PROGRAM",
        ),
    ] = ""
    options: Annotated[
        dict[str, str],
        option("Option of the client program; repeat for more.", MATRIX, "KEY=VALUE", flag="option"),
    ] = {}
    topic: Annotated[
        str,
        option(
            "Topic, subject or path of the messages. {id} is the number of the device: dt/fleet/{id}/telemetry.",
            LOAD,
            "TOPIC",
        ),
    ] = DEFAULT_TOPIC
    workload: Annotated[
        tuple[str, ...],
        option(
            "When messages are sent: constant-rate, poisson, burst,on=1s,off=4s, stages,5/s:10s,50/s:10s, replay,FILE, closed-loop, closed-loop,spacing=10s, closed-loop,spread (over the whole trace). Repeat to sweep.",
            LOAD,
            "WORKLOAD",
            factor=True,
            whole=True,
        ),
    ] = ("constant-rate",)
    rate: Annotated[
        tuple[str, ...],
        option(
            "Messages per time, 500/s or 2/min, or max. auto: 5/s, or what is well under the link's capacity.",
            LOAD,
            "RATE,...",
            factor=True,
        ),
    ] = (AUTO,)
    utilization: Annotated[
        tuple[str, ...],
        option(
            "Rate as a share of what the service answers one request at a time: 20%,40%. Needs --service.",
            LOAD,
            "SHARE,...",
            factor=True,
        ),
    ] = ()
    interleave: Annotated[
        bool, option("Let the levels of --utilization take turns within one trial.", LOAD)
    ] = False
    count: Annotated[
        str,
        option(
            "Messages per trial after the warm-up. auto: 30, what percentiles to rank or judge by need, or fewer at a slow automatic rate.",
            LOAD,
            "N",
        ),
    ] = AUTO
    messages: Annotated[
        str,
        option(
            "How often a device sends when it is deployed: 24/day. Adds the bytes of a month; the load of the trials is --rate.",
            LOAD,
            "N/TIME",
        ),
    ] = ""
    idle: Annotated[
        str,
        option(
            "Keep connections open for this long after the messages of the first replicate, and count what they send [with --messages: 190s].",
            LOAD,
            "TIME",
        ),
    ] = ""
    duration: Annotated[
        str, option("End each trial after this time instead of after a count.", LOAD, "TIME")
    ] = ""
    warmup: Annotated[
        str,
        option("Messages sent first and not counted. auto: 3, or 1 at a slow automatic rate.", LOAD, "N"),
    ] = AUTO
    subscribers: Annotated[
        tuple[str, ...],
        option("Subscribers that each get every message, each on its own host.", LOAD, "N,...", factor=True),
    ] = ("1",)
    publishers: Annotated[
        str, option("Publishers that share rate and count, each on its own host and link.", LOAD, "N")
    ] = "1"
    service: Annotated[
        str,
        option(
            "Send requests to this service and time its responses: echo, or one of a package, with its own messages.",
            LOAD,
            "NAME",
        ),
    ] = ""
    cross_traffic: Annotated[
        str, option("Second flow that competes with the measured one: 2MB,from=30s,for=10s.", LOAD, "FLOW")
    ] = ""
    link: Annotated[
        tuple[str, ...],
        option(
            "Link: a profile, a trace file or rate=2Mbit/s,rtt=80ms. Repeat to sweep.",
            NETWORK,
            "LINK",
            factor=True,
            whole=True,
        ),
    ] = ("ideal",)
    loss: Annotated[
        tuple[str, ...],
        option("Packet loss added to every link: 0,1%,5%.", NETWORK, "SHARE,...", factor=True),
    ] = ()
    loss_on: Annotated[
        str, option("Direction that --loss applies to: up or down [default: both].", NETWORK, "DIRECTION")
    ] = ""
    topology: Annotated[
        tuple[str, ...],
        option(
            "one-way: the subscriber is beyond the server; round-trip: it is on the publisher's host.",
            NETWORK,
            "TOPOLOGY,...",
            factor=True,
        ),
    ] = ("one-way",)
    shared_medium: Annotated[
        str, option("One medium that all hosts share: ethernet-95, rate=10Mbit/s.", NETWORK, "LINK")
    ] = ""
    placement: Annotated[
        tuple[str, ...],
        option(
            "Roles on one node of a cluster: publishers=2,server; repeat for each node (docs/how-to/cluster.md).",
            NETWORK,
            "ROLES",
            whole=True,
        ),
    ] = ()
    capture: Annotated[
        bool,
        option(
            "Keep the packets of each trial (pcapng), and report its flows: bytes, drop causes, queue sojourn.",
            NETWORK,
        ),
    ] = False
    thresholds: Annotated[
        tuple[str, ...],
        option(
            "Requirement: loss=0, p99<1s, late>500ms<1%, bytes<500B; repeat for more.",
            STATISTICS,
            "METRIC<VALUE",
            flag="threshold",
            whole=True,
        ),
    ] = ()
    rank_by: Annotated[
        tuple[str, ...],
        option(
            "Metrics to rank by, most important first: latency, p99.9, late>500ms, bytes ...",
            STATISTICS,
            "METRIC,...",
        ),
    ] = ("latency", "bytes")
    rank_floors: Annotated[
        bool,
        option("Rank TCP, UDP, TLS and QUIC with the protocols instead of beside them.", STATISTICS),
    ] = False
    replicates: Annotated[
        int, option("Replicates of each trial, each in new processes.", STATISTICS, "N")
    ] = 5
    precision: Annotated[
        str,
        option(
            "Add replicates to the rows that lead or tie, until their interval is within this share of the figure: 5%.",
            STATISTICS,
            "SHARE",
        ),
    ] = ""
    time_budget: Annotated[
        str, option("Time for --precision, planned replicates included.", STATISTICS, "TIME")
    ] = "10min"
    seed: Annotated[
        int, option("Seed of the trial order, of losses and of positions in traces.", STATISTICS, "N")
    ] = 1
    compress: Annotated[
        tuple[str, ...],
        option(
            "Measure compression too: gzip, zstd, zstd-dict, zstd-prev, merge-patch, or all.",
            CODECS,
            "METHOD,...",
        ),
    ] = ()
    batch_size: Annotated[
        tuple[str, ...], option("Messages compressed together: 1,10,100.", CODECS, "N,...")
    ] = ("1",)
    memory: Annotated[bool, option("Measure allocations and peak memory per message too.", CODECS)] = False
    call_latency: Annotated[
        bool, option("Measure the latency of single encode and decode calls too.", CODECS)
    ] = False
    device: Annotated[
        str,
        option(
            "Chip of the sender (`wirelab list devices`): adds energy, flash and RAM to the answer.",
            DEVICE,
            "DEVICE",
        ),
    ] = ""
    radio: Annotated[
        str,
        option(
            "Radio of the device: cc1200, wifi, lte-m, nb-iot, lora, ble or custom:NJ_PER_BYTE.",
            DEVICE,
            "RADIO",
        ),
    ] = ""
    battery: Annotated[
        str, option("Energy of the battery in mWh; adds battery life to the answer.", DEVICE, "MWH")
    ] = ""
    device_libraries: Annotated[
        dict[str, str],
        option(
            "Sources of a C library: mpack=DIR, arduinojson=DIR; repeat for more.",
            DEVICE,
            "NAME=DIR",
            flag="device-library",
        ),
    ] = {}

    @property
    def load_factor(self) -> str:
        """The factor of the load: `utilization` if given, else `rate`."""
        return "utilization" if self.utilization else "rate"

    @property
    def load_levels(self) -> tuple[str, ...]:
        """The levels of the load. Interleaved utilizations are one level, `20%+40%`."""
        if not self.utilization:
            return self.rate
        return ("+".join(self.utilization),) if self.interleave else self.utilization


def study_of(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys of the study in the metadata of a run; empty where there is none."""
    study = meta.get("study")
    return study if isinstance(study, dict) else {}


@functools.cache
def options(kind: type[Struct] = Study) -> dict[str, Option]:
    """How each field of a struct is shown as a flag, in the order in which help shows them."""
    hints: dict[str, Any] = get_type_hints(kind, include_extras=True)
    return {
        field.name: meta.extra["option"]
        for field in msgspec.structs.fields(kind)
        for meta in getattr(hints[field.name], "__metadata__", ())
        if meta.extra and "option" in meta.extra
    }


@functools.cache
def factors() -> tuple[str, ...]:
    """The fields that are factors."""
    return tuple(name for name, shown in options().items() if shown.factor)
