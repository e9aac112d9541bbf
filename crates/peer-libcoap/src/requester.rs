//! The requester: one session for all requests, or one session with its own socket per request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wirelab_coap::{options, request};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::libcoap::{Endpoint, Request, Response, ResponseHandler, Session, Undelivered};
use crate::session::{SendingHandler, ServerState, Shared, nanoseconds};
use crate::settings::Settings;

/// Pings the responder.
///
/// # Errors
/// A fatal fault that names the server or an option.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let settings = Settings::read(&setup.options)?;
    let block_size = settings.transmission.block_size;
    if setup.largest > block_size {
        let why = format!(
            "{} B: requests larger than one block of {block_size} B are not supported",
            setup.largest
        );
        return Err(Fault::fatal("largest message", why));
    }
    let is_each = options::is_each(&setup.options)?;
    let server_state = ServerState::new(setup, settings.transmission, outcomes);
    let patience = match server_state.confirmable {
        // An answer may come separately, after the acknowledgement of its request.
        true => 2 * settings.transmission.max_transmit_wait(),
        false => settings.transmission.non_timeout,
    };
    let requests = Requests {
        server_state,
        patience: nanoseconds(patience),
        waiting: HashMap::new(),
        over: Vec::new(),
        looked_at: Instant::now(),
    };
    let endpoint = Endpoint::open(setup.server(), &setup.topic, &settings, false, requests)?;
    Ok(Box::new(Requester {
        shared: Shared::start(setup, endpoint)?,
        settings,
        is_each,
    }))
}

struct Requester {
    shared: Arc<Shared<Requests>>,
    settings: Settings,
    is_each: bool,
}

impl Publisher for Requester {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let mut endpoint = self
            .shared
            .wait_while(|requests| !self.is_each && !requests.is_free());
        let session = match self.is_each {
            true => endpoint.another(),
            false => None,
        };
        let (method, target, body) = request::read(message, self.settings.method);
        let asked = Request {
            method,
            confirmable: endpoint.handler().server_state.confirmable,
            observes: false,
            target,
            body,
        };
        let token = match self.is_each && session.is_none() {
            true => None,
            false => endpoint.ask(session.as_ref(), &asked),
        };
        let requests = endpoint.handler();
        match token {
            Some(token) => requests.begin(token, seq, session),
            None => {
                requests.over.extend(session);
                requests.server_state.refuse(seq);
            }
        }
        requests.server_state.check()
    }

    /// Every request has been sent; each reports its own end.
    fn flush(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

struct Waiting {
    seq: u64,
    since: Instant,
    session: Option<Session>,
}

/// The unanswered requests, by token.
struct Requests {
    server_state: ServerState,
    /// How long a request waits for its answer.
    patience: Duration,
    waiting: HashMap<u64, Waiting>,
    /// Sessions whose request has ended; libcoap may still be using them.
    over: Vec<Session>,
    looked_at: Instant,
}

impl Requests {
    /// Whether another request may be sent on the first session: NSTART.
    fn is_free(&self) -> bool {
        !self.server_state.confirmable || self.waiting.len() < self.server_state.transmission.nstart
    }

    fn begin(&mut self, token: u64, seq: u64, session: Option<Session>) {
        let since = Instant::now();
        self.waiting.insert(
            token,
            Waiting {
                seq,
                since,
                session,
            },
        );
    }

    /// The request that this token ends, if it is unanswered.
    fn end(&mut self, token: u64) -> Option<u64> {
        let ended = self.waiting.remove(&token)?;
        self.over.extend(ended.session);
        Some(ended.seq)
    }

    /// Gives up requests that timed out.
    fn expire(&mut self) {
        if self.looked_at.elapsed() < self.patience / 8 {
            return;
        }
        self.looked_at = Instant::now();
        let late = |waiting: &Waiting| waiting.since.elapsed() > self.patience;
        let tokens: Vec<u64> = self
            .waiting
            .iter()
            .filter(|(_, waiting)| late(waiting))
            .map(|(token, _)| *token)
            .collect();
        for token in tokens {
            if let Some(seq) = self.end(token) {
                self.server_state.fail(seq, "no answer");
            }
        }
    }
}

impl ResponseHandler for Requests {
    /// A failed request (4.xx) is answered as well.
    fn responded(&mut self, response: &Response) {
        self.server_state.heard();
        let Some(seq) = self.end(response.token) else {
            return;
        };
        match response.class() {
            2 | 4 => self.server_state.outcomes.answered(seq),
            _ => {
                let why = format!("the server answered {}", response.code_text());
                self.server_state.fail(seq, &why);
            }
        }
    }

    fn undelivered(&mut self, token: u64, is_ping: bool, reason: Undelivered) {
        if !self.server_state.takes(is_ping, reason)
            && let Some(seq) = self.end(token)
        {
            self.server_state.undelivered(seq, reason);
        }
    }
}

impl SendingHandler for Requests {
    fn server_state(&mut self) -> &mut ServerState {
        &mut self.server_state
    }

    fn look(endpoint: &mut Endpoint<Self>, _something_came: bool) {
        endpoint.handler().expire();
        for session in std::mem::take(&mut endpoint.handler().over) {
            endpoint.leave(session);
        }
    }
}
