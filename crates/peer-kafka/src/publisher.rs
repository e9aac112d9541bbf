//! The publisher: the library batches and sends on its own threads, and calls back for each
//! message.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rdkafka::client::ClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseRecord, Producer, ProducerContext, ThreadedProducer};
use wirelab_peer::{Fault, Outcomes, Publisher, Reconnect, Setup};

use crate::client::{PARTITION, Watch, config, follow, has_topic, topic, until_answered};

/// Time limit of one call to the library.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let (watch, reasons) = Watch::new();
    let reconnect = Reconnect::read(&setup.options)?;
    let acknowledged = setup.qos != "0";
    let mut config = config(setup)?;
    config.set("acks", &setup.qos);
    for (option, name) in [
        ("linger_ms", "queue.buffering.max.ms"),
        ("batch_bytes", "batch.size"),
        ("batch_messages", "batch.num.messages"),
        ("compression", "compression.codec"),
        ("idempotence", "enable.idempotence"),
        ("inflight", "max.in.flight"),
    ] {
        config.set(name, setup.options.text(option));
    }
    let fates = Fates {
        watch,
        outcomes: outcomes.clone(),
        acknowledged,
    };
    let producer: ThreadedProducer<Fates> = config
        .create_with_context(fates)
        .map_err(|error| Fault::fatal("options", error))?;
    let producer = Arc::new(producer);
    let name = topic(setup);
    until_answered(
        setup,
        &reasons,
        || {},
        |within| has_topic(producer.client(), &name, within),
    )?;
    let (asked, known) = (Arc::clone(&producer), name.clone());
    follow(
        setup,
        reconnect,
        reasons,
        move |within| has_topic(asked.client(), &known, within),
        move |back| match back {
            Ok(()) => outcomes.reconnected(),
            Err(fault) => outcomes.fault(fault),
        },
    );
    Ok(Box::new(Kafka {
        producer,
        topic: name,
    }))
}

struct Kafka {
    producer: Arc<ThreadedProducer<Fates>>,
    topic: String,
}

impl Publisher for Kafka {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let mut record = BaseRecord::<(), [u8], usize>::with_opaque_to(&self.topic, seq as usize)
            .partition(PARTITION)
            .payload(message);
        loop {
            match self.producer.send(record) {
                Ok(()) => return Ok(()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), back)) => {
                    record = back;
                    thread::sleep(Duration::from_millis(1));
                }
                Err((error, _)) => return Err(Fault::fatal("publish", error)),
            }
        }
    }

    fn flush(&mut self) -> Result<(), Fault> {
        loop {
            match self.producer.flush(POLL_INTERVAL) {
                Ok(()) => return Ok(()),
                Err(KafkaError::Flush(RDKafkaErrorCode::OperationTimedOut)) => {}
                Err(error) => return Err(Fault::fatal("flush", error)),
            }
        }
    }

    fn close(self: Box<Self>) {}
}

/// Reports the outcome of each message; its sequence number is the opaque value of the delivery.
struct Fates {
    watch: Watch,
    outcomes: Outcomes,
    acknowledged: bool,
}

impl ClientContext for Fates {
    fn error(&self, _error: KafkaError, reason: &str) {
        self.watch.failed(reason);
    }
}

impl ProducerContext for Fates {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, seq: usize) {
        match result {
            Ok(_) if self.acknowledged => self.outcomes.acknowledged(seq as u64),
            Ok(_) => {}
            Err((error, _)) => {
                eprintln!("message {seq}: {error}");
                self.outcomes.failed(seq as u64);
            }
        }
    }
}
