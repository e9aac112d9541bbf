//! One direction of a link: packets in, deadlines or drops out.

use crate::draws::Draws;
use crate::error::BadLink;
use crate::flow::{FlowId, FlowKey, FlowTable};
use crate::jitter::Jitter;
use crate::queue::Occupancy;
use crate::schedule::{Schedule, Server};
use crate::spec::{DirectionSpec, RateSpec};
use std::sync::Arc;

/// Why a packet was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Drawn lost.
    Loss,
    /// The queue was full.
    Queue,
    /// Longer than the MTU.
    Mtu,
}

/// What becomes of a packet. Times are virtual ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It arrives at the far end.
    Deliver {
        /// When its last bit has been sent.
        sent: u64,
        /// When it arrives.
        due: u64,
    },
    /// It never arrives.
    Drop(Cause),
}

/// The state of one direction. Packets must be given in order of arrival.
#[derive(Debug, Clone)]
pub struct Direction {
    spec: DirectionSpec,
    server: Option<Server>,
    occupancy: Occupancy,
    jitter: Option<Jitter>,
    flows: FlowTable,
    now: u64,
    last_due: u64,
}

impl Direction {
    /// A fresh direction at virtual time 0. `draws` must be its own; a trace is entered at `trace_offset_ns`.
    ///
    /// Errors where the generated capacity carries nothing.
    pub fn new(
        spec: &DirectionSpec,
        draws: Draws,
        trace_offset_ns: u64,
    ) -> Result<Direction, BadLink> {
        let from_trace = |trace| Schedule::Trace {
            trace,
            offset_ns: trace_offset_ns,
        };
        let schedule = match &spec.rate {
            RateSpec::Unlimited => None,
            RateSpec::Constant(bps) => Some(Schedule::Constant(*bps)),
            RateSpec::Trace { trace, .. } => Some(from_trace(trace.clone())),
            RateSpec::Generated(generator) => {
                Some(from_trace(Arc::new(generator.trace(draws.named(b"rate"))?)))
            }
        };
        Ok(Direction {
            spec: spec.clone(),
            // A trace is entered where its own clock stands at virtual time 0, with nothing sent yet.
            server: schedule.map(Server::new),
            occupancy: Occupancy::default(),
            jitter: spec
                .jitter
                .map(|jitter| Jitter::new(jitter, draws.named(b"jitter"))),
            flows: FlowTable::new(draws.named(b"flows")),
            now: 0,
            last_due: 0,
        })
    }

    /// The flow of a packet.
    pub fn flow(&mut self, key: &FlowKey) -> FlowId {
        self.flows.id(key)
    }

    /// Decide on a packet of `l3_bytes` that arrives at `t`. A time before the last one counts as the last one.
    pub fn arrive(&mut self, t: u64, flow: FlowId, l3_bytes: u32) -> Fate {
        self.now = self.now.max(t);
        let lost = self.draw_loss(flow);
        if l3_bytes > self.spec.mtu {
            return Fate::Drop(Cause::Mtu);
        }
        let Some(sent) = self.transmit(l3_bytes) else {
            return Fate::Drop(Cause::Queue);
        };
        if lost {
            return Fate::Drop(Cause::Loss);
        }
        let jitter = self
            .jitter
            .as_mut()
            .map_or(0.0, |jitter| jitter.at(self.now));
        let delay = (self.spec.delay_ns as f64 + jitter).max(0.0).round() as u64;
        self.last_due = self.last_due.max(sent + delay);
        Fate::Deliver {
            sent,
            due: self.last_due,
        }
    }

    /// Layer-3 bytes queued or in transmission when the last packet had arrived.
    pub fn queued_bytes(&self) -> u64 {
        self.occupancy.bytes()
    }

    // Drawn for every packet, also for those that are dropped anyway, so that packet n of a flow meets the same draw
    // whatever became of those before it.
    fn draw_loss(&mut self, flow: FlowId) -> bool {
        let state = &mut self.flows.states[flow];
        let number = state.packets;
        state.packets += 1;
        self.spec.loss.takes(state, number)
    }

    fn transmit(&mut self, l3_bytes: u32) -> Option<u64> {
        let Some(server) = &mut self.server else {
            return Some(self.now);
        };
        self.occupancy.advance(self.now);
        if !self.occupancy.admits(self.spec.queue, self.now, l3_bytes) {
            return None;
        }
        let finish = server.finish(self.now, l3_bytes);
        self.occupancy.join(finish, l3_bytes);
        Some(finish)
    }
}
