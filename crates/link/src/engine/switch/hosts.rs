//! The hosts of a star, their links, and the segment that all may share.

use wirelab_link_model::{BadLink, CounterRng, Direction, DirectionSpec, LinkSpec};

use super::in_flight::DirectionId;
use crate::engine::counters::DirectionState;

/// A host's link as specified.
#[derive(Debug, Clone)]
pub struct HostLink {
    /// The host's name.
    pub name: String,
    /// Its access link.
    pub link: LinkSpec,
    /// Time in its trace at which virtual time 0 falls.
    pub trace_offset_ns: u64,
    /// Where its link begins if not at the switch.
    pub nesting: Option<Nesting>,
}

/// Where a nested link begins, and the seed of its random draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nesting {
    /// Index of the host behind whose link it begins.
    pub parent: usize,
    /// The seed.
    pub seed: u64,
}

impl HostLink {
    /// A host whose link begins at the switch.
    pub fn new(name: &str, link: LinkSpec) -> HostLink {
        HostLink {
            name: name.into(),
            link,
            trace_offset_ns: 0,
            nesting: None,
        }
    }
}

/// MAC address of host `index`.
pub fn mac(index: usize) -> [u8; 6] {
    let [high, low] = (index as u16 + 1).to_be_bytes();
    [0x02, 0x77, 0, 0, high, low]
}

/// A host's two directions.
pub struct Host {
    /// From the host.
    pub up: DirectionState,
    /// To the host.
    pub down: DirectionState,
}

/// The random draws of one direction of a host's link.
///
/// They depend on the host's name and not on its index, so adding a host to the lab does not change
/// another host's draws.
pub fn link_rng(seed: u64, host: &str, direction: &str) -> CounterRng {
    CounterRng::new(seed)
        .named(host.as_bytes())
        .named(direction.as_bytes())
}

/// All directions of a lab.
pub struct Directions {
    pub hosts: Vec<Host>,
    pub segment: Option<DirectionState>,
}

impl Directions {
    /// New directions at virtual time 0.
    pub fn new(
        links: &[HostLink],
        segment: Option<&DirectionSpec>,
        seed: u64,
    ) -> Result<Directions, BadLink> {
        // Host names are never empty, so no host shares the segment's draws.
        let shared =
            |spec| Direction::new(spec, link_rng(seed, "", "segment"), 0).map(DirectionState::new);
        Ok(Directions {
            hosts: links
                .iter()
                .map(|link| new_host(link, seed))
                .collect::<Result<_, _>>()?,
            segment: segment.map(shared).transpose()?,
        })
    }

    /// Add a host.
    pub fn add_host(&mut self, link: &HostLink, seed: u64) -> Result<(), BadLink> {
        self.hosts.push(new_host(link, seed)?);
        Ok(())
    }

    /// One direction. Panics for the segment of a lab without one; no packet is sent there.
    pub fn get_mut(&mut self, direction: DirectionId) -> &mut DirectionState {
        match direction {
            DirectionId::Up(host) => &mut self.hosts[usize::from(host)].up,
            DirectionId::Down(host) => &mut self.hosts[usize::from(host)].down,
            DirectionId::Segment => self
                .segment
                .as_mut()
                .expect("packets are sent to the segment only if the lab has one"),
        }
    }
}

fn new_host(host: &HostLink, seed: u64) -> Result<Host, BadLink> {
    let new_direction = |spec, name| {
        let seed = host.nesting.map_or(seed, |nesting| nesting.seed);
        let rng = link_rng(seed, &host.name, name);
        Direction::new(spec, rng, host.trace_offset_ns).map(DirectionState::new)
    };
    Ok(Host {
        up: new_direction(&host.link.up, "up")?,
        down: new_direction(&host.link.down, "down")?,
    })
}
