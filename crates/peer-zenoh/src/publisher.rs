//! The publisher.

use std::sync::Arc;
use std::time::Duration;

use wirelab_peer::{Fault, Outcomes, Publisher, Setup};
use zenoh::qos::{CongestionControl, Priority, Reliability};
use zenoh::{Session, Wait};

use crate::connection_monitor::ConnectionMonitor;
use crate::describe::BLOCK;
use crate::session::{fault, open, round_trip};

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the option, or the router and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let priority = priority(setup)?;
    let reliability = match setup.options.text("reliability") {
        "reliable" => Reliability::Reliable,
        "best-effort" => Reliability::BestEffort,
        other => return Err(bad("reliability", other, "reliable or best-effort")),
    };
    let express = setup.options.parse("express")?;
    let congestion = match setup.qos.as_str() {
        BLOCK => CongestionControl::Block,
        _ => CongestionControl::Drop,
    };
    let session = open(setup)?;
    let back = outcomes.clone();
    let monitor = ConnectionMonitor::watch(
        setup,
        &session,
        move |fault| outcomes.fault(fault),
        move || back.reconnected(),
    )?;
    let publisher = session
        .declare_publisher(setup.topic.clone())
        .congestion_control(congestion)
        .priority(priority)
        .express(express)
        .reliability(reliability)
        .wait()
        .map_err(|error| fault(setup, "publish", error))?;
    // Until the router has announced its subscribers, everything is sent to it; afterwards only
    // what someone subscribes to.
    if !round_trip(&session, priority, setup.connect_timeout) {
        return Err(setup.timed_out("connect"));
    }
    Ok(Box::new(Zenoh {
        publisher,
        session,
        priority,
        answer_timeout: setup.answer_timeout(),
        monitor,
    }))
}

struct Zenoh {
    publisher: zenoh::pubsub::Publisher<'static>,
    session: Session,
    priority: Priority,
    answer_timeout: Duration,
    monitor: Arc<ConnectionMonitor>,
}

impl Publisher for Zenoh {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        // Without a connection the library drops messages. The monitor reports the fault.
        if !self.monitor.is_up() {
            return Ok(());
        }
        self.publisher
            .put(message)
            .wait()
            .map_err(|error| Fault::fatal("publish", error))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        while self.monitor.is_up() && !round_trip(&self.session, self.priority, self.answer_timeout)
        {
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.monitor.end();
        // The router detects that the session has ended.
        let _ = self.session.close().wait();
    }
}

fn priority(setup: &Setup) -> Result<Priority, Fault> {
    Ok(match setup.options.text("priority") {
        "real-time" => Priority::RealTime,
        "interactive-high" => Priority::InteractiveHigh,
        "interactive-low" => Priority::InteractiveLow,
        "data-high" => Priority::DataHigh,
        "data" => Priority::Data,
        "data-low" => Priority::DataLow,
        "background" => Priority::Background,
        other => {
            let known = "one of real-time, interactive-high, interactive-low, data-high, data, data-low, background";
            return Err(bad("priority", other, known));
        }
    })
}

fn bad(option: &str, value: &str, known: &str) -> Fault {
    Fault::fatal(
        format!("option {option}"),
        format!("{value:?} is not {known}"),
    )
}
