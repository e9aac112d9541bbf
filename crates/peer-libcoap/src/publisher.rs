//! The publisher: the pacer's thread asks, a second thread takes answers and keeps libcoap's timers.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::libcoap::{Descriptor, Endpoint, Hearer, Response, Undelivered};
use crate::settings::Settings;
use crate::{LEAST_WAIT, NOBODY_LISTENS, shake_hands};

/// Reports of distinct reasons for failures, at most.
const MAX_REASONS: usize = 16;

/// Pings the server and starts the thread that takes answers.
///
/// # Errors
/// A fatal fault that names the server, or an option.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let settings = Settings::read(&setup.options)?;
    let confirmable = setup.qos == "con";
    // With blocks libcoap keeps a record of every NON request until its answer, and searches them all at each.
    let blocks = setup.largest > settings.block_size;
    let exchanges = Exchanges::new(setup, settings.clone(), confirmable, outcomes);
    let server = setup.server();
    let mut endpoint = Endpoint::open(server, &setup.topic, &settings, blocks, exchanges)?;
    shake_hands(setup, &mut endpoint)?;
    ping(setup, &mut endpoint)?;
    let shared = Arc::new(Shared {
        descriptor: endpoint.descriptor(),
        endpoint: Mutex::new(endpoint),
        changed: Condvar::new(),
        nap: settings.non_timeout / 4,
    });
    let answers = Arc::clone(&shared);
    thread::spawn(move || answers.take_answers());
    Ok(Box::new(LibcoapPublisher {
        shared,
        settings,
        confirmable,
    }))
}

/// Waits until the server has answered a ping (RFC 7252, section 4.3).
fn ping(setup: &Setup, endpoint: &mut Endpoint<Exchanges>) -> Result<(), Fault> {
    let refused = || Fault::fatal(format!("connect {}", setup.server()), NOBODY_LISTENS);
    let until = Instant::now() + setup.connect_timeout;
    if !endpoint.ping() {
        return Err(refused());
    }
    while !endpoint.hearer().is_reachable {
        let left = until.saturating_duration_since(Instant::now());
        if endpoint.hearer().refused_since.is_some() {
            return Err(refused());
        }
        if left.is_zero() {
            return Err(setup.timed_out("ping"));
        }
        endpoint.process(left.max(LEAST_WAIT));
    }
    Ok(())
}

struct Shared {
    endpoint: Mutex<Endpoint<Exchanges>>,
    /// Told whenever an exchange may have ended.
    changed: Condvar,
    descriptor: Descriptor,
    /// The longest that the thread that takes answers sleeps: a stalled transfer is noticed that late.
    nap: Duration,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Endpoint<Exchanges>> {
        self.endpoint
            .lock()
            .expect("no thread panics with the lock")
    }

    fn wait_while(&self, busy: impl Fn(&Exchanges) -> bool) -> MutexGuard<'_, Endpoint<Exchanges>> {
        self.changed
            .wait_while(self.lock(), |endpoint| busy(endpoint.hearer()))
            .expect("no thread panics with the lock")
    }

    fn take_answers(&self) {
        loop {
            let something_came = self.descriptor.wait(self.nap);
            let mut endpoint = self.lock();
            endpoint.process(Duration::ZERO);
            endpoint.hearer().watch_transfer(something_came);
            drop(endpoint);
            self.changed.notify_all();
        }
    }
}

struct LibcoapPublisher {
    shared: Arc<Shared>,
    settings: Settings,
    confirmable: bool,
}

impl Publisher for LibcoapPublisher {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let in_blocks = message.len() > self.settings.block_size;
        let mut endpoint = self
            .shared
            .wait_while(|exchanges| !exchanges.is_free(in_blocks));
        let token = endpoint.ask(self.settings.method, self.confirmable, message);
        let exchanges = endpoint.hearer();
        match token {
            Some(token) => exchanges.begin(token, seq, in_blocks),
            None => exchanges.refuse(seq),
        }
        exchanges.check_server()
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
    outcomes: Outcomes,
    server: String,
    settings: Settings,
    confirmable: bool,
    is_reachable: bool,
    /// Since when the server's host has answered nothing but that nobody listens.
    refused_since: Option<Instant>,
    seqs: HashMap<u64, u64>,
    transfer: Option<Transfer>,
    told: HashSet<String>,
}

