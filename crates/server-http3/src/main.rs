//! `wirelab-server-http3 --listen ADDRESS:PORT --certificate PEM --key PEM`: the relay between
//! HTTP/3 peers. See `docs/reference/protocols/http3.md`.

mod relay;

use std::process::ExitCode;
use std::thread;

use quinn::Endpoint;
use wirelab_peer::server::refuse;
use wirelab_transport::listen_args::{ListenArgs, run};
use wirelab_transport::quic::{IDLE, server_config};
use wirelab_transport::relay::{QUEUE, serve};
use wirelab_transport::{MAX_MESSAGE, runtime};

/// The version that Cargo.toml pins; a test keeps both equal.
const H3: &str = "0.0.8";
/// Maximum concurrent requests per client.
const STREAMS: u32 = 10_000;

fn main() -> ExitCode {
    run(
        "wirelab-server-http3",
        "The relay between HTTP/3 peers",
        start,
    )
}

fn start(args: &ListenArgs) -> Result<ExitCode, ExitCode> {
    let config = server_config(args, b"h3", |transport| {
        transport.max_concurrent_bidi_streams(STREAMS.into());
    })?;
    let runtime = runtime().map_err(|fault| refuse(&fault.what, &fault.why))?;
    let endpoint = runtime
        .block_on(async { Endpoint::server(config, args.listen) })
        .map_err(|error| args.bind_error(&error))?;
    let listen = endpoint.local_addr().unwrap_or(args.listen);
    thread::spawn(move || runtime.block_on(relay::serve(endpoint)));
    let limits = [
        ("max_concurrent_bidi_streams", u64::from(STREAMS)),
        ("max_idle_timeout_s", IDLE.as_secs()),
        ("max_message_bytes", MAX_MESSAGE as u64),
        ("queue_messages", QUEUE as u64),
    ];
    Ok(serve("wirelab-relay-h3", H3, listen, &limits))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("h3 = \"={}\"", super::H3);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
