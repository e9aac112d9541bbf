//! `wirelab-server-websocket --listen ADDRESS:PORT [--certificate PEM --key PEM]`: the relay between WebSocket peers.
//! See `docs/protocols/websocket.md`.

mod relay;

use std::net::TcpListener;
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use wirelab_peer::server::arguments;
use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::relay::{Place, serve};

/// The version the workspace pins; a test holds them together.
const TUNGSTENITE: &str = "0.29.0";

/// The relay between WebSocket peers. Ends on SIGTERM or at the end of standard input.
#[derive(Parser)]
#[command(name = "wirelab-server-websocket", version)]
struct Arguments {
    #[command(flatten)]
    place: Place,
}

fn main() -> ExitCode {
    match run() {
        Ok(code) | Err(code) => code,
    }
}

fn run() -> Result<ExitCode, ExitCode> {
    let Arguments { place } = arguments()?;
    let tls = place.tls(&[b"http/1.1"])?;
    let (listener, listen) = TcpListener::bind(place.listen)
        .and_then(|listener| {
            let listen = listener.local_addr()?;
            Ok((listener, listen))
        })
        .map_err(|error| place.taken(&error))?;
    thread::spawn(move || relay::serve(&listener, tls));
    let limits = [
        ("max_message_bytes", MAX_MESSAGE as u64),
        ("queue_messages", 0),
        ("tcp_nodelay", 1),
    ];
    Ok(serve(
        "wirelab-relay-tungstenite",
        TUNGSTENITE,
        listen,
        &limits,
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_told_is_the_version_built() {
        let pinned = format!("tungstenite = {{ version = \"={}\"", super::TUNGSTENITE);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
