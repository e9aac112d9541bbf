//! A seeded generator of capacity that models recorded drive traces.

use super::{OutageSpec, SECOND, Trace};
use crate::counter_rng::CounterRng;
use crate::error::BadLink;

/// Seconds generated before the trace repeats.
const LENGTH_S: u64 = 3600;
/// Log-rates are limited to this many standard deviations, which excludes implausible rates.
const MAX_SIGMAS: f64 = 4.0;

/// Capacity per second. The logarithm of the rate is a normal AR(1) process; a two-state chain sets
/// it to zero in outages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generator {
    /// Median rate outside outages, bit/s.
    pub median_bps: f64,
    /// Standard deviation of the natural logarithm of the rate.
    pub sigma: f64,
    /// Correlation of log-rates of successive seconds.
    pub correlation: f64,
    /// Probability per second that an outage starts.
    pub outage: f64,
    /// Probability per second that an outage ends.
    pub recovery: f64,
    /// Scheduled outages, in addition to the drawn ones.
    pub scheduled: Option<OutageSpec>,
}

impl Generator {
    /// One hour of capacity. The same random stream gives the same trace.
    pub fn trace(&self, rng: CounterRng) -> Result<Trace, BadLink> {
        let (levels, chain) = (rng.stream(0), rng.stream(1));
        let phi = self.correlation;
        let mut level = levels.normal(0);
        let mut out = false;
        let drawn = Trace::from_pieces((0..LENGTH_S).map(move |second| {
            if second > 0 {
                level = phi * level + (1.0 - phi * phi).sqrt() * levels.normal(second);
                let flip = chain.uniform(second) < if out { self.recovery } else { self.outage };
                out ^= flip;
            }
            let rate = self.median_bps * (self.sigma * level.clamp(-MAX_SIGMAS, MAX_SIGMAS)).exp();
            (SECOND, if out { 0 } else { rate.round().max(1.0) as u64 })
        }))?;
        match self.scheduled {
            Some(outage) => drawn.interrupted(outage),
            None => Ok(drawn),
        }
    }

    /// The same with every rate multiplied by `factor`.
    pub fn scaled(&self, factor: f64) -> Generator {
        Generator {
            median_bps: self.median_bps * factor,
            ..*self
        }
    }

    /// Mean rate in bit/s: the mean of the log-normal distribution times the fraction of time
    /// outside drawn and scheduled outages.
    pub fn mean_bps(&self) -> f64 {
        let scheduled = self.scheduled.map_or(1.0, |outage| outage.open_share());
        self.median_bps
            * (self.sigma * self.sigma / 2.0).exp()
            * (1.0 - self.outage_share())
            * scheduled
    }

    /// Fraction of time in drawn outages.
    pub fn outage_share(&self) -> f64 {
        if self.outage > 0.0 {
            self.outage / (self.outage + self.recovery)
        } else {
            0.0
        }
    }
}

impl std::fmt::Display for Generator {
    /// As written in a link text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "gen(median={:.3}Mbit/s,sigma={:.3},correlation={:.3},outage={:.4},recovery={:.4})",
            self.median_bps / 1e6,
            self.sigma,
            self.correlation,
            self.outage,
            self.recovery
        )
    }
}
