//! A network link as a pure function of packets, time and a seed.
//!
//! A [`Direction`] takes packets in order of arrival (virtual time in ns, flow, layer-3 length) and
//! returns a deadline, or a drop and its cause. It uses no clock, no file and no entropy source, so
//! the same packets and the same seed always give the same decisions. [`LinkSpec`] is the parsed
//! form of a link text such as `lte-drive,loss=5%`.

mod counter_rng;
mod did_you_mean;
mod direction;
mod discipline;
mod error;
mod flow;
mod grammar;
pub mod impairment;
pub mod netem;
mod profiles;
mod queue;
mod service_curve;
mod spec;
pub mod trace;
pub mod units;

pub use counter_rng::CounterRng;
pub use did_you_mean::did_you_mean;
pub use direction::{Direction, DropCause, Fate};
pub use discipline::Discipline;
pub use error::BadLink;
pub use flow::{FlowId, FlowKey, FlowTable};
pub use grammar::parse_link;
pub use impairment::{ImpairmentSpec, Impairments};
pub use profiles::{PROFILES, Profile, profile};
pub use queue::QueueLimit;
pub use service_curve::{ServiceCurve, Transmitter};
pub use spec::{DirectionSpec, LinkSpec, RateSpec};
pub use trace::Trace;
