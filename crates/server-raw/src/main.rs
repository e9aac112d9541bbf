//! `wirelab-server-raw --listen ADDRESS:PORT [--certificate PEM --key PEM]`: the relay between raw peers, on TCP (with a certificate: TLS) and
//! UDP of the same port. See `docs/protocols/raw.md`.

mod tcp;
mod udp;

use std::net::TcpListener;
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use wirelab_peer::server::arguments;
use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::relay::{Place, serve};

/// The relay between raw peers. Ends on SIGTERM or at the end of standard input.
#[derive(Parser)]
#[command(name = "wirelab-server-raw", version)]
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
    let tls = place.tls(&[])?;
    let (tcp, udp, listen) = TcpListener::bind(place.listen)
        .and_then(|tcp| {
            let listen = tcp.local_addr()?;
            Ok((tcp, udp::open(listen)?, listen))
        })
        .map_err(|error| place.taken(&error))?;
    let receive_buffer = udp.recv_buffer_size().unwrap_or(0);
    thread::spawn(move || tcp::serve(&tcp, tls));
    thread::spawn(move || udp::serve(&udp.into()));
    let limits = [
        ("tcp_max_message_bytes", MAX_MESSAGE as u64),
        ("tcp_queue_messages", 0),
        ("tcp_nodelay", 1),
        ("udp_receive_buffer_bytes", receive_buffer as u64),
    ];
    Ok(serve(
        "wirelab-relay",
        env!("CARGO_PKG_VERSION"),
        listen,
        &limits,
    ))
}
