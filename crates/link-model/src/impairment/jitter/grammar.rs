//! The words of jitter in the link language.

use super::{Draw, MIN_TICK_NS, Spec};
use crate::error::BadLink;
use crate::grammar::Setting;
use crate::spec::DirectionSpec;
use crate::units;

const DEFAULT_TICK_NS: u64 = 100_000_000;

/// `jitter` or `rtt-sd`, then how it is drawn.
pub(crate) const SETTINGS: [Setting; 5] = [
    Setting::new("jitter", |direction, value, _| {
        set_jitter_sd(direction, units::parse_duration_ns("jitter", value)?);
        Ok(())
    }),
    Setting::new("rtt-sd", |direction, value, _| {
        // Two independent directions with sd s have a joint sd of sqrt(2) s.
        let sd_ns = units::parse_duration_ns("rtt-sd", value)? * std::f64::consts::FRAC_1_SQRT_2;
        set_jitter_sd(direction, sd_ns);
        Ok(())
    })
    .of("jitter")
    .of_both_directions(),
    Setting::new("jitter-tick", |direction, value, _| {
        set_jitter_tick(existing_jitter(direction, "jitter-tick")?, value)
    }),
    Setting::new("jitter-correlation", |direction, value, _| {
        set_jitter_correlation(existing_jitter(direction, "jitter-correlation")?, value)
    }),
    Setting::new("jitter-order", |direction, value, _| {
        existing_jitter(direction, "jitter-order")?.in_order = parse_order(value)?;
        Ok(())
    }),
];

fn set_jitter_sd(direction: &mut DirectionSpec, sd_ns: f64) {
    let old = direction.impairments.jitter.unwrap_or(Spec {
        sd_ns,
        draw: Draw::Tick {
            tick_ns: DEFAULT_TICK_NS,
            correlation: 0.0,
        },
        in_order: true,
    });
    direction.impairments.jitter = (sd_ns > 0.0).then_some(Spec { sd_ns, ..old });
}

fn existing_jitter<'a>(
    direction: &'a mut DirectionSpec,
    key: &str,
) -> Result<&'a mut Spec, BadLink> {
    direction.impairments.jitter.as_mut().ok_or_else(|| {
        BadLink::new(format!(
            "{key} has no effect without jitter; give jitter before it"
        ))
    })
}

fn set_jitter_tick(jitter: &mut Spec, value: &str) -> Result<(), BadLink> {
    if value == "packet" {
        jitter.draw = Draw::Packet;
        return Ok(());
    }
    let tick_ns = units::parse_duration_ns("jitter-tick", value)?.round() as u64;
    if tick_ns < MIN_TICK_NS {
        return Err(BadLink::new(format!(
            "jitter-tick '{value}' is below 10ms; give 10ms or more, or packet"
        )));
    }
    let correlation = match jitter.draw {
        Draw::Tick { correlation, .. } => correlation,
        Draw::Packet => 0.0,
    };
    jitter.draw = Draw::Tick {
        tick_ns,
        correlation,
    };
    Ok(())
}

fn set_jitter_correlation(jitter: &mut Spec, value: &str) -> Result<(), BadLink> {
    let given = units::parse_fraction("jitter-correlation", value)?;
    if given > 0.999 {
        return Err(BadLink::new(format!(
            "jitter-correlation '{value}' is above 0.999, so the delay would never change; give 0.999 or less"
        )));
    }
    match &mut jitter.draw {
        Draw::Tick { correlation, .. } => *correlation = given,
        Draw::Packet => {
            return Err(BadLink::new(
                "jitter-correlation applies to ticks; leave it out with jitter-tick=packet",
            ));
        }
    }
    Ok(())
}

fn parse_order(value: &str) -> Result<bool, BadLink> {
    match value {
        "keep" => Ok(true),
        "free" => Ok(false),
        _ => Err(BadLink::new(format!(
            "jitter-order '{value}' is not keep or free"
        ))),
    }
}
