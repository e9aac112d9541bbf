//! The publisher: the pacer's thread sends, a second thread takes answers and keeps libcoap's timers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::contact::{Contact, Sends, Shared, nanoseconds};
use crate::libcoap::{Endpoint, Hearer, Request, Response, Undelivered};
use crate::settings::Settings;

/// Pings the server and starts the thread that takes answers.
///
/// # Errors
/// A fatal fault that names the server, or an option.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let settings = Settings::read(&setup.options)?;
    // With blocks libcoap keeps a record of every NON request until its answer, and searches them all at each.
    let blocks = setup.largest > settings.transmission.block_size;
    let exchanges = Exchanges {
        contact: Contact::new(setup, settings.transmission, outcomes),
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
            confirmable: endpoint.hearer().contact.confirmable,
            observes: false,
            target: "",
            body: message,
        };
        let token = endpoint.ask(None, &request);
        let exchanges = endpoint.hearer();
        match token {
            Some(token) => exchanges.begin(token, seq, in_blocks),
            None => exchanges.contact.refuse(seq),
        }
        exchanges.contact.check()
    }

    fn flush(&mut self) -> Result<(), Fault> {
        drop(self.shared.wait_while(|exchanges| !exchanges.is_idle()));
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

/// A transfer of several blocks. One at a time: libcoap tells neither how far each is, nor which one a lost block belonged to.
struct Transfer {
    token: u64,
    heard_at: Instant,
}

/// The exchanges under way, by the tokens of their requests.
struct Exchanges {
    contact: Contact,
    seqs: HashMap<u64, u64>,
    transfer: Option<Transfer>,
}

impl Exchanges {
    /// Whether one more message may leave: NSTART, and one transfer of several blocks.
    fn is_free(&self, in_blocks: bool) -> bool {
        let contact = &self.contact;
        let under_way = !contact.confirmable || self.seqs.len() < contact.transmission.nstart;
        under_way && !(in_blocks && self.transfer.is_some())
    }

    /// Whether every fate that will be told has been told.
    fn is_idle(&self) -> bool {
        self.transfer.is_none() && (!self.contact.confirmable || self.seqs.is_empty())
    }

    /// A request has left. Its answer cannot have been taken yet, as nobody else has the endpoint.
    fn begin(&mut self, token: u64, seq: u64, in_blocks: bool) {
        self.seqs.insert(token, seq);
        if in_blocks {
            let heard_at = Instant::now();
            self.transfer = Some(Transfer { token, heard_at });
        }
    }

    /// Gives up a NON transfer that has stood still for too long; `moves` says that something has come.
    fn watch_transfer(&mut self, moves: bool) {
        let Some(transfer) = &mut self.transfer else {
            return;
        };
        let patience = nanoseconds(self.contact.transmission.non_timeout);
        if moves {
            transfer.heard_at = Instant::now();
        } else if !self.contact.confirmable && transfer.heard_at.elapsed() > patience {
            let token = transfer.token;
            if let Some(seq) = self.end(token) {
                self.contact
                    .fail(seq, "a block of it, or its confirmation, was lost");
            }
        }
    }

    /// The message whose exchange this token ends, if it is still under way.
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

    /// The token of the request that this one belongs to: blocks after the first have tokens that only libcoap knows.
    fn first_token(&self, token: u64) -> u64 {
        match &self.transfer {
            Some(transfer) if !self.seqs.contains_key(&token) => transfer.token,
            _ => token,
        }
    }
}

impl Hearer for Exchanges {
    fn responded(&mut self, response: &Response) {
        self.contact.heard();
        let Some(seq) = self.end(response.token) else {
            return;
        };
        if response.class() != 2 {
            let why = format!("the server answered {}", response.code_text());
            self.contact.fail(seq, &why);
        } else if self.contact.confirmable {
            self.contact.outcomes.acknowledged(seq);
        }
    }

    fn undelivered(&mut self, token: u64, is_ping: bool, reason: Undelivered) {
        if !self.contact.takes(is_ping, reason)
            && let Some(seq) = self.end(self.first_token(token))
        {
            self.contact.undelivered(seq, reason);
        }
    }
}

impl Sends for Exchanges {
    fn contact(&mut self) -> &mut Contact {
        &mut self.contact
    }

    fn look(endpoint: &mut Endpoint<Self>, something_came: bool) {
        endpoint.hearer().watch_transfer(something_came);
    }
}
