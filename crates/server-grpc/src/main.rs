//! `wirelab-server-grpc --listen ADDRESS:PORT [--certificate PEM --key PEM]`: the relay between
//! gRPC peers. See `docs/reference/protocols/grpc.md`.

mod relay;

use std::process::ExitCode;
use std::thread;

use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::listen_args::{ListenArgs, run};
use wirelab_transport::relay::{QUEUE, serve};

/// The version that the workspace pins; a test keeps both equal.
const TONIC: &str = "0.14.9";
/// Maximum concurrent calls per connection.
const CALLS: u32 = 10_000;

fn main() -> ExitCode {
    run("wirelab-server-grpc", "The relay between gRPC peers", start)
}

fn start(args: &ListenArgs) -> Result<ExitCode, ExitCode> {
    let tls = args.tls(&[b"h2"])?;
    let (runtime, listener, listen) = args.bind_async()?;
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
    fn the_described_version_is_the_built_one() {
        let pinned = format!("tonic = {{ version = \"={}\"", super::TONIC);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
