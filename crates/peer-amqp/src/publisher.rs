//! The publishing side.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::ShortString;
use lapin::{BasicProperties, Channel, Confirmation};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};

use crate::connection::{Amqp, refused};
use crate::describe::Level;

/// The exchange every broker has, which routes by equal keys (AMQP 0-9-1, 3.1.3.1).
pub const EXCHANGE: &str = "amq.direct";
const DELIVERY_MODE_PERSISTENT: u8 = 2;

/// A message on its way: ends when it is written, or confirmed where the qos confirms.
type Publication = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let level = Level::named(&setup.qos);
    let inflight = setup.options.parse("inflight")?;
    if inflight == 0 {
        return Err(Fault::fatal(
            "option inflight",
            "0 would let no message out",
        ));
    }
    let confirms = level.confirms;
    let (amqp, ()) = Amqp::open(setup, move |channel| async move {
        if confirms {
            channel
                .confirm_select(ConfirmSelectOptions::default())
                .await
                .map_err(|error| refused("confirm.select", &error))?;
        }
        Ok(())
    })?;
    let faults = outcomes.clone();
    amqp.watch(setup, move |fault| faults.fault(fault));
    let (publications, taken) = channel(1);
    amqp.runtime.spawn(follow(taken, inflight));
    let mode = if level.persistent {
        DELIVERY_MODE_PERSISTENT
    } else {
        1
    };
    Ok(Box::new(Lapin {
        topic: setup.topic.clone().into(),
        properties: BasicProperties::default().with_delivery_mode(mode),
        amqp,
        publications,
        handed_over: 0,
        fate: Fate {
            what: format!("publish to {}", setup.server()).into(),
            outcomes,
            on_wire: Arc::default(),
        },
    }))
}

struct Lapin {
    topic: ShortString,
    properties: BasicProperties,
    amqp: Amqp,
    publications: Sender<Publication>,
    handed_over: u64,
    fate: Fate,
}

impl Publisher for Lapin {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        self.handed_over += 1;
        let mut publication: Publication = Box::pin(publish(
            self.amqp.channel.clone(),
            self.topic.clone(),
            message.to_vec(),
            self.properties.clone(),
            seq,
            self.fate.clone(),
        ));
        // The first poll hands the message to the library, from the thread that sends; the rest is for the thread that waits.
        match publication
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(()) => Ok(()),
            Poll::Pending => self
                .publications
                .blocking_send(publication)
                .map_err(|_| Fault::fatal(&self.fate.what, "the network thread has ended")),
        }
    }

    fn flush(&mut self) -> Result<(), Fault> {
        while self.fate.on_wire.load(Ordering::Acquire) < self.handed_over
            && self.amqp.connection.status().connected()
        {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.amqp.close();
    }
}

/// What the fate of every message of a publisher is told by.
#[derive(Clone)]
struct Fate {
    what: Arc<str>,
    outcomes: Outcomes,
    /// Messages written to the socket.
    on_wire: Arc<AtomicU64>,
}

/// One message, from the library's hands to its outcome.
async fn publish(
    channel: Channel,
    topic: ShortString,
    message: Vec<u8>,
    properties: BasicProperties,
    seq: u64,
    fate: Fate,
) {
    // A message that no queue takes comes back instead of vanishing.
    let options = BasicPublishOptions {
        mandatory: true,
        ..BasicPublishOptions::default()
    };
    let written = channel
        .basic_publish(EXCHANGE.into(), topic, options, &message, properties)
        .await;
    let confirm = match written {
        Ok(confirm) => confirm,
        Err(error) => return fate.outcomes.fault(refused(&fate.what, &error)),
    };
    fate.on_wire.fetch_add(1, Ordering::Release);
    match confirm.await {
        Ok(Confirmation::NotRequested) => {}
        Ok(Confirmation::Ack(None)) => fate.outcomes.acknowledged(seq),
        Ok(Confirmation::Ack(Some(_)) | Confirmation::Nack(_)) => fate.outcomes.failed(seq),
        Err(error) => fate.outcomes.fault(refused(&fate.what, &error)),
    }
}

/// Polls publications until each has its outcome; takes no more than `inflight` at once, so that the sender waits.
async fn follow(mut taken: Receiver<Publication>, inflight: usize) {
    let mut under_way = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some(()) = under_way.next() => {}
            publication = taken.recv(), if under_way.len() < inflight => match publication {
                Some(publication) => under_way.push(publication),
                None => return,
            },
        }
    }
}
