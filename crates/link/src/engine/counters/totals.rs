//! Counters of one direction or one flow.

use serde::Serialize;
use wirelab_link_model::{DropCause, Impairments};

/// Why a frame was dropped: the model's causes, and the emulator's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// Not dropped.
    None = 0,
    /// Drawn as lost.
    Loss = 1,
    /// Queue full.
    Queue = 2,
    /// Longer than the MTU.
    Mtu = 3,
    /// The emulator or the kernel could not handle it, which makes the measurement invalid.
    Own = 4,
}

impl From<DropCause> for DropReason {
    fn from(cause: DropCause) -> DropReason {
        match cause {
            DropCause::Loss => DropReason::Loss,
            DropCause::Queue => DropReason::Queue,
            DropCause::Mtu => DropReason::Mtu,
        }
    }
}

/// Drops by cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DropCounts {
    pub loss: u64,
    pub queue: u64,
    pub mtu: u64,
    /// Frames that this direction delivered and the kernel refused.
    pub own: u64,
}

impl DropCounts {
    /// Count one drop.
    pub fn count(&mut self, cause: DropReason) {
        match cause {
            DropReason::Loss => self.loss += 1,
            DropReason::Queue => self.queue += 1,
            DropReason::Mtu => self.mtu += 1,
            DropReason::Own => self.own += 1,
            DropReason::None => {}
        }
    }
}

/// Mean and maximum of a series of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeanMax {
    sum: u64,
    count: u64,
    /// The largest.
    pub max: u64,
}

impl MeanMax {
    /// Add a value.
    pub fn record(&mut self, value: u64) {
        self.sum += value;
        self.count += 1;
        self.max = self.max.max(value);
    }

    /// The mean, rounded down; 0 without values.
    pub fn mean(&self) -> u64 {
        self.sum / self.count.max(1)
    }
}

/// The counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub packets: u64,
    pub l2_bytes: u64,
    pub l3_bytes: u64,
    pub payload_bytes: u64,
    /// Bytes of frames that carry layer-4 data for the first time, that is, without bare
    /// acknowledgements and retransmissions.
    pub data_l2_bytes: u64,
    pub delivered: u64,
    pub dropped: DropCounts,
    pub duplicated: u64,
    pub corrupted: u64,
    pub reordered: u64,
    pub retransmissions: u64,
    /// Bytes in the queue after each arrival.
    pub queue_bytes: MeanMax,
    /// ns from arrival to the last bit sent, of packets that were sent.
    pub sojourn_ns: MeanMax,
}

impl Totals {
    /// Count the impairments of a packet.
    pub fn count_impairments(&mut self, impairments: Impairments) {
        self.duplicated += u64::from(impairments.duplicate);
        self.corrupted += u64::from(impairments.corrupt.is_some());
        self.reordered += u64::from(impairments.reordered);
    }
}
