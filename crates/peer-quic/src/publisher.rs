//! The publisher: the pacer's thread hands messages over, a second thread serves the connection.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use quinn::{Connection, Endpoint, SendStream};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::sleep;
use wirelab_peer::{Fault, Outcomes, Publisher, Setup};
use wirelab_transport::handshake::Role;
use wirelab_transport::quic::{broken, close};
use wirelab_transport::{in_time, runtime};

use crate::connection::{Welcomed, open};

/// How often a flush checks whether the last datagram has been sent.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Connects a publisher.
///
/// # Errors
/// A fatal fault that names the relay and the cause.
pub fn connect(setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
    let runtime = runtime()?;
    let welcomed = runtime.block_on(in_time(setup, open(setup, Role::Publisher)))?;
    let Welcomed {
        endpoint,
        connection,
        send,
        receive: _receive,
    } = welcomed;
    let mode = match setup.qos.as_str() {
        "stream" => SendMode::Stream(send),
        "streams" => SendMode::Streams {
            limit: setup.options.parse("streams")?,
            under_way: Arc::new(Semaphore::new(setup.options.parse("streams")?)),
            _hello: send,
        },
        _ => {
            let largest = connection.max_datagram_size().unwrap_or(0);
            if setup.largest > largest {
                let why = format!(
                    "{} B exceeds the datagram size of {largest} B",
                    setup.largest
                );
                return Err(Fault::fatal("largest message", why));
            }
            SendMode::Datagram {
                room: connection.datagram_send_buffer_space(),
                _hello: send,
            }
        }
    };
    let handle = runtime.handle().clone();
    let (leave, left) = oneshot::channel::<()>();
    let (watched, lost) = (connection.clone(), broken(setup, ""));
    thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                why = watched.closed() => outcomes.fault(Fault { why: why.to_string(), ..lost }),
                _ = left => {}
            }
            // `close` waits for the endpoint on this runtime.
            std::future::pending::<()>().await;
        });
    });
    Ok(Box::new(Quic {
        what: format!("send to {}", setup.server()),
        endpoint,
        connection,
        mode,
        handle,
        leave: Some(leave),
    }))
}

/// How messages are sent. Dropping the hello's stream would end it.
enum SendMode {
    Stream(SendStream),
    Streams {
        limit: u32,
        under_way: Arc<Semaphore>,
        _hello: SendStream,
    },
    Datagram {
        room: usize,
        _hello: SendStream,
    },
}

struct Quic {
    what: String,
    endpoint: Endpoint,
    connection: Connection,
    mode: SendMode,
    handle: Handle,
    leave: Option<oneshot::Sender<()>>,
}

impl Quic {
    async fn hand_over(&mut self, message: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
        match &mut self.mode {
            SendMode::Stream(stream) => {
                let mut frame = Vec::with_capacity(4 + message.len());
                frame.extend_from_slice(&u32::try_from(message.len())?.to_le_bytes());
                frame.extend_from_slice(message);
                stream.write_chunk(frame.into()).await?;
            }
            SendMode::Streams { under_way, .. } => {
                let permit = Arc::clone(under_way).acquire_owned().await?;
                let mut stream = self.connection.open_uni().await?;
                stream.write_chunk(Bytes::copy_from_slice(message)).await?;
                stream.finish()?;
                tokio::spawn(async move {
                    // Completes when the relay has received everything.
                    let _ = stream.stopped().await;
                    drop(permit);
                });
            }
            SendMode::Datagram { .. } => {
                let message = Bytes::copy_from_slice(message);
                self.connection.send_datagram_wait(message).await?;
            }
        }
        Ok(())
    }

    /// Waits until the relay has received every stream in full, and every datagram has been sent.
    async fn all_out(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        match &mut self.mode {
            SendMode::Stream(stream) => {
                stream.finish()?;
                stream.stopped().await?;
            }
            SendMode::Streams {
                limit, under_way, ..
            } => {
                let _all = under_way.acquire_many(*limit).await?;
            }
            SendMode::Datagram { room, .. } => {
                while self.connection.datagram_send_buffer_space() < *room {
                    sleep(POLL_INTERVAL).await;
                }
            }
        }
        Ok(())
    }
}

impl Publisher for Quic {
    fn send(&mut self, _seq: u64, message: &[u8]) -> Result<(), Fault> {
        let handle = self.handle.clone();
        handle
            .block_on(self.hand_over(message))
            .map_err(|error| Fault::fatal(&self.what, error))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        let handle = self.handle.clone();
        handle
            .block_on(self.all_out())
            .map_err(|error| Fault::fatal(&self.what, error))
    }

    fn close(mut self: Box<Self>) {
        drop(self.leave.take());
        let handle = self.handle.clone();
        handle.block_on(close(&self.endpoint, &self.connection));
    }
}
