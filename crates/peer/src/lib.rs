//! The part that all peers share. A protocol implements [`Protocol`], or fills in
//! [`PublishSubscribe`], and calls [`main`].
//!
//! ```text
//! stdin -> loop -> prepare (payload, sample file, connect) -> start -> pacer -> Publisher::send
//! network -> Outcomes / DeliverySink -> sample file
//! ```
//! The [`Clock`] is a parameter, so the pacer and the control loop are tested in virtual time.

mod clock;
mod control;
mod corpus;
mod delivery_sink;
mod input;
mod options;
mod outcome;
mod pacer;
mod payload;
mod prepare;
mod protocol;
mod publish_subscribe;
mod receive_thread;
mod reconnect;
mod recorder;
mod responder;
mod schedule;
mod script;
pub mod server;
mod throttle;
mod usage;

pub use clock::{Clock, Monotonic, Virtual};
pub use control::main;
pub use delivery_sink::DeliverySink;
pub use options::Options;
pub use outcome::Outcomes;
pub use protocol::{Protocol, Publisher, Setup, Subscriber};
pub use publish_subscribe::PublishSubscribe;
pub use receive_thread::ReceiveThread;
pub use reconnect::Reconnect;
pub use recorder::{Recorder, Writer};
pub use responder::{Answer, Request, Responder};
pub use schedule::Plan;
pub use wirelab_contract as contract;
pub use wirelab_contract::{CONTRACT, Delivery, Described, Fault, Method, Qos, Role};
