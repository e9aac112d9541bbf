//! What is counted per direction and per flow.

mod flow;
mod fragments;
mod side;
#[cfg(test)]
mod tests;
mod totals;

pub use flow::FlowTotals;
pub use side::Side;
pub use totals::{Drop, Dropped, Totals};
