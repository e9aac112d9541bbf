//! The publisher: the pacer's thread hands messages over, a second thread serves the connection.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex as Shared};

use fe2o3_amqp::Sender;
use fe2o3_amqp::link::delivery::{DeliveryFut, Sendable};
use fe2o3_amqp::link::{DetachError, LinkStateError, SendError};
use fe2o3_amqp::types::messaging::{Data, Header, Outcome, Target};
use fe2o3_amqp::types::primitives::Binary;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use wirelab_peer::{Fault, Outcomes, Publisher, Reconnect, Setup};
use wirelab_transport::{causes, in_time, relay::lock, runtime};

use crate::connection::{CloseHandle, Opened, Side, address, durability, keep, open, settle_mode};
use crate::describe::SETTLED;

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let inflight: usize = setup.options.parse("inflight")?;
    if inflight == 0 || inflight > Semaphore::MAX_PERMITS {
        return Err(Fault::fatal(
            "option inflight",
            "must be above 0 and below 2^60",
        ));
    }
    let runtime = runtime()?;
    let (opened, sender) = runtime.block_on(in_time(setup, async {
        let mut opened = open(setup).await?;
        let sender = attach(setup, &mut opened).await?;
        Ok((opened, sender))
    }))?;
    let handle = runtime.handle().clone();
    let context = SendContext {
        what: format!("send to {}", setup.server()).into(),
        again: Reconnect::read(&setup.options)?.is_enabled(),
        durable: setup.options.parse("durable")?,
        link: Arc::new(Mutex::new(Some(sender))),
        open: Arc::default(),
        outcomes,
    };
    let side = Links {
        setup: setup.clone(),
        context: context.clone(),
        held: None,
    };
    let close_handle = keep(setup, runtime, opened, side)?;
    Ok(Box::new(Publishing {
        settled: setup.qos == SETTLED,
        handle,
        context,
        room: Arc::new(Semaphore::new(inflight)),
        close_handle,
    }))
}

async fn attach(setup: &Setup, opened: &mut Opened) -> Result<Sender, Fault> {
    let target = Target::builder()
        .address(address(setup))
        .durable(durability(setup)?)
        .build();
    Sender::builder()
        .name(format!("{}-sender", setup.client))
        .target(target)
        .sender_settle_mode(settle_mode(setup))
        .attach(&mut opened.session)
        .await
        .map_err(|error| {
            let what = format!("open a link to {}", setup.server());
            Fault::fatal(what, causes(&error))
        })
}

struct Publishing {
    settled: bool,
    handle: Handle,
    context: SendContext,
    /// Limits unsettled messages.
    room: Arc<Semaphore>,
    close_handle: CloseHandle,
}

impl Publisher for Publishing {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        self.handle.block_on(async {
            let permit = match self.settled {
                true => None,
                false => Arc::clone(&self.room).acquire_owned().await.ok(),
            };
            let mut link = self.context.link.lock().await;
            // Stored only with the link locked: what is stored while there is no link is resent on
            // the next one.
            if let Some(permit) = permit {
                self.context.keep(seq, message, permit);
            }
            let Some(sender) = &mut *link else {
                return Err(Fault::fatal(
                    &*self.context.what,
                    "the link has been closed",
                ));
            };
            // Waits for link credit and the session window.
            match sender.send_batchable(self.context.message(message)).await {
                Ok(fate) if !self.settled => {
                    self.handle.spawn(self.context.clone().follow(seq, fate));
                    Ok(())
                }
                Err(error) if !(self.context.again && is_broken(&error)) => {
                    Err(Fault::fatal(&*self.context.what, causes(&error)))
                }
                _ => Ok(()),
            }
        })
    }

    fn flush(&mut self) -> Result<(), Fault> {
        if !self.settled {
            return Ok(());
        }
        // The server answers a detach after it has received every message. Unsettled messages are
        // answered one by one.
        let detached = self.handle.block_on(async {
            match self.context.link.lock().await.take() {
                Some(sender) => sender.detach().await.map(drop),
                None => Ok(()),
            }
        });
        match detached {
            Err((_, error)) if !self.context.again => {
                Err(Fault::fatal(&*self.context.what, causes(&error)))
            }
            _ => Ok(()),
        }
    }

    fn close(self: Box<Self>) {
        self.close_handle.close();
    }
}

/// Unsettled messages by sequence number: their bytes, if they may have to be resent, and their
/// permits.
type Open = BTreeMap<u64, (Vec<u8>, OwnedSemaphorePermit)>;

/// What every publication needs.
#[derive(Clone)]
struct SendContext {
    what: Arc<str>,
    /// Whether the peer reconnects.
    again: bool,
    /// Whether messages are durable.
    durable: bool,
    /// The current link; locked while there is none.
    link: Arc<Mutex<Option<Sender>>>,
    open: Arc<Shared<Open>>,
    outcomes: Outcomes,
}

impl SendContext {
    fn message(&self, bytes: &[u8]) -> Sendable<Data> {
        let mut message = Sendable::from(Data(Binary::from(bytes)));
        message.message.header = self
            .durable
            .then(|| Header::builder().durable(true).build());
        message
    }

    fn keep(&self, seq: u64, message: &[u8], permit: OwnedSemaphorePermit) {
        let bytes = match self.again {
            true => message.to_vec(),
            false => Vec::new(),
        };
        lock(&self.open).insert(seq, (bytes, permit));
    }

    async fn follow(self, seq: u64, fate: DeliveryFut<Result<Outcome, SendError>>) {
        let fate = fate.await;
        // It will be resent on the next connection.
        if self.again && fate.as_ref().is_err_and(is_broken) {
            return;
        }
        // It was resent, and its outcome reported.
        if lock(&self.open).remove(&seq).is_none() {
            return;
        }
        match fate {
            Ok(Outcome::Accepted(_)) => self.outcomes.acknowledged(seq),
            Ok(other) => {
                eprintln!("message {seq}: {other:?}");
                self.outcomes.failed(seq);
            }
            Err(error) => {
                eprintln!("message {seq}: {}", causes(&error));
                self.outcomes.failed(seq);
            }
        }
    }
}

/// Whether the link ended because its connection did.
fn is_broken(error: &SendError) -> bool {
    matches!(
        error,
        SendError::LinkStateError(LinkStateError::SessionStopped(_) | LinkStateError::IllegalState)
            | SendError::Detached(DetachError::SessionStopped(_) | DetachError::IllegalState)
    )
}

/// Re-attaches the link.
struct Links {
    setup: Setup,
    context: SendContext,
    /// The lock on the link, while there is none.
    held: Option<OwnedMutexGuard<Option<Sender>>>,
}

impl Side for Links {
    async fn suspended(&mut self) {
        self.held = Some(Arc::clone(&self.context.link).lock_owned().await);
    }

    async fn resumed(&mut self, opened: &mut Opened) -> Result<(), Fault> {
        let mut sender = attach(&self.setup, opened).await?;
        let open: Vec<_> = lock(&self.context.open)
            .iter()
            .map(|(&seq, (bytes, _))| (seq, self.context.message(bytes)))
            .collect();
        for (seq, message) in open {
            let fate = sender.send_batchable(message).await;
            let fate = fate.map_err(|error| Fault::fatal(&*self.context.what, causes(&error)))?;
            tokio::spawn(self.context.clone().follow(seq, fate));
        }
        if let Some(mut link) = self.held.take() {
            *link = Some(sender);
        }
        self.context.outcomes.reconnected();
        Ok(())
    }

    fn broken(&mut self, fault: Fault) {
        self.context.outcomes.fault(fault);
    }
}
