//! Counters per direction and per flow.

mod direction_state;
mod flow;
mod fragments;
#[cfg(test)]
mod tests;
mod totals;

pub use direction_state::DirectionState;
pub use flow::FlowTotals;
pub use totals::{DropCounts, DropReason, Totals};
