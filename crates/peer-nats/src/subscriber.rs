//! The subscribing side: one thread serves the connection and takes what arrives.

use std::thread::{self, JoinHandle};

use async_nats::jetstream::consumer::pull::{Config, Stream as Pulled};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use async_nats::{Client, Subscriber as Subscription};
use futures_util::StreamExt;
use tokio::sync::{mpsc, oneshot};
use wirelab_peer::{Fault, Inbox, Setup, Subscriber};

use crate::connection::{connect as open, fault, in_time, round_trip, runtime};
use crate::stream;

enum Source {
    Core(Subscription),
    Stored(Box<Pulled>),
}

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
    let runtime = runtime()?;
    let (leave, left) = oneshot::channel::<()>();
    let (lost, mut heard) = mpsc::unbounded_channel();
    let (client, source) = runtime.block_on(in_time(setup, async {
        let client = open(setup, move |fault| drop(lost.send(fault))).await?;
        let source = subscribe(setup, &client).await?;
        round_trip(setup, &client).await?;
        Ok((client, source))
    }))?;
    let thread = thread::spawn(move || {
        runtime.block_on(async move {
            let mut inbox = inbox;
            let failed = tokio::select! {
                () = receive(source, &mut inbox) => None,
                fault = heard.recv() => fault,
                _ = left => None,
            };
            drop(client);
            if let Some(failed) = failed {
                inbox.fault(failed);
            }
        });
    });
    Ok(Box::new(Receiving { leave, thread }))
}

struct Receiving {
    leave: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Subscriber for Receiving {
    fn close(self: Box<Self>) {
        // The thread has ended already where the connection broke.
        let _ = self.leave.send(());
        let _ = self.thread.join();
    }
}

async fn subscribe(setup: &Setup, client: &Client) -> Result<Source, Fault> {
    let failed = |error: &dyn std::fmt::Display| fault(setup, "subscribe", error);
    if setup.qos == "core" {
        let subscription = client.subscribe(setup.topic.clone()).await;
        return subscription
            .map(Source::Core)
            .map_err(|error| failed(&error));
    }
    let (_, stream) = stream::open(setup, client).await?;
    let consumer = stream
        .create_consumer(Config {
            ack_policy: AckPolicy::Explicit,
            deliver_policy: DeliverPolicy::New,
            max_ack_pending: setup.options.parse("ack_pending")?,
            ..Config::default()
        })
        .await
        .map_err(|error| failed(&error))?;
    let pulled = consumer
        .stream()
        .max_messages_per_batch(setup.options.parse("batch")?)
        .messages()
        .await
        .map_err(|error| failed(&error))?;
    Ok(Source::Stored(Box::new(pulled)))
}

async fn receive(source: Source, inbox: &mut Inbox) {
    match source {
        Source::Core(mut subscription) => {
            while let Some(message) = subscription.next().await {
                inbox.deliver(&message.payload, false);
            }
        }
        Source::Stored(mut pulled) => {
            while let Some(next) = pulled.next().await {
                match next {
                    Ok(message) => {
                        let again = message.info().is_ok_and(|info| info.delivered > 1);
                        inbox.deliver(&message.payload, again);
                        if let Err(error) = message.ack().await {
                            eprintln!("acknowledge: {error}");
                        }
                    }
                    // A heartbeat that is late, say: the stream goes on by itself.
                    Err(error) => eprintln!("pull: {error}"),
                }
            }
        }
    }
}
