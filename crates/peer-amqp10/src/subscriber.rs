//! The subscriber: messages are received on the thread that serves the connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fe2o3_amqp::Receiver;
use fe2o3_amqp::link::receiver::CreditMode;
use fe2o3_amqp::link::{LinkStateError, RecvError};
use fe2o3_amqp::types::messaging::{Data, Source};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};
use wirelab_transport::{causes, in_time, runtime};

use crate::connection::{CloseHandle, Opened, Side, address, durability, keep, open, settle_mode};
use crate::describe::SETTLED;

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let credit: u32 = setup.options.parse("credit")?;
    if credit == 0 {
        return Err(Fault::fatal("option credit", "must be above 0"));
    }
    let runtime = runtime()?;
    let (opened, receiver) = runtime.block_on(in_time(setup, async {
        let mut opened = open(setup).await?;
        let receiver = attach(setup, &mut opened, credit).await?;
        Ok((opened, receiver))
    }))?;
    let (links, renewed) = unbounded_channel();
    let leaving = Arc::new(AtomicBool::new(false));
    let receiving = Receive {
        what: format!("connection to {}", setup.server()),
        credit: (setup.qos == SETTLED).then_some(credit),
        leaving: Arc::clone(&leaving),
        sink,
        renewed,
    };
    runtime.spawn(receiving.run(receiver));
    let side = Links {
        setup: setup.clone(),
        credit,
        links,
    };
    let close_handle = keep(setup, runtime, opened, side)?;
    Ok(Box::new(Receiving {
        close_handle,
        leaving,
    }))
}

async fn attach(setup: &Setup, opened: &mut Opened, credit: u32) -> Result<Receiver, Fault> {
    let source = Source::builder()
        .address(address(setup))
        .durable(durability(setup)?)
        .build();
    Receiver::builder()
        .name(format!("{}-receiver", setup.client))
        .source(source)
        .sender_settle_mode(settle_mode(setup))
        .credit_mode(CreditMode::Auto(credit))
        .attach(&mut opened.session)
        .await
        .map_err(|error| {
            let what = format!("subscribe at {}", setup.server());
            Fault::fatal(what, causes(&error))
        })
}

/// Re-attaches the link.
struct Links {
    setup: Setup,
    credit: u32,
    links: UnboundedSender<Result<Receiver, Fault>>,
}

impl Side for Links {
    async fn suspended(&mut self) {}

    async fn resumed(&mut self, opened: &mut Opened) -> Result<(), Fault> {
        let receiver = attach(&self.setup, opened, self.credit).await?;
        // The receiver is closed only while the peer is exiting.
        let _ = self.links.send(Ok(receiver));
        Ok(())
    }

    fn broken(&mut self, fault: Fault) {
        let _ = self.links.send(Err(fault));
    }
}

struct Receiving {
    close_handle: CloseHandle,
    leaving: Arc<AtomicBool>,
}

impl Subscriber for Receiving {
    fn close(self: Box<Self>) {
        self.leaving.store(true, Ordering::Release);
        self.close_handle.close();
    }
}

/// Receives messages from one link after the other.
struct Receive {
    what: String,
    /// The credit to grant if messages arrive settled: the library only replenishes credit for
    /// messages that it settles itself.
    credit: Option<u32>,
    leaving: Arc<AtomicBool>,
    sink: DeliverySink,
    renewed: UnboundedReceiver<Result<Receiver, Fault>>,
}

impl Receive {
    async fn run(mut self, mut receiver: Receiver) {
        loop {
            let why = self.take_all(&mut receiver).await;
            if self.leaving.load(Ordering::Acquire) {
                return;
            }
            if let Some(why) = why {
                return self.sink.fault(Fault::fatal(self.what, why));
            }
            receiver = match self.renewed.recv().await {
                Some(Ok(receiver)) => receiver,
                Some(Err(fault)) => return self.sink.fault(fault),
                None => return,
            };
            self.sink.reconnected();
        }
    }

    /// Receives until the link ends. Returns the reason, unless the connection broke.
    async fn take_all(&mut self, receiver: &mut Receiver) -> Option<String> {
        let mut taken = 0;
        loop {
            match self.take(receiver, &mut taken).await {
                Ok(()) => {}
                Err(RecvError::LinkStateError(
                    LinkStateError::SessionStopped(_) | LinkStateError::IllegalState,
                )) => return None,
                Err(error) => return Some(causes(&error)),
            }
        }
    }

    async fn take(&mut self, receiver: &mut Receiver, taken: &mut u32) -> Result<(), RecvError> {
        let delivery = receiver.recv::<Data>().await?;
        let header = delivery.message().header.as_ref();
        let again = header.is_some_and(|header| header.delivery_count > 0);
        self.sink.deliver(&delivery.body().0, again);
        // A failed disposition ends the link, which the next `recv` reports.
        let Some(credit) = self.credit else {
            let _ = receiver.accept(&delivery).await;
            return Ok(());
        };
        *taken += 1;
        if *taken >= credit.div_ceil(2) {
            *taken = 0;
            let _ = receiver.set_credit(credit).await;
        }
        Ok(())
    }
}
