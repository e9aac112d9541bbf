//! The hosts of a star and their links.

use wirelab_link_model::{BadLink, Direction, Draws, LinkSpec};

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

impl Host {
    /// One of them.
    pub fn side(&mut self, up: bool) -> &mut Side {
        if up { &mut self.up } else { &mut self.down }
    }
}

/// The draws of one direction of a host's link. Named and not numbered: another host in the lab does not change this one's.
pub fn link_draws(seed: u64, host: &str, direction: &str) -> Draws {
    Draws::new(seed)
        .named(host.as_bytes())
        .named(direction.as_bytes())
}

/// Fresh hosts at virtual time 0.
pub fn hosts(links: &[HostLink], seed: u64) -> Result<Vec<Host>, BadLink> {
    links
        .iter()
        .map(|host| {
            let side = |spec, name| {
                Direction::new(
                    spec,
                    link_draws(seed, &host.name, name),
                    host.trace_offset_ns,
                )
                .map(Side::new)
            };
            Ok(Host {
                up: side(&host.link.up, "up")?,
                down: side(&host.link.down, "down")?,
            })
        })
        .collect()
}
