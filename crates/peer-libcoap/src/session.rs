//! The publisher's knowledge of the server, and the thread that receives answers.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use wirelab_coap::Transmission;
use wirelab_peer::{Fault, Outcomes, Setup};

use crate::bindings::Descriptor;
use crate::libcoap::{Endpoint, ResponseHandler, Undelivered};
use crate::{MIN_WAIT, PORT_UNREACHABLE, shake_hands};

/// Maximum number of distinct failure reasons that are reported.
const MAX_REASONS: usize = 16;

/// Whether the server is reachable, and how failures are reported.
pub struct ServerState {
    pub outcomes: Outcomes,
    pub confirmable: bool,
    pub transmission: Transmission,
    server: String,
    is_reachable: bool,
    /// Since when the server's host has reported only that the port is closed.
    refused_since: Option<Instant>,
    reported: HashSet<String>,
}

impl ServerState {
    pub fn new(setup: &Setup, transmission: Transmission, outcomes: Outcomes) -> Self {
        Self {
            outcomes,
            confirmable: setup.qos == "con",
            transmission,
            server: setup.server().to_string(),
            is_reachable: false,
            refused_since: None,
            reported: HashSet::new(),
        }
    }

    /// A message of the server arrived.
    pub fn heard(&mut self) {
        self.refused_since = None;
    }

    /// libcoap gives no reason for not sending; the common cause is an earlier report that the port
    /// is closed.
    pub fn refuse(&mut self, seq: u64) {
        self.refused_since.get_or_insert_with(Instant::now);
        self.fail(seq, "libcoap could not send it");
    }

    /// Handles a result that concerns only the server. Returns whether it did.
    pub fn takes(&mut self, is_ping: bool, reason: Undelivered) -> bool {
        match reason {
            Undelivered::Refused => {
                self.refused_since.get_or_insert_with(Instant::now);
            }
            Undelivered::Reset if is_ping => {
                self.is_reachable = true;
                self.refused_since = None;
            }
            _ => return is_ping,
        }
        true
    }

    /// Without confirmable messages, only this detects that the server is gone.
    ///
    /// # Errors
    /// A fatal fault if the server is gone.
    pub fn check(&self) -> Result<(), Fault> {
        let patience = nanoseconds(self.transmission.max_transmit_wait());
        match self.refused_since {
            Some(since) if !self.confirmable && since.elapsed() > patience => Err(Fault::fatal(
                format!("send to {}", self.server),
                PORT_UNREACHABLE,
            )),
            _ => Ok(()),
        }
    }

    pub fn undelivered(&mut self, seq: u64, reason: Undelivered) {
        self.fail(seq, &reason.why(self.transmission.max_retransmit + 1));
    }

    pub fn fail(&mut self, seq: u64, why: &str) {
        self.outcomes.failed(seq);
        if self.confirmable && self.refused_since.is_some() {
            let what = format!("send to {}", self.server);
            self.outcomes
                .fault(Fault::fatal(what, format!("{why}; {PORT_UNREACHABLE}")));
        } else if self.reported.len() < MAX_REASONS && self.reported.insert(why.to_owned()) {
            let what = format!("message {seq} to {}", self.server);
            self.outcomes.fault(Fault::minor(what, why));
        }
    }
}

/// A duration of the transmission parameters.
pub fn nanoseconds(time: i64) -> Duration {
    Duration::from_nanos(time.unsigned_abs())
}

/// A handler that sends, and so tracks the state of the server.
pub trait SendingHandler: ResponseHandler {
    fn server_state(&mut self) -> &mut ServerState;
    /// Called after libcoap has processed; `something_came`: the descriptor was readable.
    fn look(endpoint: &mut Endpoint<Self>, something_came: bool)
    where
        Self: Sized;
}

/// An endpoint on which the pacer's thread sends and another thread receives answers.
pub struct Shared<H: SendingHandler> {
    endpoint: Mutex<Endpoint<H>>,
    /// Notified when an exchange may have ended.
    changed: Condvar,
    descriptor: Descriptor,
    /// Maximum sleep of the receiving thread, and so the delay with which timeouts are detected.
    nap: Duration,
}

impl<H: SendingHandler> Shared<H> {
    /// Performs the handshake, pings, and starts the thread that receives answers.
    ///
    /// # Errors
    /// A fatal fault that names the server.
    pub fn start(setup: &Setup, mut endpoint: Endpoint<H>) -> Result<Arc<Self>, Fault> {
        shake_hands(setup, &mut endpoint)?;
        ping(setup, &mut endpoint)?;
        let nap = nanoseconds(endpoint.handler().server_state().transmission.non_timeout) / 4;
        let shared = Arc::new(Self {
            descriptor: endpoint.descriptor(),
            endpoint: Mutex::new(endpoint),
            changed: Condvar::new(),
            nap,
        });
        let answers = Arc::clone(&shared);
        thread::spawn(move || answers.take_answers());
        Ok(shared)
    }

    fn lock(&self) -> MutexGuard<'_, Endpoint<H>> {
        self.endpoint
            .lock()
            .expect("no thread panics with the lock")
    }

    /// Waits until the handler is not busy, and returns the endpoint.
    pub fn wait_while(&self, busy: impl Fn(&H) -> bool) -> MutexGuard<'_, Endpoint<H>> {
        self.changed
            .wait_while(self.lock(), |endpoint| busy(endpoint.handler()))
            .expect("no thread panics with the lock")
    }

    fn take_answers(&self) {
        loop {
            let something_came = self.descriptor.wait(self.nap);
            let mut endpoint = self.lock();
            endpoint.process(Duration::ZERO);
            H::look(&mut endpoint, something_came);
            drop(endpoint);
            self.changed.notify_all();
        }
    }
}

/// Waits until the server has answered a ping (RFC 7252, section 4.3).
fn ping<H: SendingHandler>(setup: &Setup, endpoint: &mut Endpoint<H>) -> Result<(), Fault> {
    let refused = || Fault::fatal(format!("connect {}", setup.server()), PORT_UNREACHABLE);
    let until = Instant::now() + setup.connect_timeout;
    if !endpoint.ping() {
        return Err(refused());
    }
    while !endpoint.handler().server_state().is_reachable {
        let left = until.saturating_duration_since(Instant::now());
        if endpoint.handler().server_state().refused_since.is_some() {
            return Err(refused());
        }
        if left.is_zero() {
            return Err(setup.timed_out("ping"));
        }
        endpoint.process(left.max(MIN_WAIT));
    }
    Ok(())
}
