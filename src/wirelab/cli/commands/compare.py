"""`wirelab compare`: from a payload and a link to a ranked answer."""

from __future__ import annotations

from pathlib import Path

import click

from wirelab.cli.options import beyond_options, levels, run_options, schema_option, settings
from wirelab.model.errors import BadInput
from wirelab.model.study import FORMATS, PROTOCOLS, Study


@click.command("compare")
@click.argument("payload", required=False, type=click.Path(path_type=Path))
@schema_option
@click.option(
    "--link",
    multiple=True,
    default=("ideal",),
    help="A profile, a trace file or rate=2Mbit/s,rtt=80ms; repeat to sweep.",
)
@click.option("--loss", default="", help="Loss laid on every link; a comma list sweeps: 0,1%,5%.")
@click.option(
    "--format", "formats", default=",".join(FORMATS), show_default=True, help="Formats or format/library."
)
@click.option(
    "--protocol", default=",".join(PROTOCOLS), show_default=True, help="Protocols; 'all' for every one."
)
@click.option(
    "--qos", default="all", show_default=True, help="QoS levels, as their protocol names them: 0,1,con."
)
@click.option(
    "--server", default="built-in", show_default=True, help="built-in, mosquitto ..., or NAME=HOST:PORT."
)
@click.option(
    "--library", default="default", show_default=True, help="Client libraries; 'all' for every one."
)
@click.option(
    "--transport",
    default="default",
    show_default=True,
    help="What carries the protocol: tcp, tls, ws ...; 'all' for every one.",
)
@click.option("--rate", default="5/s", show_default=True, help="500/s, 2/min or max; a comma list sweeps.")
@click.option(
    "--workload",
    multiple=True,
    default=("constant-rate",),
    help="When messages are sent: constant-rate, poisson, burst,on=1s,off=4s, stages,5/s:10s,50/s:10s, replay,FILE, closed-loop, closed-loop,spacing=10s; repeat to sweep.",
)
@click.option(
    "--size", default="", help="Ready-made messages of so many bytes in place of PAYLOAD: 10B,1KiB."
)
@click.option(
    "--count",
    default="auto",
    show_default=True,
    help="Messages per trial, after the warm-up; auto: 30, or what a need on a percentile takes.",
)
@click.option("--duration", default="", help="End each trial after this long instead of after a count.")
@click.option("--warmup", default=3, show_default=True, help="Messages sent first and not counted.")
@click.option(
    "--topology",
    default="uplink",
    show_default=True,
    help="uplink: receiver beyond the server; loop: beside the sender.",
)
@click.option(
    "--subscribers",
    default="1",
    show_default=True,
    help="How many get every message, each on a host of its own.",
)
@click.option(
    "--publishers",
    default="1",
    show_default=True,
    help="How many share the sending, each on a host and link of its own.",
)
@click.option("--segment", default="", help="One cable that all hosts share: ethernet-95, rate=10Mbit/s.")
@click.option("--cross", default="", help="A flow beside the measured one: 2MB,from=30s,for=10s.")
@click.option(
    "--need", "needs", multiple=True, help="What must hold: loss=0, p99<1s, bytes<500B; repeat for more."
)
@click.option(
    "--rank-by", default="latency,bytes", show_default=True, help="What is better, most important first."
)
@click.option("--repeats", default=5, show_default=True, help="Replicates of each trial, as new processes.")
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--peer",
    default="",
    help="A program that speaks docs/contracts/peer.md, in place of the protocol's own peer.",
)
@click.option(
    "--application",
    default="",
    help="Messages are requests, and times those of their answers: echo; parking brings its own (docs/reference/study-file.md).",
)
@click.option("--option", "options", multiple=True, help="An option of the peer, key=value; repeat for more.")
@click.option(
    "--device",
    default="",
    help="The sender's chip (see `wirelab list devices`): energy, flash and RAM join the answer.",
)
@click.option(
    "--radio", default="", help="Its radio: cc1200, wifi, lte-m, nb-iot, lora, ble or custom:NJ_PER_BYTE."
)
@click.option("--battery", default="", help="Energy of its cell in mWh, for the battery life.")
@click.option(
    "--device-library",
    "device_libraries",
    multiple=True,
    help="Sources of a C library: mpack=DIR, arduinojson=DIR.",
)
@beyond_options
@run_options
def command(
    payload: Path | None,
    schema_file: Path | None,
    numbers: str,
    link: tuple[str, ...],
    loss: str,
    formats: str,
    protocol: str,
    qos: str,
    server: str,
    library: str,
    transport: str,
    rate: str,
    workload: tuple[str, ...],
    size: str,
    count: str,
    duration: str,
    warmup: int,
    topology: str,
    subscribers: str,
    publishers: str,
    segment: str,
    cross: str,
    needs: tuple[str, ...],
    rank_by: str,
    repeats: int,
    seed: int,
    peer: str,
    application: str,
    options: tuple[str, ...],
    device: str,
    radio: str,
    battery: str,
    device_libraries: tuple[str, ...],
    compress: str,
    batch: str,
    memory: bool,
    single: bool,
    out: Path | None,
    resume: Path | None,
    plan: bool,
    view: str,
    quiet: bool,
) -> int:
    """Which format, protocol and QoS for the messages in PAYLOAD (JSON or JSON Lines) over a link?

    \b
    wirelab compare sample.json --link lte-drive --need loss=0 --need 'p99<500ms'
    wirelab compare sample.json --link rate=2Mbit/s,rtt=80ms --loss 0,1%,5%
    """
    from wirelab.cli.pipeline import resume_run, start_run
    from wirelab.workloads import parking

    if resume is not None:
        return resume_run(resume, view, quiet)
    if application != parking.NAME and (payload is None) == (not size):
        why = "no payload" if payload is None else "both a payload and sizes"
        raise BadInput("compare", why, "give a JSON or JSON Lines file, or --size, or --resume a run")
    study = Study(
        name=payload.stem if payload is not None else application or "sizes",
        payload=str(payload or ""),
        size=levels(size),
        workload=workload,
        schema=str(schema_file or ""),
        numbers=numbers,
        needs=needs,
        objectives=levels(rank_by),
        seed=seed,
        repeats=repeats,
        format=levels(formats),
        protocol=_every_protocol() if protocol == "all" else levels(protocol),
        qos=levels(qos),
        server=levels(server),
        library=levels(library),
        transport=levels(transport),
        link=link,
        loss=levels(loss),
        rate=levels(rate),
        topology=levels(topology),
        subscribers=levels(subscribers),
        publishers=publishers,
        segment=segment,
        cross=cross,
        count=count,
        duration=duration,
        warmup=warmup,
        peer=peer,
        application=application,
        options=settings(options),
        device=device,
        radio=radio,
        battery=battery,
        device_libraries=settings(device_libraries),
        compress=levels(compress),
        batch=levels(batch),
        memory=memory,
        single=single,
    )
    return start_run(study, out, plan, view, quiet)


def _every_protocol() -> tuple[str, ...]:
    """The protocols whose default peer and server are here; says of the others what would install them."""
    from wirelab.lab import protocols, servers
    from wirelab.lab.binaries import find

    found = []
    for known in protocols.protocols().values():
        if not known.listed:
            continue
        try:
            find(known.default_peer[0])
            servers.check(known.servers[0], known.name)
        except BadInput as error:
            click.echo(f"left out: {known.name}: {error.sentence}", err=True)
        else:
            found.append(known.name)
    return tuple(found)
