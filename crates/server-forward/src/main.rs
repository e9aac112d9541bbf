//! `wirelab-server-forward`: the place in a lab of a server that runs beyond it. A lab has no way out, so it takes two:
//! `outside --to HOST:PORT --socket PATH` makes connections to the server, `inside --listen ADDRESS:PORT --socket PATH` asks it for one per client
//! and carries its bytes. See `docs/how-to/external-server.md`.

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

/// The place in a lab of a server that runs beyond it. Ends on SIGTERM or at the end of standard input.
#[derive(Parser)]
#[command(name = "wirelab-server-forward", version)]
struct Arguments {
    #[command(subcommand)]
    side: Side,
}

#[derive(Subcommand)]
enum Side {
    /// Makes connections to the server for whoever asks on the Unix socket.
    Outside {
        /// The server, HOST:PORT.
        #[arg(long)]
        to: String,
        /// The Unix socket to make.
        #[arg(long)]
        socket: PathBuf,
    },
    /// Stands for the server: carries each client's bytes over a connection from outside.
    Inside {
        /// Address and port to listen on.
        #[arg(long)]
        listen: SocketAddr,
        /// The Unix socket of the other side.
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

/// Hands out connections to the server for ever.
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
