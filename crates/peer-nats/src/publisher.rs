//! The publisher: the pacer's thread hands messages over, a second thread serves the connection.

use std::sync::Arc;
use std::thread;

use async_nats::jetstream::Context;
use async_nats::jetstream::context::{PublishAckFuture, PublishError};
use async_nats::jetstream::publish::PublishAck;
use async_nats::{Client, Subject};
use bytes::Bytes;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};
use wirelab_transport::{in_time, runtime};

use crate::connection::{ConnectionMonitor, connect as open};
use crate::stream;

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let runtime = runtime()?;
    let (lost, back) = (outcomes.clone(), outcomes.clone());
    let monitor = ConnectionMonitor::new(
        setup,
        move |fault| lost.fault(fault),
        move || back.reconnected(),
    )?;
    let (client, stored) = runtime.block_on(in_time(setup, async {
        let client = open(setup, Arc::clone(&monitor)).await?;
        let stored = match setup.qos.as_str() {
            "core" => None,
            _ => Some(stream::open(setup, &client).await?.0),
        };
        Ok((client, stored))
    }))?;
    let handle = runtime.handle().clone();
    let (acks, waiting) = mpsc::unbounded_channel();
    let jetstream = stored.map(|context| JetStreamSender {
        context,
        subject: setup.topic.as_str().into(),
        monitor,
    });
    let own = jetstream.clone();
    thread::spawn(move || runtime.block_on(tell_outcomes(waiting, outcomes, own)));
    Ok(Box::new(Nats {
        subject: setup.topic.as_str().into(),
        client,
        jetstream,
        handle,
        acks,
    }))
}

struct Nats {
    subject: Subject,
    client: Client,
    /// JetStream, if the QoS level stores messages.
    jetstream: Option<JetStreamSender>,
    handle: Handle,
    acks: UnboundedSender<Stored>,
}

/// Publishes messages that the server stores.
#[derive(Clone)]
struct JetStreamSender {
    context: Context,
    subject: Subject,
    monitor: Arc<ConnectionMonitor>,
}

/// A message that JetStream has not acknowledged yet.
struct Stored {
    seq: u64,
    message: Bytes,
    /// Number of breaks of the connection before the hand-over.
    breaks: u64,
    ack: PublishAckFuture,
}

impl JetStreamSender {
    /// Hands a message over; waits while too many are unacknowledged.
    async fn store(&self, seq: u64, message: Bytes) -> Result<Stored, PublishError> {
        let breaks = self.monitor.breaks();
        let (subject, body) = (self.subject.clone(), message.clone());
        Ok(Stored {
            seq,
            message,
            breaks,
            ack: self.context.publish(subject, body).await?,
        })
    }

    /// Waits for the acknowledgement. After a reconnection, sends the message again: it or its
    /// acknowledgement may have been lost.
    async fn fate(self, mut stored: Stored) -> (u64, Result<PublishAck, PublishError>) {
        let seq = stored.seq;
        loop {
            tokio::select! {
                biased;
                result = stored.ack.into_future() => return (seq, result),
                () = self.monitor.renewed_after(stored.breaks) => {}
            }
            stored = match self.store(seq, stored.message).await {
                Ok(again) => again,
                Err(error) => return (seq, Err(error)),
            };
        }
    }
}

impl Publisher for Nats {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let message = Bytes::copy_from_slice(message);
        let Some(jetstream) = &self.jetstream else {
            return self
                .handle
                .block_on(self.client.publish(self.subject.clone(), message))
                .map_err(|error| Fault::fatal("publish", error));
        };
        let stored = self
            .handle
            .block_on(jetstream.store(seq, message))
            .map_err(|error| Fault::fatal("publish", error))?;
        // The receiver lives as long as the connection.
        let _ = self.acks.send(stored);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.handle
            .block_on(self.client.flush())
            .map_err(|error| Fault::fatal("flush", error))
    }

    fn close(self: Box<Self>) {}
}

/// Serves the connection and waits for acknowledgements.
async fn tell_outcomes(
    mut waiting: UnboundedReceiver<Stored>,
    outcomes: Outcomes,
    jetstream: Option<JetStreamSender>,
) {
    let mut under_way = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some((seq, result)) = under_way.next() => match result {
                Ok(_) => outcomes.acknowledged(seq),
                Err(error) => {
                    eprintln!("message {seq}: {error}");
                    outcomes.failed(seq);
                }
            },
            stored = waiting.recv() => match (stored, &jetstream) {
                (Some(stored), Some(jetstream)) => under_way.push(jetstream.clone().fate(stored)),
                _ => return,
            },
        }
    }
}
