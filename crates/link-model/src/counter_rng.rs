//! Counter-based random numbers. Each is a hash of (seed, stream, counter), so it does not depend
//! on how many others were drawn.

/// Mix two words into one. The finaliser is that of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.rotate_left(25) ^ b.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A random stream with its own key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterRng(u64);

impl CounterRng {
    /// The root stream of a seed.
    pub fn new(seed: u64) -> CounterRng {
        CounterRng(mix(0x7769_7265_6C61_6221, seed))
    }

    /// A child stream identified by a number.
    pub fn stream(self, number: u64) -> CounterRng {
        CounterRng(mix(self.0, number))
    }

    /// A child stream identified by bytes.
    pub fn named(self, name: &[u8]) -> CounterRng {
        let mut key = mix(self.0, name.len() as u64);
        for chunk in name.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            key = mix(key, u64::from_le_bytes(word));
        }
        CounterRng(key)
    }

    /// 64 random bits for `counter`.
    pub fn bits(self, counter: u64) -> u64 {
        mix(self.0, counter)
    }

    /// Uniform in [0, 1) for `counter`, in steps of 2^-53.
    pub fn uniform(self, counter: u64) -> f64 {
        (self.bits(counter) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal for `counter` (Box and Muller 1958).
    pub fn normal(self, counter: u64) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform(2 * counter)).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform(2 * counter + 1)).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::CounterRng;

    #[test]
    fn normal_draws_have_the_moments_of_the_standard_normal() {
        let rng = CounterRng::new(1).stream(7);
        let n = 200_000;
        let values: Vec<f64> = (0..n).map(|i| rng.normal(i)).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.01, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.015, "variance {variance}");
    }

    #[test]
    fn neighbouring_streams_and_counters_are_uncorrelated() {
        let (a, b) = (CounterRng::new(1).stream(1), CounterRng::new(1).stream(2));
        let n = 100_000u64;
        let product = |x: &dyn Fn(u64) -> f64, y: &dyn Fn(u64) -> f64| {
            (0..n).map(|i| (x(i) - 0.5) * (y(i) - 0.5)).sum::<f64>() / n as f64 * 12.0
        };
        assert!(product(&|i| a.uniform(i), &|i| b.uniform(i)).abs() < 0.015);
        assert!(product(&|i| a.uniform(i), &|i| a.uniform(i + 1)).abs() < 0.015);
    }

    #[test]
    fn names_that_share_a_prefix_have_different_draws() {
        let rng = CounterRng::new(3);
        assert_ne!(rng.named(b"device").bits(0), rng.named(b"device\0").bits(0));
        assert_ne!(rng.named(b"up").bits(0), rng.named(b"down").bits(0));
    }
}
