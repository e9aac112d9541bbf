//! The publishing side: messages are handed over by the pacer's thread, a second thread serves the connection.

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
            "it must be above 0 and below 2^60",
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
    /// For messages that are not settled.
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
            // Not before: what is kept while there is no link goes out when there is one again.
            if let Some(permit) = permit {
                self.context.keep(seq, message, permit);
            }
            let Some(sender) = &mut *link else {
                return Err(Fault::fatal(
                    &*self.context.what,
                    "the link has been closed",
                ));
            };
            // Waits for the link's credit and the session's window.
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
        // The server's answer to a detach comes after it has taken every message. Those that are not settled are answered one by one.
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

/// Messages that are not settled, by their numbers: their bytes, where they may have to be sent again, and their permits.
type Open = BTreeMap<u64, (Vec<u8>, OwnedSemaphorePermit)>;

/// How every message of a publisher is sent, and its fate told.
#[derive(Clone)]
struct SendContext {
    what: Arc<str>,
    /// Whether a connection that breaks is made again.
    again: bool,
    /// Whether the server shall store messages where they outlive it.
    durable: bool,
    /// The link in use; locked while there is none.
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
        // It goes out again over the next connection.
        if self.again && fate.as_ref().is_err_and(is_broken) {
            return;
        }
        // It has gone out again, and its fate was told.
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

/// Makes the link again.
struct Links {
    setup: Setup,
    context: SendContext,
    /// While there is none.
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
