//! `wirelab-server-http --listen ADDRESS:PORT [--certificate PEM --key PEM]`: the relay between HTTP peers, on HTTP/1.1 and HTTP/2.
//! See `docs/protocols/http.md`.

mod relay;

use std::process::ExitCode;
use std::thread;

use clap::Parser;
use tokio::net::TcpListener;
use wirelab_peer::server::{arguments, refuse};
use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::relay::{Place, QUEUE, serve};

/// The version the workspace pins; a test holds them together.
const HYPER: &str = "1.12.0";
/// Requests that one HTTP/2 connection may have under way.
const STREAMS: u32 = 10_000;

/// The relay between HTTP peers. Ends on SIGTERM or at the end of standard input.
#[derive(Parser)]
#[command(name = "wirelab-server-http", version)]
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
    let tls = place.tls(&[b"h2", b"http/1.1"])?;
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
        ("http2_max_concurrent_streams", u64::from(STREAMS)),
        ("max_message_bytes", MAX_MESSAGE as u64),
        ("queue_messages", QUEUE as u64),
        ("tcp_nodelay", 1),
    ];
    Ok(serve("wirelab-relay-hyper", HYPER, listen, &limits))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_told_is_the_version_built() {
        let pinned = format!("hyper = {{ version = \"={}\"", super::HYPER);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
