//! `wirelab-server-raw --listen ADDRESS:PORT [--certificate PEM --key PEM]`: the relay between raw
//! peers, on TCP (with a certificate: TLS) and UDP of the same port. See
//! `docs/reference/protocols/raw.md`.

mod tcp;
mod udp;

use std::process::ExitCode;
use std::thread;

use wirelab_transport::MAX_MESSAGE;
use wirelab_transport::listen_args::{ListenArgs, run};
use wirelab_transport::relay::serve;

fn main() -> ExitCode {
    run("wirelab-server-raw", "The relay between raw peers", start)
}

fn start(args: &ListenArgs) -> Result<ExitCode, ExitCode> {
    let tls = args.tls(&[])?;
    let (tcp, listen) = args.bind()?;
    let udp = udp::open(listen).map_err(|error| args.bind_error(&error))?;
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
