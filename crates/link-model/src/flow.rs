//! Flows: which flow a packet belongs to, and the random stream of each flow.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::counter_rng::{CounterRng, mix};

/// Ephemeral ports (Linux default of net.ipv4.ip_local_port_range). The kernel picks them, so they
/// differ from run to run.
const EPHEMERAL: std::ops::RangeInclusive<u16> = 32768..=60999;
/// Limit of flows per direction. Further flows share the last one, so that a port scan cannot
/// exhaust memory.
const MAX_FLOWS: usize = 65_536;

/// The five-tuple of a packet. For a frame that is not IPv4, all fields are zero except
/// `destination_port`, which is the EtherType.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FlowKey {
    /// IPv4 source.
    pub source: [u8; 4],
    /// IPv4 destination.
    pub destination: [u8; 4],
    /// IP protocol number.
    pub protocol: u8,
    /// Layer-4 source port, or 0.
    pub source_port: u16,
    /// Layer-4 destination port.
    pub destination_port: u16,
}

impl FlowKey {
    /// The part of the five-tuple that is the same in every run: addresses, protocol and
    /// non-ephemeral ports.
    fn identity(&self) -> u64 {
        let stable = |port: u16| {
            if EPHEMERAL.contains(&port) {
                0
            } else {
                u64::from(port)
            }
        };
        let addresses = u64::from(u32::from_be_bytes(self.source)) << 32
            | u64::from(u32::from_be_bytes(self.destination));
        let rest = u64::from(self.protocol) << 32
            | stable(self.source_port) << 16
            | stable(self.destination_port);
        mix(addresses, rest)
    }
}

/// Index of a flow in its [`FlowTable`].
pub type FlowId = usize;

/// A flow's random stream and its packet count.
#[derive(Debug, Clone)]
pub(crate) struct FlowState {
    pub rng: CounterRng,
    pub packets: u64,
}

/// The flows of one direction, in order of first appearance.
#[derive(Debug, Clone)]
pub struct FlowTable {
    rng: CounterRng,
    ids: HashMap<FlowKey, FlowId, BuildHasherDefault<MixHasher>>,
    namesakes: HashMap<u64, u64>,
    pub(crate) states: Vec<FlowState>,
}

impl FlowTable {
    pub(crate) fn new(rng: CounterRng) -> FlowTable {
        FlowTable {
            rng,
            ids: HashMap::default(),
            namesakes: HashMap::new(),
            states: Vec::new(),
        }
    }

    /// The flow of a packet. Flows with the same identity are distinguished by their order of
    /// appearance.
    pub fn id(&mut self, key: &FlowKey) -> FlowId {
        if let Some(&id) = self.ids.get(key) {
            return id;
        }
        if self.states.len() >= MAX_FLOWS {
            return MAX_FLOWS - 1;
        }
        let identity = key.identity();
        let ordinal = self.namesakes.entry(identity).or_insert(0);
        let rng = self.rng.stream(identity).stream(*ordinal);
        *ordinal += 1;
        let id = self.states.len();
        self.states.push(FlowState { rng, packets: 0 });
        self.ids.insert(*key, id);
        id
    }

    /// Number of flows seen.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether no flow has been seen yet.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
}

/// A cheap hasher, because the default one costs more than the rest of the look-up. Keys come from
/// the lab's own hosts, so hash flooding is not a threat.
#[derive(Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = mix(self.0, u64::from_le_bytes(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FlowKey, FlowTable, MAX_FLOWS};
    use crate::counter_rng::CounterRng;

    fn key(source_port: u16, destination_port: u16) -> FlowKey {
        FlowKey {
            source: [10, 77, 0, 1],
            destination: [10, 77, 0, 2],
            protocol: 6,
            source_port,
            destination_port,
        }
    }

    fn stream(table: &mut FlowTable, key: &FlowKey) -> u64 {
        let id = table.id(key);
        table.states[id].rng.bits(0)
    }

    #[test]
    fn the_port_a_kernel_picked_does_not_change_the_draws() {
        let mut one = FlowTable::new(CounterRng::new(1));
        let mut other = FlowTable::new(CounterRng::new(1));
        assert_eq!(
            stream(&mut one, &key(40000, 1883)),
            stream(&mut other, &key(51234, 1883))
        );
    }

    #[test]
    fn a_second_connection_to_the_same_service_has_its_own_draws() {
        let mut table = FlowTable::new(CounterRng::new(1));
        assert_ne!(
            stream(&mut table, &key(40000, 1883)),
            stream(&mut table, &key(40001, 1883))
        );
    }

    #[test]
    fn chatter_to_another_service_does_not_shift_a_flow() {
        let mut quiet = FlowTable::new(CounterRng::new(1));
        let mut busy = FlowTable::new(CounterRng::new(1));
        busy.id(&key(40000, 53));
        busy.id(&key(123, 123));
        assert_eq!(
            stream(&mut quiet, &key(40000, 1883)),
            stream(&mut busy, &key(40000, 1883))
        );
    }

    #[test]
    fn a_port_scan_does_not_grow_the_table_without_bound() {
        let mut table = FlowTable::new(CounterRng::new(1));
        for a in 0..3u16 {
            for port in 0..=u16::MAX {
                table.id(&key(a, port));
            }
        }
        assert_eq!(table.len(), MAX_FLOWS);
    }
}
