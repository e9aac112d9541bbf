//! Assignment of IP fragments to flows.

use std::collections::{HashMap, VecDeque};

use wirelab_link_model::FlowKey;

use crate::engine::frame::{FragmentOf, Parsed};

/// Limit of fragmented datagrams tracked per direction.
const MAX_DATAGRAMS: usize = 1024;

/// The most recent fragmented datagrams.
#[derive(Default)]
pub struct Fragments {
    flows: HashMap<FragmentOf, FlowKey>,
    oldest: VecDeque<FragmentOf>,
}

impl Fragments {
    /// A packet's flow. Later fragments have no ports and belong to the flow of the first fragment.
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
