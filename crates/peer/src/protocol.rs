//! What a protocol has to provide.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use wirelab_contract::{Described, Fault, Start};

use crate::clock::{Clock, Monotonic};
use crate::delivery_sink::DeliverySink;
use crate::options::Options;
use crate::outcome::Outcomes;
use crate::responder::Responder;

/// Everything a protocol has to know to connect. Checked: the qos is one of the described, the options are known.
#[derive(Clone)]
pub struct Setup {
    /// Where the server listens. Absent only for protocols that describe no servers.
    pub server: Option<SocketAddr>,
    /// The qos level's name.
    pub qos: String,
    /// The described options, with what the command set.
    pub options: Options,
    /// The topic, resource or subject.
    pub topic: String,
    /// This client's name.
    pub client: String,
    /// How many subscribers a publisher waits for, where there is no server.
    pub subscribers: usize,
    /// How long connecting (and subscribing) may take; the option `connect_timeout_s`.
    pub connect_timeout: Duration,
    /// Largest message that will be sent or is expected, with its identity header if there is one.
    pub largest: usize,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

impl Setup {
    /// The server's address.
    ///
    /// # Panics
    /// When the protocol described no servers.
    pub fn server(&self) -> SocketAddr {
        self.server
            .expect("prepare checks that protocols with servers get one")
    }

    /// The address of the interface through which this host reaches the server's.
    ///
    /// # Errors
    /// A fatal fault, when there is none.
    pub fn local_address(&self) -> Result<IpAddr, Fault> {
        let server = self.server();
        let any = match server {
            SocketAddr::V4(_) => "0.0.0.0:0",
            SocketAddr::V6(_) => "[::]:0",
        };
        // Connecting a datagram socket sends nothing: it asks the kernel for the route.
        UdpSocket::bind(any)
            .and_then(|socket| {
                socket.connect(server)?;
                socket.local_addr()
            })
            .map(|own| own.ip())
            .map_err(|error| Fault::fatal(format!("route to {server}"), error))
    }

    /// The fault of a server that took longer than `connect_timeout` to `do_what`.
    pub fn timed_out(&self, do_what: &str) -> Fault {
        let server = self
            .server
            .map_or_else(|| "the server".to_owned(), |server| server.to_string());
        Fault::fatal(
            format!("{do_what} {server}"),
            format!("no answer within {} s", self.connect_timeout.as_secs_f64()),
        )
    }
}

/// One protocol, spoken through one library. Used for one role in one trial.
pub trait Protocol: Send + Sync + 'static {
    /// The answer to `describe`. The option `connect_timeout_s` is added by the caller.
    fn describe(&self) -> Described;

    /// The clock; only mocks need another than the real one.
    fn clock(&self, _options: &Options) -> Result<Arc<dyn Clock>, Fault> {
        Ok(Arc::new(Monotonic))
    }

    /// Connects a publisher. May block up to `setup.connect_timeout`.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault>;

    /// Connects a subscriber and waits until the server has confirmed the subscription. May block up to
    /// `setup.connect_timeout`. The sink belongs to the thread that receives.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault>;

    /// Connects a requester: each message it sends is a request, whose answer it tells by [`Outcomes::answered`].
    /// Only where the description names the role.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    fn requester(&self, _setup: &Setup, _outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        Err(Fault::fatal("role requester", "this peer does not take it"))
    }

    /// Connects a responder, which sends back what the [`Responder`] answers. Only where the description names the role.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    fn responder(&self, _setup: &Setup, _desk: Responder) -> Result<Box<dyn Subscriber>, Fault> {
        Err(Fault::fatal("role responder", "this peer does not take it"))
    }
}

/// A connected publisher. One thread owns it: the pacer.
pub trait Publisher: Send {
    /// Hands one message to the library; may block while the library is full. Messages come with `seq` = 0, 1, 2 ...
    /// Each message that gets an outcome gets it through [`Outcomes`], in any order, also before this returns.
    ///
    /// # Errors
    /// A fatal fault. A message that alone was refused is not an error but [`Outcomes::failed`].
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault>;

    /// Blocks until every byte has left the library. Called once, after the last message. Outcomes may still be outstanding.
    ///
    /// # Errors
    /// A fatal fault.
    fn flush(&mut self) -> Result<(), Fault>;

    /// Leaves politely, in under a second.
    fn close(self: Box<Self>);
}

/// A connected subscriber. Arrivals go to the [`DeliverySink`] it was given.
pub trait Subscriber: Send {
    /// The trial begins; only mocks care.
    ///
    /// # Errors
    /// A fault, when the schedule cannot be used.
    fn start(&mut self, _start: &Start) -> Result<(), Fault> {
        Ok(())
    }

    /// Leaves politely, in under a second.
    fn close(self: Box<Self>);
}
