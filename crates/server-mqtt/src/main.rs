//! `wirelab-server-mqtt --listen ADDRESS:PORT`: the built-in MQTT broker. See
//! `docs/reference/protocols/mqtt.md`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use rmqtt::context::ServerContext;
use rmqtt::net::{Builder, Listener};
use rmqtt::server::MqttServer;
use wirelab_peer::contract::Ready;
use wirelab_peer::server::{arguments, refuse, serve_until_stopped};

/// The version that Cargo.toml pins; a test keeps both equal.
const RMQTT: &str = "0.24.0";
/// Maximum packet size of MQTT 3.1.1 (2.2.3).
const MAX_PACKET: u32 = 268_435_455;
/// Maximum messages in flight to one subscriber: the whole range of packet identifiers.
const MAX_INFLIGHT: NonZeroU16 = NonZeroU16::MAX;
/// Maximum messages queued for one subscriber. The queue grows as it fills; the wake-up channel is
/// allocated at once.
const MAX_QUEUE: usize = 10_000_000;
/// Longer than any trial: for timeouts that would drop or duplicate messages on a slow link.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// The built-in MQTT 3.1.1 and 5 broker. Ends on SIGTERM or at the end of standard input.
#[derive(Parser)]
#[command(name = "wirelab-server-mqtt", version)]
struct Arguments {
    /// Address and port to listen on.
    #[arg(long)]
    listen: SocketAddr,
    /// Transport of MQTT.
    #[arg(long, default_value = "tcp")]
    transport: Transport,
}

#[derive(Clone, Copy, ValueEnum)]
enum Transport {
    Tcp,
    Ws,
}

fn main() -> ExitCode {
    let arguments: Arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return refuse("runtime", error),
    };
    let listener = match runtime.block_on(async { listener(&arguments) }) {
        Ok(listener) => listener,
        Err(error) => return refuse(&format!("listen on {}", arguments.listen), error),
    };
    let listen = listener.local_addr().unwrap_or(arguments.listen);
    thread::spawn(move || {
        runtime.block_on(async {
            let context = ServerContext::new().busy_check_enable(false).build().await;
            // The accept loop handles its own errors and never ends.
            let _ = MqttServer::new(context)
                .listener(listener)
                .build()
                .run()
                .await;
        });
    });
    match serve_until_stopped(&ready(listen)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse("signals", error),
    }
}

fn listener(arguments: &Arguments) -> rmqtt::Result<Listener> {
    let bound = Builder::new()
        .name("wirelab")
        .laddr(arguments.listen)
        .reuseaddr(Some(true))
        .nodelay(true)
        .max_packet_size(MAX_PACKET)
        .max_inflight(MAX_INFLIGHT)
        .max_mqueue_len(MAX_QUEUE)
        .message_retry_interval(LONG)
        .message_expiry_interval(LONG)
        .send_timeout(LONG)
        .idle_timeout(LONG)
        .bind()?;
    match arguments.transport {
        Transport::Tcp => bound.tcp(),
        Transport::Ws => bound.ws(),
    }
}

fn ready(listen: SocketAddr) -> Ready {
    let limits = [
        ("max_packet_bytes", u64::from(MAX_PACKET)),
        ("max_inflight_per_client", u64::from(MAX_INFLIGHT.get())),
        ("max_queued_per_client", MAX_QUEUE as u64),
        ("message_retry_s", LONG.as_secs()),
        ("message_expiry_s", LONG.as_secs()),
        ("send_timeout_s", LONG.as_secs()),
        ("tcp_nodelay", 1),
    ];
    Ready {
        name: "rmqtt".into(),
        version: RMQTT.into(),
        listen: listen.to_string(),
        limits: BTreeMap::from(limits.map(|(name, value)| (name.into(), value.into()))),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("rmqtt = {{ version = \"={}\"", super::RMQTT);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
