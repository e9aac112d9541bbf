//! Settings: the words of the link language, and those of capacity, delay and queue.

use std::sync::Arc;

use super::FileReader;
use super::queue::parse_queue;
use super::rate::{add_outage, parse_rate, read_trace};
use crate::error::BadLink;
use crate::impairment;
use crate::spec::{DirectionSpec, ETHERNET_MTU, RateSpec};
use crate::units;

/// Applies a value to one direction.
type Set = fn(&mut DirectionSpec, &str, FileReader) -> Result<(), BadLink>;
/// Applies a factor to one direction.
type Scale = fn(&mut DirectionSpec, f64) -> Result<(), BadLink>;

/// A word of the link language.
pub(crate) struct Setting {
    /// The word.
    pub word: &'static str,
    /// What it sets. Of two words with one subject, one may be given for a direction.
    pub subject: &'static str,
    /// Whether it has no meaning for one direction alone.
    pub both_directions: bool,
    /// Apply `word=value`.
    pub set: Set,
    /// Apply `word*factor`.
    pub scale: Option<Scale>,
}

impl Setting {
    /// A word that is its own subject, for each direction, and cannot be scaled.
    pub const fn new(word: &'static str, set: Set) -> Setting {
        Setting {
            word,
            subject: word,
            both_directions: false,
            set,
            scale: None,
        }
    }

    /// The same word, as another name of a subject.
    pub const fn of(self, subject: &'static str) -> Setting {
        Setting { subject, ..self }
    }

    /// The same word, for both directions only.
    pub const fn of_both_directions(self) -> Setting {
        Setting {
            both_directions: true,
            ..self
        }
    }

    /// The same word, with a modifier.
    pub const fn scaled_by(self, scale: Scale) -> Setting {
        Setting {
            scale: Some(scale),
            ..self
        }
    }
}

const SETTINGS: [Setting; 7] = [
    Setting::new("rate", |direction, value, _| {
        direction.rate = parse_rate(value)?;
        Ok(())
    })
    .scaled_by(scale_rate),
    Setting::new("trace", |direction, value, read_file| {
        direction.rate = read_trace(value, read_file)?;
        Ok(())
    })
    .of("rate"),
    Setting::new("delay", |direction, value, _| {
        direction.delay_ns = units::parse_duration_ns("delay", value)?.round() as u64;
        Ok(())
    })
    .scaled_by(scale_delay),
    Setting::new("rtt", |direction, value, _| {
        direction.delay_ns = (units::parse_duration_ns("rtt", value)? / 2.0).round() as u64;
        Ok(())
    })
    .of("delay")
    .of_both_directions()
    .scaled_by(scale_delay),
    Setting::new("queue", |direction, value, _| {
        (direction.queue, direction.discipline) = parse_queue(value)?;
        Ok(())
    }),
    Setting::new("outage", |direction, value, _| {
        direction.rate = add_outage(&direction.rate, value)?;
        Ok(())
    }),
    Setting::new("mtu", |direction, value, _| {
        direction.mtu = parse_mtu(value)?;
        Ok(())
    }),
];

/// Every setting: those of capacity, delay and queue, then those of impairments.
pub(super) fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .chain(impairment::SETTINGS.iter().copied().flatten())
}

/// Apply `word*factor`.
pub(super) fn scale_setting(
    direction: &mut DirectionSpec,
    setting: &Setting,
    value: &str,
) -> Result<(), BadLink> {
    let factor = units::parse_number(setting.word, value)?;
    let Some(scale) = setting.scale else {
        let scalable = settings().filter(|one| one.scale.is_some());
        let words: Vec<&str> = scalable.map(|one| one.word).collect();
        return Err(BadLink::new(format!(
            "{} cannot be scaled; these can: {}",
            setting.word,
            words.join(", ")
        )));
    };
    scale(direction, factor)
}

fn scale_rate(direction: &mut DirectionSpec, factor: f64) -> Result<(), BadLink> {
    direction.rate = match &direction.rate {
        RateSpec::Unlimited => RateSpec::Unlimited,
        _ if factor == 0.0 => {
            return Err(BadLink::new(
                "rate*0 leaves no capacity; use loss=100% to block a link",
            ));
        }
        RateSpec::Constant(bps) => {
            RateSpec::Constant(((*bps as f64 * factor).round() as u64).max(1))
        }
        RateSpec::Trace { name, trace } => RateSpec::Trace {
            name: name.clone(),
            trace: Arc::new(trace.scaled(factor)?),
        },
        RateSpec::Generated(generator) => RateSpec::Generated(generator.scaled(factor)),
    };
    Ok(())
}

fn scale_delay(direction: &mut DirectionSpec, factor: f64) -> Result<(), BadLink> {
    direction.delay_ns = (direction.delay_ns as f64 * factor).round() as u64;
    Ok(())
}

fn parse_mtu(value: &str) -> Result<u32, BadLink> {
    match value.trim_end_matches('B').parse() {
        // RFC 791: every module must forward a datagram of 68 octets.
        Ok(bytes) if (68..=ETHERNET_MTU).contains(&bytes) => Ok(bytes),
        _ => Err(BadLink::new(format!(
            "mtu '{value}' is not a whole number of bytes from 68 to 1500"
        ))),
    }
}
