//! Fitting the generator to recorded traces.

use super::{Generator, Trace};
use crate::error::BadLink;

/// A second below this rate counts as an outage: less than one full packet.
const OUTAGE_BPS: f64 = 12_000.0;
const MIN_SECONDS: usize = 30;

/// The statistics of one trace.
struct Moments {
    mean_log: f64,
    variance: f64,
    correlation: f64,
    starts_per_s: f64,
    outage_s: Vec<f64>,
}

/// The generator fitted to one or more traces of at least 30 s each. All traces have the same
/// weight, whatever their length.
///
/// Median and spread are those of the logarithm of the rate over seconds outside outages, the
/// correlation is that of successive seconds. The length of an outage is the geometric mean of all
/// outages, so that one long tunnel in a recording does not lengthen every outage.
pub fn fit(traces: &[Trace]) -> Result<Generator, BadLink> {
    let moments = traces.iter().map(moments).collect::<Result<Vec<_>, _>>()?;
    let mean = |value: &dyn Fn(&Moments) -> f64| {
        moments.iter().map(value).sum::<f64>() / moments.len() as f64
    };
    let outages: Vec<f64> = moments
        .iter()
        .flat_map(|m| m.outage_s.iter().copied())
        .collect();
    let log_length = outages.iter().map(|s| s.ln()).sum::<f64>() / outages.len().max(1) as f64;
    Ok(Generator {
        median_bps: mean(&|m| m.mean_log).exp(),
        sigma: mean(&|m| m.variance).sqrt(),
        correlation: mean(&|m| m.correlation).clamp(0.0, 0.999),
        outage: mean(&|m| m.starts_per_s),
        recovery: 1.0 / log_length.exp(),
        scheduled: None,
    })
}

fn moments(trace: &Trace) -> Result<Moments, BadLink> {
    let seconds = trace.per_second();
    if seconds.len() < MIN_SECONDS {
        return Err(BadLink::new(format!(
            "a fit needs at least {MIN_SECONDS} s of trace, this one has {}",
            seconds.len()
        )));
    }
    let up = |rate: f64| rate >= OUTAGE_BPS;
    let logs: Vec<f64> = seconds.iter().filter(|&&r| up(r)).map(|r| r.ln()).collect();
    if logs.len() < MIN_SECONDS / 2 {
        return Err(BadLink::new(
            "trace is almost all outage; a fit needs at least 15 s with capacity",
        ));
    }
    let mean_log = logs.iter().sum::<f64>() / logs.len() as f64;
    let variance = logs.iter().map(|l| (l - mean_log).powi(2)).sum::<f64>() / logs.len() as f64;
    let pairs: Vec<f64> = seconds
        .windows(2)
        .filter(|w| up(w[0]) && up(w[1]))
        .map(|w| (w[0].ln() - mean_log) * (w[1].ln() - mean_log))
        .collect();
    let covariance = pairs.iter().sum::<f64>() / pairs.len().max(1) as f64;
    let outage_s: Vec<f64> = seconds
        .split(|&r| up(r))
        .filter(|run| !run.is_empty())
        .map(|run| run.len() as f64)
        .collect();
    Ok(Moments {
        mean_log,
        variance,
        correlation: if variance > 0.0 {
            covariance / variance
        } else {
            0.0
        },
        starts_per_s: outage_s.len() as f64 / logs.len() as f64,
        outage_s,
    })
}

#[cfg(test)]
mod tests {
    use super::fit;
    use crate::counter_rng::CounterRng;
    use crate::trace::{Generator, Trace};

    #[test]
    fn a_fit_to_what_the_generator_made_gives_its_parameters_back() {
        let asked = Generator {
            median_bps: 2e6,
            sigma: 0.8,
            correlation: 0.5,
            outage: 0.01,
            recovery: 1.0,
            scheduled: None,
        };
        let traces: Vec<Trace> = (0..20)
            .map(|i| asked.trace(CounterRng::new(i)).expect("a trace"))
            .collect();
        let found = fit(&traces).expect("a fit");
        assert!((found.median_bps / 2e6 - 1.0).abs() < 0.05, "{found}");
        assert!((found.sigma - 0.8).abs() < 0.03, "{found}");
        assert!((found.correlation - 0.5).abs() < 0.03, "{found}");
        assert!((found.outage - 0.01).abs() < 0.002, "{found}");
        assert!(found.recovery > 0.95, "{found}");
    }

    #[test]
    fn a_trace_too_short_to_fit_is_refused() {
        let trace = Trace::from_pieces([(5_000_000_000, 1_000_000)]).expect("a trace");
        assert_eq!(
            fit(&[trace]).unwrap_err().to_string(),
            "a fit needs at least 30 s of trace, this one has 5"
        );
    }
}
