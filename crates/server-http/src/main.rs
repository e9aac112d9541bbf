//! `wirelab-server-http --listen ADDRESS:PORT [--certificate PEM --key PEM]`: the relay between
//! HTTP peers, on HTTP/1.1 and HTTP/2. See `docs/reference/protocols/http.md`.

mod relay;

use std::process::ExitCode;
use std::thread;

use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::listen_args::{ListenArgs, run};
use wirelab_transport::relay::{QUEUE, serve};

/// The version that the workspace pins; a test keeps both equal.
const HYPER: &str = "1.12.0";
/// Maximum concurrent requests per HTTP/2 connection.
const STREAMS: u32 = 10_000;

fn main() -> ExitCode {
    run(
        "wirelab-server-http",
        "The relay between HTTP peers, on HTTP/1.1 and HTTP/2",
        start,
    )
}

fn start(args: &ListenArgs) -> Result<ExitCode, ExitCode> {
    let tls = args.tls(&[b"h2", b"http/1.1"])?;
    let (runtime, listener, listen) = args.bind_async()?;
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
    fn the_described_version_is_the_built_one() {
        let pinned = format!("hyper = {{ version = \"={}\"", super::HYPER);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
