//! One direction of a link: takes packets, returns deadlines or drops.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::counter_rng::CounterRng;
use crate::discipline::{DequeueAqm, Discipline, QueuedPacket, Red};
use crate::error::BadLink;
use crate::flow::{FlowId, FlowKey, FlowTable};
use crate::impairment::{Delivery, Effect, Impairments, Packet};
use crate::queue::{Occupancy, QueueLimit};
use crate::service_curve::{ServiceCurve, Transmitter};
use crate::spec::{DirectionSpec, RateSpec};

/// Why a packet was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropCause {
    /// Drawn as lost.
    Loss,
    /// The queue was full, or its discipline dropped the packet.
    Queue,
    /// Longer than the MTU.
    Mtu,
}

/// The outcome of a packet. Times are virtual ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Deliver {
        /// When its last bit is sent.
        sent: u64,
        /// When it arrives.
        due: u64,
        /// What else happens to it.
        impairments: Impairments,
    },
    /// It never arrives.
    Drop(DropCause),
    /// Not known until it reaches the head of the queue; see [`Direction::decided`]. Only for
    /// disciplines that drop at dequeue.
    Undecided,
}

/// The state of one direction. Packets must be passed in order of arrival.
#[derive(Debug)]
pub struct Direction {
    spec: DirectionSpec,
    transmitter: Option<Transmitter>,
    occupancy: Occupancy,
    red: Red,
    aqm: DequeueAqm,
    /// When the packet in transmission is done. Used only by disciplines that drop at dequeue.
    free_at: u64,
    evicted: VecDeque<(u64, u64)>,
    effects: Vec<Box<dyn Effect>>,
    flows: FlowTable,
    /// The trace time at which virtual time 0 falls. It applies to capacity, jitter ticks, loss
    /// traces and handovers.
    offset: u64,
    now: u64,
    last_due: u64,
}

impl Direction {
    /// A new direction at virtual time 0. `rng` must not be shared with another direction.
    /// Everything that changes with time (recorded, generated or scheduled) starts at
    /// `trace_offset_ns`.
    ///
    /// Errors if the generated capacity is zero throughout.
    pub fn new(
        spec: &DirectionSpec,
        rng: CounterRng,
        trace_offset_ns: u64,
    ) -> Result<Direction, BadLink> {
        let from_trace = |trace| ServiceCurve::Trace {
            trace,
            offset_ns: trace_offset_ns,
        };
        let schedule = match &spec.rate {
            RateSpec::Unlimited => None,
            RateSpec::Constant(bps) => Some(ServiceCurve::Constant(*bps)),
            RateSpec::Trace { trace, .. } => Some(from_trace(trace.clone())),
            RateSpec::Generated(generator) => {
                Some(from_trace(Arc::new(generator.trace(rng.named(b"rate"))?)))
            }
        };
        Ok(Direction {
            spec: spec.clone(),
            transmitter: schedule.map(Transmitter::new),
            occupancy: Occupancy::default(),
            red: Red::default(),
            aqm: DequeueAqm::default(),
            free_at: 0,
            evicted: VecDeque::new(),
            effects: spec.impairments.effects(rng),
            flows: FlowTable::new(rng.named(b"flows")),
            offset: trace_offset_ns,
            now: 0,
            last_due: 0,
        })
    }

    /// The flow of a packet.
    pub fn flow(&mut self, key: &FlowKey) -> FlowId {
        self.flows.id(key)
    }

    /// Decide on a packet of `l3_bytes` that arrives at `t`. If `t` is before the previous arrival,
    /// the previous time is used.
    ///
    /// `ticket` identifies the packet if its fate is decided later. Call [`Direction::decided`] for
    /// `t` until it returns None before this.
    pub fn arrive(&mut self, t: u64, flow: FlowId, l3_bytes: u32, ticket: u64) -> Fate {
        self.now = self.now.max(t);
        let (lost, number) = self.draw_loss(flow);
        if l3_bytes > self.spec.mtu {
            return Fate::Drop(DropCause::Mtu);
        }
        if self.transmitter.is_some() && self.spec.discipline.decides_at_dequeue() {
            self.enqueue_undecided(QueuedPacket {
                ticket,
                arrived: self.now,
                flow,
                number,
                bytes: l3_bytes,
                lost,
            });
            return Fate::Undecided;
        }
        match self.transmit(flow, number, l3_bytes) {
            None => Fate::Drop(DropCause::Queue),
            Some(_) if lost => Fate::Drop(DropCause::Loss),
            Some(sent) => self.deliver(flow, number, self.now, sent),
        }
    }

    /// The time of the next decision on a queued packet.
    pub fn next_decision(&self) -> Option<u64> {
        if let Some(&(_, at)) = self.evicted.front() {
            return Some(at);
        }
        self.aqm.head().map(|head| head.arrived.max(self.free_at))
    }

