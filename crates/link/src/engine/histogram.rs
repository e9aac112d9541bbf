//! A histogram of times with a relative error below 1/32, in bounded memory.

const SUB_BITS: u32 = 5;
const SUB: usize = 1 << SUB_BITS;

/// Counts of ns values in buckets that double in width every 32. Memory is taken up to the largest
/// value seen.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    counts: Vec<u32>,
    total: u64,
    max: u64,
}

fn bucket(value: u64) -> usize {
    if value < SUB as u64 {
        return value as usize;
    }
    let shift = value.ilog2() - SUB_BITS;
    (shift as usize + 1) * SUB + ((value >> shift) as usize - SUB)
}

/// The largest value that falls into a bucket.
fn upper(bucket: usize) -> u64 {
    if bucket < SUB {
        return bucket as u64;
    }
    let (shift, sub) = (bucket / SUB - 1, bucket % SUB);
    let next = ((SUB + sub + 1) as u128) << shift;
    (next - 1).min(u128::from(u64::MAX)) as u64
}

impl Histogram {
    /// Count one value.
    pub fn record(&mut self, value: u64) {
        let bucket = bucket(value);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] = self.counts[bucket].saturating_add(1);
        self.total += 1;
        self.max = self.max.max(value);
    }

    /// How many values were counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The largest value.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Every bucket that is not empty: its largest value and its count.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let all = self.counts.iter().enumerate();
        all.filter(|(_, count)| **count > 0)
            .map(|(i, &count)| (upper(i), count))
    }

    /// The smallest value that at least the share `q` of all do not exceed, rounded up to its
    /// bucket; 0 where there are none.
    pub fn quantile(&self, q: f64) -> u64 {
        let wanted = (q * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (i, count) in self.counts.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted {
                return upper(i).min(self.max);
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::{Histogram, bucket, upper};

    #[test]
    fn quantiles_are_within_a_thirtysecond_of_the_truth() {
        let mut histogram = Histogram::default();
        (1..=100_000u64).for_each(|v| histogram.record(v));
        for (q, truth) in [(0.5, 50_000.0), (0.99, 99_000.0), (0.999, 99_900.0)] {
            let found = histogram.quantile(q) as f64;
            assert!(
                found >= truth && found <= truth * (1.0 + 1.0 / 32.0),
                "{q}: {found}"
            );
        }
        assert_eq!((histogram.total(), histogram.max()), (100_000, 100_000));
    }

    #[test]
    fn every_value_has_a_bucket_that_holds_it() {
        for value in [0, 1, 31, 32, 33, 63, 64, 1_000_000, u64::MAX - 1, u64::MAX] {
            let b = bucket(value);
            assert!(
                upper(b) >= value && (b == 0 || upper(b - 1) < value),
                "{value}"
            );
        }
    }

    #[test]
    fn buckets_are_given_with_what_they_hold() {
        let mut histogram = Histogram::default();
        [5, 5, 1000].into_iter().for_each(|v| histogram.record(v));
        let found: Vec<(u64, u32)> = histogram.buckets().collect();
        assert_eq!(found, vec![(5, 2), (1007, 1)]);
    }

    #[test]
    fn an_empty_histogram_has_zeros() {
        assert_eq!(Histogram::default().quantile(0.99), 0);
    }
}
