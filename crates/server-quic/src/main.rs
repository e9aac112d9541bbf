//! `wirelab-server-quic --listen ADDRESS:PORT --certificate PEM --key PEM`: the relay between QUIC
//! peers. See `docs/reference/protocols/quic.md`.

mod relay;

use std::process::ExitCode;
use std::thread;

use quinn::Endpoint;
use wirelab_peer::server::refuse;
use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::listen_args::{ListenArgs, run};
use wirelab_transport::quic::{IDLE, server_config};
use wirelab_transport::relay::serve;

/// The version that the workspace pins; a test keeps both equal.
const QUINN: &str = "0.11.12";
/// Maximum concurrent streams per client.
const STREAMS: u32 = 10_000;
/// Size of the datagram receive buffer; beyond it the oldest is dropped.
const DATAGRAM_BUFFER: usize = 16 << 20;

fn main() -> ExitCode {
    run("wirelab-server-quic", "The relay between QUIC peers", start)
}

fn start(args: &ListenArgs) -> Result<ExitCode, ExitCode> {
    let config = server_config(args, b"wirelab", |transport| {
        transport
            .max_concurrent_uni_streams(STREAMS.into())
            .datagram_receive_buffer_size(Some(DATAGRAM_BUFFER));
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| refuse("runtime", error))?;
    let endpoint = runtime
        .block_on(async { Endpoint::server(config, args.listen) })
        .map_err(|error| args.bind_error(&error))?;
    let listen = endpoint.local_addr().unwrap_or(args.listen);
    thread::spawn(move || runtime.block_on(relay::serve(endpoint)));
    let limits = [
        ("datagram_receive_buffer_bytes", DATAGRAM_BUFFER as u64),
        ("max_concurrent_uni_streams", u64::from(STREAMS)),
        ("max_idle_timeout_s", IDLE.as_secs()),
        ("max_message_bytes", MAX_MESSAGE as u64),
        ("queue_messages", 0),
    ];
    Ok(serve("wirelab-relay-quinn", QUINN, listen, &limits))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("quinn = {{ version = \"={}\"", super::QUINN);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
