//! The path from one host to another: a sequence of directions, each with the emulator's model.

use wirelab_link_model::{BadLink, Direction, DirectionSpec, Fate, FlowKey, Impairments, RateSpec};

use crate::engine::link_rng;
use crate::lab::spec::LabSpec;

/// One direction of the path.
#[derive(Debug, Clone)]
struct Stage {
    spec: DirectionSpec,
    host: String,
    direction: &'static str,
    offset_ns: u64,
}

/// All directions that a packet passes.
#[derive(Debug, Clone)]
pub struct Path {
    stages: Vec<Stage>,
    seed: u64,
}

/// The fate of each packet so far, by number.
type Fates = Vec<Fate>;

impl Path {
    /// From host `from` to host `to` of a lab. Directions without impairment are left out.
    pub fn new(lab: &LabSpec, from: usize, to: usize) -> Path {
        let (sender, receiver) = (&lab.hosts[from], &lab.hosts[to]);
        let stage = |spec: &DirectionSpec, host: &str, direction, offset_ns| Stage {
            spec: spec.clone(),
            host: host.into(),
            direction,
            offset_ns,
        };
        let up = stage(&sender.link.up, &sender.name, "up", sender.trace_offset_ns);
        let shared = lab
            .segment
            .as_ref()
            .map(|link| stage(&link.up, "", "segment", 0));
        let down = stage(
            &receiver.link.down,
            &receiver.name,
            "down",
            receiver.trace_offset_ns,
        );
        let all = [Some(up), shared, Some(down)].into_iter().flatten();
        Path {
            stages: all
                .filter(|stage| stage.spec != DirectionSpec::IDEAL)
                .collect(),
            seed: lab.seed,
        }
    }

    /// The fate of packets of one flow, of `l3_bytes`, sent at `times` (ns since the epoch).
    pub fn fates(&self, key: &FlowKey, times: &[u64], l3_bytes: u32) -> Result<Fates, BadLink> {
        let sent = |&t: &u64| Fate::Deliver {
            sent: t,
            due: t,
            impairments: Impairments::default(),
        };
        let mut fates: Fates = times.iter().map(sent).collect();
        for stage in &self.stages {
            stage.pass(self.seed, key, l3_bytes, &mut fates)?;
        }
        Ok(fates)
    }

    /// Every direction's specification.
    pub fn specs(&self) -> impl Iterator<Item = &DirectionSpec> {
        self.stages.iter().map(|stage| &stage.spec)
    }

    /// The probability that a packet sent at `times` is lost or damaged, and its variance per
    /// packet.
    pub fn loss(&self, times: &[u64]) -> (f64, f64) {
        let (mut passed, mut variance) = (1.0, 0.0);
        for stage in &self.stages {
            for (_, impairment) in stage.spec.impairments.each() {
                let share = |t: &u64| impairment.lost_share(t.saturating_add(stage.offset_ns));
                let lost = times.iter().map(share).sum::<f64>() / times.len().max(1) as f64;
                passed *= 1.0 - lost;
                variance += impairment.lost_variance(lost);
            }
        }
        (1.0 - passed, variance)
    }

    /// The smallest mean capacity of the path, bit/s.
    pub fn bottleneck(&self) -> Option<f64> {
        self.specs()
            .filter_map(|spec| spec.rate.mean_bps())
            .min_by(f64::total_cmp)
    }

    /// Capacity per second over the first ten minutes, of the first direction whose capacity
    /// varies.
    pub fn capacity(&self) -> Result<Vec<(u64, f64)>, BadLink> {
        for stage in &self.stages {
            let seconds = match &stage.spec.rate {
                RateSpec::Trace { trace, .. } => trace.per_second(),
                RateSpec::Generated(generator) => {
                    let rng = link_rng(self.seed, &stage.host, stage.direction);
                    generator.trace(rng.named(b"rate"))?.per_second()
                }
                RateSpec::Unlimited | RateSpec::Constant(_) => continue,
            };
            return Ok((0..).zip(seconds).take(600).collect());
        }
        Ok(vec![])
    }
}

