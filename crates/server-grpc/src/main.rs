//! `wirelab-server-grpc --listen ADDRESS:PORT [--certificate PEM --key PEM]`: the relay between gRPC peers.
//! See `docs/protocols/grpc.md`.

mod relay;

use std::process::ExitCode;
use std::thread;

use clap::Parser;
use tokio::net::TcpListener;
use wirelab_peer::server::{arguments, refuse};
use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::relay::{Place, QUEUE, serve};

/// The version the workspace pins; a test holds them together.
const TONIC: &str = "0.14.9";
/// Calls that one connection may have under way.
const CALLS: u32 = 10_000;

/// The relay between gRPC peers. Ends on SIGTERM or at the end of standard input.
#[derive(Parser)]
#[command(name = "wirelab-server-grpc", version)]
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
    let tls = place.tls(&[b"h2"])?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| refuse("runtime", error))?;
    let listener = runtime
        .block_on(TcpListener::bind(place.listen))
        .map_err(|error| place.taken(&error))?;
    let listen = listener.local_addr().unwrap_or(place.listen);
    thread::spawn(move || runtime.block_on(relay::serve(listener, tls)));
    let limits = [
        ("max_concurrent_calls", u64::from(CALLS)),
        ("max_message_bytes", MAX_MESSAGE as u64),
        ("queue_messages", QUEUE as u64),
        ("tcp_nodelay", 1),
    ];
    Ok(serve("wirelab-relay-tonic", TONIC, listen, &limits))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_told_is_the_version_built() {
        let pinned = format!("tonic = {{ version = \"={}\"", super::TONIC);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
