//! The sink for messages that a subscriber's library delivers.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

use wirelab_contract::sample::{DUPLICATE, NO_SEQ, Sample, UNDECODABLE, UNKNOWN};
use wirelab_contract::{Fault, Identity};

use crate::clock::Clock;
use crate::corpus::{Corpus, strip};
use crate::input::Input;
use crate::outcome::Counters;
use crate::payload::Source;
use crate::recorder::Writer;

/// Timestamps, decodes, identifies and records each message that arrives. Owned by the receiving
/// thread.
pub struct DeliverySink {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) source: Source,
    pub(crate) corpus: Corpus,
    pub(crate) identity: Identity,
    pub(crate) writer: Writer,
    pub(crate) counters: Arc<Counters>,
    pub(crate) inputs: Sender<Input>,
}

impl DeliverySink {
    /// Records a message that has just arrived. `duplicate`: the protocol itself marked it as a
    /// duplicate.
    pub fn deliver(&mut self, arrival: &[u8], duplicate: bool) {
        let received = self.clock.now();
        let message = strip(self.identity, arrival);
        let (decodes, decoded) = match self.source.decode(message) {
            Some(decodes) => (decodes, self.clock.now()),
            None => (true, received),
        };
        // Identification is part of the harness, so `decoded` is taken before it.
        let seq = self.corpus.recognise(self.identity, arrival);
        let mut flags = if duplicate { DUPLICATE } else { 0 };
        flags |= if decodes { 0 } else { UNDECODABLE };
        flags |= if seq.is_some() { 0 } else { UNKNOWN };
        let seq = seq.unwrap_or(NO_SEQ);
        let bytes = u32::try_from(message.len()).unwrap_or(u32::MAX);
        self.writer.append(&Sample {
            seq,
            received,
            decoded,
            bytes,
            flags,
            ..Sample::default()
        });
        // Only this thread counts arrivals. An atomic addition would wait until the record has left
        // the processor's store buffer.
        self.counters
            .received
            .store(self.writer.appended(), Ordering::Release);
    }

    /// Reports that the connection has been re-established.
    pub fn reconnected(&self) {
        self.counters.reconnects.fetch_add(1, Ordering::Release);
    }

    /// Reports an error while receiving.
    pub fn fault(&self, fault: Fault) {
        // The receiver is closed only while the peer is exiting.
        let _ = self.inputs.send(Input::Fault(fault));
    }

    /// The bytes of corpus message `index`, for mocks that generate arrivals.
    ///
    /// # Errors
    /// A fatal fault if the codec fails.
    pub fn encode(&mut self, index: u64) -> Result<Vec<u8>, Fault> {
        let index = index % self.source.len();
        self.source.encode(index).map(<[u8]>::to_vec)
    }

    /// How messages are identified.
    pub fn identity(&self) -> Identity {
        self.identity
    }
}
