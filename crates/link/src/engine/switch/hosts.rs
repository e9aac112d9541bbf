//! The hosts of a star, their links, and the segment all may share.

use wirelab_link_model::{BadLink, Direction, DirectionSpec, Draws, LinkSpec};

use super::hops::Place;
use crate::engine::counters::Side;

/// A host's link as asked for.
#[derive(Debug, Clone)]
pub struct HostLink {
    /// The host's name.
    pub name: String,
    /// Its access link.
    pub link: LinkSpec,
    /// Where in its trace virtual time 0 falls.
    pub trace_offset_ns: u64,
    /// Behind which host's link this one's begins; None at the switch.
    pub inside: Option<Inside>,
}

/// Where a link lies that came later, and the seed of its draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside {
    /// Index of the host behind whose link it is.
    pub behind: usize,
    /// Of its draws.
    pub seed: u64,
}

impl HostLink {
    /// A host at the switch.
    pub fn new(name: &str, link: LinkSpec) -> HostLink {
        HostLink {
            name: name.into(),
            link,
            trace_offset_ns: 0,
            inside: None,
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
    pub up: Side,
    /// To it.
    pub down: Side,
}

/// The draws of one direction of a host's link. Named and not numbered: another host in the lab does not change this one's.
pub fn link_draws(seed: u64, host: &str, direction: &str) -> Draws {
    Draws::new(seed)
        .named(host.as_bytes())
        .named(direction.as_bytes())
}

/// All directions of a lab.
pub struct Sides {
    pub hosts: Vec<Host>,
    pub segment: Option<Side>,
}

impl Sides {
    /// Fresh ones at virtual time 0.
    pub fn new(
        links: &[HostLink],
        segment: Option<&DirectionSpec>,
        seed: u64,
    ) -> Result<Sides, BadLink> {
        // No host is without a name, so no host's draws are the segment's.
        let shared = |spec| Direction::new(spec, link_draws(seed, "", "segment"), 0).map(Side::new);
        Ok(Sides {
            hosts: links
                .iter()
                .map(|link| host(link, seed))
                .collect::<Result<_, _>>()?,
            segment: segment.map(shared).transpose()?,
        })
    }

    /// One host more.
    pub fn add(&mut self, link: &HostLink, seed: u64) -> Result<(), BadLink> {
        self.hosts.push(host(link, seed)?);
        Ok(())
    }

    /// One of them. A frame is on its way to the segment only where there is one.
    pub fn at(&mut self, place: Place) -> &mut Side {
        match place {
            Place::Up(host) => &mut self.hosts[usize::from(host)].up,
            Place::Down(host) => &mut self.hosts[usize::from(host)].down,
            Place::Segment => self
                .segment
                .as_mut()
                .expect("frames are sent there only where it is"),
        }
    }
}

fn host(host: &HostLink, seed: u64) -> Result<Host, BadLink> {
    let side = |spec, name| {
        let seed = host.inside.map_or(seed, |inside| inside.seed);
        let draws = link_draws(seed, &host.name, name);
        Direction::new(spec, draws, host.trace_offset_ns).map(Side::new)
    };
    Ok(Host {
        up: side(&host.link.up, "up")?,
        down: side(&host.link.down, "down")?,
    })
}
