//! The rows of a check: the specified value, the measured value with its interval, and the verdict.

use serde::Serialize;
use wirelab_link_model::units::{show_fraction, show_ns, show_rate};

/// One comparison. `low` to `high` is the 95 % confidence interval, unless `what` documents a wider
/// one.
#[derive(Debug, Serialize)]
pub struct Row {
    pub what: String,
    #[serde(rename = "asked")]
    pub expected: Option<f64>,
    pub measured: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: &'static str,
    pub n: usize,
    pub ok: bool,
}

/// A link that was checked.
#[derive(Debug, Serialize)]
pub struct Link {
    /// The host it belongs to.
    pub host: String,
    pub link: String,
    pub source: String,
}

/// The result of a check.
#[derive(Debug, Serialize)]
pub struct Report {
    pub link: String,
    /// The source of the numbers of the first host's link.
    pub source: String,
    /// Every checked link of the lab, with the source of its numbers.
    pub links: Vec<Link>,
    pub seed: u64,
    pub backend: &'static str,
    pub realtime: bool,
    pub ok: bool,
    pub checks: Vec<Row>,
    pub trace: Vec<(u64, f64)>,
}

impl Report {
    /// Format as text.
    pub fn text(&self) -> String {
        let scheduling = if self.realtime {
            "real-time scheduling"
        } else {
            "ordinary scheduling"
        };
        let mut out = format!(
            "{}\n{}, {scheduling}, seed {}\n",
            self.link, self.backend, self.seed
        );
        for link in &self.links {
            out += &format!("{}: {}, source: {}\n", link.host, link.link, link.source);
        }
        out += &format!(
            "{:<22} {:>14} {:>14}  {:<30} {:>6}\n",
            "", "specified", "measured", "interval", "n"
        );
        for row in &self.checks {
            let interval = match (row.low, row.high) {
                (Some(low), Some(high)) => {
                    format!("[{}, {}]", show(low, row.unit), show(high, row.unit))
                }
                _ => String::new(),
            };
            let expected = row
                .expected
                .map_or("-".into(), |value| show(value, row.unit));
            let verdict = if row.ok { "" } else { "  OFF SPEC" };
            let measured = show(row.measured, row.unit);
            out += &format!(
                "{:<22} {expected:>14} {measured:>14}  {interval:<30} {:>6}{verdict}\n",
                row.what, row.n
            );
        }
        out + if self.ok { "on spec" } else { "off spec" }
    }
}

fn show(value: f64, unit: &str) -> String {
    match unit {
        "ns" => show_ns(value),
        "bit/s" => show_rate(value),
        "fraction" => show_fraction(value),
        _ => format!("{value}"),
    }
}

/// The median of sorted values with its 95 % interval from order statistics.
pub fn median(sorted: &[f64]) -> (f64, f64, f64) {
    let n = sorted.len() as f64;
    let half = 0.98 * n.sqrt();
    let at = |rank: f64| sorted[(rank.max(0.0) as usize).min(sorted.len() - 1)];
    (
        at((n - 1.0) / 2.0),
        at(((n - 1.0) / 2.0 - half).floor()),
        at(((n - 1.0) / 2.0 + half).ceil()),
    )
}

/// The interquartile range of sorted values divided by 1.349, with its 95 % interval from order
/// statistics. None if there are too few values.
pub fn spread(sorted: &[f64]) -> Option<(f64, f64, f64)> {
    const NORMAL: f64 = 1.349;
    let n = sorted.len();
    if n < 8 {
        return None;
    }
    let half = 1.96 * (n as f64 * 0.25 * 0.75).sqrt();
    let at = |rank: f64| sorted[(rank.max(0.0) as usize).min(n - 1)];
    let (low, high) = (0.25 * (n - 1) as f64, 0.75 * (n - 1) as f64);
    Some((
        (at(high) - at(low)) / NORMAL,
        (at(high - half) - at(low + half)).max(0.0) / NORMAL,
        (at(high + half) - at(low - half)) / NORMAL,
    ))
}

/// The smallest of the sorted values that at least the fraction `q` of them does not exceed.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    sorted[((sorted.len() as f64 * q).ceil() as usize).clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::{median, quantile, spread};

    #[test]
    fn the_median_lies_within_its_interval() {
        let values: Vec<f64> = (0..101).map(f64::from).collect();
        assert_eq!(median(&values), (50.0, 40.0, 60.0));
        assert_eq!(median(&[7.0]), (7.0, 7.0, 7.0));
    }

    #[test]
    fn the_spread_is_that_of_the_middle_half_whatever_the_outliers() {
        let mut values: Vec<f64> = (0..=100).map(f64::from).collect();
        values[100] = 1e9;
        let (found, low, high) = spread(&values).expect("enough values");
        assert_eq!(found, 50.0 / 1.349);
        assert!(low < found && found < high);
        assert_eq!(spread(&values[..5]), None);
    }

    #[test]
    fn a_quantile_is_a_value_that_was_seen() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(
            (
                quantile(&values, 0.99),
                quantile(&values, 1.0),
                quantile(&[3.0], 0.5)
            ),
            (99.0, 100.0, 3.0)
        );
    }
}
