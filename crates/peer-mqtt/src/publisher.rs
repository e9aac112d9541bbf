//! The publisher.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rumqttc::QoS;
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::Version;
use crate::connection::{Connection, Side, qos};
use crate::library::ClientEvent;
use crate::multi_connection;

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(
    version: Version,
    setup: &Setup,
    outcomes: Outcomes,
) -> Result<Box<dyn Publisher>, Fault> {
    match setup.options.parse("connections")? {
        0 => return Err(Fault::fatal("option connections", "must be above 0")),
        1 => {}
        many => return multi_connection::connect(version, setup, outcomes, many),
    }
    let retain = setup.options.parse("retain")?;
    let on_wire = Arc::new(AtomicU64::new(0));
    let sent = Sent {
        outcomes,
        on_wire: Arc::clone(&on_wire),
        seq_of: vec![0; usize::from(u16::MAX) + 1],
    };
    let connection = Connection::open(version, setup, sent, |_| Ok(()))?;
    Ok(Box::new(Mqtt {
        connection,
        topic: setup.topic.clone(),
        qos: qos(&setup.qos),
        retain,
        handed_over: 0,
        on_wire,
    }))
}

struct Mqtt {
    connection: Connection,
    topic: String,
    qos: QoS,
    retain: bool,
    handed_over: u64,
    on_wire: Arc<AtomicU64>,
}

impl Publisher for Mqtt {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        self.handed_over += 1;
        self.connection
            .client
            .publish(&self.topic, self.qos, self.retain, message)
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.connection.flush(&self.on_wire, self.handed_over);
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.connection.close();
    }
}

/// Tracks each message by its packet identifier.
struct Sent {
    outcomes: Outcomes,
    /// Number of publications written to the socket. The library reports each after flushing it, in
    /// the order of hand-over.
    on_wire: Arc<AtomicU64>,
    /// The latest message of each packet identifier.
    seq_of: Vec<u64>,
}

impl Side for Sent {
    fn event(&mut self, happened: ClientEvent) -> Option<Result<(), Fault>> {
        match happened {
            ClientEvent::Written(id) => {
                self.seq_of[usize::from(id)] = self.on_wire.fetch_add(1, Ordering::Release);
            }
            ClientEvent::Acknowledged(id) => {
                self.outcomes.acknowledged(self.seq_of[usize::from(id)])
            }
            ClientEvent::Refused(id) => self.outcomes.failed(self.seq_of[usize::from(id)]),
            ClientEvent::Connected { .. } => return Some(Ok(())),
            _ => {}
        }
        None
    }

    fn reconnected(&mut self) {
        self.outcomes.reconnected();
    }

    fn broken(&mut self, fault: Fault) {
        self.outcomes.fault(fault);
    }
}
