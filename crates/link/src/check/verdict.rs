//! Verdicts: comparison of measured and specified values, as rows of a report.

use wirelab_link_model::impairment::Impairment;
use wirelab_link_model::{DropCause, Fate};

use super::expectation::ProbePath;
use super::report::{Row, median, quantile, spread};
use super::traffic::Exchange;

/// Tolerance of the median delay: this many ns plus this fraction of the specified delay.
const LATE_NS: f64 = 200_000.0;
const LATE_SHARE: f64 = 0.005;
/// A link whose p99 lateness exceeds this is off spec.
pub const LATE_P99_NS: f64 = 5_000_000.0;
const RATE_SHARE: f64 = 0.005;
/// Normal quantile of 99.9 %. With some ten checks per study, 95 % would reject a good link every
/// other time.
const WIDE: f64 = 3.29;

/// Index, specified and measured arrival time of received packets, ns.
fn matched_arrivals<'a>(
    exchange: &'a Exchange,
    fates: &'a [Fate],
) -> impl Iterator<Item = (usize, u64, u64)> + 'a {
    fates.iter().enumerate().filter_map(|(i, fate)| match fate {
        // Excluded: a duplicate that arrives at the same time would be measured by its second copy.
        Fate::Deliver {
            due, impairments, ..
        } if !impairments.duplicate => exchange.arrived.get(&(i as u64)).map(|&at| (i, *due, at)),
        _ => None,
    })
}

fn sort_values(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The delay and the error of each packet's arrival time. `epoch` is when virtual time began.
pub fn compare_delay(
    path: &ProbePath,
    exchange: &Exchange,
    fates: &[Fate],
    epoch: u64,
) -> Vec<Row> {
    let expected = sort_values(
        matched_arrivals(exchange, fates)
            .map(|(i, due, _)| (due + epoch) as f64 - exchange.sent[i] as f64),
    );
    if expected.is_empty() {
        return vec![];
    }
    let errors = sort_values(
        matched_arrivals(exchange, fates).map(|(_, due, at)| at as f64 - (due + epoch) as f64),
    );
    let (nominal, (error, low, high)) = (median(&expected).0, median(&errors));
    let magnitude = sort_values(errors.iter().map(|e| e.abs()));
    let allowed = LATE_NS + LATE_SHARE * nominal;
    let row = |what: &str, expected, measured, low, high, ok| Row {
        what: format!("{} {what}", path.name),
        expected,
        measured,
        low,
        high,
        unit: "ns",
        n: errors.len(),
        ok,
    };
    let mut rows = vec![row(
        "delay",
        Some(nominal),
        nominal + error,
        Some(nominal + low),
        Some(nominal + high),
        error.abs() <= allowed,
    )];
    for (name, q, most) in [
        ("delay error p50", 0.5, f64::INFINITY),
        ("delay error p99", 0.99, LATE_P99_NS + allowed),
        ("delay error p99.9", 0.999, f64::INFINITY),
    ] {
        let measured_values = quantile(&magnitude, q);
        rows.push(row(
            name,
            None,
            measured_values,
            None,
            None,
            measured_values <= most,
        ));
    }
    rows
}

/// The spread of the delays, as drawn and as measured. None if the link has no jitter.
///
/// The interquartile range divided by 1.349, which is the standard deviation of a normal
/// distribution. A few packets delayed by a busy machine do not change it.
pub fn compare_jitter(
    path: &ProbePath,
    exchange: &Exchange,
    fates: &[Fate],
    epoch: u64,
) -> Option<Row> {
    let varies = |(_, impairment): (_, &dyn Impairment)| impairment.varies_delay();
    path.path
        .specs()
        .find(|spec| spec.impairments.each().any(varies))?;
    let since = |i: usize, at: u64| at as f64 - exchange.sent[i] as f64;
    let drawn =
        sort_values(matched_arrivals(exchange, fates).map(|(i, due, _)| since(i, due + epoch)));
    let measured_values =
        sort_values(matched_arrivals(exchange, fates).map(|(i, _, at)| since(i, at)));
    let (expected, _, _) = spread(&drawn)?;
    let (measured, low, high) = spread(&measured_values)?;
    Some(Row {
        what: format!("{} jitter", path.name),
        expected: Some(expected),
        measured,
        low: Some(low),
        high: Some(high),
        unit: "ns",
        n: measured_values.len(),
        ok: (measured - expected).abs() <= LATE_NS + LATE_SHARE * expected,
    })
}

/// The fraction lost of packets that a full queue did not drop. Drops during an outage of a trace
/// do not count as loss.
pub fn compare_loss(path: &ProbePath, exchange: &Exchange, fates: &[Fate], epoch: u64) -> Row {
    let admitted = || {
        (0..)
            .zip(fates)
            .filter(|(_, fate)| **fate != Fate::Drop(DropCause::Queue))
    };
    let n = admitted().count();
    let lost = admitted()
        .filter(|(i, _)| !exchange.arrived.contains_key(i))
        .count();
    let (expected, variance) = path.path.loss(&exchange.times(epoch));
    let measured = lost as f64 / n as f64;
    let correction = if expected > 0.0 { 0.5 / n as f64 } else { 0.0 };
    let half = WIDE * (variance / n as f64).sqrt() + correction;
    Row {
        what: format!("{} loss", path.name),
        expected: Some(expected),
        measured,
        low: Some((measured - half).max(0.0)),
        high: Some((measured + half).min(1.0)),
        unit: "fraction",
        n,
        ok: (measured - expected).abs() <= half,
    }
}

/// The number of packets whose fate differs from the one drawn for them.
pub fn compare_fates(path: &ProbePath, exchange: &Exchange, fates: &[Fate]) -> Row {
    let differs = |(i, fate): (usize, &Fate)| {
        // The receiver's kernel drops packets with a wrong checksum.
        let whole =
            matches!(fate, Fate::Deliver { impairments, .. } if impairments.corrupt.is_none());
        whole != exchange.arrived.contains_key(&(i as u64))
    };
    let wrong = fates
        .iter()
        .enumerate()
        .filter(|&pair| differs(pair))
        .count();
    Row {
        what: format!("{} fates not as drawn", path.name),
        expected: Some(0.0),
        measured: wrong as f64,
        low: None,
        high: None,
        unit: "packets",
        n: fates.len(),
        ok: wrong == 0,
    }
}

/// The bits between the first and the last arrival divided by the time between them. Lost packets
/// used the link as well.
pub fn compare_rate(
    path: &ProbePath,
    exchange: &Exchange,
    fates: &[Fate],
    l3_bytes: u32,
) -> Option<Row> {
    let measured_values: Vec<(usize, u64, u64)> = matched_arrivals(exchange, fates).collect();
    let (&(first, due_first, at_first), &(last, due_last, at_last)) =
        (measured_values.first()?, measured_values.last()?);
    if due_last <= due_first || at_last <= at_first {
        return None;
    }
    let bits = (last - first) as f64 * f64::from(l3_bytes) * 8.0;
    let (expected_ns, measured_ns) = ((due_last - due_first) as f64, (at_last - at_first) as f64);
    let over = |ns: f64| bits * 1e9 / ns;
    Some(Row {
        what: format!("{} rate", path.name),
        expected: Some(over(expected_ns)),
        measured: over(measured_ns),
        // Each end may be off by the tolerance.
        low: Some(over(measured_ns + LATE_NS)),
        high: Some(over((measured_ns - LATE_NS).max(1.0))),
        unit: "bit/s",
        n: measured_values.len(),
        ok: (measured_ns - expected_ns).abs() <= LATE_NS + RATE_SHARE * expected_ns,
    })
}
