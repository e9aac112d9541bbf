//! Frames whose deadline has come, gathered for each port and sent in one go.

use super::histogram::Histogram;
use super::switch::{Departure, Switch};
use crate::sys::clock;
use crate::sys::port::{BATCH, Port};

/// What is about to be sent, and how late what was sent has been.
#[derive(Default)]
pub struct BatchSender {
    batches: Vec<Vec<Departure>>,
    /// Ports whose batch is not empty: of a thousand, few are.
    ports_with_frames: Vec<usize>,
    /// ns between deadline and sending.
    pub lateness: Histogram,
    /// Frames the kernel did not take.
    pub refused: u64,
}

impl BatchSender {
    /// For so many ports.
    pub fn new(ports: usize) -> BatchSender {
        let mut sender = BatchSender::default();
        (0..ports).for_each(|_| sender.add_port());
        sender
    }

    /// One port more.
    pub fn add_port(&mut self) {
        self.batches.push(Vec::with_capacity(BATCH));
    }

    /// Forget what was counted.
    pub fn restart(&mut self) {
        self.lateness = Histogram::default();
        self.refused = 0;
    }

    /// Send all that is due at `t`. False where nothing is.
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
            // Taken after the call: what is said to be late is at least as late as it really was.
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
