//! The subscriber: one thread serves the connection and receives.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::{Config, MessagesError, Stream as Pulled};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use async_nats::{Client, Subscriber as Subscription};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::sync::mpsc::UnboundedReceiver;
use wirelab_peer::{DeliverySink, Fault, Reconnect, Setup, Subscriber};
use wirelab_transport::{AsyncReceiveThread, in_time, runtime};

use crate::connection::{ConnectionMonitor, connect as open, fault, round_trip};
use crate::stream;

/// Reconnections, and the fault of a lost connection.
type ConnectionEvents = UnboundedReceiver<Result<(), Fault>>;

enum Source {
    Core(Subscription),
    Stored(Box<Pulled>),
}

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let runtime = runtime()?;
    let (lost, mut heard) = mpsc::unbounded_channel();
    let back = lost.clone();
    let monitor = ConnectionMonitor::new(
        setup,
        move |fault| drop(lost.send(Err(fault))),
        move || drop(back.send(Ok(()))),
    )?;
    let (client, source) = runtime.block_on(in_time(setup, async {
        let client = open(setup, monitor).await?;
        let source = subscribe(setup, &client).await?;
        round_trip(setup, &client).await?;
        Ok((client, source))
    }))?;
    Ok(AsyncReceiveThread::start(runtime, async move |left| {
        let mut sink = sink;
        let failed = tokio::select! {
            fault = receive(source, &mut sink, &mut heard) => fault,
            _ = left => None,
        };
        drop(client);
        if let Some(failed) = failed {
            sink.fault(failed);
        }
    }))
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
    // An unnamed consumer ends with the server, and soon after its connection.
    let durable = Reconnect::read(&setup.options)?
        .is_enabled()
        .then(|| stream::plain(&format!("{}/{}", setup.topic, setup.client)));
    let consumer = stream
        .create_consumer(Config {
            durable_name: durable,
            ack_wait: Duration::from_secs(setup.options.parse("ack_wait_s")?),
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

/// Delivers until the subscription ends or the connection is lost; returns the fault of the latter.
async fn receive(
    source: Source,
    sink: &mut DeliverySink,
    heard: &mut ConnectionEvents,
) -> Option<Fault> {
    match source {
        Source::Core(mut subscription) => loop {
            tokio::select! {
                message = subscription.next() => sink.deliver(&message?.payload, false),
                Some(news) = heard.recv() => match news {
                    Ok(()) => sink.reconnected(),
                    Err(fault) => return Some(fault),
                },
            }
        },
        Source::Stored(mut pulled) => loop {
            tokio::select! {
                next = pulled.next() => take(next?, sink).await,
                Some(news) = heard.recv() => match news {
                    Ok(()) => sink.reconnected(),
                    Err(fault) => return Some(fault),
                },
            }
        },
    }
}

async fn take(next: Result<Message, MessagesError>, sink: &mut DeliverySink) {
    match next {
        Ok(message) => {
            let again = message.info().is_ok_and(|info| info.delivered > 1);
            sink.deliver(&message.payload, again);
            if let Err(error) = message.ack().await {
                eprintln!("acknowledge: {error}");
            }
        }
        // For example a missed heartbeat; the stream continues by itself.
        Err(error) => eprintln!("pull: {error}"),
    }
}