    /// A packet decided on by `t`: its ticket, the time of the decision, and its fate. Call until
    /// it returns None.
    pub fn decided(&mut self, t: u64) -> Option<(u64, u64, Fate)> {
        let at = self.next_decision().filter(|&at| at <= t)?;
        if let Some((ticket, at)) = self.evicted.pop_front() {
            return Some((ticket, at, Fate::Drop(DropCause::Queue)));
        }
        let head = self.aqm.pop()?;
        let dropped = match self.spec.discipline {
            Discipline::Codel {
                target_ns,
                interval_ns,
            } => self.aqm.codel_drops(&head, at, (target_ns, interval_ns)),
            _ => false,
        };
        if dropped {
            return Some((head.ticket, at, Fate::Drop(DropCause::Queue)));
        }
        let sent = self
            .transmitter
            .as_mut()
            // From its arrival, not from `at`: the transmitter knows when it is free to a fraction
            // of a ns, and `at` is rounded.
            .map_or(at, |transmitter| {
                transmitter.finish(head.arrived, head.bytes)
            });
        self.free_at = sent;
        let fate = if head.lost {
            Fate::Drop(DropCause::Loss)
        } else {
            self.deliver(head.flow, head.number, at, sent)
        };
        Some((head.ticket, at, fate))
    }

    /// Layer-3 bytes queued after the last arrival. Includes the packet in transmission unless the
    /// discipline drops at dequeue.
    pub fn queued_bytes(&self) -> u64 {
        self.occupancy.bytes() + self.aqm.bytes()
    }

    fn enqueue_undecided(&mut self, packet: QueuedPacket) {
        while self.is_full(packet.bytes) {
            let oldest = (self.spec.discipline == Discipline::DropHead)
                .then(|| self.aqm.pop())
                .flatten();
            let dropped = oldest.unwrap_or(packet);
            self.evicted.push_back((dropped.ticket, self.now));
            if oldest.is_none() {
                return;
            }
        }
        self.aqm.push(packet);
    }

    /// Whether the queue has no room for an arriving packet, for disciplines that drop at dequeue.
    /// A limit in time counts all packets ahead, because it is not known yet which of them the
    /// discipline will drop.
    fn is_full(&self, bytes: u32) -> bool {
        match (self.spec.queue, &self.transmitter) {
            (QueueLimit::Delay(max), Some(transmitter)) => {
                let begin = transmitter.begin_after(self.now, self.aqm.bytes());
                begin.saturating_sub(self.now) > max
            }
            (limit, _) => self.aqm.is_full(limit, bytes),
        }
    }

    // Drawn for every packet, including those dropped for another reason, so that packet n of a
    // flow always gets draw n.
    fn draw_loss(&mut self, flow: FlowId) -> (bool, u64) {
        let state = &mut self.flows.states[flow];
        let number = state.packets;
        state.packets += 1;
        let packet = Packet {
            flow,
            rng: state.rng,
            number,
            t: self.now.saturating_add(self.offset),
        };
        let loses = |lost, effect: &mut Box<dyn Effect>| effect.loses(&packet) | lost;
        (self.effects.iter_mut().fold(false, loses), number)
    }

    fn transmit(&mut self, flow: FlowId, number: u64, l3_bytes: u32) -> Option<u64> {
        let Some(transmitter) = &mut self.transmitter else {
            return Some(self.now);
        };
        self.occupancy.advance(self.now);
        if !self.occupancy.admits(self.spec.queue, self.now, l3_bytes) {
            return None;
        }
        if let Discipline::Red {
            min_bytes,
            max_bytes,
            max_p,
        } = self.spec.discipline
        {
            let draw = self.flows.states[flow].rng.stream(2).uniform(number);
            let packet_ns = self
                .spec
                .rate
                .mean_bps()
                .map_or(1.0, |bps| 12_000.0 / bps * 1e9);
            if self.red.drops(
                self.now,
                self.occupancy.bytes(),
                packet_ns,
                draw,
                (min_bytes, max_bytes, max_p),
            ) {
                return None;
            }
        }
        let finish = transmitter.finish(self.now, l3_bytes);
        self.occupancy.join(finish, l3_bytes);
        Some(finish)
    }

    fn deliver(&mut self, flow: FlowId, number: u64, at: u64, sent: u64) -> Fate {
        let packet = Packet {
            flow,
            rng: self.flows.states[flow].rng,
            number,
            t: at.saturating_add(self.offset),
        };
        let mut delivery = Delivery::default();
        for effect in &mut self.effects {
            effect.deliver(&packet, &mut delivery);
        }
        let delay = self.spec.delay_ns as f64 + delivery.delay_ns;
        let mut due = sent + delay.max(0.0).round() as u64;
        if delivery.in_order {
            due = due.max(self.last_due);
        }
        if delivery.marks.reordered {
            due += delivery.late_ns;
        } else {
            self.last_due = due;
        }
        Fate::Deliver {
            sent,
            due: self.release_time(due),
            impairments: delivery.marks,
        }
    }

    fn release_time(&self, due: u64) -> u64 {
        let mut at = due.saturating_add(self.offset);
        for effect in &self.effects {
            at = effect.release_time(at);
        }
        at - self.offset
    }
}
