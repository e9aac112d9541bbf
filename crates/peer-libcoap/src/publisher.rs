//! The publisher: the pacer's thread sends, a second thread receives answers and runs libcoap's
//! timers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::libcoap::{Endpoint, Request, Response, ResponseHandler, Undelivered};
use crate::session::{SendingHandler, ServerState, Shared, nanoseconds};
use crate::settings::Settings;

/// Pings the server and starts the thread that receives answers.
///
/// # Errors
/// A fatal fault that names the server or an option.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let settings = Settings::read(&setup.options)?;
    // With blocks enabled, libcoap keeps a record of every NON request until its answer, and
    // searches all of them for each.
    let blocks = setup.largest > settings.transmission.block_size;
    let exchanges = Exchanges {
        server_state: ServerState::new(setup, settings.transmission, outcomes),
        seqs: HashMap::new(),
        transfer: None,
    };
    let endpoint = Endpoint::open(setup.server(), &setup.topic, &settings, blocks, exchanges)?;
    let shared = Shared::start(setup, endpoint)?;
    Ok(Box::new(LibcoapPublisher { shared, settings }))
}

struct LibcoapPublisher {
    shared: Arc<Shared<Exchanges>>,
    settings: Settings,
}

impl Publisher for LibcoapPublisher {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let in_blocks = message.len() > self.settings.transmission.block_size;
        let mut endpoint = self
            .shared
            .wait_while(|exchanges| !exchanges.is_free(in_blocks));
        let request = Request {
            method: self.settings.method,
            confirmable: endpoint.handler().server_state.confirmable,
            observes: false,
            target: "",
            body: message,
        };
        let token = endpoint.ask(None, &request);
        let exchanges = endpoint.handler();
        match token {
            Some(token) => exchanges.begin(token, seq, in_blocks),
            None => exchanges.server_state.refuse(seq),
        }
        exchanges.server_state.check()
    }

    fn flush(&mut self) -> Result<(), Fault> {
        drop(self.shared.wait_while(|exchanges| !exchanges.is_idle()));
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

/// A transfer of several blocks. Only one at a time: libcoap reports neither the progress of each
/// nor which one a lost block belongs to.
struct Transfer {
    token: u64,
    heard_at: Instant,
}

/// The exchanges in progress, by the tokens of their requests.
struct Exchanges {
    server_state: ServerState,
    seqs: HashMap<u64, u64>,
    transfer: Option<Transfer>,
}

impl Exchanges {
    /// Whether another message may be sent: NSTART, and one transfer of several blocks.
    fn is_free(&self, in_blocks: bool) -> bool {
        let server_state = &self.server_state;
        let under_way =
            !server_state.confirmable || self.seqs.len() < server_state.transmission.nstart;
        under_way && !(in_blocks && self.transfer.is_some())
    }

    /// Whether all outcomes have been reported.
    fn is_idle(&self) -> bool {
        self.transfer.is_none() && (!self.server_state.confirmable || self.seqs.is_empty())
    }

    /// A request was sent. Its answer cannot have been processed yet, because this thread holds the
    /// endpoint.
    fn begin(&mut self, token: u64, seq: u64, in_blocks: bool) {
        self.seqs.insert(token, seq);
        if in_blocks {
            let heard_at = Instant::now();
            self.transfer = Some(Transfer { token, heard_at });
        }
    }

    /// Gives up a NON transfer that has stalled. `moves`: a datagram has arrived.
    fn watch_transfer(&mut self, moves: bool) {
        let Some(transfer) = &mut self.transfer else {
            return;
        };
        let patience = nanoseconds(self.server_state.transmission.non_timeout);
        if moves {
            transfer.heard_at = Instant::now();
        } else if !self.server_state.confirmable && transfer.heard_at.elapsed() > patience {
            let token = transfer.token;
            if let Some(seq) = self.end(token) {
                self.server_state
                    .fail(seq, "a block or its confirmation was lost");
            }
        }
    }

    /// The message whose exchange this token ends, if it is in progress.
    fn end(&mut self, token: u64) -> Option<u64> {
        if self
            .transfer
            .as_ref()
            .is_some_and(|transfer| transfer.token == token)
        {
            self.transfer = None;
        }
        self.seqs.remove(&token)
    }

    /// The token of the request that a block belongs to: later blocks have tokens that only libcoap
    /// knows.
    fn first_token(&self, token: u64) -> u64 {
        match &self.transfer {
            Some(transfer) if !self.seqs.contains_key(&token) => transfer.token,
            _ => token,
        }
    }
}

impl ResponseHandler for Exchanges {
    fn responded(&mut self, response: &Response) {
        self.server_state.heard();
        let Some(seq) = self.end(response.token) else {
            return;
        };
        if response.class() != 2 {
            let why = format!("the server answered {}", response.code_text());
            self.server_state.fail(seq, &why);
        } else if self.server_state.confirmable {
            self.server_state.outcomes.acknowledged(seq);
        }
    }

    fn undelivered(&mut self, token: u64, is_ping: bool, reason: Undelivered) {
        if !self.server_state.takes(is_ping, reason)
            && let Some(seq) = self.end(self.first_token(token))
        {
            self.server_state.undelivered(seq, reason);
        }
    }
}

impl SendingHandler for Exchanges {
    fn server_state(&mut self) -> &mut ServerState {
        &mut self.server_state
    }

    fn look(endpoint: &mut Endpoint<Self>, something_came: bool) {
        endpoint.handler().watch_transfer(something_came);
    }
}
