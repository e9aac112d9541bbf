//! The publishing side: messages are handed over by the pacer's thread, a second thread serves the connection.

use std::thread;

use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::{Client, Subject};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::connection::{connect as open, in_time, runtime};
use crate::stream;

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let runtime = runtime()?;
    let lost = outcomes.clone();
    let (client, stored) = runtime.block_on(in_time(setup, async {
        let client = open(setup, move |fault| lost.fault(fault)).await?;
        let stored = match setup.qos.as_str() {
            "core" => None,
            _ => Some(stream::open(setup, &client).await?.0),
        };
        Ok((client, stored))
    }))?;
    let handle = runtime.handle().clone();
    let (acks, waiting) = mpsc::unbounded_channel();
    thread::spawn(move || runtime.block_on(tell_outcomes(waiting, outcomes)));
    Ok(Box::new(Nats {
        subject: setup.topic.as_str().into(),
        client,
        stored,
        handle,
        acks,
    }))
}

struct Nats {
    subject: Subject,
    client: Client,
    /// JetStream, where the qos wants messages stored.
    stored: Option<Context>,
    handle: Handle,
    acks: UnboundedSender<(u64, PublishAckFuture)>,
}

impl Publisher for Nats {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let (subject, message) = (self.subject.clone(), message.to_vec().into());
        let Some(stored) = &self.stored else {
            return self
                .handle
                .block_on(self.client.publish(subject, message))
                .map_err(|error| Fault::fatal("publish", error));
        };
        let ack = self
            .handle
            .block_on(stored.publish(subject, message))
            .map_err(|error| Fault::fatal("publish", error))?;
        // The other end lives as long as the connection.
        let _ = self.acks.send((seq, ack));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.handle
            .block_on(self.client.flush())
            .map_err(|error| Fault::fatal("flush", error))
    }

    fn close(self: Box<Self>) {}
}

/// Serves the connection, and awaits acknowledgements in the order of sending, in which a stream gives them.
async fn tell_outcomes(
    mut waiting: UnboundedReceiver<(u64, PublishAckFuture)>,
    outcomes: Outcomes,
) {
    while let Some((seq, ack)) = waiting.recv().await {
        match ack.await {
            Ok(_) => outcomes.acknowledged(seq),
            Err(error) => {
                eprintln!("message {seq}: {error}");
                outcomes.failed(seq);
            }
        }
    }
}
