//! Which flow a fragment belongs to.

use std::collections::{HashMap, VecDeque};

use wirelab_link_model::FlowKey;

use crate::engine::frame::{FragmentOf, Parsed};

/// Datagrams whose fragments are being followed in one direction.
const MAX_DATAGRAMS: usize = 1024;

/// The latest fragmented datagrams.
#[derive(Default)]
pub struct Fragments {
    flows: HashMap<FragmentOf, FlowKey>,
    oldest: VecDeque<FragmentOf>,
}

impl Fragments {
    /// A packet's flow. Later fragments carry no ports: they belong to the flow of their first fragment.
    pub fn flow_of(&mut self, parsed: &Parsed) -> FlowKey {
        let Some(datagram) = parsed.fragment else {
            return parsed.key;
        };
        if parsed.later_fragment {
            return self.flows.get(&datagram).copied().unwrap_or(parsed.key);
        }
        if self.flows.insert(datagram, parsed.key).is_none() {
            self.oldest.push_back(datagram);
        }
        if self.oldest.len() > MAX_DATAGRAMS
            && let Some(old) = self.oldest.pop_front()
        {
            self.flows.remove(&old);
        }
        parsed.key
    }
}
