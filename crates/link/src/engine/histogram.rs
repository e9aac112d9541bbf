//! A histogram of times, from the crate `hdrhistogram`.

/// Significant decimal digits: a bucket is narrower than 1/100 of its values.
const DIGITS: u8 = 2;

/// Counts of ns values up to `i64::MAX`. Takes memory with the first value, and up to the largest
/// one.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    counts: Option<hdrhistogram::Histogram<u32>>,
    /// The exact maximum; the counts know only its bucket.
    max: u64,
}

impl Histogram {
    /// Count one value.
    pub fn record(&mut self, value: u64) {
        self.counts
            .get_or_insert_with(|| {
                hdrhistogram::Histogram::new(DIGITS).expect("a valid number of digits")
            })
            .record(value)
            .expect("the histogram resizes itself");
        self.max = self.max.max(value);
    }

    /// Number of values.
    pub fn total(&self) -> u64 {
        self.counts.as_ref().map_or(0, |counts| counts.len())
    }

    /// The largest value, or 0.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The largest value and the count of every bucket that is not empty.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let recorded = self.counts.iter().flat_map(|counts| counts.iter_recorded());
        recorded.map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
    }

    /// The smallest value that at least the fraction `q` of all values do not exceed, rounded up to
    /// its bucket; 0 if empty.
    pub fn quantile(&self, q: f64) -> u64 {
        let counts = self.counts.as_ref();
        counts.map_or(0, |counts| counts.value_at_quantile(q).min(self.max))
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    #[test]
    fn quantiles_are_within_a_hundredth_of_the_truth() {
        let mut histogram = Histogram::default();
        (1..=100_000u64).for_each(|v| histogram.record(v));
        for (q, truth) in [(0.5, 50_000.0), (0.99, 99_000.0), (0.999, 99_900.0)] {
            let found = histogram.quantile(q) as f64;
            assert!(found >= truth && found <= truth * 1.01, "{q}: {found}");
        }
        assert_eq!((histogram.total(), histogram.max()), (100_000, 100_000));
    }

    #[test]
    fn every_value_has_a_bucket_that_holds_it() {
        for value in [0, 1, 31, 255, 256, 1_000_000, i64::MAX as u64] {
            let mut histogram = Histogram::default();
            histogram.record(value);
            let found: Vec<(u64, u32)> = histogram.buckets().collect();
            assert!(found.len() == 1 && found[0].1 == 1, "{value}: {found:?}");
            let upper = found[0].0;
            assert!(
                upper >= value && upper - value <= value / 100,
                "{value}: {upper}"
            );
            assert_eq!(histogram.quantile(0.5), value);
        }
    }

    #[test]
    fn buckets_are_returned_with_their_counts() {
        let mut histogram = Histogram::default();
        [5, 5, 1000].into_iter().for_each(|v| histogram.record(v));
        let found: Vec<(u64, u32)> = histogram.buckets().collect();
        assert_eq!(found, vec![(5, 2), (1003, 1)]);
    }

    #[test]
    fn an_empty_histogram_has_zeros() {
        let empty = Histogram::default();
        assert_eq!(
            (empty.quantile(0.99), empty.total(), empty.max()),
            (0, 0, 0)
        );
    }
}
