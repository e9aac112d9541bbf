//! `wirelab-server-zenoh --listen ADDRESS:PORT [--certificate PEM --key PEM]`: a Zenoh router. See
//! `docs/reference/protocols/zenoh.md`.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;

use wirelab_transport::listen_args::{ListenArgs, run};
use wirelab_transport::relay::serve;
use zenoh::{Config, Session, Wait};

/// The version that the workspace pins; a test keeps both equal.
const ZENOH: &str = "1.10.2";
/// Lease time of a link, and time limit for writing to it: link traces have long gaps.
const PATIENCE_S: u64 = 24 * 60 * 60;
/// Time limit for a client's handshake, 10 s by default: the longest connect timeout, so that no
/// slow link exceeds it.
const HANDSHAKE_S: u64 = 60 * 60;
const MAX_SESSIONS: u64 = 100_000;

fn main() -> ExitCode {
    run("wirelab-server-zenoh", "A Zenoh router", start)
}

fn start(args: &ListenArgs) -> Result<ExitCode, ExitCode> {
    // The library reads the files itself; this reports errors in them.
    args.tls(&[])?;
    // The library listens itself; this reports the system's error if the address is in use, and
    // replaces port 0 by a free port.
    let (listener, listen) = args.bind()?;
    drop(listener);
    let session =
        router(args, listen).map_err(|error| args.bind_error(&io::Error::other(error)))?;
    let limits = [
        ("max_message_bytes", 1 << 30),
        ("max_sessions", MAX_SESSIONS),
        ("accept_timeout_s", HANDSHAKE_S),
        ("lease_s", PATIENCE_S),
        ("wait_before_close_s", PATIENCE_S),
    ];
    let code = serve("zenoh", ZENOH, listen, &limits);
    // The process exits in any case.
    let _ = session.close().wait();
    Ok(code)
}

fn router(args: &ListenArgs, listen: SocketAddr) -> zenoh::Result<Session> {
    let mut config = Config::default();
    let mut carrier = "tcp";
    if let (Some(certificate), Some(key)) = (&args.certificate, &args.key) {
        carrier = "tls";
        for (name, file) in [
            ("listen_certificate", certificate),
            ("listen_private_key", key),
        ] {
            config.insert_json5(&format!("transport/link/tls/{name}"), &format!("{file:?}"))?;
        }
    }
    for (key, value) in [
        ("mode", r#""router""#.to_owned()),
        ("listen/endpoints", format!(r#"["{carrier}/{listen}"]"#)),
        ("scouting/multicast/enabled", "false".to_owned()),
        ("scouting/gossip/enabled", "false".to_owned()),
        // Answers the clients' round trips, which show that everything sent before has arrived.
        ("adminspace/enabled", "true".to_owned()),
        ("transport/unicast/max_sessions", MAX_SESSIONS.to_string()),
        (
            "transport/unicast/accept_timeout",
            (HANDSHAKE_S * 1_000).to_string(),
        ),
        ("transport/link/tx/lease", (PATIENCE_S * 1_000).to_string()),
        (
            "transport/link/tx/queue/congestion_control/block/wait_before_close",
            (PATIENCE_S * 1_000_000).to_string(),
        ),
    ] {
        config.insert_json5(key, &value)?;
    }
    zenoh::open(config).wait()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("zenoh = {{ version = \"={}\"", super::ZENOH);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
