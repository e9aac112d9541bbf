//! The expected outcome of a probe's packets, and how many to send.

use wirelab_link_model::{BadLink, DropCause, Fate, FlowKey, QueueLimit};

use super::path::Path;

/// IPv4 and UDP headers.
pub const HEADERS: u32 = 28;
const MIN_TRAIN: usize = 5;
const MAX_TRAIN: usize = 1000;

/// A path under test.
pub struct ProbePath {
    /// Its name in the report.
    pub name: String,
    pub path: Path,
    pub key: FlowKey,
}

impl ProbePath {
    /// The fate of packets of `l3_bytes` sent at `times` (ns since the epoch).
    pub fn fates(&self, times: &[u64], l3_bytes: u32) -> Result<Vec<Fate>, BadLink> {
        self.path.fates(&self.key, times, l3_bytes)
    }

    /// A distance between small packets, ns, that keeps the load below a third and never fills a
    /// queue.
    pub fn gap_ns(&self, l3_bytes: u32) -> u64 {
        let bits = f64::from(l3_bytes) * 8.0;
        let gap = |bps| 3.0 * bits / bps * 1e9;
        self.path.bottleneck().map_or(0.0, gap) as u64
    }

    /// Size and number of packets that, sent at once, keep the path busy for up to `limit_ns`
    /// without filling a queue.
    pub fn train(&self, limit_ns: u64) -> Result<Option<(u32, usize)>, BadLink> {
        let Some(bps) = self.path.bottleneck() else {
            return Ok(None);
        };
        let whole = if bps < 1e6 { 300 } else { 1500 };
        let l3_bytes = self.path.specs().map(|spec| spec.mtu).fold(whole, u32::min);
        // Stay below the limit, because the sender needs some time to send them all.
        let fitting = |queue| match queue {
            QueueLimit::Bytes(bytes) => (bytes / u64::from(l3_bytes)) as usize,
            QueueLimit::Packets(packets) => packets as usize,
            QueueLimit::Delay(_) | QueueLimit::Unlimited => MAX_TRAIN,
        };
        let limited = self
            .path
            .specs()
            .filter(|spec| spec.rate.mean_bps().is_some());
        let most = limited
            .map(|spec| fitting(spec.queue))
            .fold(MAX_TRAIN, usize::min);
        let fates = self.fates(&vec![0; most], l3_bytes)?;
        let fitting = fates
            .iter()
            .take_while(|fate| !matches!(fate, Fate::Drop(DropCause::Queue)))
            .scan(0, |last, fate| {
                if let Fate::Deliver { due, .. } = fate {
                    *last = *due;
                }
                Some(*last)
            })
            .enumerate()
            .take_while(|&(i, due)| due <= limit_ns || i < MIN_TRAIN)
            .count();
        Ok((fitting >= MIN_TRAIN).then_some((l3_bytes, fitting)))
    }
}
