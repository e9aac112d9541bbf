//! What the peers of DDS share above their libraries: options, what a reader tells, and how a publisher learns that discovery is over.

mod describe;
mod hearer;
mod options;
mod ready;

pub use describe::described;
pub use hearer::{Guid, Hearer, RawHearer};
pub use options::{multicast, reliable, samples_kept, transient_local};
pub use ready::{Arrivals, Ready, all_found, ready_topic};
