//! CoAP server: every path is an observable resource, and every update is sent to each of its
//! observers.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread;

use clap::Parser;
use serde_json::Value;
use wirelab_coap::dtls::Identity;
use wirelab_coap::endpoint_io::EndpointIo;
use wirelab_coap::io::{Engine, enlarge_receive_buffer, now, wait};
use wirelab_coap::{Limits, Server, Transmission};
use wirelab_peer::contract::Ready;
use wirelab_peer::server::{refuse, serve_until_stopped};

/// Requested size of the receive buffer, in bytes.
const RECEIVE_BUFFER: usize = 8 << 20;

/// CoAP server: every path is an observable resource. Ends on SIGTERM or at the end of standard
/// input.
#[derive(Parser)]
#[command(name = "wirelab-server-coap", version)]
struct Arguments {
    /// Address and UDP port to listen on.
    #[arg(long, value_name = "ADDR:PORT")]
    listen: SocketAddr,
    /// ACK_TIMEOUT of RFC 7252, in ms.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(i64).range(1..=600_000))]
    ack_timeout_ms: i64,
    /// MAX_RETRANSMIT of RFC 7252.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=20))]
    max_retransmit: u32,
    /// Maximum number of outstanding confirmable notifications to one observer.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    nstart: u32,
    /// How long a non-confirmable block-wise notification waits for the observer's next request, in
    /// ms.
    #[arg(long, default_value_t = 4000, value_parser = clap::value_parser!(i64).range(1..=600_000))]
    non_timeout_ms: i64,
    /// Maximum block size: 16, 32, 64, 128, 256, 512 or 1024 bytes.
    #[arg(long, default_value = "1024", value_parser = ["16", "32", "64", "128", "256", "512", "1024"])]
    block_size: String,
    /// Certificate in PEM; enables DTLS.
    #[arg(long, value_name = "PEM", requires = "key")]
    certificate: Option<PathBuf>,
    /// Private key of the certificate, in PEM.
    #[arg(long, value_name = "PEM", requires = "certificate")]
    key: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::from(3)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    let what = format!("listen on {}", arguments.listen);
    let identity = match identity(&arguments) {
        Ok(identity) => identity,
        Err((file, why)) => return refuse(&file, why),
    };
    match serve(&arguments, EndpointIo::accepting(identity)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&what, error),
    }
}

/// The certificate for DTLS, or the file that cannot be used and why.
fn identity(arguments: &Arguments) -> Result<Option<Identity>, (String, String)> {
    let (Some(certificate), Some(key)) = (&arguments.certificate, &arguments.key) else {
        return Ok(None);
    };
    Identity::server(certificate, key)
        .map(Some)
        .map_err(|why| (certificate.display().to_string(), why))
}

fn serve(arguments: &Arguments, mut io: EndpointIo) -> io::Result<()> {
    let socket = UdpSocket::bind(arguments.listen)?;
    socket.set_nonblocking(true)?;
    let receive_buffer = enlarge_receive_buffer(&socket, RECEIVE_BUFFER)?;
    let (transmission, limits) = (transmission(arguments), Limits::default());
    let ready = Ready {
        name: "wirelab-server-coap".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        listen: socket.local_addr()?.to_string(),
        limits: reported_limits(&transmission, &limits, receive_buffer),
    };
    let server = Arc::new(Mutex::new(Server::new(
        transmission,
        limits,
        fastrand::Rng::new(),
    )));
    let serving = Arc::clone(&server);
    thread::spawn(move || {
        if let Err(error) = run(&socket, &mut io, &serving) {
            eprintln!("{}: {error}", ready_name());
            std::process::exit(1);
        }
    });
    serve_until_stopped(&ready)?;
    // Reports deliberate drops, so that no loss is silent.
    eprintln!(
        "{:?}",
        server
            .lock()
            .expect("the serving thread does not panic")
            .counts()
    );
    Ok(())
}

fn ready_name() -> &'static str {
    "wirelab-server-coap"
}

fn transmission(arguments: &Arguments) -> Transmission {
    Transmission {
        ack_timeout: arguments.ack_timeout_ms * 1_000_000,
        max_retransmit: arguments.max_retransmit,
        nstart: arguments.nstart as usize,
        non_timeout: arguments.non_timeout_ms * 1_000_000,
        block_size: arguments
            .block_size
            .parse()
            .expect("clap admits numbers only"),
        ..Transmission::default()
    }
}

fn reported_limits(
    transmission: &Transmission,
    limits: &Limits,
    receive_buffer: usize,
) -> BTreeMap<String, Value> {
    [
        (
            "ack_timeout_ms",
            Value::from(transmission.ack_timeout / 1_000_000),
        ),
        ("ack_random_factor", transmission.ack_random_factor.into()),
        ("max_retransmit", transmission.max_retransmit.into()),
        ("nstart", transmission.nstart.into()),
        (
            "non_timeout_ms",
            (transmission.non_timeout / 1_000_000).into(),
        ),
        ("block_size", transmission.block_size.into()),
        ("max_message_bytes", limits.max_body.into()),
        ("queue_updates_per_observer", limits.queue_updates.into()),
        ("queue_bytes_per_observer", limits.queue_bytes.into()),
        ("observers", limits.observers.into()),
        ("resources", limits.resources.into()),
        ("receive_buffer_bytes", receive_buffer.into()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn run(socket: &UdpSocket, io: &mut EndpointIo, server: &Mutex<Server>) -> io::Result<()> {
    // A broken session does not end the others; its cause is reported.
    let tell = |done: io::Result<()>| {
        if let Err(error) = done
            && error.kind() == io::ErrorKind::Other
        {
            eprintln!("{error}");
        }
    };
    loop {
        let deadline = {
            let mut server = server.lock().expect("only this thread changes the server");
            // An observer that has left makes the kernel report a closed port here; its
            // notifications time out.
            tell(io.receive_all(socket, &mut *server));
            tell(io.expire(socket));
            server.expire(now());
            let _ = io.send_all(socket, server.outgoing());
            server.deadline().into_iter().chain(io.deadline()).min()
        };
        wait(socket, None, deadline)?;
    }
}
