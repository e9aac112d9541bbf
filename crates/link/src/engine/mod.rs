//! The emulator: one thread that receives frames from all ports, passes them to the model and sends
//! each at its deadline.

pub mod accounting;
mod batch_sender;
mod commands;
pub mod control;
pub mod counters;
pub mod frame;
pub mod frames;
pub mod histogram;
pub mod journal;
mod outputs;
pub mod packet_log;
pub mod pcap;
mod rt_throttle;
mod run;
mod switch;

pub use commands::{Command, CommandSender, NewHost};
pub use outputs::Outputs;
pub use run::Engine;
pub use switch::{HostLink, Nesting, Switch, link_rng, mac};
