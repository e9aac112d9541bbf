//! RED: random drops whose probability grows with the mean queue (Floyd and Jacobson 1993).

/// The mean queue and the number of packets since the last drop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Red {
    mean_bytes: f64,
    since_drop: u64,
    last: u64,
}

impl Red {
    /// Weight of the newest queue length in the mean (Floyd and Jacobson, section 6).
    const WEIGHT: f64 = 0.002;

    /// Whether to drop a packet that arrives at `t` and finds `queued` bytes. `draw` is uniform in
    /// [0, 1). `packet_ns` is the transmission time of a packet: the mean decays by as many packets
    /// as could have been sent while the queue was empty.
    pub fn drops(
        &mut self,
        t: u64,
        queued: u64,
        packet_ns: f64,
        draw: f64,
        (min, max, max_p): (u64, u64, f64),
    ) -> bool {
        if queued == 0 {
            let could = (t - self.last) as f64 / packet_ns;
            self.mean_bytes *= (1.0 - Self::WEIGHT).powf(could);
        } else {
            self.mean_bytes += Self::WEIGHT * (queued as f64 - self.mean_bytes);
        }
        self.last = t;
        let (min, max) = (min as f64, max as f64);
        if self.mean_bytes < min {
            self.since_drop = 0;
            return false;
        }
        let base = max_p * (self.mean_bytes - min) / (max - min);
        // Spread drops evenly instead of geometrically: p / (1 - count * p).
        let p = base / (1.0 - self.since_drop as f64 * base).max(f64::MIN_POSITIVE);
        let drop = self.mean_bytes >= max || draw < p;
        self.since_drop = if drop { 0 } else { self.since_drop + 1 };
        drop
    }
}
