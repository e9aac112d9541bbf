//! QUIC connections of peers and relays.

use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    ClientConfig, Connection, Endpoint, IdleTimeout, ServerConfig, TransportConfig, VarInt,
};
use tokio::net::UdpSocket;
use tokio::time::timeout;
use wirelab_peer::server::refuse;
use wirelab_peer::{Fault, Setup};

use crate::listen_args::ListenArgs;
use crate::tls::client_config;

/// Options of every peer on QUIC, with their defaults.
pub const OPTIONS: [(&str, &str); 3] = [
    ("authority", ""),
    ("idle_timeout_s", "30"),
    ("transport", "quic"),
];
/// A relay's idle timeout. The client's applies if it is shorter (RFC 9000, 10.1).
pub const IDLE: Duration = Duration::from_secs(24 * 60 * 60);
/// How long closing a connection may take.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// Connects, with `alpn` as the application protocol (RFC 9001, 8.1). `tune` sets what is not the
/// same for all peers. Dropping the endpoint ends the connection.
///
/// # Errors
/// A fatal fault that names the server or the option, and the cause.
pub async fn connect(
    setup: &Setup,
    alpn: &[u8],
    tune: impl FnOnce(&mut TransportConfig),
) -> Result<(Endpoint, Connection), Fault> {
    let server = setup.server();
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let config = config(setup, alpn, tune)?;
    let endpoint = Endpoint::client(any).map_err(|error| refused(setup, error))?;
    let connecting = endpoint
        .connect_with(config, server, &server.ip().to_string())
        .map_err(|error| refused(setup, error))?;
    let connection = tokio::select! {
        done = connecting => done.map_err(|error| refused(setup, error))?,
        why = closed_port(any, server) => return Err(refused(setup, why)),
    };
    Ok((endpoint, connection))
}

/// Closes a connection; waits a while for the server, which may be gone.
pub async fn close(endpoint: &Endpoint, connection: &Connection) {
    connection.close(VarInt::from_u32(0), b"");
    let _ = timeout(CLOSE_TIMEOUT, endpoint.wait_idle()).await;
}

/// The fault of a connection that could not be made.
pub fn refused(setup: &Setup, why: impl Display) -> Fault {
    Fault::fatal(format!("connect {}", setup.server()), why)
}

/// The fault of a connection that broke.
pub fn broken(setup: &Setup, why: impl Display) -> Fault {
    Fault::fatal(format!("connection to {}", setup.server()), why)
}

/// Waits until the kernel reports a closed port, which quinn does not check. Otherwise never
/// returns.
async fn closed_port(any: SocketAddr, server: SocketAddr) -> io::Error {
    let probe = async {
        let socket = UdpSocket::bind(any).await?;
        socket.connect(server).await?;
        socket.send(&[0]).await?;
        socket.recv(&mut [0; 1]).await
    };
    match probe.await {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => error,
        _ => std::future::pending().await,
    }
}

fn config(
    setup: &Setup,
    alpn: &[u8],
    tune: impl FnOnce(&mut TransportConfig),
) -> Result<ClientConfig, Fault> {
    let transport = setup.options.text("transport");
    if transport != "quic" {
        let why = format!("{transport:?} is not quic");
        return Err(Fault::fatal("option transport", why));
    }
    let tls = client_config(setup, &[alpn])?;
    let crypto = QuicClientConfig::try_from(tls).map_err(|error| Fault::fatal("TLS", error))?;
    let what = "option idle_timeout_s";
    let idle = Duration::try_from_secs_f64(setup.options.parse("idle_timeout_s")?)
        .map_err(|error| Fault::fatal(what, error))?;
    let limit = IdleTimeout::try_from(idle).map_err(|error| Fault::fatal(what, error))?;
    if idle.is_zero() {
        return Err(Fault::fatal(what, "must be above 0"));
    }
    let mut transport = TransportConfig::default();
    transport
        .max_idle_timeout(Some(limit))
        .keep_alive_interval(Some(idle / 3));
    tune(&mut transport);
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(Arc::new(transport));
    Ok(config)
}

/// The configuration of a relay with the certificate of its command line.
///
/// # Errors
/// The exit code for bad input. The message has been printed.
pub fn server_config(
    args: &ListenArgs,
    alpn: &[u8],
    tune: impl FnOnce(&mut TransportConfig),
) -> Result<ServerConfig, ExitCode> {
    let Some(tls) = args.tls(&[alpn])? else {
        return Err(refuse(
            "certificate",
            "QUIC is always encrypted: give --certificate and --key",
        ));
    };
    let crypto = QuicServerConfig::try_from(tls).map_err(|error| refuse("certificate", error))?;
    let mut transport = TransportConfig::default();
    transport.max_idle_timeout(IdleTimeout::try_from(IDLE).ok());
    tune(&mut transport);
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(Arc::new(transport));
    Ok(config)
}
