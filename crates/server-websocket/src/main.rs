//! `wirelab-server-websocket --listen ADDRESS:PORT [--certificate PEM --key PEM]`: the relay
//! between WebSocket peers. See `docs/reference/protocols/websocket.md`.

mod relay;

use std::process::ExitCode;
use std::thread;

use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::listen_args::{ListenArgs, run};
use wirelab_transport::relay::serve;

/// The version that the workspace pins; a test keeps both equal.
const TUNGSTENITE: &str = "0.29.0";

fn main() -> ExitCode {
    run(
        "wirelab-server-websocket",
        "The relay between WebSocket peers",
        start,
    )
}

fn start(args: &ListenArgs) -> Result<ExitCode, ExitCode> {
    let tls = args.tls(&[b"http/1.1"])?;
    let (listener, listen) = args.bind()?;
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
    fn the_described_version_is_the_built_one() {
        let pinned = format!("tungstenite = {{ version = \"={}\"", super::TUNGSTENITE);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
