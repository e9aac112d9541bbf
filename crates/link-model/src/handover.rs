//! Handovers: recurring periods in which nothing arrives.

/// Packets that would arrive during a handover arrive at its end, in order, because the network
/// buffers and forwards them. Transmission continues meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandoverSpec {
    /// From the start of one handover to the start of the next, ns.
    pub period_ns: u64,
    /// Start of the first, ns.
    pub at_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
}

impl HandoverSpec {
    /// The arrival time of a packet that would otherwise arrive at `t`.
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
