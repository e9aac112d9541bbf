//! The publisher.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::ShortString;
use lapin::{BasicProperties, Channel, Confirmation};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use wirelab_peer::{Fault, Outcomes, Publisher, Reconnect, Setup};

use crate::connection::{Amqp, Link, is_refusal, lock, refused};
use crate::describe::Level;

/// The exchange that every broker has; it routes by equal keys (AMQP 0-9-1, 3.1.3.1).
pub const EXCHANGE: &str = "amq.direct";
const DELIVERY_MODE_PERSISTENT: u8 = 2;
/// Poll interval for conditions without an event.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A message in flight. Completes when it is written, or confirmed if the QoS level has confirms.
type Publication = Pin<Box<dyn Future<Output = End> + Send>>;

/// How a publication ended.
enum End {
    /// Its outcome, if there is one, has been reported.
    Known,
    /// The connection broke before its outcome was known.
    Open(Message),
}

/// A message whose outcome is not known yet.
struct Message {
    seq: u64,
    body: Vec<u8>,
}

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let level = Level::named(&setup.qos);
    let inflight = setup.options.parse("inflight")?;
    if inflight == 0 {
        return Err(Fault::fatal("option inflight", "must be above 0"));
    }
    let reconnect = Reconnect::read(&setup.options)?;
    let confirms = level.confirms;
    let (amqp, ()) = Amqp::open(setup, move |channel| made_usable(channel, confirms))?;
    let (publications, taken) = channel(1);
    let mode = if level.persistent {
        DELIVERY_MODE_PERSISTENT
    } else {
        1
    };
    let context = SendContext {
        what: format!("publish to {}", setup.server()).into(),
        topic: setup.topic.clone().into(),
        properties: BasicProperties::default().with_delivery_mode(mode),
        outcomes,
        on_wire: Arc::default(),
    };
    let follower = Follower {
        setup: setup.clone(),
        link: Arc::clone(&amqp.link),
        context: context.clone(),
        confirms,
        reconnect,
        open: BTreeMap::new(),
    };
    amqp.runtime.spawn(follower.run(taken, inflight));
    Ok(Box::new(Lapin {
        amqp,
        publications,
        handed_over: 0,
        context,
    }))
}

async fn made_usable(channel: Channel, confirms: bool) -> Result<(), Fault> {
    if confirms {
        channel
            .confirm_select(ConfirmSelectOptions::default())
            .await
            .map_err(|error| refused("confirm.select", &error))?;
    }
    Ok(())
}

struct Lapin {
    amqp: Amqp,
    publications: Sender<Publication>,
    handed_over: u64,
    context: SendContext,
}

impl Lapin {
    /// Waits for the current channel.
    fn channel(&self) -> Channel {
        loop {
            if let Some(link) = &*lock(&self.amqp.link) {
                return link.channel.clone();
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Publisher for Lapin {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        self.handed_over += 1;
        let message = Message {
            seq,
            body: message.to_vec(),
        };
        let mut publication: Publication =
            Box::pin(self.context.clone().publish(self.channel(), message));
        // The first poll, on the sending thread, hands the message to the library; the network
        // thread continues.
        let unknown = match publication
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(End::Known) => return Ok(()),
            Poll::Ready(open) => Box::pin(std::future::ready(open)),
            Poll::Pending => publication,
        };
        self.publications
            .blocking_send(unknown)
            .map_err(|_| Fault::fatal(&self.context.what, "the network thread has ended"))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        while self.context.on_wire.load(Ordering::Acquire) < self.handed_over
            && !self.publications.is_closed()
        {
            thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.amqp.close();
    }
}

/// What every publication needs.
#[derive(Clone)]
struct SendContext {
    what: Arc<str>,
    topic: ShortString,
    properties: BasicProperties,
    outcomes: Outcomes,
    /// Number of messages that are done: written and, with confirms, confirmed; or lost.
    on_wire: Arc<AtomicU64>,
}

impl SendContext {
    /// Publishes one message and waits for its outcome.
    async fn publish(self, channel: Channel, message: Message) -> End {
        // Unroutable messages are returned instead of dropped.
        let options = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let written = channel
            .basic_publish(
                EXCHANGE.into(),
                self.topic,
                options,
                &message.body,
                self.properties,
            )
            .await;
        let confirm = match written {
            Ok(confirm) => confirm,
            Err(error) if is_refusal(&error) => {
                self.outcomes.fault(refused(&self.what, &error));
                return End::Known;
            }
            Err(_) => return End::Open(message),
        };
        match confirm.await {
            Ok(Confirmation::NotRequested) => {}
            Ok(Confirmation::Ack(None)) => self.outcomes.acknowledged(message.seq),
            Ok(Confirmation::Ack(Some(_)) | Confirmation::Nack(_)) => {
                self.outcomes.failed(message.seq);
            }
            Err(error) if is_refusal(&error) => self.outcomes.fault(refused(&self.what, &error)),
            Err(_) => return End::Open(message),
        }
        self.on_wire.fetch_add(1, Ordering::Release);
        End::Known
    }
}

/// Polls publications until each has its outcome, and reconnects.
struct Follower {
    setup: Setup,
    link: Arc<Mutex<Option<Link>>>,
    context: SendContext,
    confirms: bool,
    reconnect: Reconnect,
    /// Messages without an outcome when the connection broke, by sequence number.
    open: BTreeMap<u64, Vec<u8>>,
}

impl Follower {
    /// Accepts at most `inflight` publications at a time, so that the sender blocks.
    async fn run(mut self, mut taken: Receiver<Publication>, inflight: usize) {
        let mut under_way = FuturesUnordered::new();
        loop {
            let Some(ended) = lock(&self.link).as_ref().map(Link::ended) else {
                return;
            };
            tokio::pin!(ended);
            let why = loop {
                tokio::select! {
                    Some(end) = under_way.next() => self.ended(end),
                    publication = taken.recv(), if under_way.len() < inflight => match publication {
                        Some(publication) => under_way.push(publication),
                        None => return,
                    },
                    why = &mut ended => break why,
                }
                // Resends a publication of the old connection that ended after the reconnection.
                self.resend(&under_way);
            };
            drop(lock(&self.link).take());
            while let Some(end) = under_way.next().await {
                self.ended(end);
            }
            let fault = Fault::fatal(format!("connection to {}", self.setup.server()), why);
            let confirms = self.confirms;
            let again = Link::again(&self.setup, &mut self.reconnect, fault, |channel| {
                made_usable(channel, confirms)
            });
            match again.await {
                Ok((link, ())) => *lock(&self.link) = Some(link),
                Err(fault) => return self.context.outcomes.fault(fault),
            }
            self.resend(&under_way);
            self.context.outcomes.reconnected();
        }
    }

    /// With confirms the message is kept for a retry; otherwise it is lost.
    fn ended(&mut self, end: End) {
        match end {
            End::Known => {}
            End::Open(message) if self.confirms => {
                self.open.insert(message.seq, message.body);
            }
            End::Open(_) => drop(self.context.on_wire.fetch_add(1, Ordering::Release)),
        }
    }

    fn resend(&mut self, under_way: &FuturesUnordered<Publication>) {
        if self.open.is_empty() {
            return;
        }
        let Some(channel) = lock(&self.link).as_ref().map(|link| link.channel.clone()) else {
            return;
        };
        if !channel.status().connected() {
            return;
        }
        for (seq, body) in std::mem::take(&mut self.open) {
            let message = Message { seq, body };
            under_way.push(Box::pin(
                self.context.clone().publish(channel.clone(), message),
            ));
        }
    }
}
