//! One QUIC connection to the relay, and the hello on its first stream.

use std::fmt::Display;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicClientConfig;
use quinn::{
    ClientConfig, Connection, Endpoint, IdleTimeout, RecvStream, SendStream, TransportConfig,
};
use tokio::net::UdpSocket;
use wirelab_peer::{Fault, Setup};
use wirelab_transport::handshake::{self, Role, WELCOME};
use wirelab_transport::tls::client_config;

/// RFC 9001, 8.1: both sides must agree on an application protocol.
pub const ALPN: &[u8] = b"wirelab";
/// Size of the receive buffer for datagrams; beyond it the library drops them.
const DATAGRAM_BUFFER: usize = 16 << 20;

/// A connection after the handshake with the relay; dropping the endpoint ends it.
pub struct Welcomed {
    pub endpoint: Endpoint,
    pub connection: Connection,
    pub send: SendStream,
    pub receive: RecvStream,
}

/// Connects and performs the handshake with the relay.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub async fn open(setup: &Setup, role: Role) -> Result<Welcomed, Fault> {
    let server = setup.server();
    let hello = format!("{}\n", handshake::hello(role, setup)?);
    let failed = |why: &dyn Display| Fault::fatal(format!("connect {server}"), why);
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let endpoint = Endpoint::client(any).map_err(|error| failed(&error))?;
    let connecting = endpoint
        .connect_with(config(setup)?, server, &server.ip().to_string())
        .map_err(|error| failed(&error))?;
    let connection = tokio::select! {
        done = connecting => done.map_err(|error| failed(&error))?,
        why = refused(any, server) => return Err(failed(&why)),
    };
    let (mut send, mut receive) = connection.open_bi().await.map_err(|error| failed(&error))?;
    send.write_all(hello.as_bytes())
        .await
        .map_err(|error| failed(&error))?;
    let mut answer = [0; WELCOME.len()];
    receive
        .read_exact(&mut answer)
        .await
        .map_err(|error| failed(&error))?;
    if answer != WELCOME {
        return Err(failed(
            &"the server is not the relay: unexpected answer to the hello",
        ));
    }
    Ok(Welcomed {
        endpoint,
        connection,
        send,
        receive,
    })
}

/// Waits until the kernel reports a closed port, which quinn does not check. Otherwise never
/// returns.
async fn refused(any: SocketAddr, server: SocketAddr) -> std::io::Error {
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

fn config(setup: &Setup) -> Result<ClientConfig, Fault> {
    match setup.options.text("transport") {
        "quic" => {}
        other => {
            let why = format!("{other:?} is not quic");
            return Err(Fault::fatal("option transport", why));
        }
    }
    let tls = client_config(setup, &[ALPN])?;
    let crypto = QuicClientConfig::try_from(tls).map_err(|error| Fault::fatal("TLS", error))?;
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(Arc::new(transport(setup)?));
    Ok(config)
}

fn transport(setup: &Setup) -> Result<TransportConfig, Fault> {
    let what = |name| format!("option {name}");
    let idle = Duration::try_from_secs_f64(setup.options.parse("idle_timeout_s")?)
        .map_err(|error| Fault::fatal(what("idle_timeout_s"), error))?;
    let timeout =
        IdleTimeout::try_from(idle).map_err(|error| Fault::fatal(what("idle_timeout_s"), error))?;
    let streams: u32 = setup.options.parse("streams")?;
    if idle.is_zero() || streams == 0 {
        let name = if idle.is_zero() {
            "idle_timeout_s"
        } else {
            "streams"
        };
        return Err(Fault::fatal(what(name), "must be above 0"));
    }
    let mut config = TransportConfig::default();
    config
        .max_idle_timeout(Some(timeout))
        .keep_alive_interval(Some(idle / 3))
        .max_concurrent_uni_streams(streams.into())
        .datagram_receive_buffer_size(Some(DATAGRAM_BUFFER));
    Ok(config)
}

/// The fault of a connection that broke.
pub fn broken(setup: &Setup, why: impl Display) -> Fault {
    Fault::fatal(format!("connection to {}", setup.server()), why)
}
