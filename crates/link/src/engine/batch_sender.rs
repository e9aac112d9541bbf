//! Frames whose deadline has passed, collected per port and sent in batches.

use super::histogram::Histogram;
use super::switch::{Departure, Switch};
use crate::sys::clock;
use crate::sys::port::{BATCH, Port};

/// The batches to send, and the lateness of the frames sent.
#[derive(Default)]
pub struct BatchSender {
    batches: Vec<Vec<Departure>>,
    /// Ports with a non-empty batch: usually few of many.
    ports_with_frames: Vec<usize>,
    /// ns between deadline and sending.
    pub lateness: Histogram,
    /// Frames that the kernel refused.
    pub refused: u64,
}

impl BatchSender {
    /// For this number of ports.
    pub fn new(ports: usize) -> BatchSender {
        let mut sender = BatchSender::default();
        (0..ports).for_each(|_| sender.add_port());
        sender
    }

    /// Add a port.
    pub fn add_port(&mut self) {
        self.batches.push(Vec::with_capacity(BATCH));
    }

    /// Reset the counters.
    pub fn restart(&mut self) {
        self.lateness = Histogram::default();
        self.refused = 0;
    }

    /// Send all frames due at `t`. Returns false if there are none.
    pub fn send_due(
        &mut self,
        t: u64,
        epoch_ns: i64,
        switch: &mut Switch,
        ports: &mut [Box<dyn Port>],
    ) -> bool {
        let mut any = false;
        while let Some(departure) = switch.next_departure(t) {
            any = true;
            let port = departure.port;
            if self.batches[port].is_empty() {
                self.ports_with_frames.push(port);
            }
            self.batches[port].push(departure);
            if self.batches[port].len() == BATCH {
                self.flush(port, epoch_ns, switch, &mut *ports[port]);
            }
        }
        while let Some(port) = self.ports_with_frames.pop() {
            self.flush(port, epoch_ns, switch, &mut *ports[port]);
        }
        any
    }

    fn flush(&mut self, index: usize, epoch_ns: i64, switch: &mut Switch, port: &mut dyn Port) {
        let mut batch = std::mem::take(&mut self.batches[index]);
        let mut rest = batch.as_slice();
        while !rest.is_empty() {
            let frames: Vec<&[u8]> = rest
                .iter()
                .map(|departure| switch.bytes(departure))
                .collect();
            let (all, sent) = (frames.len(), port.send(&frames));
            // Read after the call, so the recorded lateness is never less than the true one.
            let egress = clock::since(epoch_ns, clock::now());
            for departure in &rest[..sent] {
                self.lateness.record(egress.saturating_sub(departure.due));
                switch.complete(departure, Some(egress));
            }
            rest = &rest[sent..];
            if let Some((refused, after)) = rest.split_first().filter(|_| sent < all) {
                self.refused += 1;
                switch.complete(refused, None);
                rest = after;
            }
        }
        batch.clear();
        self.batches[index] = batch;
    }
}
