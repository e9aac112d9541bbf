//! One QUIC connection to the relay, and the hello on its first stream.

use quinn::{Connection, Endpoint, RecvStream, SendStream};
use wirelab_peer::{Fault, Setup};
use wirelab_transport::handshake::{self, Role, WELCOME};
use wirelab_transport::quic::{connect, refused};

/// The application protocol on which both sides agree.
const ALPN: &[u8] = b"wirelab";
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
    let hello = format!("{}\n", handshake::hello(role, setup)?);
    let streams: u32 = setup.options.parse("streams")?;
    if streams == 0 {
        return Err(Fault::fatal("option streams", "must be above 0"));
    }
    let (endpoint, connection) = connect(setup, ALPN, |transport| {
        transport
            .max_concurrent_uni_streams(streams.into())
            .datagram_receive_buffer_size(Some(DATAGRAM_BUFFER));
    })
    .await?;
    let (mut send, mut receive) = connection
        .open_bi()
        .await
        .map_err(|error| refused(setup, error))?;
    send.write_all(hello.as_bytes())
        .await
        .map_err(|error| refused(setup, error))?;
    let mut answer = [0; WELCOME.len()];
    receive
        .read_exact(&mut answer)
        .await
        .map_err(|error| refused(setup, error))?;
    if answer != WELCOME {
        let why = "the server is not the relay: unexpected answer to the hello";
        return Err(refused(setup, why));
    }
    Ok(Welcomed {
        endpoint,
        connection,
        send,
        receive,
    })
}
