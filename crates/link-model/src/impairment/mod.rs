//! What a link does to packets besides carrying them: loss, jitter, duplication and the like.
//!
//! Each impairment is a folder of its own. Its `mod.rs` has `SETTINGS`, its words in the link
//! language, and `Spec`, the parsed value, which implements [`Impairment`]. Its `reference.md` has
//! the rows of the reference. `build.rs` lists the folders; nothing else names them.

use std::fmt::Debug;

use crate::counter_rng::CounterRng;
use crate::flow::FlowId;
use crate::grammar::Setting;
use crate::netem::NetemArguments;

/// One impairment of one direction, as specified.
pub trait Impairment {
    /// Its description, for `show`.
    fn describe(&self) -> String;

    /// Its numbers, for `show --json`. A name ends with its unit.
    fn parameters(&self) -> Vec<(&'static str, Parameter)>;

    /// Add its netem arguments, and note what netem does not support.
    fn plan_netem(&self, plan: &mut NetemArguments);

    /// Its effect on packets. `rng` is not shared with other impairments or directions.
    fn effect(&self, rng: CounterRng) -> Box<dyn Effect>;

    /// Fraction of packets that enter the direction at trace time `t` and do not arrive intact.
    fn lost_share(&self, _t: u64) -> f64 {
        0.0
    }

    /// Variance of the number of such packets among n, divided by n, for large n. `share` is the
    /// mean of [`Impairment::lost_share`].
    fn lost_variance(&self, share: f64) -> f64 {
        share * (1.0 - share)
    }

    /// Whether packets of one size and a free link have different delays.
    fn varies_delay(&self) -> bool {
        false
    }
}

/// A number or word of an impairment.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// A fraction or another real number.
    Number(f64),
    /// A count, or a time in ns.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// A word.
    Text(String),
    /// Does not apply.
    Absent,
}

/// A packet as an impairment sees it.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    /// Its flow.
    pub flow: FlowId,
    /// The random stream of its flow.
    pub rng: CounterRng,
    /// Its number within its flow, from 0.
    pub number: u64,
    /// Trace time in ns: when it enters the direction, or when it leaves the queue.
    pub t: u64,
}

/// The delivery of a packet, as changed by every impairment in turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delivery {
    /// To be added to the mean delay, ns.
    pub delay_ns: f64,
    /// Whether it waits for the packet before it.
    pub in_order: bool,
    /// To be added without delaying the packets behind it, ns.
    pub late_ns: u64,
    /// What else happens to it.
    pub marks: Impairments,
}

impl Default for Delivery {
    fn default() -> Delivery {
        Delivery {
            delay_ns: 0.0,
            in_order: true,
            late_ns: 0,
            marks: Impairments::default(),
        }
    }
}

/// What happens to one packet besides a delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Impairments {
    /// It arrives twice.
    pub duplicate: bool,
    /// A random number that selects the bit to flip.
    pub corrupt: Option<u64>,
    /// It arrives late and out of order.
    pub reordered: bool,
}

/// The effect of an impairment on packets, with its state.
pub trait Effect: Debug + Send {
    /// Whether a packet that enters is lost after transmission. Called once for every packet, in
    /// order, also for those that are dropped for another reason.
    fn loses(&mut self, _packet: &Packet) -> bool {
        false
    }

    /// Change the delivery of a packet that leaves the queue. Called in the order of transmission.
    fn deliver(&mut self, _packet: &Packet, _delivery: &mut Delivery) {}

    /// When a packet arrives that would otherwise arrive at trace time `due`.
    fn release_time(&self, due: u64) -> u64 {
        due
    }
}

/// The declared settings and the specification of all impairments.
macro_rules! registry {
    ($($name:ident)*) => {
        /// The impairments of one direction, each in the field named as its folder.
        #[derive(Debug, Clone, PartialEq)]
        pub struct ImpairmentSpec {
            $(#[doc = concat!("The impairment `", stringify!($name), "`.")]
            pub $name: Option<$name::Spec>,)*
        }

        impl ImpairmentSpec {
            /// No impairment.
            pub const NONE: ImpairmentSpec = ImpairmentSpec { $($name: None,)* };

            /// Every known impairment by name, None if it is not specified.
            pub fn all(&self) -> impl Iterator<Item = (&'static str, Option<&dyn Impairment>)> {
                [$((stringify!($name), self.$name.as_ref().map(|one| one as &dyn Impairment)),)*]
                    .into_iter()
            }
        }

        /// The settings of all impairments.
        pub(crate) const SETTINGS: &[&[Setting]] = &[$(&$name::SETTINGS,)*];
    };
}

include!(concat!(env!("OUT_DIR"), "/impairments.rs"));

impl ImpairmentSpec {
    /// The specified impairments, with their names.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &dyn Impairment)> {
        self.all().filter_map(|(name, one)| Some((name, one?)))
    }

    /// The effects of the specified impairments.
    pub(crate) fn effects(&self, rng: CounterRng) -> Vec<Box<dyn Effect>> {
        self.each()
            .map(|(name, one)| one.effect(rng.named(name.as_bytes())))
            .collect()
    }
}

#[cfg(test)]
mod tests;
