//! The publisher, and the requester with one endpoint: the pacer's thread sends, a second thread
//! receives answers and runs the timers.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::net::UdpSocket;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use wirelab_coap::endpoint_io::EndpointIo;
use wirelab_coap::io::{Engine, now, wait};
use wirelab_coap::{Fate, Method, Publisher as Exchanges, Transmission, options};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::dial::Dialer;
use crate::{requester, settings};

/// Maximum number of distinct failure reasons that are reported.
const MAX_REASONS: usize = 16;

struct Shared {
    socket: UdpSocket,
    state: Mutex<State>,
    /// Notified when an exchange may have ended.
    changed: Condvar,
    server: String,
    transmission: Transmission,
    method: Method,
    /// Whether messages are requests, which end with their answer.
    asks: bool,
}

struct State {
    exchanges: Exchanges,
    io: EndpointIo,
    /// Since when the server's host has reported only that the port is closed.
    refused_since: Option<i64>,
}

struct CoapPublisher {
    shared: Arc<Shared>,
    confirmable: bool,
}

/// Pings the server (RFC 7252, section 4.3) and starts the thread that receives answers.
pub fn connect(setup: &Setup, outcomes: Outcomes, asks: bool) -> Result<Box<dyn Publisher>, Fault> {
    let transmission = settings::transmission(&setup.options)?;
    let method = options::method(&setup.options)?;
    let server = setup.server();
    let (socket, mut io) = Dialer::new(setup)?.dial()?;
    let mut exchanges = Exchanges::new(
        server,
        &setup.topic,
        method,
        transmission,
        fastrand::Rng::new(),
    );
    ping(setup, &socket, &mut io, &mut exchanges)?;
    let state = Mutex::new(State {
        exchanges,
        io,
        refused_since: None,
    });
    let shared = Arc::new(Shared {
        socket,
        state,
        changed: Condvar::new(),
        server: server.to_string(),
        transmission,
        method,
        asks,
    });
    let answers = Arc::clone(&shared);
    thread::spawn(move || answers.take_answers(&outcomes));
    Ok(Box::new(CoapPublisher {
        shared,
        confirmable: setup.qos == "con",
    }))
}

/// Waits until the server has answered a ping.
///
/// # Errors
/// A fatal fault that names the server.
pub fn ping(
    setup: &Setup,
    socket: &UdpSocket,
    io: &mut EndpointIo,
    exchanges: &mut Exchanges,
) -> Result<(), Fault> {
    let fault = |why: std::io::Error| Fault::fatal(format!("connect {}", setup.server()), why);
    let until = now() + setup.connect_timeout.as_nanos() as i64;
    exchanges.ping(now());
    while !exchanges.is_reachable() {
        if now() >= until {
            return Err(setup.timed_out("ping"));
        }
        exchanges.expire(now());
        io.send_all(socket, exchanges.outgoing()).map_err(fault)?;
        let next = exchanges
            .deadline()
            .map_or(until, |deadline| deadline.min(until));
        if wait(socket, None, Some(next)).map_err(fault)?.socket {
            io.receive_all(socket, exchanges).map_err(fault)?;
        }
    }
    Ok(())
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics with the lock")
    }

    fn flush_out(&self, state: &mut State) {
        let sent = state.io.send_all(&self.socket, state.exchanges.outgoing());
        if sent.is_err() {
            state.refused_since.get_or_insert_with(now);
        }
    }

    fn take_answers(&self, outcomes: &Outcomes) {
        // The pacer's thread never sets a timer shorter than this, so this thread never sleeps past
        // a new timer.
        let nap = self
            .transmission
            .ack_timeout
            .min(self.transmission.non_timeout)
            / 2;
        let mut reported = HashSet::new();
        loop {
            let deadline = self.lock().exchanges.deadline();
            let until = deadline.unwrap_or(i64::MAX).min(now() + nap);
            let woken = wait(&self.socket, None, Some(until));
            let mut guard = self.lock();
            let state = &mut *guard;
            if woken.is_ok_and(|woken| woken.socket) {
                match state.io.receive_all(&self.socket, &mut state.exchanges) {
                    Ok(()) => state.refused_since = None,
                    Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                        state.refused_since.get_or_insert_with(now);
                    }
                    Err(error) => {
                        outcomes.fault(Fault::fatal(format!("receive from {}", self.server), error))
                    }
                }
            }
            state.exchanges.expire(now());
            // Reported with the lock held: a thread that sees no exchange in progress may rely on
            // all outcomes having been reported.
            let refused = state.refused_since.is_some();
            for (seq, fate) in state.exchanges.take_fates() {
                self.report(outcomes, seq, fate, refused, &mut reported);
            }
            self.flush_out(state);
            drop(guard);
            self.changed.notify_all();
        }
    }

    fn report(
        &self,
        outcomes: &Outcomes,
        seq: u64,
        fate: Fate,
        refused: bool,
        reported: &mut HashSet<String>,
    ) {
        let why = match fate {
            Fate::Acknowledged if self.asks => return outcomes.answered(seq),
            Fate::Acknowledged => return outcomes.acknowledged(seq),
            Fate::Failed(why) => why,
        };
        outcomes.failed(seq);
        if refused {
            outcomes.fault(Fault::fatal(
                format!("send to {}", self.server),
                format!("{why}; {PORT_UNREACHABLE}"),
            ));
        } else if reported.len() < MAX_REASONS && reported.insert(why.clone()) {
            outcomes.fault(Fault::minor(
                format!("message {seq} to {}", self.server),
                why,
            ));
        }
    }
}

const PORT_UNREACHABLE: &str = "nothing listens on that UDP port";

impl Publisher for CoapPublisher {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let shared = &*self.shared;
        let busy = |state: &mut State| !state.exchanges.is_free(self.confirmable, message.len());
        let mut state = shared
            .changed
            .wait_while(shared.lock(), busy)
            .expect("no thread panics with the lock");
        let patience = shared.transmission.max_transmit_wait();
        if !self.confirmable
            && state
                .refused_since
                .is_some_and(|since| now() - since > patience)
        {
            return Err(Fault::fatal(
                format!("send to {}", shared.server),
                PORT_UNREACHABLE,
            ));
        }
        let exchanges = &mut state.exchanges;
        match shared.asks {
            true => requester::ask(exchanges, seq, message, shared.method, self.confirmable),
            false => exchanges.publish(now(), seq, message, self.confirmable),
        }
        shared.flush_out(&mut state);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        let busy = |state: &mut State| !state.exchanges.is_idle();
        drop(
            self.shared
                .changed
                .wait_while(self.shared.lock(), busy)
                .expect("no thread panics with the lock"),
        );
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.shared.lock().io.close(&self.shared.socket);
    }
}
