//! Commands from other threads to the timing thread.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::accounting::Snapshot;
use super::switch::HostLink;
use crate::sys::poll::Wake;
use crate::sys::port::Port;

/// A command. Results go to the enclosed sender.
pub enum Command {
    /// Return the counters.
    Snapshot(Sender<Snapshot>),
    /// Restart time, counters and draws. Returns the new epoch.
    Epoch(Sender<i64>),
    /// Advance the link's time by this many ns, if no packet is in flight. Returns whether it did.
    Skip(u64, Sender<bool>),
    /// Add a host.
    AddHost(Box<NewHost>, Sender<Result<(), String>>),
    /// Stop the timing thread.
    Stop,
}

/// A host to add.
pub struct NewHost {
    /// Its link.
    pub host: HostLink,
    /// Its port.
    pub port: Box<dyn Port>,
}

/// Sends commands to the timing thread.
#[derive(Clone)]
pub struct CommandSender {
    pub(super) commands: Sender<Command>,
    pub(super) wake: Arc<Wake>,
}

impl CommandSender {
    /// Send a command.
    pub fn send(&self, command: Command) {
        // After the engine has stopped, commands are ignored.
        let _ = self.commands.send(command);
        self.wake.wake();
    }
}
