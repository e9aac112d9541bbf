//! What other threads may ask of the timing thread.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::accounting::Snapshot;
use super::switch::HostLink;
use crate::sys::poll::Wake;
use crate::sys::port::Port;

/// A request.
pub enum Command {
    /// Send the counters.
    Snapshot(Sender<Snapshot>),
    /// Restart time, counters and draws; send the new epoch.
    Epoch(Sender<i64>),
    /// Move the link's time on by that many ns, where no frame is on its way; send whether it was.
    Skip(u64, Sender<bool>),
    /// One host more; say whether it is there.
    AddHost(Box<NewHost>, Sender<Result<(), String>>),
    /// End.
    Stop,
}

/// A host that comes later.
pub struct NewHost {
    /// Its link.
    pub host: HostLink,
    /// Its port.
    pub port: Box<dyn Port>,
}

/// The other threads' end of the timing thread.
#[derive(Clone)]
pub struct CommandSender {
    pub(super) commands: Sender<Command>,
    pub(super) wake: Arc<Wake>,
}

impl CommandSender {
    /// Ask for something.
    pub fn send(&self, command: Command) {
        // An engine that has ended has nothing left to do.
        let _ = self.commands.send(command);
        self.wake.wake();
    }
}
