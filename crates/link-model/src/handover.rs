//! Handovers: stretches of time in which nothing arrives, again and again.

/// What would arrive while one lasts arrives at its end, in order: the network keeps and forwards it. Capacity goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandoverSpec {
    /// From the beginning of one to that of the next, ns.
    pub period_ns: u64,
    /// When the first begins, ns.
    pub at_ns: u64,
    /// How long one lasts, ns.
    pub length_ns: u64,
}

impl HandoverSpec {
    /// When something arrives that would arrive at `t`.
    pub(crate) fn release_time(&self, t: u64) -> u64 {
        let since = (t % self.period_ns + self.period_ns - self.at_ns) % self.period_ns;
        if since < self.length_ns {
            t.saturating_add(self.length_ns - since)
        } else {
            t
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HandoverSpec;

    #[test]
    fn what_would_arrive_meanwhile_arrives_at_the_end() {
        let handover = HandoverSpec {
            period_ns: 100,
            at_ns: 30,
            length_ns: 5,
        };
        let release_time = [0, 29, 30, 34, 35, 130, 229, 231].map(|t| handover.release_time(t));
        assert_eq!(release_time, [0, 29, 35, 35, 35, 135, 229, 235]);
    }
}
