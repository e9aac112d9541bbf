//! The outcomes of sent messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use wirelab_contract::sample::{ACKNOWLEDGED, FAILED};
use wirelab_contract::{Counts, Fault};

use crate::clock::Clock;
use crate::input::Input;
use crate::recorder::Recorder;

/// Counters shared by several threads.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub sent: AtomicU64,
    pub acknowledged: AtomicU64,
    pub failed: AtomicU64,
    pub received: AtomicU64,
    pub reconnects: AtomicU64,
    /// Age of the most recently acknowledged message when it was acknowledged, in ns.
    pub delay_ns: AtomicI64,
}

impl Counters {
    pub fn counts(&self) -> Counts {
        let get = |counter: &AtomicU64| counter.load(Ordering::Acquire);
        Counts {
            sent: get(&self.sent),
            acknowledged: get(&self.acknowledged),
            failed: get(&self.failed),
            received: get(&self.received),
            reconnects: get(&self.reconnects),
        }
    }
}

/// Records the outcomes of a publisher's messages. Cheap to clone; callable from any thread.
///
/// Each message has at most one outcome.
#[derive(Clone)]
pub struct Outcomes {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) inputs: Sender<Input>,
}

impl Outcomes {
    /// The delivery of message `seq` has just been confirmed.
    pub fn acknowledged(&self, seq: u64) {
        let now = self.clock.now();
        self.recorder.finish(seq, now, ACKNOWLEDGED);
        if let Some(sent) = self.recorder.sent(seq) {
            self.counters.delay_ns.store(now - sent, Ordering::Relaxed);
        }
        self.counters.acknowledged.fetch_add(1, Ordering::Release);
    }

    /// The answer to request `seq` has just arrived. Further answers to the same request are
    /// ignored.
    pub fn answered(&self, seq: u64) {
        if !self.recorder.is_finished(seq) {
            self.acknowledged(seq);
            self.counters.received.fetch_add(1, Ordering::Release);
        }
    }

    /// Message `seq` has just been refused or given up.
    pub fn failed(&self, seq: u64) {
        self.recorder.finish(seq, self.clock.now(), FAILED);
        self.counters.failed.fetch_add(1, Ordering::Release);
    }

    /// Reports that the connection has been re-established.
    pub fn reconnected(&self) {
        self.counters.reconnects.fetch_add(1, Ordering::Release);
    }

    /// Reports an error outside [`Publisher::send`](crate::Publisher::send).
    pub fn fault(&self, fault: Fault) {
        // The receiver is closed only while the peer is exiting.
        let _ = self.inputs.send(Input::Fault(fault));
    }
}
