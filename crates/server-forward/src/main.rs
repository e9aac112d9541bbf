//! `wirelab-server-forward`: represents, inside a lab, a server that runs outside. A lab has no
//! route to the outside, so there are two processes: `outside --to HOST:PORT --socket PATH`
//! connects to the server, and `inside --listen ADDRESS:PORT --socket PATH` obtains one connection
//! per client from it and forwards the bytes. See `docs/how-to/external-server.md`.

mod fd_passing;
mod splice;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use clap::{Parser, Subcommand};
use wirelab_peer::server::{arguments, refuse};
use wirelab_transport::relay::{accept_all, serve};

/// Represents, inside a lab, a server that runs outside. Ends on SIGTERM or at the end of standard
/// input.
#[derive(Parser)]
#[command(name = "wirelab-server-forward", version)]
struct Arguments {
    #[command(subcommand)]
    side: Side,
}

#[derive(Subcommand)]
enum Side {
    /// Makes a connection to the server for each client of the Unix socket.
    Outside {
        /// The server as HOST:PORT.
        #[arg(long)]
        to: String,
        /// Path of the Unix socket to create.
        #[arg(long)]
        socket: PathBuf,
    },
    /// Accepts clients and forwards each over a connection from outside.
    Inside {
        /// Address and port to listen on.
        #[arg(long)]
        listen: SocketAddr,
        /// Path of the Unix socket of the other process.
        #[arg(long)]
        socket: PathBuf,
    },
}

fn main() -> ExitCode {
    match run() {
        Ok(code) | Err(code) => code,
    }
}

fn run() -> Result<ExitCode, ExitCode> {
    let (name, listen) = match arguments::<Arguments>()?.side {
        Side::Outside { to, socket } => {
            let listener = UnixListener::bind(&socket)
                .map_err(|error| refuse(&format!("listen on {}", socket.display()), error))?;
            thread::spawn(move || serve_connections(&listener, &to));
            ("wirelab-forward-outside", SocketAddr::from(([0; 4], 0)))
        }
        Side::Inside { listen, socket } => {
            let (listener, listen) = TcpListener::bind(listen)
                .and_then(|listener| {
                    let bound = listener.local_addr()?;
                    Ok((listener, bound))
                })
                .map_err(|error| refuse(&format!("listen on {listen}"), error))?;
            thread::spawn(move || {
                accept_all(&listener, move |client| forward_client(client, &socket))
            });
            ("wirelab-forward", listen)
        }
    };
    let limits = [("queue_bytes", splice::BUFFER as u64), ("tcp_nodelay", 1)];
    Ok(serve(name, env!("CARGO_PKG_VERSION"), listen, &limits))
}

/// Hands out connections to the server, forever.
fn serve_connections(listener: &UnixListener, to: &str) {
    for asking in listener.incoming() {
        let lent = asking.and_then(|asking| {
            let server = TcpStream::connect(to)?;
            server.set_nodelay(true)?;
            fd_passing::send(&asking, &server)
        });
        if let Err(error) = lent {
            eprintln!("connect {to}: {error}");
        }
    }
}

fn forward_client(client: TcpStream, socket: &Path) -> io::Result<()> {
    client.set_nodelay(true)?;
    splice::splice(client, fd_passing::request(socket)?)
}