impl Stage {
    /// Pass all remaining packets and their copies through this direction.
    fn pass(
        &self,
        seed: u64,
        key: &FlowKey,
        l3_bytes: u32,
        fates: &mut [Fate],
    ) -> Result<(), BadLink> {
        let rng = link_rng(seed, &self.host, self.direction);
        let mut model = Direction::new(&self.spec, rng, self.offset_ns)?;
        let flow = model.flow(key);
        let arriving = arriving(fates);
        let mut decided: Vec<Fate> = Vec::with_capacity(arriving.len());
        let collect_decided = |model: &mut Direction, t: u64, decided: &mut Vec<Fate>| {
            while let Some((ticket, _, fate)) = model.decided(t) {
                decided[ticket as usize] = fate;
            }
        };
        for (ticket, &(t, _, _)) in arriving.iter().enumerate() {
            collect_decided(&mut model, t, &mut decided);
            decided.push(model.arrive(t, flow, l3_bytes, ticket as u64));
        }
        collect_decided(&mut model, u64::MAX, &mut decided);
        for (&(_, number, before), fate) in arriving.iter().zip(decided) {
            fates[number] = merge_fates(fates[number], before, fate);
        }
        Ok(())
    }
}

/// The packets that reach the next direction, in its order: time, number and impairments so far.
/// Marks their fates as undecided.
fn arriving(fates: &mut [Fate]) -> Vec<(u64, usize, Impairments)> {
    let mut arriving = Vec::with_capacity(fates.len());
    for (number, fate) in fates.iter_mut().enumerate() {
        if let Fate::Deliver {
            due, impairments, ..
        } = *fate
        {
            let copies = 1 + usize::from(impairments.duplicate);
            arriving.extend(std::iter::repeat_n((due, number, impairments), copies));
            *fate = Fate::Undecided;
        }
    }
    arriving.sort_by_key(|&(due, number, _)| (due, number));
    arriving
}

/// A packet arrives if one of its copies does.
fn merge_fates(known: Fate, before: Impairments, fate: Fate) -> Fate {
    match (known, fate) {
        (Fate::Deliver { .. }, _) => known,
        (
            _,
            Fate::Deliver {
                sent,
                due,
                impairments,
            },
        ) => Fate::Deliver {
            sent,
            due,
            impairments: Impairments {
                duplicate: before.duplicate || impairments.duplicate,
                corrupt: before.corrupt.or(impairments.corrupt),
                reordered: before.reordered || impairments.reordered,
            },
        },
        _ => fate,
    }
}

#[cfg(test)]
mod tests {
    use super::Path;
    use crate::inputs;
    use crate::lab::spec::BackendKind;
    use crate::lab::spec::LabSpec;
    use wirelab_link_model::{DropCause, Fate, FlowKey};

    const MS: u64 = 1_000_000;

    fn due(path: &Path, times: &[u64]) -> Vec<Option<u64>> {
        let key = FlowKey {
            source: [1; 4],
            destination: [2; 4],
            protocol: 17,
            source_port: 1,
            destination_port: 2,
        };
        let fates = path.fates(&key, times, 1000).expect("fates");
        let due = |fate| match fate {
            Fate::Deliver { due, .. } => Some(due),
            Fate::Drop(DropCause::Mtu) => None,
            other => panic!("{other:?}"),
        };
        fates.into_iter().map(due).collect()
    }

    fn lab(first: &str, segment: &str, second: &str) -> LabSpec {
        let link = |text| inputs::parse_link(text).expect("a link");
        let mut lab =
            LabSpec::pair(["a", "b"], link(first), 1, BackendKind::AfPacket).expect("a lab");
        lab.segment = Some(link(segment));
        lab.hosts[1].link = link(second);
        lab
    }

    #[test]
    fn a_packet_passes_its_senders_up_the_segment_and_its_receivers_down() {
        let lab = lab(
            "up.rate=8Mbit/s,delay=10ms",
            "rate=4Mbit/s",
            "down.delay=20ms",
        );
        // 1 ms + 10 ms, then 2 ms each on the segment, then 20 ms.
        let path = Path::new(&lab, 0, 1);
        assert_eq!(due(&path, &[0, 0]), vec![Some(33 * MS), Some(35 * MS)]);
        assert_eq!(path.bottleneck(), Some(4e6));
        assert_eq!(due(&Path::new(&lab, 1, 0), &[0]), vec![Some(12 * MS)]);
    }

    #[test]
    fn a_copy_takes_its_share_of_what_comes_after() {
        let lab = lab("up.duplicate=100%", "rate=8Mbit/s", "ideal");
        assert_eq!(
            due(&Path::new(&lab, 0, 1), &[0, 0]),
            vec![Some(MS), Some(3 * MS)]
        );
    }

    #[test]
    fn what_one_direction_drops_reaches_no_other() {
        let lab = lab("mtu=500", "ideal", "rate=1Mbit/s");
        assert_eq!(due(&Path::new(&lab, 0, 1), &[0]), vec![None]);
    }
}
