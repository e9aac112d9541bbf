//! Endpoints and options of the two transports.

use wirelab_peer::{Fault, Setup};
use zmq::{Context, Socket, SocketType};

/// How long queued messages may take to be sent when a peer exits.
const LINGER_MS: i32 = 500;

/// The transport.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Tcp,
    Epgm,
}

impl Transport {
    /// The transport of this name.
    ///
    /// # Errors
    /// A fatal fault that lists the transports.
    pub fn of(setup: &Setup) -> Result<Self, Fault> {
        let transports = [("tcp", Self::Tcp), ("epgm", Self::Epgm)];
        setup.options.one_of("transport", transports)
    }
}

/// A socket, and the context whose threads serve it.
pub struct Endpoint {
    pub socket: Socket,
    pub address: String,
}

impl Endpoint {
    /// A new socket of this kind, with all options set.
    ///
    /// # Errors
    /// A fatal fault that names the option that the library rejected.
    pub fn new(setup: &Setup, kind: SocketType) -> Result<Self, Fault> {
        let socket = Context::new()
            .socket(kind)
            .map_err(|error| Fault::fatal("socket", error))?;
        let set = |option: &str, set: &dyn Fn(&Socket, i32) -> zmq::Result<()>| {
            set(&socket, setup.options.parse(option)?)
                .map_err(|error| Fault::fatal(format!("option {option}"), error))
        };
        set("send_hwm", &Socket::set_sndhwm)?;
        set("receive_hwm", &Socket::set_rcvhwm)?;
        set("send_buffer_bytes", &Socket::set_sndbuf)?;
        set("receive_buffer_bytes", &Socket::set_rcvbuf)?;
        set("tos", &Socket::set_tos)?;
        set("rate_kbit", &Socket::set_rate)?;
        set("recovery_ms", &Socket::set_recovery_ivl)?;
        set("hops", &Socket::set_multicast_hops)?;
        socket
            .set_linger(LINGER_MS)
            .map_err(|error| Fault::fatal("linger", error))?;
        let address = address(setup)?;
        Ok(Self { socket, address })
    }

    /// The fault for an error of the library.
    pub fn fault(&self, what: &str, error: zmq::Error) -> Fault {
        Fault::fatal(format!("{what} {}", self.address), error)
    }
}

/// On TCP the publisher's address; on EPGM the local interface and the group.
fn address(setup: &Setup) -> Result<String, Fault> {
    let publisher = setup.server();
    if Transport::of(setup)? == Transport::Tcp {
        return Ok(format!("tcp://{publisher}"));
    }
    let own = setup.local_address()?;
    let group = setup.options.text("group");
    Ok(format!("epgm://{own};{group}:{}", publisher.port()))
}

/// The prefix of every message. Subscriptions match prefixes, so the topic ends with a separator
/// byte.
pub fn prefix(setup: &Setup) -> Vec<u8> {
    [setup.topic.as_bytes(), b"\0"].concat()
}
