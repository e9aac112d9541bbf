//! The publisher: the pacer's thread hands messages over, a second thread serves the connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bytes::Bytes;
use http::{Method, Uri};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};
use wirelab_transport::quic::{broken, close, refused};
use wirelab_transport::{in_time, runtime};

use crate::connection::{Opened, check, open, request, resource};

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the server and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let places: usize = setup.options.parse("inflight")?;
    if places == 0 {
        return Err(Fault::fatal("option inflight", "must be above 0"));
    }
    let resource = resource(setup)?;
    let leaving = Arc::new(AtomicBool::new(false));
    let (lost, left, fault) = (outcomes.clone(), Arc::clone(&leaving), broken(setup, ""));
    let runtime = runtime()?;
    let opened = runtime.block_on(in_time(setup, async {
        let mut opened = open(setup, move |why| {
            if !left.load(Ordering::Acquire) {
                lost.fault(Fault { why, ..fault });
            }
        })
        .await?;
        let probe = request(&mut opened.sender, Method::OPTIONS, &resource, Bytes::new());
        let (response, _) = probe.await.map_err(|why| refused(setup, why))?;
        check(setup, &response)?;
        Ok(opened)
    }))?;
    let handle = runtime.handle().clone();
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    Ok(Box::new(Http3 {
        handle,
        opened,
        places: Arc::new(Semaphore::new(places)),
        resource,
        outcomes,
        leaving,
    }))
}

struct Http3 {
    handle: Handle,
    opened: Opened,
    /// One permit for each request that may be in flight.
    places: Arc<Semaphore>,
    resource: Uri,
    outcomes: Outcomes,
    leaving: Arc<AtomicBool>,
}

impl Publisher for Http3 {
    fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
        let permit = self
            .handle
            .block_on(Arc::clone(&self.places).acquire_owned())
            .map_err(|error| Fault::fatal("send", error))?;
        let body = Bytes::copy_from_slice(message);
        let (mut sender, resource) = (self.opened.sender.clone(), self.resource.clone());
        let outcomes = self.outcomes.clone();
        self.handle.spawn(async move {
            match request(&mut sender, Method::POST, &resource, body).await {
                Ok((response, _)) if response.status().is_success() => outcomes.acknowledged(seq),
                Ok((response, _)) => {
                    eprintln!("message {seq}: the server answered {}", response.status());
                    outcomes.failed(seq);
                }
                Err(why) => {
                    eprintln!("message {seq}: {why}");
                    outcomes.failed(seq);
                }
            }
            drop(permit);
        });
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        // Every message gets a response, after its last byte has been sent.
        Ok(())
    }

    fn close(self: Box<Self>) {
        self.leaving.store(true, Ordering::Release);
        let Opened {
            endpoint,
            connection,
            ..
        } = &self.opened;
        self.handle.block_on(close(endpoint, connection));
    }
}
