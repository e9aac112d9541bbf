//! The subscribing side.

use futures_util::stream::{FuturesUnordered, StreamExt};
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicQosOptions, QueueBindOptions, QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{Channel, Consumer, Error};
use wirelab_peer::{Fault, Inbox, Setup, Subscriber};

use crate::connection::{Amqp, refused};
use crate::describe::Level;
use crate::publisher::EXCHANGE;

/// Connects, declares a queue of its own, binds it and consumes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
    let level = Level::named(&setup.qos);
    let prefetch: u16 = setup.options.parse("prefetch")?;
    let (topic, what) = (
        setup.topic.clone(),
        format!("subscribe {} on {}", setup.topic, setup.server()),
    );
    let acknowledges = level.acknowledges;
    let (amqp, consumer) = Amqp::open(setup, move |channel| async move {
        consume(&channel, topic, &level, prefetch)
            .await
            .map_err(|error| refused(what, &error))
    })?;
    let (faults, broken) = std::sync::mpsc::channel();
    amqp.watch(setup, move |fault| drop(faults.send(fault)));
    let what = format!("connection to {}", setup.server());
    amqp.runtime.spawn(async move {
        let mut inbox = inbox;
        let error = receive(consumer, &mut inbox, acknowledges).await;
        inbox.fault(match error {
            Some(error) => refused(what, &error),
            None => broken
                .try_recv()
                .unwrap_or_else(|_| Fault::fatal(what, "the server cancelled the subscription")),
        });
    });
    Ok(Box::new(Lapin(amqp)))
}

async fn consume(
    channel: &Channel,
    topic: String,
    level: &Level,
    prefetch: u16,
) -> Result<Consumer, Error> {
    let options = QueueDeclareOptions {
        durable: level.persistent,
        exclusive: true,
        ..QueueDeclareOptions::default()
    };
    let table = FieldTable::default;
    let queue = channel.queue_declare("".into(), options, table()).await?;
    let name = queue.name();
    channel
        .queue_bind(
            name.clone(),
            EXCHANGE.into(),
            topic.into(),
            QueueBindOptions::default(),
            table(),
        )
        .await?;
    channel
        .basic_qos(prefetch, BasicQosOptions::default())
        .await?;
    let options = BasicConsumeOptions {
        no_ack: !level.acknowledges,
        ..BasicConsumeOptions::default()
    };
    channel
        .basic_consume(name.clone(), "".into(), options, table())
        .await
}

/// Delivers until the subscription ends; why it did, if the library says.
async fn receive(mut consumer: Consumer, inbox: &mut Inbox, acknowledges: bool) -> Option<Error> {
    let mut acks = FuturesUnordered::new();
    loop {
        tokio::select! {
            // Acknowledgements first: they are handed to the library when they are polled.
            biased;
            Some(result) = acks.next() => if let Err(error) = result {
                return Some(error);
            },
            delivery = consumer.next() => match delivery {
                Some(Ok(delivery)) => {
                    inbox.deliver(&delivery.data, delivery.redelivered);
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
