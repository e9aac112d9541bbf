//! The publisher: the pacer's thread hands messages over, a second thread serves the connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bytes::Bytes;
use hyper::Method;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};
use wirelab_transport::{causes, in_time, runtime};

use crate::Version;
use crate::connection::{Sender, Target, granted, open, refused};

/// Connects a publisher, with as many connections or streams as concurrent requests are allowed.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(
    setup: &Setup,
    outcomes: Outcomes,
    version: Version,
) -> Result<Box<dyn Publisher>, Fault> {
    let places: usize = setup.options.parse("inflight")?;
    if places == 0 {
        return Err(Fault::fatal("option inflight", "must be above 0"));
    }
    let target = Target::new(setup, version)?;
    let leaving = Arc::new(AtomicBool::new(false));
    let runtime = runtime()?;
    let (give_back, idle) = unbounded_channel();
    runtime.block_on(in_time(setup, async {
        let mut open_places = 0;
        while open_places < places {
            let (lost, left) = (outcomes.clone(), Arc::clone(&leaving));
            let what = format!("connection to {}", setup.server());
            let mut sender = open(setup, version, move |why| {
                if !left.load(Ordering::Acquire) {
                    lost.fault(Fault::fatal(what, why));
                }
            })
            .await?;
            let probe = target.request(Method::OPTIONS, Bytes::new());
            let answered = sender.send(probe).await;
            granted(setup, answered.map_err(|error| refused(setup, &error))?)?;
            open_places += 1;
            while let Some(twin) = sender.twin().filter(|_| open_places < places) {
                let _ = give_back.send(twin);
                open_places += 1;
            }
            let _ = give_back.send(sender);
        }
        Ok(())
    }))?;
    let handle = runtime.handle().clone();
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    Ok(Box::new(Http {
        handle,
        idle,
        give_back,
        target,
        outcomes,
        leaving,
    }))
}

struct Http {
    handle: Handle,
    idle: UnboundedReceiver<Sender>,
    give_back: UnboundedSender<Sender>,
    target: Target,
    outcomes: Outcomes,
    leaving: Arc<AtomicBool>,
}

impl Publisher for Http {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let body = Bytes::copy_from_slice(message);
        let request = self.target.request(Method::POST, body);
        let Some(mut sender) = self.idle.blocking_recv() else {
            return Err(Fault::fatal("send", "no open connection"));
        };
        let (outcomes, give_back) = (self.outcomes.clone(), self.give_back.clone());
        self.handle.spawn(async move {
            match sender.send(request).await {
                Ok(response) if response.status().is_success() => outcomes.acknowledged(seq),
                Ok(response) => {
                    eprintln!("message {seq}: the server answered {}", response.status());
                    outcomes.failed(seq);
                }
                Err(error) => {
                    eprintln!("message {seq}: {}", causes(&error));
                    outcomes.failed(seq);
                }
            }
            let _ = give_back.send(sender);
        });
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        // Every message gets a response, after its last byte has been sent.
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.leaving.store(true, Ordering::Release);
    }
}
