"""A program in Rust that publishes with the library rumqttc as its trials did."""

from __future__ import annotations

from string import Template

from wirelab.model.result import PeerInfo

QOS = {"0": "AtMostOnce", "1": "AtLeastOnce", "2": "ExactlyOnce"}
# What a publisher waits for until its message is safe at the server.
DONE = {
    "0": "Event::Outgoing(Outgoing::Publish(_))",
    "1": "Event::Incoming(Packet::PubAck(_))",
    "2": "Event::Incoming(Packet::PubComp(_))",
}
NEEDED = ("keep_alive_s", "inflight", "queue", "clean")

CARGO = Template("""\
[package]
name = "adopted"
version = "0.1.0"
edition = "2021"

[[bin]]
name = "adopted"
path = "client.rs"

[dependencies]
rumqttc = { version = "=$version", default-features = false }
""")

PROGRAM = Template("""\
//! Publish a file as one message: adopted HOST PORT TOPIC FILE.
use std::time::Duration;

use rumqttc::{$imports};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, host, port, topic, file] = &words[..] else {
        return Err("adopted HOST PORT TOPIC FILE".into());
    };
    let mut options = MqttOptions::new("adopted", host, port.parse()?);
    options
        .set_keep_alive(Duration::from_secs($keep_alive))
        .set_clean_session($clean)
        .set_inflight($inflight);
    let (client, mut connection) = Client::new(options, $queue);
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    connection.eventloop.set_network_options(network);
    client.publish(topic, QoS::$qos, $retain, std::fs::read(file)?)?;
    for event in connection.iter() {
        if matches!(event?, $done) {
            client.disconnect()?;
        } else {
            continue;
        }
        break;
    }
    // The DISCONNECT leaves when events are polled.
    connection.iter().take_while(Result::is_ok).for_each(drop);
    Ok(())
}
""")


def fits(protocol: str, peer: PeerInfo) -> bool:
    """Whether the program is written for what was measured: MQTT 3.1.1 over TCP."""
    options = peer.options
    plain = options.get("transport") == "tcp" and all(name in options for name in NEEDED)
    return peer.library == "rumqttc" and protocol == "mqtt" and plain


def files(qos: str, peer: PeerInfo) -> dict[str, str]:
    """The program and its manifest."""
    options, imports = peer.options, ["Client", "Event", "MqttOptions", "NetworkOptions", "QoS"]
    imports.append("Outgoing" if qos == "0" else "Packet")
    program = PROGRAM.substitute(
        imports=", ".join(sorted(imports)),
        keep_alive=options["keep_alive_s"],
        clean=options["clean"],
        inflight=options["inflight"],
        queue=options["queue"],
        retain=options.get("retain", "false"),
        qos=QOS[qos],
        done=DONE[qos],
    )
    return {"Cargo.toml": CARGO.substitute(version=peer.version), "client.rs": program}
