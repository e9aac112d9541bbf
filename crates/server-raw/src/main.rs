//! `wirelab-server-raw --listen ADDRESS:PORT`: the relay between raw peers, on TCP and UDP of the same port.
//! See `docs/protocols/raw.md`.

mod hello;
mod tcp;
mod udp;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use wirelab_peer::contract::Ready;
use wirelab_peer::server::{arguments, refuse, serve_until_told};

/// The relay between raw peers. Ends on SIGTERM or at the end of standard input.
#[derive(Parser)]
#[command(name = "wirelab-server-raw", version)]
struct Arguments {
    /// Address and port to listen on.
    #[arg(long)]
    listen: SocketAddr,
}

fn main() -> ExitCode {
    let arguments: Arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let bound = TcpListener::bind(arguments.listen).and_then(|tcp| {
        let listen = tcp.local_addr()?;
        Ok((tcp, udp::open(listen)?, listen))
    });
    let (tcp, udp, listen) = match bound {
        Ok(bound) => bound,
        Err(error) => return refuse(&format!("listen on {}", arguments.listen), error),
    };
    let receive_buffer = udp.recv_buffer_size().unwrap_or(0);
    thread::spawn(move || tcp::serve(&tcp));
    thread::spawn(move || udp::serve(&udp.into()));
    match serve_until_told(&ready(listen, receive_buffer)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse("signals", error),
    }
}

fn ready(listen: SocketAddr, receive_buffer: usize) -> Ready {
    let limits = [
        ("tcp_max_message_bytes", u64::from(tcp::MAX_MESSAGE)),
        ("tcp_queue_messages", 0),
        ("tcp_nodelay", 1),
        ("udp_receive_buffer_bytes", receive_buffer as u64),
    ];
    Ready {
        name: "wirelab-relay".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        listen: listen.to_string(),
        limits: BTreeMap::from(limits.map(|(name, value)| (name.into(), value.into()))),
    }
}
