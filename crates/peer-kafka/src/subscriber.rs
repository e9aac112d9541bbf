//! The subscriber: one partition, read from its current end, without a consumer group.

use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use rdkafka::client::ClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::Message;
use rdkafka::{Offset, TopicPartitionList};
use wirelab_peer::{DeliverySink, Fault, ReceiveThread, Reconnect, Setup, Subscriber};

use crate::client::{PARTITION, Watch, config, fault, follow, has_topic, topic, until_answered};
use crate::describe::MAX_MESSAGE;

/// How often the receiving thread checks whether it must stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time limit for polling the library's events: with zero it delivers none.
const CALLBACK_POLL: Duration = Duration::from_millis(1);

/// Connects and starts after the last existing message.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let (watch, reasons) = Watch::new();
    let reconnect = Reconnect::read(&setup.options)?;
    let most = 2 * MAX_MESSAGE;
    let consumer: BaseConsumer<Reader> = config(setup)?
        .set("group.id", &setup.client)
        .set("enable.auto.commit", "false")
        .set("allow.auto.create.topics", "true")
        .set("fetch.wait.max.ms", setup.options.text("fetch_wait_ms"))
        .set("fetch.message.max.bytes", most.to_string())
        .set("fetch.max.bytes", most.to_string())
        .set("receive.message.max.bytes", (most + 65_536).to_string())
        .create_with_context(Reader(watch))
        .map_err(|error| Fault::fatal("options", error))?;
    let name = topic(setup);
    let end = until_answered(
        setup,
        &reasons,
        || drop(consumer.poll(CALLBACK_POLL)),
        |within| {
            let known = has_topic(consumer.client(), &name, within)?;
            let marks = |()| consumer.fetch_watermarks(&name, PARTITION, within);
            Ok(known.map(marks).transpose()?.map(|(_, end)| end))
        },
    )?;
    let failed = |error| fault(setup, "subscribe at", error);
    let mut assignment = TopicPartitionList::new();
    assignment
        .add_partition_offset(&name, PARTITION, Offset::Offset(end))
        .map_err(failed)?;
    consumer.assign(&assignment).map_err(failed)?;
    let consumer = Arc::new(consumer);
    let asked = Arc::clone(&consumer);
    let (news, heard) = mpsc::channel();
    follow(
        setup,
        reconnect,
        reasons,
        move |within| has_topic(asked.client(), &name, within),
        // The receiver is closed only while the peer is exiting.
        move |back| drop(news.send(back)),
    );
    Ok(ReceiveThread::start(move |stop| {
        let mut sink = sink;
        while !stop.load(Ordering::Acquire) {
            match consumer.poll(POLL_INTERVAL) {
                Some(Ok(message)) => sink.deliver(message.payload().unwrap_or_default(), false),
                // Connection errors are reported through the watch.
                Some(Err(error)) => eprintln!("receive: {error}"),
                None => {}
            }
            match heard.try_recv() {
                Ok(Ok(())) => sink.reconnected(),
                Ok(Err(fault)) => return sink.fault(fault),
                Err(_) => {}
            }
        }
    }))
}

struct Reader(Watch);

impl ClientContext for Reader {
    fn error(&self, _error: KafkaError, reason: &str) {
        self.0.failed(reason);
    }
}

impl ConsumerContext for Reader {}
