//! The part that DDS peers share above their libraries: options, reader listeners, and waiting for
//! discovery.

mod describe;
mod discovery_barrier;
mod options;
mod reader_listener;

pub use describe::described;
pub use discovery_barrier::{
    AnnouncementListener, MessageListener, ready_topic, wait_for_discovery,
};
pub use options::{multicast, reliable, samples_kept, transient_local};
pub use reader_listener::{Guid, RawListener, ReaderListener};
