//! The two transports: their endpoints and the options that both sides set.

use wirelab_peer::{Fault, Setup};
use zmq::{Context, Socket, SocketType};

/// How long what is still queued may take to leave when a peer ends.
const LINGER_MS: i32 = 500;

/// What carries the messages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Tcp,
    Epgm,
}

impl Transport {
    /// The transport of the option's name.
    ///
    /// # Errors
    /// A fatal fault that lists what there is.
    pub fn of(setup: &Setup) -> Result<Self, Fault> {
        let transports = [("tcp", Self::Tcp), ("epgm", Self::Epgm)];
        setup.options.one_of("transport", transports)
    }
}

/// A socket, with the context whose threads serve it.
pub struct Endpoint {
    pub socket: Socket,
    pub address: String,
}

impl Endpoint {
    /// An unbound socket of this kind, with every option set.
    ///
    /// # Errors
    /// A fatal fault that names the option the library refused.
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

    /// The fault of something that the library refused here.
    pub fn fault(&self, what: &str, error: zmq::Error) -> Fault {
        Fault::fatal(format!("{what} {}", self.address), error)
    }
}

/// The publisher's address on TCP; this host's interface and the group on EPGM.
fn address(setup: &Setup) -> Result<String, Fault> {
    let publisher = setup.server();
    if Transport::of(setup)? == Transport::Tcp {
        return Ok(format!("tcp://{publisher}"));
    }
    let own = setup.local_address()?;
    let group = setup.options.text("group");
    Ok(format!("epgm://{own};{group}:{}", publisher.port()))
}

/// What precedes every message: subscriptions match the beginnings of messages, so the topic ends with a byte of its own.
pub fn prefix(setup: &Setup) -> Vec<u8> {
    [setup.topic.as_bytes(), b"\0"].concat()
}