impl Exchanges {
    fn new(setup: &Setup, settings: Settings, confirmable: bool, outcomes: Outcomes) -> Self {
        Self {
            outcomes,
            server: setup.server().to_string(),
            settings,
            confirmable,
            is_reachable: false,
            refused_since: None,
            seqs: HashMap::new(),
            transfer: None,
            told: HashSet::new(),
        }
    }

    /// Whether one more message may leave: NSTART, and one transfer of several blocks.
    fn is_free(&self, in_blocks: bool) -> bool {
        let under_way = !self.confirmable || self.seqs.len() < usize::from(self.settings.nstart);
        under_way && !(in_blocks && self.transfer.is_some())
    }

    /// Whether every fate that will be told has been told.
    fn is_idle(&self) -> bool {
        self.transfer.is_none() && (!self.confirmable || self.seqs.is_empty())
    }

    /// A request has left. Its answer cannot have been taken yet, as nobody else has the endpoint.
    fn begin(&mut self, token: u64, seq: u64, in_blocks: bool) {
        self.seqs.insert(token, seq);
        if in_blocks {
            let heard_at = Instant::now();
            self.transfer = Some(Transfer { token, heard_at });
        }
    }

    /// libcoap does not say why; an earlier refusal by the server's host is the common cause.
    fn refuse(&mut self, seq: u64) {
        self.refused_since.get_or_insert_with(Instant::now);
        self.fail(seq, "libcoap could not send it");
    }

    /// Without confirmable messages nothing but this tells that the server is gone.
    fn check_server(&self) -> Result<(), Fault> {
        let patience = self.settings.max_transmit_wait();
        match self.refused_since {
            Some(since) if !self.confirmable && since.elapsed() > patience => Err(Fault::fatal(
                format!("send to {}", self.server),
                NOBODY_LISTENS,
            )),
            _ => Ok(()),
        }
    }

    /// Gives up a NON transfer that has stood still for too long; `moves` says that something has come.
    fn watch_transfer(&mut self, moves: bool) {
        let Some(transfer) = &mut self.transfer else {
            return;
        };
        if moves {
            transfer.heard_at = Instant::now();
        } else if !self.confirmable && transfer.heard_at.elapsed() > self.settings.non_timeout {
            let token = transfer.token;
            if let Some(seq) = self.end(token) {
                self.fail(seq, "a block of it, or its confirmation, was lost");
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

    fn fail(&mut self, seq: u64, why: &str) {
        self.outcomes.failed(seq);
        if self.confirmable && self.refused_since.is_some() {
            let what = format!("send to {}", self.server);
            self.outcomes
                .fault(Fault::fatal(what, format!("{why}; {NOBODY_LISTENS}")));
        } else if self.told.len() < MAX_REASONS && self.told.insert(why.to_owned()) {
            let what = format!("message {seq} to {}", self.server);
            self.outcomes.fault(Fault::minor(what, why));
        }
    }
}

impl Hearer for Exchanges {
    fn responded(&mut self, response: &Response) {
        self.refused_since = None;
        let Some(seq) = self.end(response.token) else {
            return;
        };
        if !response.is_success() {
            let why = format!("the server answered {}", response.code_text());
            self.fail(seq, &why);
        } else if self.confirmable {
            self.outcomes.acknowledged(seq);
        }
    }

    fn undelivered(&mut self, token: u64, is_ping: bool, reason: Undelivered) {
        match reason {
            Undelivered::Refused => {
                self.refused_since.get_or_insert_with(Instant::now);
            }
            Undelivered::Reset if is_ping => {
                self.is_reachable = true;
                self.refused_since = None;
            }
            _ if is_ping => {}
            _ => {
                if let Some(seq) = self.end(self.first_token(token)) {
                    let why = self.why(reason);
                    self.fail(seq, &why);
                }
            }
        }
    }
}

impl Exchanges {
    fn why(&self, reason: Undelivered) -> String {
        let times = self.settings.max_retransmit + 1;
        match reason {
            Undelivered::TooManyRetries => {
                format!("no acknowledgement after {times} transmissions")
            }
            Undelivered::Reset => "the server answered with a reset".into(),
            Undelivered::Encryption => "the DTLS session broke".into(),
            Undelivered::Refused => NOBODY_LISTENS.into(),
            Undelivered::Other(code) => format!("libcoap gave it up with reason {code}"),
        }
    }
}
