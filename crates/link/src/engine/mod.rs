//! The emulator: one thread that takes frames from all ports, asks the model, and sends each at its deadline.

pub mod accounting;
pub mod control;
pub mod counters;
mod files;
pub mod frame;
pub mod frames;
mod guard;
pub mod histogram;
pub mod journal;
pub mod log;
mod orders;
pub mod pcap;
mod run;
mod sending;
mod switch;

pub use files::Files;
pub use orders::{Command, Joining, Orders};
pub use run::Engine;
pub use switch::{HostLink, Inside, Switch, link_draws, mac};
