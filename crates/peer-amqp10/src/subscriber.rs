//! The subscribing side: messages are taken on the thread that serves the connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fe2o3_amqp::Receiver;
use fe2o3_amqp::link::RecvError;
use fe2o3_amqp::link::receiver::CreditMode;
use fe2o3_amqp::types::messaging::Data;
use wirelab_peer::{Fault, Inbox, Setup, Subscriber};
use wirelab_transport::{causes, in_time, runtime};

use crate::connection::{Farewell, address, open, settle_mode, watch};
use crate::describe::SETTLED;

/// Connects and subscribes.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, inbox: Inbox) -> Result<Box<dyn Subscriber>, Fault> {
    let credit: u32 = setup.options.parse("credit")?;
    if credit == 0 {
        return Err(Fault::fatal("option credit", "it must be above 0"));
    }
    let runtime = runtime()?;
    let (opened, receiver) = runtime.block_on(in_time(setup, async {
        let mut opened = open(setup).await?;
        let receiver = Receiver::builder()
            .name(format!("{}-receiver", setup.client))
            .source(address(setup))
            .sender_settle_mode(settle_mode(setup))
            .credit_mode(CreditMode::Auto(credit))
            .attach(&mut opened.session)
            .await
            .map_err(|error| {
                let what = format!("subscribe at {}", setup.server());
                Fault::fatal(what, causes(&error))
            })?;
        Ok((opened, receiver))
    }))?;
    let what = format!("connection to {}", setup.server());
    let settled = setup.qos == SETTLED;
    let leaving = Arc::new(AtomicBool::new(false));
    let leave = Arc::clone(&leaving);
    runtime.spawn(async move {
        let mut inbox = inbox;
        let mut link = Link {
            receiver,
            credit: settled.then_some(credit),
            taken: 0,
        };
        loop {
            match link.take(&mut inbox).await {
                Ok(()) => {}
                Err(_) if leave.load(Ordering::Acquire) => return,
                Err(why) => return inbox.fault(Fault::fatal(what, why)),
            }
        }
    });
    // The link hears of the connection's end, too, and tells it.
    let farewell = watch(setup, runtime, opened, |_| {});
    Ok(Box::new(Receiving { farewell, leaving }))
}

struct Receiving {
    farewell: Farewell,
    leaving: Arc<AtomicBool>,
}

impl Subscriber for Receiving {
    fn close(self: Box<Self>) {
        self.leaving.store(true, Ordering::Release);
        self.farewell.say();
    }
}

/// The link that messages come over.
struct Link {
    receiver: Receiver,
    /// What to give anew, where messages come settled: the library gives credit only for what it settles itself.
    credit: Option<u32>,
    taken: u32,
}

impl Link {
    async fn take(&mut self, inbox: &mut Inbox) -> Result<(), String> {
        let why = |error: RecvError| causes(&error);
        let delivery = self.receiver.recv::<Data>().await.map_err(why)?;
        let header = delivery.message().header.as_ref();
        let again = header.is_some_and(|header| header.delivery_count > 0);
        inbox.deliver(&delivery.body().0, again);
        let Some(credit) = self.credit else {
            let accepted = self.receiver.accept(&delivery).await;
            return accepted.map_err(|error| causes(&error));
        };
        self.taken += 1;
        if self.taken >= credit.div_ceil(2) {
            self.taken = 0;
            let granted = self.receiver.set_credit(credit).await;
            granted.map_err(|error| causes(&error))?;
        }
        Ok(())
    }
}
