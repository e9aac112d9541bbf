//! The publishing side: messages are handed over by the pacer's thread, a second thread serves the connection.

use std::sync::Arc;

use fe2o3_amqp::Sender;
use fe2o3_amqp::types::messaging::{Data, Outcome};
use fe2o3_amqp::types::primitives::Binary;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};
use wirelab_transport::{causes, in_time, runtime};

use crate::connection::{Farewell, address, open, settle_mode, watch};
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
        let sender = Sender::builder()
            .name(format!("{}-sender", setup.client))
            .target(address(setup))
            .sender_settle_mode(settle_mode(setup))
            .attach(&mut opened.session)
            .await
            .map_err(|error| {
                let what = format!("open a link to {}", setup.server());
                Fault::fatal(what, causes(&error))
            })?;
        Ok((opened, sender))
    }))?;
    let handle = runtime.handle().clone();
    let lost = outcomes.clone();
    let farewell = watch(setup, runtime, opened, move |fault| lost.fault(fault));
    Ok(Box::new(Publishing {
        what: format!("send to {}", setup.server()),
        settled: setup.qos == SETTLED,
        sender: Some(sender),
        handle,
        outcomes,
        room: Arc::new(Semaphore::new(inflight)),
        farewell,
    }))
}

struct Publishing {
    what: String,
    settled: bool,
    sender: Option<Sender>,
    handle: Handle,
    outcomes: Outcomes,
    /// For messages that are not settled.
    room: Arc<Semaphore>,
    farewell: Farewell,
}

impl Publisher for Publishing {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let failed = |why: String| Fault::fatal(&self.what, why);
        let Some(sender) = &mut self.sender else {
            return Err(failed("the link has been closed".into()));
        };
        let message = Data(Binary::from(message));
        let (room, settled) = (Arc::clone(&self.room), self.settled);
        let (fate, place) = self
            .handle
            .block_on(async {
                let place = match settled {
                    true => None,
                    false => room.acquire_owned().await.ok(),
                };
                // Waits for the link's credit and the session's window.
                let fate = sender.send_batchable(message).await?;
                Ok((fate, place))
            })
            .map_err(|error: fe2o3_amqp::link::SendError| failed(causes(&error)))?;
        if settled {
            return Ok(());
        }
        let outcomes = self.outcomes.clone();
        self.handle.spawn(async move {
            match fate.await {
                Ok(Outcome::Accepted(_)) => outcomes.acknowledged(seq),
                Ok(other) => {
                    eprintln!("message {seq}: {other:?}");
                    outcomes.failed(seq);
                }
                Err(error) => {
                    eprintln!("message {seq}: {}", causes(&error));
                    outcomes.failed(seq);
                }
            }
            drop(place);
        });
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        // The server's answer to a detach comes after it has taken every message. Those that are not settled are answered one by one.
        match self.sender.take_if(|_| self.settled) {
            None => Ok(()),
            Some(sender) => self
                .handle
                .block_on(sender.detach())
                .map(drop)
                .map_err(|(_, error)| Fault::fatal(&self.what, causes(&error))),
        }
    }

    fn close(self: Box<Self>) {
        self.farewell.say();
    }
}
