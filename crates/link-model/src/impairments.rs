//! Impairments other than loss: duplication, corruption and reordering.

use crate::flow::FlowState;

/// Probabilities per packet. Like loss, each is drawn by flow and packet number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImpairmentSpec {
    /// It arrives twice in direct succession.
    pub duplicate: f64,
    /// One bit of it is flipped.
    pub corrupt: f64,
    /// It arrives `reorder_ns` later and does not delay the packets behind it.
    pub reorder: f64,
    /// Extra delay of a reordered packet, ns.
    pub reorder_ns: u64,
}

/// The impairments drawn for one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Impairments {
    /// It arrives twice.
    pub duplicate: bool,
    /// A random number that selects the bit to flip.
    pub corrupt: Option<u64>,
    /// It arrives late and out of order.
    pub reordered: bool,
}

impl ImpairmentSpec {
    /// Draw the impairments of packet `number` of a flow.
    pub(crate) fn draw(&self, flow: &FlowState, number: u64) -> Impairments {
        if *self == ImpairmentSpec::default() {
            return Impairments::default();
        }
        let happens = |stream: u64, p: f64| p > 0.0 && flow.rng.stream(stream).uniform(number) < p;
        Impairments {
            duplicate: happens(3, self.duplicate),
            corrupt: happens(4, self.corrupt).then(|| flow.rng.stream(5).bits(number)),
            reordered: happens(6, self.reorder),
        }
    }
}
