//! The interface of a protocol.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use wirelab_contract::{Described, Fault, Start};

use crate::clock::{Clock, Monotonic};
use crate::delivery_sink::DeliverySink;
use crate::options::Options;
use crate::outcome::Outcomes;
use crate::responder::Responder;

/// The parameters of a connection. Already validated: the QoS level and the options exist.
#[derive(Clone)]
pub struct Setup {
    /// Address of the server. `None` only for protocols without servers.
    pub server: Option<SocketAddr>,
    /// Name of the QoS level.
    pub qos: String,
    /// All options of the protocol, with the values of the command.
    pub options: Options,
    /// Topic, resource or subject.
    pub topic: String,
    /// Name of this client.
    pub client: String,
    /// Number of subscribers that a publisher without a server waits for.
    pub subscribers: usize,
    /// Time limit for connecting and subscribing; the option `connect_timeout_s`.
    pub connect_timeout: Duration,
    /// Size of the largest message that is sent or expected, including its identity header.
    pub largest: usize,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// Minimum time limit for an answer over an existing connection.
const MIN_ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

fn answer_timeout(connect_timeout: Duration) -> Duration {
    (connect_timeout / 2).max(MIN_ANSWER_TIMEOUT)
}

impl Setup {
    /// The time limit for an answer over an existing connection. An answer that was lost with its
    /// connection never arrives; one over a slow link takes a fraction of the connect timeout.
    pub fn answer_timeout(&self) -> Duration {
        answer_timeout(self.connect_timeout)
    }

    /// The address of the server.
    ///
    /// # Panics
    /// If the protocol has no servers.
    pub fn server(&self) -> SocketAddr {
        self.server
            .expect("prepare checks that protocols with servers get one")
    }

    /// The address of the local interface that routes to the server.
    ///
    /// # Errors
    /// A fatal fault if there is no route.
    pub fn local_address(&self) -> Result<IpAddr, Fault> {
        let server = self.server();
        let any = match server {
            SocketAddr::V4(_) => "0.0.0.0:0",
            SocketAddr::V6(_) => "[::]:0",
        };
        // Connecting a datagram socket sends nothing; it makes the kernel look up the route.
        UdpSocket::bind(any)
            .and_then(|socket| {
                socket.connect(server)?;
                socket.local_addr()
            })
            .map(|own| own.ip())
            .map_err(|error| Fault::fatal(format!("route to {server}"), error))
    }

    /// The fault of a server that did not answer within `connect_timeout`.
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

/// One protocol through one library. Used for one role in one trial.
pub trait Protocol: Send + Sync + 'static {
    /// The answer to `describe`. The caller adds the option `connect_timeout_s`.
    fn describe(&self) -> Described;

    /// The clock; only mocks override it.
    fn clock(&self, _options: &Options) -> Result<Arc<dyn Clock>, Fault> {
        Ok(Arc::new(Monotonic))
    }

    /// Connects a publisher. Blocks for at most `setup.connect_timeout`.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault>;

    /// Connects a subscriber and waits until the server has confirmed the subscription. Blocks for
    /// at most `setup.connect_timeout`. The receiving thread owns the sink.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault>;

    /// Connects a requester: every message is a request, and [`Outcomes::answered`] reports its
    /// answer. Called only if the description lists the role.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    fn requester(&self, _setup: &Setup, _outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        Err(Fault::fatal("role requester", "not supported by this peer"))
    }

    /// Connects a responder, which sends back what the [`Responder`] answers. Called only if the
    /// description lists the role.
    ///
    /// # Errors
    /// A fatal fault that names the server and the cause.
    fn responder(&self, _setup: &Setup, _desk: Responder) -> Result<Box<dyn Subscriber>, Fault> {
        Err(Fault::fatal("role responder", "not supported by this peer"))
    }
}

/// A connected publisher, owned by the pacer's thread.
pub trait Publisher: Send {
    /// Hands a message to the library; may block while the library's queue is full. `seq` counts
    /// from 0. Outcomes are reported through [`Outcomes`], in any order, possibly before this
    /// returns.
    ///
    /// # Errors
    /// A fatal fault. If only this message was refused, that is reported through
    /// [`Outcomes::failed`] instead.
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault>;

    /// Blocks until every byte has left the library. Called once, after the last message. Outcomes
    /// may still be outstanding.
    ///
    /// # Errors
    /// A fatal fault.
    fn flush(&mut self) -> Result<(), Fault>;

    /// Closes the connection, in under a second.
    fn close(self: Box<Self>);
}

/// A connected subscriber. It delivers to the [`DeliverySink`] that it was given.
pub trait Subscriber: Send {
    /// The trial starts; only mocks use this.
    ///
    /// # Errors
    /// A fault if the schedule cannot be used.
    fn start(&mut self, _start: &Start) -> Result<(), Fault> {
        Ok(())
    }

    /// Closes the connection, in under a second.
    fn close(self: Box<Self>);
}

#[cfg(test)]
mod tests {
    use super::{Duration, answer_timeout};

    #[test]
    fn an_answer_over_a_slow_link_may_take_half_the_connect_timeout() {
        assert_eq!(
            answer_timeout(Duration::from_secs(240)),
            Duration::from_secs(120)
        );
        assert_eq!(
            answer_timeout(Duration::from_secs(4)),
            Duration::from_secs(5)
        );
    }
}
