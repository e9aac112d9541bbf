//! A network link as a pure function of packets, time and a seed.
//!
//! A [`Direction`] takes packets in order of arrival (virtual time in ns, flow, layer-3 length) and
//! decides at once: a deadline, or a drop and its cause. It reads no clock, no file and no entropy, so the same packets
//! and the same seed always give the same decisions. [`LinkSpec`] is what a link text such as `lte-drive,loss=5%` means.

mod direction;
mod discipline;
mod draws;
mod error;
mod flow;
mod handover;
mod jitter;
mod loss;
mod mark;
pub mod netem;
mod profiles;
mod queue;
mod schedule;
mod spec;
mod suggest;
mod text;
pub mod trace;
pub mod units;

pub use direction::{Cause, Direction, Fate};
pub use discipline::Discipline;
pub use draws::Draws;
pub use error::BadLink;
pub use flow::{FlowId, FlowKey, FlowTable};
pub use handover::HandoverSpec;
pub use jitter::{JitterDraw, JitterSpec};
pub use loss::LossSpec;
pub use mark::{Mark, MarkSpec};
pub use profiles::{PROFILES, Profile, profile};
pub use queue::QueueLimit;
pub use schedule::{Schedule, Server};
pub use spec::{DirectionSpec, LinkSpec, RateSpec};
pub use suggest::nearest;
pub use text::parse_link;
pub use trace::Trace;
