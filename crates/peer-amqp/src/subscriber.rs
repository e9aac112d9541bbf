//! The subscriber.

use std::sync::{Arc, Mutex};

use futures_util::stream::{FuturesUnordered, StreamExt};
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicQosOptions, QueueBindOptions, QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{Channel, Consumer, Error};
use wirelab_peer::{DeliverySink, Fault, Reconnect, Setup, Subscriber};

use crate::connection::{Amqp, Link, lock, refused};
use crate::describe::Level;
use crate::publisher::EXCHANGE;

/// Connects, declares a queue, binds it and consumes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let reconnect = Reconnect::read(&setup.options)?;
    let own = setup.clone();
    let subscription = Subscription {
        level: Level::named(&setup.qos),
        prefetch: setup.options.parse("prefetch")?,
        topic: setup.topic.clone(),
        what: format!("subscribe {} on {}", setup.topic, setup.server()),
        // An exclusive queue ends with its connection.
        queue: match reconnect.is_enabled() {
            true => format!("{}/{}", setup.topic, setup.client),
            false => String::new(),
        },
    };
    let subscription = Arc::new(subscription);
    let first = Arc::clone(&subscription);
    let (amqp, consumer) =
        Amqp::open(
            setup,
            move |channel| async move { first.consume(channel).await },
        )?;
    let receiving = Receiving {
        setup: own,
        reconnect,
        subscription,
        link: Arc::clone(&amqp.link),
        sink,
    };
    amqp.runtime.spawn(receiving.run(consumer));
    Ok(Box::new(Lapin(amqp)))
}

/// The subscription that is made on every connection.
struct Subscription {
    level: Level,
    prefetch: u16,
    topic: String,
    what: String,
    /// Name of the queue, if it must outlive a connection.
    queue: String,
}

impl Subscription {
    async fn consume(&self, channel: Channel) -> Result<Consumer, Fault> {
        consume(&channel, self)
            .await
            .map_err(|error| refused(&self.what, &error))
    }
}

/// Receives deliveries across reconnections.
struct Receiving {
    setup: Setup,
    reconnect: Reconnect,
    subscription: Arc<Subscription>,
    link: Arc<Mutex<Option<Link>>>,
    sink: DeliverySink,
}

impl Receiving {
    async fn run(mut self, mut consumer: Consumer) {
        loop {
            let Some(ended) = lock(&self.link).as_ref().map(Link::ended) else {
                return;
            };
            let acknowledges = self.subscription.level.acknowledges;
            let error = receive(consumer, &mut self.sink, acknowledges).await;
            let Some(broken) = lock(&self.link).take() else {
                return;
            };
            let what = format!("connection to {}", self.setup.server());
            let alive = broken.connection.status().connected();
            let fault = match error {
                Some(error) => refused(what, &error),
                None if alive => Fault::fatal(what, "the server cancelled the subscription"),
                None => Fault::fatal(what, ended.await),
            };
            drop(broken);
            let again = Link::again(&self.setup, &mut self.reconnect, fault, |channel| {
                let subscription = Arc::clone(&self.subscription);
                async move { subscription.consume(channel).await }
            });
            match again.await {
                Ok((link, made)) => {
                    *lock(&self.link) = Some(link);
                    consumer = made;
                    self.sink.reconnected();
                }
                Err(fault) => return self.sink.fault(fault),
            }
        }
    }
}

async fn consume(channel: &Channel, wanted: &Subscription) -> Result<Consumer, Error> {
    let options = QueueDeclareOptions {
        durable: wanted.level.persistent,
        exclusive: wanted.queue.is_empty(),
        ..QueueDeclareOptions::default()
    };
    let table = FieldTable::default;
    let queue = channel
        .queue_declare(wanted.queue.as_str().into(), options, table())
        .await?;
    let name = queue.name();
    channel
        .queue_bind(
            name.clone(),
            EXCHANGE.into(),
            wanted.topic.as_str().into(),
            QueueBindOptions::default(),
            table(),
        )
        .await?;
    channel
        .basic_qos(wanted.prefetch, BasicQosOptions::default())
        .await?;
    let options = BasicConsumeOptions {
        no_ack: !wanted.level.acknowledges,
        ..BasicConsumeOptions::default()
    };
    channel
        .basic_consume(name.clone(), "".into(), options, table())
        .await
}

/// Delivers until the subscription ends. Returns the error, if the library has one.
async fn receive(
    mut consumer: Consumer,
    sink: &mut DeliverySink,
    acknowledges: bool,
) -> Option<Error> {
    let mut acks = FuturesUnordered::new();
    loop {
        tokio::select! {
            // Acknowledgements first: polling hands them to the library.
            biased;
            Some(result) = acks.next() => if let Err(error) = result {
                return Some(error);
            },
            delivery = consumer.next() => match delivery {
                Some(Ok(delivery)) => {
                    sink.deliver(&delivery.data, delivery.redelivered);
                    if acknowledges {
                        acks.push(acknowledge(delivery));
                    }
                }
                Some(Err(error)) => return Some(error),
                None => return None,
            },
        }
    }
}

async fn acknowledge(delivery: Delivery) -> Result<bool, Error> {
    delivery.acker.ack(BasicAckOptions::default()).await
}

struct Lapin(Amqp);

impl Subscriber for Lapin {
    fn close(self: Box<Self>) {
        self.0.close();
    }
}
