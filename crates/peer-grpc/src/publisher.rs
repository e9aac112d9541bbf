//! The publisher: the pacer's thread hands messages over, a second thread serves the connection.

use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use futures_util::stream::poll_fn;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{Semaphore, oneshot};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};
use wirelab_transport::grpc::Raw;
use wirelab_transport::{in_time, runtime};

use crate::connection::{Calls, Target, call, open, why};

/// Capacity of a stream's queue in messages; `send` blocks beyond it.
const QUEUE: usize = 64;

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let inflight: usize = setup.options.parse("inflight")?;
    if inflight == 0 || inflight > Semaphore::MAX_PERMITS {
        return Err(Fault::fatal(
            "option inflight",
            "must be above 0 and below 2^60",
        ));
    }
    let runtime = runtime()?;
    let (calls, target) = runtime.block_on(in_time(setup, open(setup)))?;
    let handle = runtime.handle().clone();
    let what = format!("connection to {}", setup.server());
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    if setup.qos == "unary" {
        return Ok(Box::new(Unary {
            handle,
            calls,
            target,
            outcomes,
            what,
            room: Arc::new(Semaphore::new(inflight)),
        }));
    }
    let (messages, waiting) = channel(QUEUE);
    let (over, ended) = oneshot::channel();
    handle.spawn(stream(calls, target, waiting, over, outcomes, what.clone()));
    Ok(Box::new(Streaming {
        handle,
        messages: Some(messages),
        ended: Some(ended),
        what,
    }))
}

/// One call per message.
struct Unary {
    handle: Handle,
    calls: Calls,
    target: Target,
    outcomes: Outcomes,
    what: String,
    room: Arc<Semaphore>,
}

impl Publisher for Unary {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let message = Bytes::copy_from_slice(message);
        let permit = self.handle.block_on(Arc::clone(&self.room).acquire_owned());
        let permit = permit.map_err(|error| Fault::fatal(&self.what, error))?;
        let (mut calls, target) = (self.calls.clone(), self.target.clone());
        let (outcomes, what) = (self.outcomes.clone(), self.what.clone());
        self.handle.spawn(async move {
            match call(&mut calls, &target, "Publish", message).await {
                Ok(()) => outcomes.acknowledged(seq),
                Err(status) => {
                    outcomes.failed(seq);
                    // The relay answers every call that reaches it.
                    outcomes.fault(Fault::fatal(what, why(&status)));
                }
            }
            drop(permit);
        });
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        // Every call is answered, after its last byte has been sent.
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

/// One call for all messages.
struct Streaming {
    handle: Handle,
    messages: Option<Sender<Bytes>>,
    ended: Option<oneshot::Receiver<()>>,
    what: String,
}

impl Publisher for Streaming {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        let message = Bytes::copy_from_slice(message);
        let sent = match &self.messages {
            Some(messages) => self.handle.block_on(messages.send(message)).is_ok(),
            None => false,
        };
        match sent {
            true => Ok(()),
            false => Err(Fault::fatal(&self.what, "the stream has ended")),
        }
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.messages = None;
        // The relay answers after it has forwarded the last message; faults have been reported by
        // then.
        if let Some(ended) = self.ended.take() {
            let _ = self.handle.block_on(ended);
        }
        Ok(())
    }

    fn close(self: Box<Self>) {}
}

async fn stream(
    mut calls: Calls,
    target: Target,
    mut waiting: tokio::sync::mpsc::Receiver<Bytes>,
    over: oneshot::Sender<()>,
    outcomes: Outcomes,
    what: String,
) {
    let messages = poll_fn(move |context| waiting.poll_recv(context));
    let path = target.path("PublishAll");
    let answer = match calls.ready().await {
        Ok(()) => calls
            .client_streaming(target.request(messages), path, Raw)
            .await
            .map_err(|status| why(&status)),
        Err(error) => Err(error.to_string()),
    };
    if let Err(why) = answer {
        outcomes.fault(Fault::fatal(what, why));
    }
    let _ = over.send(());
}
