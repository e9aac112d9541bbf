//! What else can happen to a packet that arrives: it comes twice, damaged, or behind later ones.

use crate::flow::FlowState;

/// Probabilities per packet, each drawn by flow and packet number like loss.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImpairmentSpec {
    /// It arrives twice, one right after the other.
    pub duplicate: f64,
    /// One bit of it is flipped.
    pub corrupt: f64,
    /// It arrives later by `reorder_ns`, and holds up nothing behind it.
    pub reorder: f64,
    /// ns.
    pub reorder_ns: u64,
}

/// What was drawn for one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Impairments {
    /// It arrives twice.
    pub duplicate: bool,
    /// A number that picks the bit to flip.
    pub corrupt: Option<u64>,
    /// It arrives later than its turn.
    pub reordered: bool,
}

impl ImpairmentSpec {
    /// What happens to packet `number` of a flow.
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
