//! Settings of one direction, as tc gives them.

use super::units::{format_ms, format_number};

/// Packets that netem holds by default.
pub(super) const DEFAULT_LIMIT: u64 = 1000;
/// Bits of a small packet.
const SMALL_BITS: f64 = 512.0;

/// Settings of one direction, and how they differ from what tc does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub settings: Vec<(&'static str, String)>,
    /// One sentence per difference.
    pub differences: Vec<String>,
    /// netem's limit of packets, if there is a netem.
    pub limit: Option<Limit>,
}

/// netem's limit of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    pub packets: u64,
    pub given: bool,
    /// netem's mean delay.
    pub delay_ns: u64,
}

impl Options {
    /// The rate of the settings, bit/s.
    fn rate(&self) -> Option<u64> {
        let rate = self.settings.iter().find(|(key, _)| *key == "rate");
        rate.and_then(|(_, text)| text.trim_end_matches("bit/s").parse().ok())
    }

    pub fn has_rate(&self) -> bool {
        self.rate().is_some()
    }

    /// Keep the lowest rate of netem and of shapers, each with its name.
    pub fn take_lowest_rate(&mut self, mut shapers: Vec<(u64, String)>) {
        if shapers.is_empty() {
            return;
        }
        shapers.extend(self.rate().map(|rate| (rate, "netem".to_string())));
        let Some((lowest, name)) = shapers.iter().min_by_key(|(rate, _)| *rate) else {
            return;
        };
        if shapers.iter().any(|(rate, _)| rate != lowest) {
            self.differences.push(format!(
                "rate: that of {name} counts, as it is the lowest of {}",
                shapers.len()
            ));
        }
        let text = format!("{lowest}bit/s");
        match self.settings.iter_mut().find(|(key, _)| *key == "rate") {
            Some((_, rate)) => *rate = text,
            None => self.settings.push(("rate", text)),
        }
    }

    /// Add the queue that netem's limit means.
    pub fn finish(mut self) -> Options {
        let Some(limit) = self.limit else {
            return self;
        };
        let seconds = limit.delay_ns as f64 / 1e9;
        let per_second = format_number((limit.packets as f64 / seconds).round());
        let delay = format_ms(limit.delay_ns as f64);
        match (self.rate(), limit.given) {
            (Some(_), true) => {
                self.settings.push(("queue", format!("{}p", limit.packets)));
                self.differences.push(
                    "limit: netem also counts packets in flight, a link only queued packets".into(),
                );
            }
            (None, true) if limit.delay_ns == 0 => self
                .differences
                .push("limit is dropped: without a rate no packet is queued".into()),
            (None, true) => self.differences.push(format!(
                "limit is dropped: without a rate no packet is queued; netem holds {} packets, and drops above {per_second} packets/s at a delay of {delay}",
                limit.packets
            )),
            (rate, false) => {
                let fills = rate.is_none_or(|bps| bps as f64 / SMALL_BITS * seconds > limit.packets as f64);
                if fills && limit.delay_ns > 0 {
                    self.differences.push(format!(
                        "limit: netem holds {} packets unless it has a limit, and drops above {per_second} packets/s at a delay of {delay}; a link holds all",
                        limit.packets
                    ));
                }
            }
        }
        self
    }
}
