//! `wirelab-peer-mock`: a peer without a network. See `docs/reference/protocols/mock.md`.
//!
//! The publisher discards its messages and acknowledges them at once. The subscriber generates the
//! arrivals from the schedule in its `start`, the option `seed` and the channel options.

mod channel;
mod describe;
mod misbehavior;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use channel::{Arrival, Channel};
use misbehavior::{Misbehavior, Moment};
use wirelab_peer::contract::{Identity, Start};
use wirelab_peer::{
    Clock, DeliverySink, Described, Fault, Monotonic, Options, Outcomes, Plan, Protocol, Publisher,
    Setup, Subscriber, Virtual,
};

fn main() -> ExitCode {
    misbehavior::keep_output();
    wirelab_peer::main(Mock)
}

struct Mock;

impl Protocol for Mock {
    fn describe(&self) -> Described {
        describe::mock()
    }

    fn clock(&self, options: &Options) -> Result<Arc<dyn Clock>, Fault> {
        let clocks: [(&str, Arc<dyn Clock>); 2] = [
            ("real", Arc::new(Monotonic)),
            ("virtual", Arc::new(Virtual::at(Monotonic.now()))),
        ];
        options.one_of("time", clocks)
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        let misbehavior = Misbehavior::new(&setup.options)?;
        misbehavior.apply(Moment::Prepare);
        let virtual_gap = match setup.options.text("time") {
            "virtual" => Some((
                Arc::clone(&setup.clock),
                setup.options.parse::<i64>("flood_gap_ns")?.max(1),
            )),
            _ => None,
        };
        Ok(Box::new(Sink {
            virtual_gap,
            acknowledges: setup.qos == "acknowledged",
            outcomes,
            misbehavior,
        }))
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        let misbehavior = Misbehavior::new(&setup.options)?;
        misbehavior.apply(Moment::Prepare);
        let channel = Channel::new(&setup.options)?;
        let clock = Arc::clone(&setup.clock);
        Ok(Box::new(Source {
            channel,
            clock,
            misbehavior,
            sink: Some(sink),
            stop: Arc::default(),
        }))
    }
}

/// A publisher that discards its messages.
struct Sink {
    /// In virtual time, how long handing over a message takes; without it a flood limited by its
    /// duration would never end.
    virtual_gap: Option<(Arc<dyn Clock>, i64)>,
    acknowledges: bool,
    outcomes: Outcomes,
    misbehavior: Misbehavior,
}

impl Publisher for Sink {
    fn send(&mut self, seq: u64, _message: &[u8]) -> Result<(), Fault> {
        self.misbehavior.apply(Moment::Message(seq));
        if let Some((clock, gap)) = &self.virtual_gap {
            clock.sleep_until(clock.now() + gap);
        }
        if self.acknowledges {
            self.outcomes.acknowledged(seq);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.misbehavior.apply(Moment::Stop);
    }
}

/// A subscriber that generates its arrivals.
struct Source {
    channel: Channel,
    clock: Arc<dyn Clock>,
    misbehavior: Misbehavior,
    sink: Option<DeliverySink>,
    stop: Arc<AtomicBool>,
}

impl Subscriber for Source {
    fn start(&mut self, start: &Start) -> Result<(), Fault> {
        if start.schedule.is_none() {
            return Ok(());
        }
        let plan = Plan::new(start).map_err(|why| Fault::minor("start", why))?;
        let arrivals = self.channel.arrivals(&plan)?;
        if let Some(sink) = self.sink.take() {
            let (clock, stop, misbehavior) = (
                Arc::clone(&self.clock),
                Arc::clone(&self.stop),
                self.misbehavior,
            );
            thread::spawn(move || deliver(sink, &arrivals, &*clock, &stop, misbehavior));
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.stop.store(true, Ordering::Release);
        self.misbehavior.apply(Moment::Stop);
    }
}

fn deliver(
    mut sink: DeliverySink,
    arrivals: &[Arrival],
    clock: &dyn Clock,
    stop: &AtomicBool,
    misbehavior: Misbehavior,
) {
    for (number, arrival) in (0..).zip(arrivals) {
        clock.sleep_until(arrival.at);
        if stop.load(Ordering::Acquire) {
            return;
        }
        misbehavior.apply(Moment::Message(number));
        let mut message = match sink.encode(arrival.seq) {
            Ok(message) => message,
            Err(fault) => return sink.fault(fault),
        };
        if sink.identity() == Identity::Header {
            message.splice(0..0, arrival.seq.to_le_bytes());
        }
        misbehavior.corrupt(number, &mut message);
        sink.deliver(&message, arrival.marked);
    }
}
