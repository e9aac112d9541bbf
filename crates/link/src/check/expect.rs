//! What the request says about packets sent at given times.

use wirelab_link_model::{BadLink, Direction, DirectionSpec, Fate, FlowKey, QueueLimit, RateSpec};

use crate::engine::link_draws;

/// IPv4 and UDP headers.
pub const HEADERS: u32 = 28;

/// A direction under test.
pub struct Side<'a> {
    pub name: &'static str,
    pub spec: &'a DirectionSpec,
    pub seed: u64,
    pub key: FlowKey,
}

impl Side<'_> {
    /// The fate of packets of `l3_bytes` sent at `times` (ns since the epoch).
    pub fn fates(&self, times: &[u64], l3_bytes: u32) -> Result<Vec<Fate>, BadLink> {
        let draws = link_draws(self.seed, super::HOSTS[0], self.name);
        let mut model = Direction::new(self.spec, draws, 0)?;
        let flow = model.flow(&self.key);
        let mut fates: Vec<Fate> = Vec::with_capacity(times.len());
        for (ticket, &t) in times.iter().enumerate() {
            settle(&mut model, t, &mut fates);
            fates.push(model.arrive(t, flow, l3_bytes, ticket as u64));
        }
        settle(&mut model, u64::MAX, &mut fates);
        Ok(fates)
    }

    /// ns between packets that keep the load of small packets below a third, and never fill the queue.
    pub fn gap_ns(&self, l3_bytes: u32) -> u64 {
        let bits = f64::from(l3_bytes) * 8.0;
        let by_rate = self
            .spec
            .rate
            .mean_bps()
            .map_or(0.0, |bps| 3.0 * bits / bps * 1e9);
        (by_rate as u64).max(1_000_000)
    }

    /// Size and number of packets that, sent at once, keep the link busy for up to `limit_ns` without filling its queue.
    pub fn train(&self, limit_ns: u64) -> Result<Option<(u32, usize)>, BadLink> {
        let Some(bps) = self.spec.rate.mean_bps() else {
            return Ok(None);
        };
        let whole = if bps < 1e6 { 300 } else { 1500 };
        let l3_bytes = self.spec.mtu.min(whole);
        let small_enough = match self.spec.queue {
            // The estimate of what waits must hold for a sender that takes a moment to send it all.
            QueueLimit::Bytes(bytes) => (bytes / u64::from(l3_bytes)) as usize,
            QueueLimit::Packets(packets) => packets as usize,
            QueueLimit::Delay(_) | QueueLimit::Unlimited => MAX_TRAIN,
        };
        let most = small_enough.min(MAX_TRAIN);
        let fates = self.fates(&vec![0; most], l3_bytes)?;
        let fitting = fates
            .iter()
            .take_while(|fate| !matches!(fate, Fate::Drop(wirelab_link_model::Cause::Queue)))
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

    /// Capacity per second over the first ten minutes, for a picture.
    pub fn capacity(&self) -> Result<Vec<(u64, f64)>, BadLink> {
        let draws = link_draws(self.seed, super::HOSTS[0], self.name).named(b"rate");
        let seconds = match &self.spec.rate {
            RateSpec::Trace { trace, .. } => trace.per_second(),
            RateSpec::Generated(generator) => generator.trace(draws)?.per_second(),
            RateSpec::Unlimited | RateSpec::Constant(_) => vec![],
        };
        Ok(seconds
            .into_iter()
            .take(600)
            .enumerate()
            .map(|(s, bps)| (s as u64, bps))
            .collect())
    }
}

/// Fill in the fates decided by `t`; tickets are indices.
fn settle(model: &mut Direction, t: u64, fates: &mut [Fate]) {
    while let Some((ticket, _, fate)) = model.decided(t) {
        fates[ticket as usize] = fate;
    }
}

const MIN_TRAIN: usize = 5;
const MAX_TRAIN: usize = 1000;
